"""The document: an immutable array of lines; an edit returns a new one that shares the other lines.

Owns: lines, offsets and their replacement. Only LF, CR and CRLF end a line; never VT, FF, NEL, U+2028 or U+2029.
Must not know: position encodings, files, protocols, what the text means.
"""

import io
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, pairwise
from typing import Final

from callwright.text.budget import yield_point
from callwright.text.span import Span, newline_of

#: The target number of lines of a chunk, which is split above twice and joined to a neighbour below a quarter of it.
_TARGET: Final = 512
_MAX_COUNT: Final = 2 * _TARGET
_MIN_COUNT: Final = _TARGET // 4


class _Chunk:
    """Some consecutive lines with their length in code points; where each begins is computed on first use."""

    __slots__ = ("_starts", "length", "lines")

    def __init__(self, lines: Sequence[str], length: int | None = None) -> None:
        self.lines = lines
        self.length = sum(map(len, lines)) if length is None else length
        self._starts: list[int] | None = None

    @property
    def starts(self) -> list[int]:
        """Where each line begins, counted from the chunk's beginning, and then the chunk's length."""
        if self._starts is None:
            self._starts = list(accumulate(map(len, self.lines), initial=0))
        return self._starts


class _Place:
    """The place of an offset: chunk, line in that chunk, and the offset at which that line begins."""

    __slots__ = ("chunk", "line", "line_start")

    def __init__(self, chunk: int, line: int, line_start: int) -> None:
        self.chunk = chunk
        self.line = line
        self.line_start = line_start


class Excerpt:
    """A segment of a document that shares its lines; the text is joined on each request.

    Later edits of the document do not change it.
    """

    __slots__ = ("_before", "_chunks", "_length")

    def __init__(self, chunks: Sequence[_Chunk], before: int, length: int) -> None:
        """Take consecutive chunks and how much of them is before the segment."""
        self._chunks = chunks
        self._before = before
        self._length = length

    def text(self) -> str:
        """Return the text."""
        joined = "".join(chain.from_iterable(chunk.lines for chunk in self._chunks))
        return joined[self._before : self._before + self._length]


