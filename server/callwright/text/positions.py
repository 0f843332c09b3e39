"""Positions: line and character in UTF-8, UTF-16 or UTF-32 units, as editors count them.

Owns: the conversion between such positions and offsets, line by line and only on demand. Must not know: any protocol's
classes.
"""

from bisect import bisect_right
from enum import StrEnum
from functools import lru_cache
from itertools import accumulate
from typing import Final

from callwright.text.document import TextDocument, content_length
from callwright.text.records import NamedTuple
from callwright.text.span import Span

#: A line that is not ASCII and longer than this gets a table with one entry per so many code points.
_LONG: Final = 4_096
_STEP: Final = 256


class PositionEncoding(StrEnum):
    """What one unit of a position's character is: a byte of UTF-8, a 16-bit word of UTF-16, or a code point."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"


class Located(NamedTuple):
    """The result for a position: the nearest offset, and whether the position is in the document."""

    offset: int
    in_bounds: bool


class PositionWriter:
    """Writes many positions of one document: a position on the same line as the one before is cheap."""

    __slots__ = ("_document", "_encoding", "_end", "_number", "_start", "_text")

    def __init__(self, document: TextDocument, encoding: PositionEncoding) -> None:
        self._document = document
        self._encoding = encoding
        self._number = self._start = self._end = 0
        self._text = ""

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and character of a code-point offset; both count from 0.

        An offset between CR and LF is the line's end, since no position is between them. Raises ValueError if the
        offset is outside the document.
        """
        if not self._start <= offset < self._end:
            self._number, self._start, self._text = self._document.line_holding(offset)
            self._end = self._start + len(self._text)
        column = offset - self._start
        if column and self._text[column - 1] == "\r":
            column -= 1
        return self._number, _units(self._text, column, self._encoding)


class LinesOf:
    """The lines of a segment of a document, for positions in it that count from its first line.

    `first` is that line in the document. `key` has the other data that positions depend on.
    """

    __slots__ = ("_begin", "_document", "_encoding", "_end", "_lines", "_number", "_span", "_start", "_starts", "first")

    def __init__(self, document: TextDocument, span: Span, encoding: PositionEncoding) -> None:
        self._document = document
        self._encoding = encoding
        self._span = span
        self.first, start = document.line_around(span.start)
        self._begin = span.start - start
        self._lines: list[str] = []
        self._starts: list[int] = []
        self._number = self._start = self._end = 0

    @property
    def key(self) -> tuple[str, str]:
        """The encoding, and the text before the segment on its first line."""
        start = self._span.start
        return self._encoding, self._document.slice(start - self._begin, start) if self._begin else ""

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and character of an offset as `PositionWriter` does, the line counted from the first."""
        at = offset + self._begin
        if not self._lines:
            self._lines = list(self._document.lines(self.first, self._document.line_at(self._span.end) + 1))
            self._starts = list(accumulate(map(len, self._lines), initial=0))
        if not self._start <= at < self._end:
            self._number = number = bisect_right(self._starts, at, hi=len(self._lines)) - 1
            self._start, self._end = self._starts[number], self._starts[number + 1]
        line, column = self._lines[self._number], at - self._start
        if column and line[column - 1] == "\r":
            column -= 1
        return self._number, column if line.isascii() else _units(line, column, self._encoding)


def to_offset(document: TextDocument, line: int, character: int, encoding: PositionEncoding) -> int:
    """Return the code-point offset of any position.

    A character after the line's end is read as that end, before the terminator; one inside a character's units as the
    start of that character; a line after the last as the document's end.
    """
    return locate(document, line, character, encoding).offset


def locate(document: TextDocument, line: int, character: int, encoding: PositionEncoding) -> Located:
    """Return the offset as `to_offset` does, and whether the position was exact.

    It was not if its line or character does not exist, or if it points into the units of one character: an edit at such
    a position comes from a client whose text differs from ours.
    """
    if line < 0 or line >= document.line_count:
        return Located(0 if line < 0 else len(document), in_bounds=False)
    start, text = document.line_start(line), document.line(line)
    column, exact = _column(text, character, encoding)
    return Located(start + column, exact)


def _units(line: str, column: int, encoding: PositionEncoding) -> int:
    """Return how many units the first `column` code points of a line take."""
    if encoding == PositionEncoding.UTF32 or line.isascii():
        return column
    if len(line) <= _LONG:
        return _width(line[:column], encoding)
    step = column // _STEP
    return _table(line, encoding)[step] + _width(line[step * _STEP : column], encoding)


def _column(line: str, units: int, encoding: PositionEncoding) -> tuple[int, bool]:
    """Return the last column of a line's content that lies at or before `units`, and whether it is exactly there."""
    most = content_length(line)
    if units < 0:
        return 0, False
    if encoding == PositionEncoding.UTF32 or line.isascii():
        return min(units, most), units <= most
    base = 0
    if len(line) > _STEP:
        table = _table(line, encoding)
        step = min(bisect_right(table, units) - 1, most // _STEP)
        base = step * _STEP
        units -= table[step]
    part = line[base : min(base + _STEP, most)]
    # Widths grow with the prefix, so a binary search finds the prefix; a step is a short encoding in C.
    column = bisect_right(range(len(part) + 1), units, key=lambda length: _width(part[:length], encoding)) - 1
    return base + column, _width(part[:column], encoding) == units


def _width(text: str, encoding: PositionEncoding) -> int:
    """Return how many units `text` takes; a lone surrogate counts as its replacement character."""
    if text.isascii():
        return len(text)
    if encoding == PositionEncoding.UTF8:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@lru_cache(maxsize=2)
def _table(line: str, encoding: PositionEncoding) -> list[int]:
    """Return the units before every `_STEP`th code point of a long line.

    The key is the line itself: an edit elsewhere keeps the same object, whose hash is known and which is found by
    identity. Few are kept: each keystroke creates another line.
    """
    steps = (line[at : at + _STEP] for at in range(0, len(line) - _STEP + 1, _STEP))
    return list(accumulate((_width(step, encoding) for step in steps), initial=0))
