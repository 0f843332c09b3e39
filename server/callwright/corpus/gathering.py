"""Gathering: the tables of all parts as one, in the order of the rows.

Owns: `write_in_order`, how long row groups are. Must not know: the content of a table's rows, engines.

Parts are in the order of their shards and units, and records in a part in the order of its rows. So the parts one
after another are sorted, whatever did them in whichever order, and no more than one batch of them is held.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from callwright.corpus.parts import part_of

if TYPE_CHECKING:
    import pyarrow as pa

    from callwright.corpus.tasks.base import Task
    from callwright.corpus.units import RunOptions, Unit

#: How many records are in one row group.
_GROUP: Final = 65_536
UNFINISHED: Final = ".unfinished"


def write_in_order(parts: Sequence[tuple[Unit, int]], run_options: RunOptions, out: Path, task: Task) -> None:
    """Write the records of all parts into one table, with the numbers of their rows in the shard."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = task.columns()
    unfinished = out / (task.table + UNFINISHED)
    with pq.ParquetWriter(unfinished, columns, compression="zstd") as writer:
        held: list[pa.Table] = []
        count = 0
        for batch in _counted(parts, run_options, columns, task.table):
            held.append(pa.Table.from_batches([batch]))
            count += batch.num_rows
            while count >= _GROUP:
                # Row groups of one length, wherever units begin.
                table = pa.concat_tables(held)
                writer.write_table(table.slice(0, _GROUP))
                held, count = [table.slice(_GROUP)], count - _GROUP
        if count:
            writer.write_table(pa.concat_tables(held))
    unfinished.replace(out / task.table)


def _counted(
    parts: Sequence[tuple[Unit, int]], run_options: RunOptions, columns: pa.Schema, table: str
) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    at = columns.get_field_index("row")
    for unit, first in parts:
        with pq.ParquetFile(part_of(unit, run_options) / table) as file:
            for batch in file.iter_batches(batch_size=_GROUP):
                rows = pc.add(batch.column(at), pa.scalar(first, pa.int64()))
                yield batch.set_column(at, columns.field(at), rows)
