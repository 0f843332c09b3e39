"""The finish: the counts and records of all units, merged in the order of the rows.

Owns: the summary. Must not know: engines, what is done with rows, the rows that are written out.

The same corpus with the same options gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from callwright.corpus.gathering import UNFINISHED
from callwright.corpus.parts import discard_all, tally_of
from callwright.corpus.tasks.base import task_of

if TYPE_CHECKING:
    from callwright.corpus.units import RunOptions, Unit


def finish(units: Sequence[Unit], run_options: RunOptions) -> dict[str, Any]:
    """Write the results of all units, which are done, into the folder of results; return the summary."""
    out = Path(run_options.out)
    task = task_of(run_options.task)
    total = task.tally()
    shards: list[dict[str, Any]] = []
    firsts: list[int] = []
    for _, group in groupby(units, key=lambda unit: unit.source):
        own = list(group)
        tally = task.tally()
        for unit in own:
            firsts.append(tally.rows)
            tally.add(tally_of(unit, run_options))
        shards.append({"source": own[0].source, **tally.as_mapping()})
        total.add(tally.as_mapping())
    more = task.gather(list(zip(units, firsts, strict=True)), run_options, out)
    summary = {**total.as_mapping(), **more, "shards": shards}
    _replace(out / task.summary, json.dumps(summary, ensure_ascii=False, indent=2) + "\n")
    discard_all(run_options)
    return summary


def _replace(path: Path, text: str) -> None:
    unfinished = path.with_name(path.name + UNFINISHED)
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)
