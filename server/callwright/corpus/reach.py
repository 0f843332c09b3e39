"""Reach: whether the path expressions of a run lead anywhere.

Owns: `check_columns`, `check_reach`. Must not know: what is where they lead.

A check of nothing must not look like a check that found nothing.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from callwright.corpus.failure import CorpusError
from callwright.corpus.lines import lines
from callwright.corpus.paths import steps_of
from callwright.corpus.tables import schema_of
from callwright.corpus.units import Unit

if TYPE_CHECKING:
    from callwright.corpus.shards import Shard
    from callwright.corpus.units import RunOptions

#: How many names of columns a message has, and how many rows of a shard may be skipped for one with keys.
_NAMED: Final = 12
_TRIED: Final = 100


def check_columns(shards: Sequence[Shard], run_options: RunOptions) -> None:
    """Raise CorpusError where a path begins with a column that a table does not have."""
    paths = _paths(run_options)
    for shard in shards if paths else ():
        if shard.format not in ("parquet", "arrow"):
            continue
        columns = schema_of(shard)
        if columns is None:
            # It cannot be read, which is a diagnostic.
            continue
        for option, path in paths.items():
            name = str(steps_of(path)[0])
            if name not in columns.names:
                raise CorpusError(f"`{option} {path}`: `{shard.name}` has no column `{name}`; {_listed(columns.names)}")


def check_reach(shards: Sequence[Shard], run_options: RunOptions, total: Mapping[str, Any]) -> None:
    """Raise CorpusError where paths led to nothing in any of the rows that were read."""
    paths = _paths(run_options)
    # Without a path for them, only truncated rows are read as conversations.
    found = total["texts"] or (run_options.messages is not None and total["conversations"])
    if not paths or not total["silent"] or found:
        return
    written = " ".join(f"{option} {path}" for option, path in paths.items())
    names = next((keys for shard in shards if (keys := _keys(shard, run_options))), [])
    rows = f"any of {total['silent']:,} rows" if total["silent"] > 1 else "the one row"
    raise CorpusError(f"`{written}`: not found in {rows}, so nothing was checked; {_listed(names)}")


def _paths(run_options: RunOptions) -> dict[str, str]:
    both = {"--messages": run_options.messages, "--text": run_options.text}
    return {option: path for option, path in both.items() if path is not None}


def _listed(names: Sequence[str]) -> str:
    if not names:
        return "no row has a key"
    more = f" and {len(names) - _NAMED} others" if len(names) > _NAMED else ""
    return ("there are " if len(names) > 1 else "there is ") + ", ".join(f"`{name}`" for name in names[:_NAMED]) + more


def _keys(shard: Shard, run_options: RunOptions) -> list[str]:
    """Return the columns of a table, or the keys of the first object in a file of lines."""
    if shard.format in ("parquet", "arrow"):
        columns = schema_of(shard)
        return [] if columns is None else list(columns.names)
    return next(_objects(shard, run_options), [])


def _objects(shard: Shard, run_options: RunOptions) -> Iterator[list[str]]:
    for row in islice(lines(Unit(shard, 0, 0, sys.maxsize, 0, True), run_options.longest), _TRIED):
        try:
            value = json.loads(row.data)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and value:
            yield list(value)
