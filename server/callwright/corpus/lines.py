"""Lines: the rows of a file with one JSON value a line, plain or compressed, one after another.

Owns: which lines a unit has, decompression, lines that are too long, and where a broken file ends. Must not know: what
is in a line.

Invariant: no more is held than a chunk, or one line of the longest that is allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import IO, TYPE_CHECKING, Any, Final

from callwright.text.records import NamedTuple

if TYPE_CHECKING:
    from callwright.corpus.units import Unit

#: How many bytes are read at once, and, where a compressed file breaks off, close to the place where it does.
CHUNK: Final = 1 << 20
_NEAR: Final = 64
_MARKER: Final = b"\xef\xbb\xbf"


class Row(NamedTuple):
    """One row: its number in the unit and its bytes, with the end of its line.

    `data` is empty where the row cannot be had; then `fault` says why, as a kind of problem with what belongs to it.
    """

    number: int
    data: bytes
    fault: tuple[str, dict[str, Any]] | None = None


def lines(unit: Unit, longest: int) -> Iterator[Row]:
    """Yield the lines of a unit: of one that is longer than `longest`, and where a file breaks off, the fault."""
    shard = unit.shard
    if shard.format == "jsonl":
        with open(shard.path, "rb") as file:  # noqa: PTH123 - a path of the engine's is a string
            yield from _numbered(_range(file, unit.start, unit.end), longest)
        return
    yield from _numbered(_decompressed(shard.path, shard.format.rpartition(".")[2]), longest)


class _Chunk(NamedTuple):
    """Some bytes. `limit` is in how many bytes from the chunk's start on lines may begin; a `fault` ends all."""

    data: bytes
    limit: int | None = None
    fault: str | None = None


def _range(file: IO[bytes], start: int, end: int) -> Iterator[_Chunk]:
    """Yield the bytes of a plain file from the first line on that begins at `start` or after."""
    at = start
    if start:
        # The line in whose midst the range begins belongs to the one before.
        file.seek(start - 1)
        before = file.read(1)
        while before and not before.endswith(b"\n"):
            before = file.readline(CHUNK)
        at = file.tell()
    elif file.read(len(_MARKER)) == _MARKER:
        at = len(_MARKER)
    file.seek(at)
    try:
        while chunk := file.read(CHUNK):
            yield _Chunk(chunk, end - at)
            at += len(chunk)
    except OSError as error:
        yield _Chunk(b"", fault=error.strerror or str(error))


def _decompressed(path: str, kind: str) -> Iterator[_Chunk]:
    """Yield what a compressed file holds, as far as it can be read."""
    import pyarrow as pa

    name = {"gz": "gzip", "zst": "zstd"}[kind]

    def opened() -> Any:
        return pa.input_stream(path, compression=name)

    done = 0
    try:
        with opened() as stream:
            while chunk := stream.read(CHUNK):
                yield _Chunk(chunk[len(_MARKER) :] if not done and chunk.startswith(_MARKER) else chunk)
                done += len(chunk)
    except (OSError, pa.ArrowException) as error:
        yield from _up_to_the_break(opened, done)
        yield _Chunk(b"", fault=str(error).strip())


def _up_to_the_break(opened: Callable[[], Any], done: int) -> Iterator[_Chunk]:
    """Yield what can still be read after the first `done` bytes: a read that fails gives nothing of what it had."""
    import pyarrow as pa

    try:
        with opened() as stream:
            skipped = 0
            while skipped < done:
                skipped += len(stream.read(min(CHUNK, done - skipped)))
            while chunk := stream.read(_NEAR):
                yield _Chunk(chunk)
    except (OSError, pa.ArrowException):
        return


def _numbered(chunks: Iterator[_Chunk], longest: int) -> Iterator[Row]:
    """Yield the lines in chunks."""
    number = 0
    parts: list[bytes] = []
    held = length = 0
    for data, limit, fault in chunks:
        if fault is not None:
            yield Row(number, b"", ("shard-broken", {"reason": fault}))
            return
        at = 0
        while at < len(data):
            if not length and limit is not None and at >= limit:
                return
            stop = data.find(b"\n", at) + 1
            piece = data[at : stop or len(data)]
            at += len(piece)
            length += len(piece)
            if length <= longest:
                parts.append(piece)
                held = length
            else:
                # It is skipped as it streams by, and nothing of it is kept.
                parts.clear()
            if stop:
                yield _row(number, parts, held, length)
                number += 1
                parts, held, length = [], 0, 0
    if length:
        yield _row(number, parts, held, length)


def _row(number: int, parts: list[bytes], held: int, length: int) -> Row:
    if held < length:
        return Row(number, b"", ("row-too-long", {"length": length}))
    return Row(number, parts[0] if len(parts) == 1 else b"".join(parts))