class TextDocument:
    """An immutable text, kept as lines; offsets are code points, lines are counted from 0.

    Invariants: every line but the last ends in its terminator, the last has none (and is empty if the text is empty or
    ends in a newline). An edit costs the edited lines, their chunks and one step per chunk of the document.
    """

    __slots__ = ("_chunk_lines", "_chunk_starts", "_chunks", "_text")

    def __init__(self, chunks: Sequence[_Chunk]) -> None:
        """Take chunks that keep the invariants; other callers use `from_text`."""
        self._chunks = chunks
        self._chunk_starts = list(accumulate([chunk.length for chunk in chunks], initial=0))
        self._chunk_lines = list(accumulate([len(chunk.lines) for chunk in chunks], initial=0))
        self._text: str | None = None

    @classmethod
    def from_text(cls, text: str) -> "TextDocument":
        """Return the document with `text`."""
        document = cls(_chunked(_lines_to_the_end(text)))
        document._text = text
        return document

    def __len__(self) -> int:
        return self._chunk_starts[-1]

    def __repr__(self) -> str:
        return f"TextDocument({self.line_count} lines, {len(self)} code points)"

    @property
    def line_count(self) -> int:
        """How many lines there are, at least one."""
        return self._chunk_lines[-1]

    def line(self, index: int) -> str:
        """Return line `index` with its terminator. Raises ValueError if there is no such line."""
        chunk = self._chunk_of_line(index)
        return self._chunks[chunk].lines[index - self._chunk_lines[chunk]]

    def line_start(self, index: int) -> int:
        """Return the offset at which line `index` begins. Raises ValueError if there is no such line."""
        chunk = self._chunk_of_line(index)
        return self._chunk_starts[chunk] + self._chunks[chunk].starts[index - self._chunk_lines[chunk]]

    def line_at(self, offset: int) -> int:
        """Return the line of the code point at `offset`; the document's end is in the last line.

        A terminator belongs to the line it ends. Raises ValueError if the offset is outside the document.
        """
        if not 0 <= offset <= len(self):
            raise ValueError(f"offset {offset} lies outside the document (0..{len(self)})")
        place = self._place(offset)
        return self._chunk_lines[place.chunk] + place.line

    def line_around(self, offset: int) -> tuple[int, int]:
        """Return the line of the code point at `offset` as `line_at` does, and where it begins."""
        yield_point()
        if not 0 <= offset <= len(self):
            raise ValueError(f"offset {offset} lies outside the document (0..{len(self)})")
        place = self._place(offset)
        return self._chunk_lines[place.chunk] + place.line, place.line_start

    def line_holding(self, offset: int) -> tuple[int, int, str]:
        """Return the line of the code point at `offset` as `line_at` does, where it begins, and its text."""
        yield_point()
        if not 0 <= offset <= len(self):
            raise ValueError(f"offset {offset} lies outside the document (0..{len(self)})")
        place = self._place(offset)
        text = self._chunks[place.chunk].lines[place.line]
        return self._chunk_lines[place.chunk] + place.line, place.line_start, text

    def lines(self, first: int = 0, last: int | None = None) -> Iterator[str]:
        """Yield the lines `[first, last)` with their terminators; all of them to the end if `last` is None."""
        last = self.line_count if last is None else last
        if not 0 <= first <= last <= self.line_count:
            raise ValueError(f"lines {first}..{last} lie outside the document (0..{self.line_count})")
        return self._lines(first, last)

    @property
    def newline(self) -> str:
        """How the first line ends: LF, CR LF or CR; LF if there is no line end."""
        return newline_of(self.line(0))

    def slice(self, start: int, end: int) -> str:
        """Return the code points in `[start, end)`. Raises ValueError if they are not all in the document."""
        # Scans of a document by blocks use this path, and scans of its diagnostics use `line_around`.
        yield_point()
        self._check(start, end)
        if self._text is not None:
            return self._text[start:end]
        if start == end:
            return ""
        first = self.line_at(start)
        begin = self.line_start(first)
        # Whole lines are joined in C, and cut afterwards.
        return "".join(self._lines(first, self.line_at(end) + 1))[start - begin : end - begin]

    def excerpt(self, start: int, end: int) -> Excerpt:
        """Return the code points in `[start, end)` as a segment that needs almost no memory.

        Raises ValueError if they are not all in the document.
        """
        self._check(start, end)
        first = bisect_right(self._chunk_starts, start, hi=len(self._chunks)) - 1
        last = bisect_left(self._chunk_starts, end, lo=first + 1)
        return Excerpt(tuple(self._chunks[first:last]), start - self._chunk_starts[first], end - start)

    def text(self) -> str:
        """Return the whole text, joined on first use and then kept."""
        if self._text is None:
            self._text = "".join(chain.from_iterable(chunk.lines for chunk in self._chunks))
        return self._text

    def replace(self, span: Span, text: str) -> "TextDocument":
        """Return the document with the code points of `span` replaced by `text`; this one does not change.

        Raises ValueError if the span is outside the document.
        """
        start, end = span
        self._check(start, end)
        if start == end and not text:
            return self
        first = self._place(start)
        last = first if start == end else self._place(end)
        if first.line_start == start and self._line_before(first).endswith("\r"):
            # The text that now follows that CR may begin with LF, and then the two are one terminator.
            first = self._place(start - 1)
        elif first.chunk == last.chunk and first.line == last.line and "\n" not in text and "\r" not in text:
            chunk = self._chunks[first.chunk]
            line = chunk.lines[first.line]
            if end - first.line_start <= content_length(line):
                # The common keystroke: no terminator is added, removed or changed, so nothing has to be split.
                line = f"{line[: start - first.line_start]}{text}{line[end - first.line_start :]}"
                lines = (*chunk.lines[: first.line], line, *chunk.lines[first.line + 1 :])
                longer = _Chunk(lines, chunk.length + len(text) - (end - start))
                return self._with_chunks(first.chunk, first.chunk + 1, [longer])
        return self._resplit(first, last, start, end, text)

    def _resplit(self, first: _Place, last: _Place, start: int, end: int, text: str) -> "TextDocument":
        """Replace `[start, end)`, which begins in the line at `first` and ends in that at `last`; split lines again."""
        first_chunk, last_chunk = self._chunks[first.chunk], self._chunks[last.chunk]
        head = first_chunk.lines[first.line][: start - first.line_start]
        tail = last_chunk.lines[last.line][end - last.line_start :]
        at_end = last.chunk == len(self._chunks) - 1 and last.line == len(last_chunk.lines) - 1
        middle = f"{head}{text}{tail}"
        lines = [
            *first_chunk.lines[: first.line],
            *(_lines_to_the_end(middle) if at_end else _lines_of(middle)),
            *last_chunk.lines[last.line + 1 :],
        ]
        low, high = first.chunk, last.chunk + 1
        if len(lines) < _MIN_COUNT and high < len(self._chunks):
            lines.extend(self._chunks[high].lines)
            high += 1
        elif len(lines) < _MIN_COUNT and low > 0:
            low -= 1
            lines[:0] = self._chunks[low].lines
        return self._with_chunks(low, high, [_Chunk(tuple(lines))] if len(lines) <= _MAX_COUNT else _chunked(lines))

    def _with_chunks(self, low: int, high: int, chunks: Iterable[_Chunk]) -> "TextDocument":
        """Return a document whose chunks `[low, high)` are replaced."""
        return TextDocument([*self._chunks[:low], *chunks, *self._chunks[high:]])

    def _place(self, offset: int) -> _Place:
        """Find an offset that is known to be in the document."""
        number = bisect_right(self._chunk_starts, offset, hi=len(self._chunks)) - 1
        chunk, base = self._chunks[number], self._chunk_starts[number]
        line = bisect_right(chunk.starts, offset - base, hi=len(chunk.lines)) - 1
        return _Place(number, line, base + chunk.starts[line])

    def _line_before(self, place: _Place) -> str:
        """Return the line before a place, or an empty string if it is the first."""
        if place.line:
            return self._chunks[place.chunk].lines[place.line - 1]
        return self._chunks[place.chunk - 1].lines[-1] if place.chunk else ""

    def _chunk_of_line(self, index: int) -> int:
        if not 0 <= index < self.line_count:
            raise ValueError(f"line {index} is not in the document (0..{self.line_count - 1})")
        return bisect_right(self._chunk_lines, index) - 1

    def _check(self, start: int, end: int) -> None:
        if not 0 <= start <= end <= len(self):
            raise ValueError(f"span {start}..{end} lies outside the document (0..{len(self)})")

    def _lines(self, first: int, last: int) -> Iterator[str]:
        number = bisect_right(self._chunk_lines, first) - 1
        while first < last:
            base, lines = self._chunk_lines[number], self._chunks[number].lines
            yield from lines[first - base : last - base]
            first = base + len(lines)
            number += 1

    def _pieces(self, start: int, end: int) -> Iterator[str]:
        if start == end:
            return
        first, last = self.line_at(start), self.line_at(end)
        before = start - self.line_start(first)
        until = end - self.line_start(last)
        for number, line in enumerate(self._lines(first, last + 1), first):
            piece = line[before if number == first else 0 : until if number == last else None]
            if piece:
                yield piece


def content_length(line: str) -> int:
    """Return the length of a line without its terminator, in code points."""
    if line.endswith("\r\n"):
        return len(line) - 2
    return len(line) - 1 if line.endswith(("\n", "\r")) else len(line)


def _lines_of(text: str) -> list[str]:
    """Split `text` after every LF, CR and CRLF; nothing follows a terminator at its end."""
    # Text streams know the same three terminators, and split in C.
    return list(io.StringIO(text, newline=""))


def _lines_to_the_end(text: str) -> list[str]:
    """Split `text` as the end of a document: the last line has no terminator and may be empty."""
    lines = _lines_of(text)
    if not text or text.endswith(("\n", "\r")):
        lines.append("")
    return lines


def _chunked(lines: Sequence[str]) -> list[_Chunk]:
    """Divide at least one line into chunks of nearly equal size, none far from the target."""
    count = max(1, round(len(lines) / _TARGET))
    cuts = [number * len(lines) // count for number in range(count + 1)]
    return [_Chunk(tuple(lines[low:high])) for low, high in pairwise(cuts)]


#: A document without a text.
EMPTY: Final = TextDocument.from_text("")
