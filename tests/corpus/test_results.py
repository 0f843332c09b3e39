"""Results: a folder that is none, or not whole, is reported with the remedy."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from callwright.corpus.failure import CorpusError
from callwright.corpus.results import HAS_DIAGNOSTICS, SUMMARY, open_results
from corpus.made_results import diagnostic, results_of
from corpus.making import LOST, chat, done, lines_of, run_options


def test_what_a_check_writes_is_opened(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(lines_of([chat(LOST)]))
    summary = done([tmp_path / "a.jsonl"], run_options(tmp_path / "out"))
    results = open_results(str(tmp_path / "out"))
    assert results.summary == summary
    assert results.diagnostics.is_file()


def spoilt_summary(folder: Path) -> None:
    (folder / SUMMARY).write_text('{"rows"', encoding="utf-8")


def other_summary(folder: Path) -> None:
    (folder / SUMMARY).write_text("[1]", encoding="utf-8")


def older_shards(folder: Path) -> None:
    stated = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))
    del stated["shards"][0]["rules"]
    (folder / SUMMARY).write_text(json.dumps(stated), encoding="utf-8")


def spoilt_table(folder: Path) -> None:
    (folder / HAS_DIAGNOSTICS).write_bytes(b"PAR1 and nothing behind")


def other_table(folder: Path) -> None:
    pq.write_table(pa.table({"rule": ["TC302"]}), folder / HAS_DIAGNOSTICS)


@pytest.mark.parametrize(
    ("spoil", "reported"),
    [
        (lambda folder: (folder / SUMMARY).unlink(), "no `summary.json` in this folder; name the output folder"),
        (
            lambda folder: (folder / HAS_DIAGNOSTICS).unlink(),
            "no `diagnostics.parquet` in this folder; name the output folder",
        ),
        (spoilt_summary, "the results cannot be read: "),
        (other_summary, "the results have no `shards`"),
        (older_shards, "the results have no `rules`"),
        (spoilt_table, "the results cannot be read: "),
        (other_table, "the results have no `source`"),
    ],
)
def test_what_cannot_be_opened_is_stated(spoil: Callable[[Path], None], reported: str, tmp_path: Path) -> None:
    results_of(tmp_path, [diagnostic()])
    spoil(tmp_path)
    with pytest.raises(CorpusError) as raised:
        open_results(str(tmp_path))
    assert reported in str(raised.value)
    assert "heck the corpus" in str(raised.value)
    assert "\n" not in str(raised.value)
