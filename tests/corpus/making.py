"""Corpora for tests, and units done without an engine."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from callwright.corpus.finish import finish
from callwright.corpus.joining import join_rows, joins_of
from callwright.corpus.judging import RowJudge
from callwright.corpus.shards import find_shards
from callwright.corpus.tasks.base import task_of
from callwright.corpus.units import UNIT, RunOptions, divide
from callwright.corpus.work import do_unit
from callwright.document.settings import Settings
from callwright.tools.registry import ToolRegistry

FIXTURES = Path(__file__).with_name("fixtures")
TOOLS = ToolRegistry.of(
    [
        {
            "name": "read_file",
            "description": "Read a file.",
            "input_schema": {
                "type": "object",
                "properties": {"path": {"type": "string"}},
                "required": ["path"],
                "additionalProperties": False,
            },
        }
    ]
)


def run_options(out: Path, **given: Any) -> RunOptions:
    """Return orders for the folder of results `out`, with the one tool of these tests."""
    return RunOptions(given.pop("registry", TOOLS), given.pop("settings", Settings()), str(out), **given)


def chat(stated: str, **more: Any) -> dict[str, Any]:
    """Return a row in which the assistant says something."""
    return {**more, "messages": [{"role": "user", "content": "Go on."}, {"role": "assistant", "content": stated}]}


SOUND = "<read_file><path>a.py</path></read_file>"
#: A closing tag is missing, which has one safe remedy.
FIXABLE = "<read_file><path>a.py</read_file>"
#: An argument is missing, which cannot be invented.
LOST = "<read_file></read_file>"


def lines_of(rows: Iterable[Any]) -> bytes:
    """Return rows as lines of JSON."""
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def done(sources: Iterable[Path | str], given: RunOptions) -> dict[str, Any]:
    """Do all units in this process, one after another, and return the summary."""
    judge = RowJudge(given) if given.task == "check" else task_of(given.task).judge(given)
    units = list(divide(find_shards([str(each) for each in sources]), given.unit or UNIT))
    for unit in reversed(units):
        do_unit(unit, given, judge)
    for join in joins_of(units, given):
        join_rows(join, given)
    return finish(units, given)


def diagnostics(given: RunOptions) -> list[dict[str, Any]]:
    """Return the diagnostics in a folder of results."""
    rows: list[dict[str, Any]] = pq.read_table(Path(given.out, "diagnostics.parquet")).to_pylist()
    return rows
