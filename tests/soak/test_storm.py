"""A short storm of edits with a fixed seed, and that a storm fails where it should; `make soak` is the long one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from callwright.document.snapshot import Snapshot
from callwright.lint.linter import diagnostics
from callwright.rules.base import Diagnostic
from callwright.text.span import Edit
from lsp.typist import Typist
from soak import answers
from soak.documents import flow, plain, write_workspace
from soak.memory import Memory, growth
from soak.shrinking import Reproduction, play, servers_of, shortened
from soak.storm import weather

EDITS = 1_000
#: What is pasted in place of a megabyte.
PASTED = 10_000


def pasted(random: Random) -> str:
    return plain(flow(random, PASTED)) * 2


@pytest.mark.whole(reason="edits many documents for ten seconds")
def test_a_short_storm_finds_no_difference(tmp_path: Path) -> None:
    reported: list[str] = []
    wrong = weather(EDITS, "short", tmp_path, period=EDITS // 2, pasted=pasted, report=reported.append, attempts=100)
    assert wrong is None or wrong.startswith("Memory"), wrong
    # So few edits fill the caches that are bounded, so memory says nothing yet; that it was checked is what counts.
    assert any(line.startswith("Memory after") for line in reported), reported
    assert any("5 long pastes" in line for line in reported), reported


def test_an_edit_that_is_lost_is_found_and_reported_in_few_characters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit = Snapshot.edit

    def forgetful(snapshot: Snapshot, edits: list[Edit], *more: object, **options: object) -> Snapshot:
        kept = [each for each in edits if "\u2028" not in each.text]
        return edit(snapshot, kept, *more, **options)  # type: ignore[arg-type]  # passed on as it came

    monkeypatch.setattr(Snapshot, "edit", forgetful)
    wrong = weather(EDITS, "lost", tmp_path, pasted=None, report=lambda _text: None, attempts=300)
    assert wrong is not None
    assert "Made short: " in wrong
    short = Reproduction.read(wrong.splitlines()[-1])
    servers = servers_of(tmp_path)
    assert play(short, tmp_path, servers) is not None
    assert len(short.text) + sum(len(new) for step in short.steps for _, _, new in step) < 100
    monkeypatch.undo()
    assert play(short, tmp_path, servers) is None


def test_what_is_raised_is_found_and_reported_in_few_characters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raising(snapshot: Snapshot) -> Sequence[Diagnostic]:
        if "\u2028" in snapshot.document.text():
            raise LookupError("the line has no end")
        return diagnostics(snapshot)

    monkeypatch.setattr(answers, "diagnostics", raising)
    wrong = weather(EDITS, "lost", tmp_path, pasted=None, report=lambda _text: None, attempts=300)
    assert wrong is not None
    assert "a fault: LookupError: the line has no end" in wrong
    short = Reproduction.read(wrong.splitlines()[-1])
    assert play(short, tmp_path, servers_of(tmp_path)) is not None
    assert len(short.text) + sum(len(new) for step in short.steps for _, _, new in step) < 100


def test_a_reproduction_is_shortened_to_what_fails(tmp_path: Path) -> None:
    write_workspace(tmp_path)
    steps = [[(0, 0, "abc")], [(2, 3, "x"), (9, 9, "needle in it")], [(1, 1, "z")]]
    one = Reproduction("any/a.md", "utf-16", "before " * 30, steps)
    short = shortened(one, lambda each: any("needle" in new for step in each.steps for _, _, new in step), 500)
    assert short.text == ""
    assert "".join(new for step in short.steps for _, _, new in step) == "needle"
    assert len(short.steps) == 1


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_undoing_and_doing_again_lead_back(encoding: str) -> None:
    typist = Typist("a\r\n😀 b\r", encoding)
    texts = [typist.text]
    for change in [(3, 3, "é\u2028"), (2, 4, ""), (0, 1, "\r"), (1, 1, "\n😀")]:
        typist.type([change])
        texts.append(typist.text)
    for before in reversed(texts[:-1]):
        assert typist.undo()
        assert typist.text == before
    assert typist.undo() == []
    for after in texts[1:]:
        assert typist.redo()
        assert typist.text == after
    assert typist.version == 1 + 3 * 4


def test_memory_that_grows_is_reported() -> None:
    before = Memory(1_000_000, 200.0)
    assert growth(before, Memory(1_100_000, 230.0)) is None
    assert "blocks" in (growth(before, Memory(1_200_000, 200.0)) or "")
    assert "MB" in (growth(before, Memory(1_000_000, 300.0)) or "")
