"""Shards: the files that make up a corpus, and how each is written.

Owns: which files a source names, their order, and the formats by their endings. Must not know: what is in a file,
options of commands.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from callwright.corpus.failure import CorpusError

#: The formats by the endings of files; the longest ending counts.
ENDINGS: Final = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".jsonl.gz": "jsonl.gz",
    ".ndjson.gz": "jsonl.gz",
    ".jsonl.zst": "jsonl.zst",
    ".ndjson.zst": "jsonl.zst",
    ".jsonl.zstd": "jsonl.zst",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".arrows": "arrow",
    ".ipc": "arrow",
}


@dataclass(frozen=True, slots=True)
class Shard:
    """One file: where it lies, what diagnostics call it, and its format.

    `name` is the path as the source names it, with slashes; no two shards of a corpus have the same. `size` is in bytes
    and `changed` when it was written, in nanoseconds.
    """

    path: str
    name: str
    format: str
    size: int
    changed: int


def find_shards(sources: Sequence[str]) -> list[Shard]:
    """Return the shards of sources in the order of their names, each once.

    Raises CorpusError where a source names nothing, or a file that is of no format.
    """
    found: dict[str, Shard] = {}
    for source in sources:
        own = list(_files(source))
        if not own:
            raise CorpusError(
                f"`{source}`: no shards found; name files that end in {_endings()}, folders of them, or a pattern such"
                " as `data/**/*.parquet`"
            )
        for path in own:
            real = os.path.realpath(path)
            if real not in found:
                state = path.stat()
                form = format_of(path.name)
                assert form is not None, "no other files are listed"
                found[real] = Shard(str(path.absolute()), path.as_posix(), form, state.st_size, state.st_mtime_ns)
    return sorted(found.values(), key=lambda shard: shard.name)


def format_of(name: str) -> str | None:
    """Return the format of a file by its name, None where it has none that is known."""
    lower = name.lower()
    fitting = [ending for ending in ENDINGS if lower.endswith(ending)]
    return ENDINGS[max(fitting, key=len)] if fitting else None


def _files(source: str) -> Iterator[Path]:
    path = Path(source)
    if path.is_dir():
        # Names that begin with a dot or an underscore are files that engines leave beside the data.
        yield from (
            each
            for each in sorted(path.rglob("*"))
            if format_of(each.name) is not None
            and each.is_file()
            and not any(part.startswith((".", "_")) for part in each.relative_to(path).parts)
        )
    elif path.exists():
        if format_of(path.name) is None:
            raise CorpusError(f"`{source}`: unsupported format; a shard ends in {_endings()}")
        yield path
    elif glob.has_magic(source):
        names = sorted(glob.glob(source, recursive=True))  # noqa: PTH207 - a pattern may begin at the root
        yield from (Path(name) for name in names if format_of(name) is not None and Path(name).is_file())


def _endings() -> str:
    *most, last = (f"`{ending}`" for ending in ENDINGS)
    return f"{', '.join(most)} or {last}"
