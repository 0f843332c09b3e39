"""How rows get into a file: lines, plain or compressed, and tables.

Owns: the formats of the corpus. Must not know: what a row says, which of them are faulty.

A table has nested columns where the rows of a shape agree on them, as data sets keep them; what one column cannot hold,
since its values are of several types, is a column of JSON texts.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Final, cast

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

from benchmarks.corpora.rows import Pooled, row_id
from benchmarks.corpora.value_formats import as_json

#: At most this many rows are in one row group, and in one record batch.
GROUP: Final = 1_000

_CALLS: Final = pa.list_(
    pa.struct(
        {
            "id": pa.string(),
            "type": pa.string(),
            "function": pa.struct({"name": pa.string(), "arguments": pa.string()}),
        }
    )
)
#: The types of columns that are nested; every other column is text, of JSON where the value is none.
_TYPES: Final[dict[str, Any]] = {
    "openai.messages": pa.list_(
        pa.struct({"role": pa.string(), "content": pa.string(), "tool_calls": _CALLS, "tool_call_id": pa.string()})
    ),
    "conversations": pa.list_(pa.struct({"from": pa.string(), "value": pa.string()})),
}


def table(shape: str, rows: Sequence[dict[str, Any]]) -> pa.Table:
    """Return rows of a shape as a table."""
    columns = {}
    for name in rows[0]:
        kind = _TYPES.get(f"{shape}.{name}", _TYPES.get(name))
        values = [row[name] for row in rows]
        if kind is None:
            values = [each if isinstance(each, str) else as_json(each) for each in values]
        columns[name] = pa.array(values, kind or pa.string())
    return pa.table(columns)


Drawn = Iterable[tuple[int, int]]
"""Pairs of a row's number and its index in the pool."""


def _lines(path: Path, opened: Callable[[Path], IO[bytes]], pool: Sequence[Pooled], drawn: Drawn) -> None:
    with opened(path) as file:
        for number, index in drawn:
            file.write(pool[index].line(number))


def _plain(path: Path) -> IO[bytes]:
    return path.open("wb")


def _gzip(path: Path) -> IO[bytes]:
    # Without a time in it the same rows make the same file.
    return cast("IO[bytes]", gzip.GzipFile(path, "wb", compresslevel=1, mtime=0))


def _zstd(path: Path) -> IO[bytes]:
    opened: IO[bytes] = zstandard.open(path, "wb", cctx=zstandard.ZstdCompressor(level=1))
    return opened


def _batches(shape: str, pool: Sequence[Pooled], drawn: Drawn) -> Iterator[pa.Table]:
    whole = table(shape, [each.row for each in pool])
    remaining = iter(drawn)
    while group := list(zip(range(GROUP), remaining, strict=False)):
        numbers = pa.array([row_id(number) for _, (number, _) in group])
        taken = whole.take(pa.array([index for _, (_, index) in group]))
        yield taken.add_column(0, "row_id", numbers)


def _parquet(path: Path, shape: str, pool: Sequence[Pooled], drawn: Drawn) -> None:
    writer = None
    for part in _batches(shape, pool, drawn):
        writer = writer or pq.ParquetWriter(path, part.schema, compression="zstd", compression_level=1)
        writer.write_table(part)
    if writer is not None:
        writer.close()


def _arrow(path: Path, shape: str, pool: Sequence[Pooled], drawn: Drawn) -> None:
    writer = None
    for part in _batches(shape, pool, drawn):
        writer = writer or pa.ipc.new_file(path, part.schema)
        writer.write_table(part)
    if writer is not None:
        writer.close()


FORMATS: Final[dict[str, Callable[[Path, str, Sequence[Pooled], Drawn], None]]] = {
    "jsonl": lambda path, _, pool, drawn: _lines(path, _plain, pool, drawn),
    "jsonl.gz": lambda path, _, pool, drawn: _lines(path, _gzip, pool, drawn),
    "jsonl.zst": lambda path, _, pool, drawn: _lines(path, _zstd, pool, drawn),
    "parquet": _parquet,
    "arrow": _arrow,
}
