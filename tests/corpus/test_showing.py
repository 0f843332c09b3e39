"""Showing: a row has in every format the number that diagnostics name it by."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from callwright.corpus.failure import CorpusError
from callwright.corpus.shards import find_shards
from callwright.corpus.showing import row_of
from corpus.making import diagnostics, done, run_options
from corpus.test_work import ROWS, corpus


def test_a_diagnostic_names_the_row_that_is_shown(tmp_path: Path) -> None:
    data = corpus(tmp_path / "data")
    given = run_options(tmp_path / "out", unit=2_000)
    done([data], given)
    found = diagnostics(given)
    assert {Path(each["source"]).name for each in found} == {Path(each.path).name for each in find_shards([str(data)])}
    for each in found:
        row = json.loads(row_of(each["source"], each["row"]))
        stated = row["messages"][each["turn"]]["content"]
        assert stated == ROWS[each["row"]]["messages"][each["turn"]]["content"]
        assert stated[each["start"] : each["end"]] == each["raw"]


def test_what_is_not_there_is_stated(tmp_path: Path) -> None:
    data = corpus(tmp_path / "data")
    for path in data.iterdir():
        with pytest.raises(CorpusError, match="no row 48; the last row is 47"):
            row_of(str(path), 48)
    with pytest.raises(CorpusError, match="matches 6 shards; name one of them"):
        row_of(str(data), 0)
    (tmp_path / "a.jsonl").write_bytes(b"")
    with pytest.raises(CorpusError, match="there is no row in it"):
        row_of(str(tmp_path / "a.jsonl"), 0)
    (tmp_path / "a.parquet").write_bytes(b"PAR1 and nothing behind")
    with pytest.raises(CorpusError, match="unreadable from row 0 on: "):
        row_of(str(tmp_path / "a.parquet"), 0)
