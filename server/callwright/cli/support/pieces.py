"""Pieces: a large file of lines, cut at line ends and read one piece after the other.

Owns: the cuts, strict UTF-8, and what has to be counted to know where a piece is. Must not know: what is in a file,
diagnostics. Invariant: no more than one piece, or one line where that is longer, is in memory at a time.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from callwright.cli.support.files import FileError, shown_path
from callwright.text.records import dataclass

#: How many bytes a piece has, but for what its last line adds.
PIECE: Final = 1 << 20
_MARKER: Final = b"\xef\xbb\xbf"
_LINE_END: Final = re.compile(rb"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Piece:
    """Whole lines of a file: the bytes `[start, end)`, after `line` lines and `offset` code points of its text.

    Each is None where it is not counted.
    """

    start: int
    end: int
    line: int | None
    offset: int | None


def cut(path: Path, *, lines: bool = True, offsets: bool = True) -> Iterator[tuple[Piece, bytes]]:
    """Yield the pieces of a file with their bytes, without a byte order mark.

    `lines` and `offsets` are whether these are counted. Raises FileError where the file cannot be read, or, as far as
    offsets are counted, is not UTF-8, when the place is reached.
    """
    shown = shown_path(path)
    try:
        with path.open("rb") as file:
            at = len(_MARKER) if file.read(len(_MARKER)) == _MARKER else 0
            file.seek(at)
            line = offset = 0
            rest = b""
            while True:
                # A line that is longer than a piece is read in ever larger steps, so that it is not copied often.
                read = file.read(max(PIECE, len(rest)))
                data = rest + read if rest else read
                if not data:
                    return
                rest = b""
                if b"\n" in data:
                    if not data.endswith(b"\n"):
                        data += file.readline()
                elif read:
                    length = _cut_at(data)
                    data, rest = data[:length], data[length:]
                    if not data:
                        continue
                piece = Piece(at, at + len(data), line if lines else None, offset if offsets else None)
                if offsets:
                    offset += code_points(data, shown, at)
                if lines:
                    line += line_ends(data)
                at = piece.end
                yield piece, data
    except OSError as error:
        raise FileError(shown, f"cannot be read: {error.strerror or error}") from None


def read_piece(path: Path, piece: Piece) -> bytes:
    """Return the bytes of a piece. Raises FileError where they cannot be read."""
    try:
        with path.open("rb") as file:
            file.seek(piece.start)
            data = file.read(piece.end - piece.start)
    except OSError as error:
        raise FileError(shown_path(path), f"cannot be read: {error.strerror or error}") from None
    if len(data) != piece.end - piece.start:
        raise FileError(shown_path(path), "the file changed during the check; run the command again")
    return data


def _cut_at(data: bytes) -> int:
    """Return where the last whole line in `data` ends, in which there is no LF; 0 where none does."""
    # A CR at the very end may be the first half of a CRLF.
    return data.rfind(b"\r", 0, max(len(data) - 1, 0)) + 1


def code_points(data: bytes, shown: str, at: int) -> int:
    """Return how many code points bytes are, which are at `at` in the file. Raises FileError where they are none."""
    if data.isascii():
        return len(data)
    try:
        return len(data.decode())
    except UnicodeDecodeError as error:
        place = at + error.start
        byte = data[error.start]
        wide = " (it looks like UTF-16)" if at == 0 and data.startswith((b"\xff\xfe", b"\xfe\xff")) else ""
        raise FileError(
            shown, f"not UTF-8{wide}: invalid byte 0x{byte:02x} at offset {place}; save it as UTF-8"
        ) from None


def line_ends(data: bytes) -> int:
    """Return how many lines end in `data`, by LF, CR or CRLF."""
    count = data.count(b"\n")
    if b"\r" in data:
        count += data.count(b"\r") - data.count(b"\r\n")
    return count


def first_newline(path: Path) -> str:
    """Return how the first line of a file ends; LF where nothing ends it, or nothing can be read."""
    try:
        with path.open("rb") as file:
            tail = b""
            while data := file.read(PIECE):
                seen = tail + data
                found = _LINE_END.search(seen)
                if found is not None and (found[0] != b"\r" or found.end() < len(seen)):
                    return found[0].decode()
                tail = seen[-1:] if seen.endswith(b"\r") else b""
            return tail.decode() or "\n"
    except OSError:
        return "\n"
