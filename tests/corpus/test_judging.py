"""Rows that stop nothing: whatever happens in one is a diagnostic about it."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from callwright.corpus import judging
from callwright.corpus.diagnostics import CorpusDiagnostic
from callwright.corpus.judging import RowJudge
from callwright.corpus.lines import Row
from callwright.corpus.measuring import RowMeasurer
from callwright.corpus.tasks.convert import RowConverter
from callwright.document.settings import Settings
from callwright.text.budget import is_time_sliced, yield_point
from corpus.making import FIXABLE, LOST, SOUND, chat, run_options


def judged(data: Any, **given: Any) -> list[CorpusDiagnostic]:
    line = data if isinstance(data, bytes) else json.dumps(data).encode() + b"\n"
    return RowJudge(run_options(Path("out"), **given)).diagnostics(Row(3, line))


@pytest.mark.parametrize("data", [b"\n", b"", b"{}\n", b"null\n", b'{"a": 1}\n', b'"text"\n', b"[]\n"])
def test_a_row_that_states_nothing_has_no_diagnostic(data: bytes) -> None:
    assert judged(data) == []


@pytest.mark.parametrize(
    ("data", "stated"),
    [
        (b"id,text\n", "not JSON"),
        (b'{"id": 4, "text": "cut o\n', "not JSON"),
        (b'{"messages": "\xff"}\n', "not UTF-8"),
    ],
)
def test_a_row_that_cannot_be_read_is_stated(data: bytes, stated: str) -> None:
    [diagnostic] = judged(data)
    assert (diagnostic.row, diagnostic.rule, diagnostic.severity) == (3, "TC717", "error")
    assert stated in diagnostic.message


def test_a_transcript_that_breaks_off_is_reported_by_the_rules() -> None:
    found = judged(json.dumps(chat("Done.")).encode()[:-4] + b"\n")
    assert "TC717" not in {each.rule for each in found}
    assert found


def test_a_failure_is_a_diagnostic_and_the_next_row_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = RowJudge(run_options(Path("out")))
    with monkeypatch.context() as broken:
        broken.setattr(judging, "diagnostics", lambda _: 1 // 0)
        [diagnostic] = judge.diagnostics(Row(0, json.dumps(chat(LOST)).encode() + b"\n"))
    assert diagnostic.rule == "TC717"
    assert "ZeroDivisionError" in diagnostic.message
    assert [each.rule for each in judge.diagnostics(Row(1, json.dumps(chat(LOST)).encode() + b"\n"))] == ["TC302"]


def test_a_row_that_takes_too_long_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = itertools.count()
    monkeypatch.setattr(judging, "thread_time", lambda: float(next(seconds)))

    def endless(_: object) -> list[Any]:
        while True:
            yield_point()

    monkeypatch.setattr(judging, "diagnostics", endless)
    [diagnostic] = judged(chat(LOST), seconds=20.0)
    assert "more than 20 seconds" in diagnostic.message
    assert not is_time_sliced()


def test_settings_leave_such_diagnostics_out() -> None:
    assert judged(b"id,text\n", settings=Settings(ignore=("TC717",))) == []


def test_places_are_those_of_the_decoded_text() -> None:
    [diagnostic] = judged(chat('Sûr,\n\t"now":\n' + LOST, id=7))
    assert (diagnostic.row, diagnostic.turn, diagnostic.call, diagnostic.tool, diagnostic.dialect) == (
        3,
        1,
        0,
        "read_file",
        "xml-children",
    )
    assert diagnostic.field == "messages[1].content"
    text = 'Sûr,\n\t"now":\n' + LOST
    assert diagnostic.start is not None
    assert diagnostic.raw == text[diagnostic.start : diagnostic.end] == "read_file"


def test_a_path_leads_to_texts() -> None:
    rows = {"turns": [{"text": "Nothing."}, {"text": LOST}], "note": LOST}
    [diagnostic] = judged(rows, text="turns[*].text")
    assert (diagnostic.field, diagnostic.start, diagnostic.raw, diagnostic.call) == ("turns[1].text", 1, "read_file", 0)


@pytest.mark.parametrize("written", [False, True])
def test_a_path_leads_to_a_conversation(written: bool) -> None:
    talk = chat(LOST)["messages"]
    row = {"data": {"talk": json.dumps(talk) if written else talk}, "messages": chat(LOST)["messages"]}
    [diagnostic] = judged(row, messages="data.talk")
    assert (diagnostic.field, diagnostic.turn, diagnostic.call) == ("data.talk[1].content", 1, 0)


def test_a_path_leads_to_a_whole_request() -> None:
    [diagnostic] = judged({"log": chat(LOST)}, messages="log")
    assert diagnostic.field == "log.messages[1].content"


@pytest.mark.parametrize(("stated", "fixed"), [(FIXABLE, SOUND), (SOUND, SOUND), (LOST, None)])
def test_a_row_is_fixed_where_no_error_is_left(stated: str, fixed: str | None) -> None:
    judge = RowJudge(run_options(Path("out")))
    fresh = judge.fixed(json.dumps(chat(stated, id=1)).encode() + b"\n")
    assert (fresh and json.loads(fresh)) == (fixed and chat(fixed, id=1))


def test_what_a_path_leads_to_is_fixed_in_its_place() -> None:
    judge = RowJudge(run_options(Path("out"), text="turns[*].text"))
    row = json.dumps({"id": 1, "turns": [{"text": SOUND}, {"text": FIXABLE}], "n": 1.50}).encode() + b"\n"
    assert judge.fixed(row) == row.replace(FIXABLE.encode(), SOUND.encode())


#: Rows whose JSON is broken: with a conversation of which the rules say more, with words alone, and with other values.
BROKEN = (
    b'{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "<tool_call>{',
    b'{"messages": [{"role": "user", "content": "a"}, {"role": "assistant"',
    b'{"messages": [{"role": "user", "content": "a",}]}',
    b"words",
    b'{"a": 1} {"b": 2}',
    b'{"a": 1,}',
    b'[1, {"b": 2]',
    b'{"text": "abc',
)


@pytest.mark.parametrize("line", BROKEN)
def test_a_broken_row_is_reported_alike_whatever_is_scanned_in_it_and_when_it_is_converted(line: bytes) -> None:
    plain = judged(line)
    assert any(each.severity == "error" for each in plain)
    assert judged(line, messages="messages") == plain
    assert judged(line, text="messages[*].content") == plain
    given = run_options(Path("out"), task="convert", to="hermes")
    ways = (given, replace(given, messages="messages"), replace(given, text="text"))
    for way in ways:
        refused = RowConverter(way).outcome(Row(3, line))
        assert [each.reason for each in refused.records] == [each.message for each in plain if each.severity == "error"]
        assert not refused.rows
    counted = RowMeasurer(replace(given, task="stats", to=None)).measured(Row(3, line))
    assert counted.all.diagnostics == Counter(each.rule for each in plain)
