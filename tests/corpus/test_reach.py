"""Reach: what was read is counted alike however a row is read; a missing column is reported before any work."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from callwright.corpus.engine import Engine
from callwright.corpus.failure import CorpusError
from callwright.corpus.judging import RowJudge
from callwright.corpus.lines import Row
from callwright.corpus.run import carry_out
from callwright.corpus.tasks.base import Held, task_of
from corpus.making import LOST, SOUND, chat, lines_of, run_options

TALK = json.dumps(chat(SOUND)["messages"])
NATIVE: dict[str, Any] = {
    "messages": [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "a", "type": "function", "function": {"name": "a", "arguments": "{}"}}],
        }
    ]
}
ROWS: list[tuple[Any, Held]] = [
    (chat(SOUND), Held(1, 0, 1)),
    (chat(LOST), Held(1, 0, 1)),
    (chat(SOUND + "\n" + LOST), Held(1, 0, 2)),
    (NATIVE, Held(1, 0, 1)),
    ({"note": "Nothing."}, Held(0, 0, 0)),
    (None, Held(0, 0, 0)),
]


@pytest.mark.parametrize(("row", "held"), ROWS)
@pytest.mark.parametrize("task", ["check", "convert", "stats"])
def test_each_task_counts_what_it_reads(task: str, row: Any, held: Held, tmp_path: Path) -> None:
    given = run_options(tmp_path, task=task, to="hermes" if task == "convert" else None)
    found = task_of(task).outcome(Row(0, lines_of([row])), task_of(task).judge(given), given)
    assert found.held == held


@pytest.mark.parametrize(("row", "held"), ROWS)
def test_rows_are_counted_alike_where_they_are_opened(
    row: Any, held: Held, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = RowJudge(run_options(tmp_path))
    monkeypatch.setattr(judge._rows, "judge", lambda _: None)
    assert judge.judged(Row(0, lines_of([row])))[1] == held


def test_a_row_that_cannot_be_read_is_no_row_without_a_conversation(tmp_path: Path) -> None:
    found, held = RowJudge(run_options(tmp_path)).judged(Row(0, b"words\n"))
    assert [each.rule for each in found] == ["TC717"]
    assert held is None


@pytest.mark.parametrize("form", ["parquet", "arrow"])
@pytest.mark.parametrize(
    "given", [{"messages": "mesages"}, {"text": "txt[*].a"}, {"messages": "messages", "text": "x"}]
)
def test_a_column_that_a_table_does_not_have_is_reported_with_those_that_it_has(
    given: dict[str, str], form: str, tmp_path: Path
) -> None:
    table = pa.table({"messages": [TALK], "n": [1]})
    path = tmp_path / f"a.{form}"
    if form == "parquet":
        pq.write_table(table, path)
    else:
        with pa.ipc.new_file(str(path), table.schema) as writer:
            writer.write_table(table)
    with pytest.raises(CorpusError, match=r"has no column `\w+`; there are `messages`, `n`$"):
        carry_out([str(path)], run_options(tmp_path / "out", **given), Engine("local", None, 1))
    assert not (tmp_path / "out").exists()
