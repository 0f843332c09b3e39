"""Streamed checks: a large file piece by piece, in this process or by workers.

Owns: the two passes over such a file (fixing, then checking) and their order. Must not know: how a piece is checked,
processes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias, TypeVar

from callwright.cli.support.checking import Checker, Outcome, not_applied
from callwright.cli.support.files import FileError, InputFile, replace_file_by
from callwright.cli.support.large import FixedLine, FixedPiece, Records, fix_piece
from callwright.cli.support.pieces import Piece, cut, first_newline, read_piece

if TYPE_CHECKING:
    from callwright.cli.support.differences import GrowingDiff
    from callwright.cli.support.workers import Workers

T = TypeVar("T")
#: A function that workers can be sent, with its arguments.
Task: TypeAlias = tuple[Callable[..., T], tuple[Any, ...]]


def streamed(checker: Checker, source: InputFile, workers: Workers | None = None) -> Iterator[Outcome]:
    """Yield what comes of a large file, in the order of its text."""
    assert source.path is not None
    newline = first_newline(source.path)
    if checker.run_options.diff:
        yield from _compare(checker, source, newline, workers)
    elif checker.run_options.fix:
        yield from _replace(checker, source, newline, workers)
    if workers is None:
        yield from _check(checker, source, newline)
    else:
        yield from _check_by(workers, checker, source, newline)
    done = Outcome()
    done.done(source)
    yield done


def records_of(checker: Checker, source: InputFile, newline: str) -> Records:
    """Return the reader of a file's records."""
    project = checker.projects.of(source)
    return Records(source, project, newline, checker.rows(project))


def check_piece(
    checker: Checker, records: Records, source: InputFile, piece: Piece, data: bytes, *, log: bool
) -> Outcome:
    """Return the diagnostics in one piece. Raises LogError as `Records.check` does."""
    outcome = Outcome()
    for document, found in records.check(piece, data, log=log):
        outcome.take(checker.layout, source.shown, document, found)
    return outcome


def _check(checker: Checker, source: InputFile, newline: str, after: int = 0) -> Iterator[Outcome]:
    """Check the pieces of a file from the byte `after` on, in this process."""
    assert source.path is not None
    records = records_of(checker, source, newline)
    # Lines are counted as they are read, unless the reader begins in the middle.
    for piece, data in cut(source.path, lines=bool(after), offsets=checker.layout.offsets):
        if piece.start >= after:
            yield check_piece(checker, records, source, piece, data, log=True)
    outcome = Outcome()
    for document, found in records.finish():
        outcome.take(checker.layout, source.shown, document, found)
    yield outcome


def _check_by(workers: Workers, checker: Checker, source: InputFile, newline: str) -> Iterator[Outcome]:
    """Let workers check the pieces of a file; one that turns out to be a log is read on by one reader."""
    pieces = _Pieces(source, offsets=checker.layout.offsets)
    tasks = (workers.check(source, piece, newline) for piece, _ in pieces)
    for outcome in workers.ordered(tasks):
        piece = pieces.sent.popleft()
        if outcome is None:
            yield from _check(checker, source, newline, piece.start)
            return
        yield outcome
    pieces.end()


class _Pieces:
    """The pieces of a file as they are sent to workers; a failure is raised once all pieces before it were reported."""

    def __init__(self, source: InputFile, *, offsets: bool = True) -> None:
        assert source.path is not None
        self._path = source.path
        self._offsets = offsets
        self._fault: FileError | None = None
        self.sent: deque[Piece] = deque()

    def __iter__(self) -> Iterator[tuple[Piece, bytes]]:
        try:
            for piece, data in cut(self._path, offsets=self._offsets):
                self.sent.append(piece)
                yield piece, data
        except FileError as fault:
            self._fault = fault

    def end(self) -> None:
        """Raise the FileError that ended the pieces, if one did."""
        if self._fault is not None:
            raise self._fault


