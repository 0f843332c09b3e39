"""Rows in another dialect: all calls of a row are converted and nothing else is changed, or the row is refused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from callwright.corpus.lines import Row
from callwright.corpus.tasks.base import Outcome
from callwright.corpus.tasks.convert import TASK, RowConverter
from corpus.making import SOUND, chat, done, lines_of, run_options

HERMES = '<tool_call>{"name": "read_file", "arguments": {"path": "a.py"}}</tool_call>'
#: One of the values would be lost.
TWICE = "<read_file><path>a.py</path><path>b.py</path></read_file>"
#: How it continues is unknown.
CUT = "<read_file><path>a.py"
TALK = [f"Look.\n\n{SOUND}", TWICE, CUT, "Nothing.", HERMES]
ROWS = [chat(TALK[number % len(TALK)], id=number, note="ü") for number in range(40)]


def converted(data: bytes, to: str = "hermes", **given: Any) -> Outcome:
    return RowConverter(run_options(Path("out"), task="convert", to=to, **given)).outcome(Row(3, data))


def refusals(out: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(out / "refusals.parquet").to_pylist()
    return rows


def written(out: Path, name: str) -> Path:
    return next((out / "converted").rglob(name))


def test_a_call_is_converted_and_the_rest_of_the_line_stays() -> None:
    data = b'{"id": 1.50,  "messages": [{"role":"assistant", "content": "' + SOUND.encode() + b'"}], "n": "\\u00fc"}'
    outcome = converted(data, "xml-json")
    stated = '<read_file>\\n{\\"path\\": \\"a.py\\"}\\n</read_file>'
    assert outcome.rows["converted"].replace(b"\\n", b"") == data.replace(
        SOUND.encode(), stated.replace("\\n", "").encode()
    )
    assert not outcome.records


@pytest.mark.parametrize("stated", ["Nothing.", HERMES, "a < b"])
def test_a_row_without_another_dialect_is_the_very_same(stated: str) -> None:
    data = json.dumps(chat(stated), indent=1).replace("\n", " ").encode()
    assert converted(data).rows["converted"] is data


@pytest.mark.parametrize("to", ["hermes", "xml-json", "tool-call-xml", "llama-json"])
def test_back_again_the_arguments_are_the_same(to: str) -> None:
    data = json.dumps(chat(SOUND, id=7)).encode()
    there = converted(data, to).rows["converted"]
    assert there != data
    back = converted(there, "xml-children").rows["converted"]
    assert "".join(json.loads(back)["messages"][1]["content"].split()) == SOUND
    assert json.loads(back)["id"] == 7


def test_a_refused_call_keeps_its_row_out_and_is_described() -> None:
    talk = {"messages": [{"role": "assistant", "content": f"{SOUND}\n\n{TWICE}"}]}
    outcome = converted(json.dumps(talk).encode())
    assert not outcome.rows
    [refusal] = outcome.records
    assert (refusal.row, refusal.turn, refusal.call, refusal.tool, refusal.dialect) == (
        3,
        0,
        1,
        "read_file",
        "xml-children",
    )
    assert refusal.field == "messages[0].content"
    assert refusal.raw == TWICE
    assert refusal.start == len(SOUND) + 2
    assert "given twice" in refusal.reason


@pytest.mark.parametrize(
    ("data", "stated"),
    [(b"id,text\n", "not JSON"), (b'{"messages": [', "not JSON"), (b'{"messages": "\xff<a_b>"}\n', "not UTF-8")],
)
def test_a_row_that_cannot_be_read_is_refused(data: bytes, stated: str) -> None:
    outcome = converted(data)
    [refusal] = outcome.records
    assert stated in refusal.reason
    assert (refusal.call, refusal.tool, refusal.raw) == (None, None, "")
    assert not outcome.rows


def test_a_failure_refuses_the_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("callwright.corpus.tasks.convert.convert_document", lambda *_: 1 // 0)
    outcome = converted(json.dumps(chat(SOUND)).encode())
    assert "ZeroDivisionError" in outcome.records[0].reason
    assert not outcome.rows


def test_texts_at_a_path_are_converted_and_others_are_not() -> None:
    row = {"turns": [{"text": "Nothing."}, {"text": SOUND}], "note": SOUND, "n": 1}
    fresh = json.loads(converted(json.dumps(row).encode(), text="turns[*].text").rows["converted"])
    assert fresh["turns"][1]["text"].strip() == HERMES
    assert {**fresh, "turns": None} == {**row, "turns": None}


def test_a_conversation_at_a_path_is_converted() -> None:
    row = {"log": {"talk": json.dumps(chat(SOUND)["messages"])}, "messages": chat(SOUND)["messages"]}
    fresh = json.loads(converted(json.dumps(row).encode(), messages="log.talk").rows["converted"])
    assert json.loads(fresh["log"]["talk"])[1]["content"] == HERMES
    assert fresh["messages"] == row["messages"]


def corpus(folder: Path) -> Path:
    folder.mkdir()
    text = lines_of(ROWS)
    (folder / "a.jsonl").write_bytes(text)
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(text))
    table = pa.Table.from_pylist(ROWS).replace_schema_metadata({"about": "rows"})
    pq.write_table(table, folder / "c.parquet", row_group_size=7)
    with pa.ipc.new_file(str(folder / "d.arrow"), table.schema) as writer:
        writer.write_table(table, max_chunksize=6)
    return folder


def test_every_format_keeps_its_other_columns_and_the_division_changes_nothing(tmp_path: Path) -> None:
    data = corpus(tmp_path / "data")
    results = []
    for unit in (900, 64 << 20):
        out = tmp_path / f"out{unit}"
        summary = done([data], run_options(out, task="convert", to="hermes", unit=unit))
        results.append((summary, refusals(out)))
        assert (out / "converted.json").is_file()
        wanted = [chat(TALK[0].replace(SOUND, HERMES), id=row["id"], note="ü") if row["id"] % 5 == 0 else row
                  for row in ROWS if row["id"] % 5 not in (1, 2)]  # fmt: skip
        lines = written(out, "a.jsonl").read_bytes()
        assert [json.loads(line) for line in lines.splitlines()] == wanted
        assert lines.splitlines()[1] == json.dumps(ROWS[3]).encode()
        assert gzip.decompress(written(out, "b.jsonl.gz").read_bytes()) == lines
        table = pq.read_table(written(out, "c.parquet"))
        assert table.to_pylist() == wanted
        assert table.schema.equals(pq.read_schema(data / "c.parquet"), check_metadata=True)
        with pa.memory_map(str(written(out, "d.arrow"))) as file:
            assert pa.ipc.open_file(file).read_all().to_pylist() == wanted
    assert results[0] == results[1]
    summary, refused = results[0]
    assert (summary["rows"], summary["converted"], summary["unchanged"], summary["refused"]) == (160, 32, 64, 64)
    assert (summary["calls"], summary["already"], summary["native"], summary["refusals"]) == (32, 32, 0, 64)
    assert summary["dialects"] == {"xml-children": 32}
    assert [each["row"] for each in refused] == [row["id"] for row in ROWS if row["id"] % 5 in (1, 2)] * 4


def test_native_calls_stay_and_are_counted(tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "a.py"}'}}
    rows = [
        {"messages": [{"role": "assistant", "content": None, "tool_calls": [call]}]},
        {"messages": [{"role": "assistant", "content": SOUND, "tool_calls": [call]}]},
    ]
    (tmp_path / "a.jsonl").write_bytes(lines_of(rows))
    summary = done([tmp_path / "a.jsonl"], run_options(tmp_path / "out", task="convert", to="hermes"))
    assert (summary["native"], summary["calls"], summary["converted"], summary["unchanged"]) == (2, 1, 1, 1)
    first, second = written(tmp_path / "out", "a.jsonl").read_bytes().splitlines()
    assert first == json.dumps(rows[0]).encode()
    assert json.loads(second)["messages"][0]["tool_calls"] == [call]


def test_broken_shards_and_long_rows_are_refused_and_the_others_are_converted(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"PAR1 and nothing behind")
    (tmp_path / "b.jsonl").write_bytes(lines_of([chat("x" * 9_000), chat(SOUND)]))
    out = tmp_path / "out"
    done([tmp_path / "a.parquet", tmp_path / "b.jsonl"], run_options(out, task="convert", to="hermes", longest=5_000))
    assert [(Path(each["source"]).name, each["row"], each["tool"]) for each in refusals(out)] == [
        ("a.parquet", 0, None),
        ("b.jsonl", 0, None),
    ]
    assert written(out, "b.jsonl").read_bytes().count(b"\n") == 1


def test_a_column_without_room_refuses_the_row() -> None:
    outcome = converted(json.dumps(chat(SOUND)).encode())
    refused = TASK.without_room(Row(3, b""), outcome, "converted")
    assert [each.row for each in refused.records] == [3]
    assert not refused.rows
    tally = TASK.tally()
    tally.count(refused)
    assert (tally.refused, tally.calls, tally.converted) == (1, 0, 0)


def test_another_aim_wants_other_parts(tmp_path: Path) -> None:
    prints = {
        run_options(tmp_path, **more).fingerprint
        for more in ({}, {"task": "convert", "to": "hermes"}, {"task": "convert", "to": "xml-json"}, {"task": "stats"})
    }
    assert len(prints) == 4
