"""Showing: one row of a shard, by its number.

Owns: `row_of`. Must not know: what is found in rows, how they are printed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from callwright.corpus.failure import CorpusError
from callwright.corpus.lines import Row, lines
from callwright.corpus.shards import find_shards
from callwright.corpus.tables import RowWriter, batches, groups_of, schema_of, written_columns
from callwright.corpus.units import Unit


def row_of(source: str, number: int) -> bytes:
    """Return a row as it is checked: a line as it is; of a table the columns that can hold text, as JSON.

    Rows are counted from 0. Raises CorpusError where there is no such row.
    """
    shards = find_shards([source])
    if len(shards) > 1:
        raise CorpusError(f"`{source}`: matches {len(shards)} shards; name one of them, as in `{shards[0].name}`")
    last = -1
    for row in _rows(Unit(shards[0], 0, 0, sys.maxsize, shards[0].size, True), number):
        if row.fault is not None:
            raise CorpusError(f"`{source}`: unreadable from row {row.number} on: {row.fault[1].get('reason')}")
        if row.number == number:
            return row.data
        last = row.number
    raise CorpusError(f"`{source}`: no row {number}; the last row is {last}" if last >= 0 else _nothing(source))


def _nothing(source: str) -> str:
    return f"`{source}`: there is no row in it"


def _rows(unit: Unit, number: int) -> Iterator[Row]:
    """Yield rows of a shard up to a number; of a table, the last row of a batch represents those before."""
    if unit.shard.format not in ("parquet", "arrow"):
        yield from lines(unit, sys.maxsize)
        return
    whole = Unit(unit.shard, 0, 0, len(groups_of(unit.shard)), unit.weight, True)
    for batch in batches(whole):
        if batch.rows is None:
            yield Row(batch.first, b"", ("shard-broken", {"reason": batch.fault}))
            return
        at = number - batch.first
        if at >= batch.rows.num_rows:
            yield Row(batch.first + batch.rows.num_rows - 1, b"")
            continue
        columns = schema_of(unit.shard) or batch.rows.schema
        writer = RowWriter(columns, None, written_columns(unit.shard))
        one = batch._replace(first=number, rows=batch.rows.slice(at, 1))
        # A table none of whose columns can hold text has no content.
        yield from list(writer.rows(one, sys.maxsize)) or [Row(number, b"{}\n")]
        return