def _fixed(
    checker: Checker, source: InputFile, newline: str, workers: Workers | None, seen: Any
) -> Iterator[tuple[bytes, FixedPiece]]:
    """Yield the bytes of each piece with what came of fixing it; `seen` is fed with all bytes."""
    assert source.path is not None
    path = source.path
    if workers is None:
        records = records_of(checker, source, newline)
        for _, data in cut(path):
            seen.update(data)
            yield data, fix_piece(records, data, unsafe=checker.run_options.unsafe)
        return
    pieces = _Pieces(source)
    tasks = (workers.fix(source, piece, newline) for piece, _ in pieces)
    for fixed in workers.ordered(tasks):
        data = read_piece(path, pieces.sent.popleft())
        seen.update(data)
        yield data, fixed
    pieces.end()


def _compare(checker: Checker, source: InputFile, newline: str, workers: Workers | None) -> Iterator[Outcome]:
    """Yield what fixing would change, as a unified diff."""
    from callwright.cli.support.differences import GrowingDiff

    diff = GrowingDiff(source.shown)
    for data, fixed in _fixed(checker, source, newline, workers, blake2b()):
        outcome = Outcome(text=_differences(diff, data, fixed.lines), errors=_errors(source, fixed))
        outcome.tally.fixed = sum(each.fixed for each in fixed.lines)
        yield outcome
    yield Outcome(text=diff.finish())


def _errors(source: InputFile, fixed: FixedPiece) -> list[str]:
    return [not_applied(source, *reported) for reported in fixed.refused]


def _differences(diff: GrowingDiff, data: bytes, fixed: list[FixedLine]) -> str:
    parts: list[str] = []
    at = 0
    for each in fixed:
        parts += diff.same(data[at : each.start].decode())
        parts += diff.changed(data[each.start : each.end].decode(), each.data.decode())
        at = each.end
    parts += diff.same(data[at:].decode())
    return "".join(parts)


def _replace(checker: Checker, source: InputFile, newline: str, workers: Workers | None) -> Iterator[Outcome]:
    """Fix a file, all of it or nothing."""
    assert source.path is not None
    seen = blake2b()
    outcome = Outcome()
    pieces = _reported(source, _fixed(checker, source, newline, workers, seen), outcome)
    # Nothing is written before the first line that is to be changed.
    after = 0
    for data, fixed in pieces:
        if fixed:
            first = (data, fixed)
            write = partial(_write, source.path, after, first, pieces, outcome)
            try:
                replace_file_by(source, write, lambda path: _digest(path) == seen.digest())
            except FileError as error:
                outcome = Outcome(errors=[*outcome.errors, str(error)])
            break
        after += len(data)
    yield outcome


def _reported(
    source: InputFile, pieces: Iterator[tuple[bytes, FixedPiece]], outcome: Outcome
) -> Iterator[tuple[bytes, list[FixedLine]]]:
    """Yield pieces with their fixed lines, and record in the outcome which fixes are not applied."""
    for data, fixed in pieces:
        outcome.errors += _errors(source, fixed)
        yield data, fixed.lines


def _write(
    path: Path,
    after: int,
    first: tuple[bytes, list[FixedLine]],
    rest: Iterator[tuple[bytes, list[FixedLine]]],
    outcome: Outcome,
    file: BinaryIO,
) -> None:
    with path.open("rb") as old:
        lead = old.read(3)
        left = after + (3 if lead == b"\xef\xbb\xbf" else 0)
        old.seek(0)
        while left:
            data = old.read(min(left, 1 << 20))
            if not data:
                break
            file.write(data)
            left -= len(data)
    _write_piece(file, *first, outcome)
    for data, fixed in rest:
        _write_piece(file, data, fixed, outcome)


def _write_piece(file: BinaryIO, data: bytes, fixed: list[FixedLine], outcome: Outcome) -> None:
    at = 0
    for each in fixed:
        file.write(data[at : each.start])
        file.write(each.data)
        outcome.tally.fixed += each.fixed
        at = each.end
    file.write(data[at:])


def _digest(path: Path) -> bytes:
    """Return the digest of the text of a file, without its byte order mark."""
    seen = blake2b()
    for _, data in cut(path):
        seen.update(data)
    return seen.digest()
