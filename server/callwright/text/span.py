"""Spans and edits: the units of every layer.

Owns: half-open spans of code points, the application of edits to a string, and the new places of unchanged text. Must
not know: documents, encodings, protocols.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any

from callwright.text.records import NamedTuple


class Span(NamedTuple):
    """A half-open range of code-point offsets: `start` is in it, `end` is not.

    Invariant: `0 <= start <= end`. An empty span is a place between two characters.
    """

    start: int
    end: int

    def of(self, text: str) -> str:
        """Return the characters of `text` that the span covers."""
        return text[self.start : self.end]

    def trimmed(self, text: str, chars: str | None = None) -> "Span":
        """Return the span of the characters of `text` without those at both ends that `str.strip` removes."""
        kept = self.of(text).lstrip(chars)
        start = self.end - len(kept)
        return Span(start, start + len(kept.rstrip(chars)))

    def shift(self, by: int) -> "Span":
        """Return the span moved by `by` code points."""
        return Span(self.start + by, self.end + by)

    def covers(self, other: "Span") -> bool:
        """Return whether `other` is inside this span; touching ends count as inside."""
        return self.start <= other.start and other.end <= self.end

    def touches(self, other: "Span") -> bool:
        """Return whether the two spans share a character or an end."""
        return self.start <= other.end and other.start <= self.end

    def overlaps(self, other: "Span") -> bool:
        """Return whether the two spans share at least one character."""
        return self.start < other.end and other.start < self.end


def united_spans(spans: Iterable[tuple[int, int]]) -> list[Span]:
    """Return spans in order, those that touch each other as one."""
    found: list[Span] = []
    start = end = -1
    for span in sorted(spans):
        if span[0] <= end:
            end = max(end, span[1])
        else:
            if start >= 0:
                found.append(Span(start, end))
            start, end = span
    return [*found, Span(start, end)] if start >= 0 else found


class Edit(NamedTuple):
    """Replace the text of `span` by `text`; an empty span inserts, an empty text deletes."""

    span: Span
    text: str


def insert(at: int, text: str) -> Edit:
    """Return the edit that inserts `text` before the code point at offset `at`."""
    return Edit(Span(at, at), text)


def delete(start: int, end: int) -> Edit:
    """Return the edit that removes the code points in `[start, end)`."""
    return Edit(Span(start, end), "")


class AfterEdits:
    """The new places of a text's parts after edits, which are in the order of the text and do not overlap."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._edits = edits
        self._grown = [0, *accumulate(len(text) - (end - start) for (start, end), text in edits)]

    def place(self, at: int, *, pushed: bool = False) -> int:
        """Return the new place of an offset, `pushed` by insertions at it or not.

        An offset inside an edit moves to its beginning, or to the end of the new text.
        """
        number = (bisect_right if pushed else bisect_left)(self._edits, at, key=lambda edit: edit.span.start)
        if number and self._edits[number - 1].span.end > at:
            (start, _), text = self._edits[number - 1]
            return at + self._grown[number - 1] + len(text) - (at - start)
        return at + self._grown[number]

    def written(self) -> list[Span]:
        """Return where the new texts are."""
        return [
            Span(span.start + grown, span.start + grown + len(text))
            for (span, text), grown in zip(self._edits, self._grown, strict=False)
        ]


_LINE_END = re.compile(r"\r\n|\n|\r")


def equal_start(before: Sequence[Any], after: Sequence[Any]) -> int:
    """Return how much two texts or lists begin with alike."""
    start, most = 0, min(len(before), len(after))
    while start < most and before[start] == after[start]:
        start += 1
    return start


def equal_ends(before: Sequence[Any], after: Sequence[Any]) -> tuple[int, int]:
    """Return the length of the common prefix of two texts or lists, and of the common suffix of the rest."""
    start, most = equal_start(before, after), min(len(before), len(after))
    end = 0
    while end < most - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return start, end


def newline_of(text: str) -> str:
    """Return how the first line of `text` ends: LF, CR LF or CR; LF if there is no line end."""
    # Much faster than a pattern for long lines.
    line_feed = text.find("\n")
    carriage = text.find("\r", 0, line_feed if line_feed >= 0 else len(text))
    if carriage < 0:
        return "\n"
    return "\r\n" if carriage + 1 == line_feed else "\r"


_LONE_LF = re.compile(r"(?<!\r)\n")


def with_newlines(edits: Iterable[Edit], newline: str) -> tuple[Edit, ...]:
    """Return raw edits whose new lines end as the document's do: each LF of their texts becomes `newline`."""
    if newline == "\n":
        return tuple(edits)
    return tuple(Edit(span, _LONE_LF.sub(newline, text)) if "\n" in text else Edit(span, text) for span, text in edits)


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return `text` with the edits applied; their spans refer to the original `text`.

    Edits that insert at the same place keep their order. Raises ValueError if two edits overlap or one is outside the
    text.
    """
    parts: list[str] = []
    at = 0
    for span, new in sorted(edits, key=lambda edit: edit.span):
        if span.start < at or span.end < span.start or span.end > len(text):
            raise ValueError(f"edit at {span.start}..{span.end} overlaps another or lies outside the text")
        parts.append(text[at : span.start])
        parts.append(new)
        at = span.end
    parts.append(text[at:])
    return "".join(parts)


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Return the line and the column of a code-point offset as people count them, both from 1."""
    line, start = 1, 0
    for found in _LINE_END.finditer(text, 0, offset):
        line, start = line + 1, found.end()
    return line, offset - start + 1


def lines_and_columns(text: str, offsets: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Return for each offset its line and column, as `line_and_column` does, in one pass over the text."""
    wanted = set(offsets)
    starts = [0, *(found.end() for found in _LINE_END.finditer(text, 0, max(wanted, default=0) + 1))]
    places: dict[int, tuple[int, int]] = {}
    for offset in wanted:
        line = bisect_right(starts, offset)
        start = starts[line - 1]
        # Between CR and LF a line has ended, too.
        ended = offset > start and text[offset - 1] == "\r"
        places[offset] = (line + 1, 1) if ended else (line, offset - start + 1)
    return places
