"""Folders of results as a check writes them, with diagnostics that a test makes up."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from callwright.corpus.diagnostics import CorpusDiagnostic, columns_of
from callwright.corpus.results import HAS_DIAGNOSTICS, SUMMARY, Results, open_results


def diagnostic(**given: Any) -> dict[str, Any]:
    """Return a diagnostic in which what is given differs from the plainest one."""
    return {
        "source": "data/a.jsonl",
        "row": 0,
        "turn": 1,
        "call": 0,
        "tool": "read_file",
        "dialect": "xml-children",
        "rule": "TC302",
        "severity": "error",
        "message": "`read_file` requires `path`, which is missing.",
        "field": "messages[1].content",
        "start": 1,
        "end": 10,
        "raw": "read_file",
        "fixable": False,
        **given,
    }


def counted(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what a summary says of diagnostics in rows of which each has one."""

    def counts(name: str) -> dict[str, int]:
        return dict(sorted(Counter(each[name] for each in found if each[name] is not None).items()))

    return {
        "rows": 2 * len(found),
        "bytes": 0,
        "diagnostics": len(found),
        "faulty": sum(each["severity"] == "error" for each in found),
        "found_in": len(found),
        "fixed": 0,
        "fixable": sum(each["fixable"] for each in found),
        "rules": counts("rule"),
        "tools": counts("tool"),
        "dialects": counts("dialect"),
        "severities": counts("severity"),
    }


def results_of(folder: Path, found: Iterable[dict[str, Any]], group: int = 1_000) -> Results:
    """Write a folder of results, with diagnostics in the order given and `group` of them in a row group."""
    own = list(found)
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(
        pa.Table.from_pylist(own, columns_of(CorpusDiagnostic)), folder / HAS_DIAGNOSTICS, row_group_size=group
    )
    shards = [
        {"source": source, **counted([each for each in own if each["source"] == source])}
        for source in sorted({each["source"] for each in own})
    ]
    (folder / SUMMARY).write_text(json.dumps({**counted(own), "shards": shards}), encoding="utf-8")
    return open_results(str(folder))
