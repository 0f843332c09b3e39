"""Joining: the rows that the units of one shard wrote, merged in the shard's format and order.

Owns: `Join`, `join_rows`. Must not know: what is done with rows, engines, other shards.

A join is work for the engine as a unit is, since it moves as many bytes as the shard has. It may be done twice: each
time the same file is put in its place as a whole. The file does not depend on how the shard was divided.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from callwright.corpus.gathering import UNFINISHED
from callwright.corpus.parts import FOLDER, table_writer
from callwright.corpus.shards import Shard
from callwright.corpus.tasks.base import task_of

if TYPE_CHECKING:
    from callwright.corpus.units import RunOptions, Unit


@dataclass(frozen=True, slots=True)
class Join:
    """The rows of one collection and one shard; `parts` are the names of its units' parts, in their order."""

    shard: Shard
    collection: str
    parts: tuple[str, ...]

    @property
    def source(self) -> str:
        """What diagnostics call the shard."""
        return self.shard.name

    @property
    def weight(self) -> int:
        """About how many bytes are moved."""
        return self.shard.size

    @property
    def name(self) -> str:
        """The name of the file that says, in the folder of parts, that this is done."""
        stated = repr((self.collection, self.parts)).encode("utf-8", "backslashreplace")
        return f"joined-{hashlib.sha256(stated).hexdigest()[:32]}"

    def as_mapping(self) -> dict[str, Any]:
        """Return plain data from which `join_of` restores this join."""
        return asdict(self)


def join_of(stated: dict[str, Any]) -> Join:
    """Return the join that plain data describes."""
    return Join(Shard(**stated["shard"]), stated["collection"], tuple(stated["parts"]))


def joins_of(units: Sequence[Unit], run_options: RunOptions) -> list[Join]:
    """Return what is to be joined once all units are done."""
    kinds = task_of(run_options.task).collections(run_options)
    if not kinds:
        return []
    fingerprint = run_options.fingerprint
    joins = []
    for shard, group in groupby(units, key=lambda unit: unit.shard):
        parts = tuple(unit.key(fingerprint) for unit in group)
        joins += [Join(shard, kind, parts) for kind in kinds]
    return joins


def join_rows(join: Join, run_options: RunOptions) -> None:
    """Write the rows of a collection of one shard; leave no file where there are none of a table."""
    folder = Path(run_options.out, FOLDER)
    target = Path(run_options.out, join.collection, _inside(join.source))
    target.parent.mkdir(parents=True, exist_ok=True)
    # Among the parts, where the next run removes what was left half.
    unfinished = folder / f"{join.name}{UNFINISHED}-{os.getpid()}-{uuid.uuid4().hex}"
    files = [path for name in join.parts if (path := folder / name / join.collection).is_file()]
    try:
        if join.shard.format in ("parquet", "arrow"):
            written = _write_table(unfinished, files, join.shard)
        else:
            written = _write_lines(unfinished, files)
        if written:
            unfinished.replace(target)
        else:
            target.unlink(missing_ok=True)
    finally:
        unfinished.unlink(missing_ok=True)
    (folder / join.name).touch()


def _write_lines(path: Path, files: Sequence[Path]) -> bool:
    """Write lines one file after another; of compressed files each is a member of its own, as readers take them."""
    if len(files) == 1:
        try:
            # The part goes when the run is over; until then the rows need no room of their own.
            os.link(files[0], path)
        except OSError:
            # This file system has no such links.
            pass
        else:
            return True
    with path.open("wb") as file:
        for each in files:
            with each.open("rb") as part:
                shutil.copyfileobj(part, file, 1 << 20)
    return True


def _write_table(path: Path, files: Sequence[Path], shard: Shard) -> bool:
    """Write the rows of parts into one table; return whether there is anything to write."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not files:
        return False
    writer = table_writer(path, shard)
    try:
        for each in files:
            if shard.format == "parquet":
                with pq.ParquetFile(each) as file:
                    for number in range(file.num_row_groups):
                        for batch in file.iter_batches(row_groups=[number]):
                            writer.write_batch(batch)
            else:
                with pa.memory_map(str(each)) as mapped:
                    reader = pa.ipc.open_file(mapped)
                    for number in range(reader.num_record_batches):
                        writer.write_batch(reader.get_batch(number))
    finally:
        writer.close()
    return True


def _inside(source: str) -> Path:
    """Return where the rows of a shard go below the folder of results, also where its path leads out of this one."""
    return Path(*(part for part in Path(source).parts if part not in ("..", "/") and not part.endswith((":", ":\\"))))
