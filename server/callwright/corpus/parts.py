"""Parts: the results of one unit, in a folder that is there as a whole or not at all.

Owns: `UnitPart`, its files, which parts are there. Must not know: what is done with rows, engines.

A part is written under another name and renamed when it is done. So a worker that is stopped leaves nothing that is
half done, and where two workers did one unit, the first one's part stays: both are the same.
"""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from callwright.corpus.tables import schema_of

if TYPE_CHECKING:
    import pyarrow as pa

    from callwright.corpus.shards import Shard
    from callwright.corpus.tasks.base import Outcome, Task
    from callwright.corpus.units import RunOptions, Unit

#: The folder of parts in the folder of results.
FOLDER: Final = ".parts"
_UNFINISHED: Final = ".unfinished-"
TALLY: Final = "tally.json"
#: How many records are held before they are written.
_HELD: Final = 8_192


class UnitPart:
    """The part of a unit while it is written."""

    def __init__(self, unit: Unit, run_options: RunOptions, task: Task) -> None:
        import pyarrow.parquet as pq

        self._unit = unit
        self._final = part_of(unit, run_options)
        self._folder = Path(run_options.out, FOLDER, f"{self._final.name}{_UNFINISHED}{os.getpid()}-{uuid.uuid4().hex}")
        self._folder.mkdir(parents=True)
        self._records: list[Any] = []
        self._schema = task.columns()
        self._writer = pq.ParquetWriter(self._folder / task.table, self._schema, compression="zstd")
        self._open: dict[str, Any] = {}
        self.tally = task.tally()

    def take(self, outcome: Outcome) -> None:
        """Take the results of one row."""
        self.tally.count(outcome)
        if outcome.records:
            self._records += outcome.records
            if len(self._records) >= _HELD:
                self._flush()

    def put_line(self, kind: str, line: bytes) -> None:
        """Write a row that is a line; the last one of a file may have no end of its own."""
        file: IO[bytes] | None = self._open.get(kind)
        if file is None:
            file = self._open[kind] = _opened(self._folder / kind, self._unit.shard.format)
        file.write(line if line.endswith(b"\n") else line + b"\n")

    def put_batch(self, kind: str, rows: pa.RecordBatch) -> None:
        """Write rows of a table."""
        writer = self._open.get(kind)
        if writer is None:
            writer = self._open[kind] = table_writer(self._folder / kind, self._unit.shard, rows.schema)
        if rows.num_rows:
            writer.write_batch(rows)

    def close(self) -> dict[str, Any]:
        """Put the part in its place, and return what was counted."""
        self._records += self.tally.records()
        self._flush()
        self._writer.close()
        for file in self._open.values():
            file.close()
        stated = self.tally.as_mapping()
        (self._folder / TALLY).write_text(json.dumps(stated, ensure_ascii=False), encoding="utf-8")
        try:
            self._folder.rename(self._final)
        except OSError:
            if not self._final.is_dir():
                raise
            shutil.rmtree(self._folder, ignore_errors=True)
        return stated

    def drop(self) -> None:
        """Remove what was begun."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _flush(self) -> None:
        if self._records:
            self._writer.write_batch(batch_of(self._unit.source, self._records, self._schema))
            self._records.clear()


def batch_of(source: str, records: Sequence[Any], columns: pa.Schema) -> pa.RecordBatch:
    """Return records of one source as rows of a table."""
    import pyarrow as pa

    values = {
        name: [source] * len(records) if name == "source" else [getattr(each, name) for each in records]
        for name in columns.names
    }
    return pa.RecordBatch.from_pydict(values, schema=columns)


def _opened(path: Path, form: str) -> Any:
    """Open a file of lines in the format of a shard."""
    import pyarrow as pa

    kind = {"jsonl.gz": "gzip", "jsonl.zst": "zstd"}.get(form)
    return path.open("wb") if kind is None else pa.output_stream(str(path), compression=kind)


def table_writer(path: Path, shard: Shard, fallback: pa.Schema | None = None) -> Any:
    """Open a table in the format of a shard, with its columns and their metadata."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = schema_of(shard) or fallback
    assert columns is not None, "rows were read from it"
    if shard.format == "parquet":
        return pq.ParquetWriter(path, columns, compression=_compression(shard))
    return pa.ipc.new_file(str(path), columns)


def _compression(shard: Shard) -> str:
    """Return how the columns of a Parquet file are compressed."""
    import pyarrow.parquet as pq

    about = pq.read_metadata(shard.path)
    if not about.num_row_groups or not about.num_columns:
        return "snappy"
    stated = str(about.row_group(0).column(0).compression).lower()
    return "none" if stated == "uncompressed" else stated


def part_of(unit: Unit, run_options: RunOptions) -> Path:
    """Return the folder of a unit's part, whether it is there or not."""
    return Path(run_options.out, FOLDER, unit.key(run_options.fingerprint))


def is_done(unit: Unit, run_options: RunOptions) -> bool:
    """Return whether the part of a unit is there."""
    return part_of(unit, run_options).is_dir()


def names_there(run_options: RunOptions) -> set[str]:
    """Return the names of all that is done, of units and of joins."""
    return {name for name in _names(run_options) if _UNFINISHED not in name}


def names_begun(run_options: RunOptions) -> set[str]:
    """Return the names of all that someone has begun and not ended, as a killed worker leaves it."""
    return {name.partition(_UNFINISHED)[0] for name in _names(run_options) if _UNFINISHED in name}


def workers_at_work(run_options: RunOptions) -> bool:
    """Return whether a process of this machine is at a part."""
    return any(
        _lives(int(name.partition(_UNFINISHED)[2].partition("-")[0]))
        for name in _names(run_options)
        if _UNFINISHED in name
    )


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        # It is another user's, so it is not a worker of ours.
        return False
    return True


def _names(run_options: RunOptions) -> list[str]:
    try:
        return os.listdir(Path(run_options.out, FOLDER))  # noqa: PTH208 - names alone are wanted
    except FileNotFoundError:
        return []


def tally_of(unit: Unit, run_options: RunOptions) -> dict[str, Any]:
    """Return what was counted in a unit that is done."""
    stated: dict[str, Any] = json.loads((part_of(unit, run_options) / TALLY).read_text(encoding="utf-8"))
    return stated


def sweep(run_options: RunOptions, keep: Iterable[Unit]) -> None:
    """Remove the parts that belong to other options or other states of the shards, and what was left half done."""
    wanted = {part_of(unit, run_options).name for unit in keep}
    for name in _names(run_options):
        if name not in wanted:
            _discard(Path(run_options.out, FOLDER, name))


def discard_all(run_options: RunOptions) -> None:
    """Remove all parts, which nothing needs any more."""
    for name in _names(run_options):
        _discard(Path(run_options.out, FOLDER, name))
    shutil.rmtree(Path(run_options.out, FOLDER), ignore_errors=True)


def _discard(path: Path) -> None:
    """Remove a part: first its name goes, so that one of which only some files are left is never read as whole."""
    try:
        if not path.is_dir():
            path.unlink()
            return
        gone = (
            path
            if _UNFINISHED in path.name
            else path.with_name(f"{path.name}{_UNFINISHED}{os.getpid()}-{uuid.uuid4().hex}")
        )
        path.replace(gone)
    except OSError:
        # Another process has removed it, or none may.
        return
    shutil.rmtree(gone, ignore_errors=True)
