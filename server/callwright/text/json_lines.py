"""Texts that are arrays of lines in JSON, as in notebooks.

Owns: `JsonLines`, which keeps one line per item when an edit adds or removes lines, and `Deferred`, a projection that
is created on first use. Must not know: what the text is, what else is in the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Final

from callwright.text.escapes import SPLIT_PAIR
from callwright.text.holes import has_hole
from callwright.text.projection import JsonString, Projection
from callwright.text.source_literals import Adjacent
from callwright.text.span import Edit, Span

_SEPARATOR: Final = re.compile(r'"[ \t\r\n]*+,[ \t\r\n]*+"')
_OPENING: Final = re.compile(r"[\[,]([ \t\r\n]*+)\Z")
_LINES: Final = re.compile(r"[^\n]*+\n|[^\n]++")
#: How far before the first item its bracket is searched, or the comma after an empty one.
_MARGIN: Final = 200


class JsonLines(Adjacent):
    """A projection of consecutive strings in an array that are one text, each of them a line with its end.

    An edit that adds or removes lines adds or removes items, so that the file has the layout of its own program.
    `sound` is False if the array has errors: then only edits within one string are possible.
    """

    def __init__(self, parts: Sequence[JsonString], source: str, *, sound: bool = True) -> None:
        """Take the strings, of which there is at least one, and the text of the document that they are in."""
        super().__init__(parts, source)
        self._strings = [part for part in parts if part.length] or list(parts[:1])
        self._sound = sound

    @cached_property
    def text(self) -> str:
        """The decoded text."""
        return "".join(string.text for string in self._strings)

    @cached_property
    def _between(self) -> str | None:
        """What is between two items, from quote to quote; None if that is unknown."""
        first = self._strings[0]
        if len(self._strings) > 1:
            found = _SEPARATOR.match(self._source, first.start + first.raw_length, self._strings[1].start)
            return None if found is None else found[0]
        # The first item has the same distance to the text before it as another item would have to it.
        opening = _OPENING.search(self._source[max(first.start - 1 - _MARGIN, 0) : first.start - 1])
        return None if opening is None else f'",{opening[1] or " "}"'

    def encode(self, edit: Edit) -> Edit | None:
        """Return the raw edit that changes the text as `edit` does, or None if the strings cannot represent it."""
        (start, end), text = edit
        if not 0 <= start <= end <= self.length:
            raise ValueError(f"span {start}..{end} lies outside the passage (0..{self.length})")
        if has_hole(text):
            return None
        first = self._part(start)
        last = self._part(end - 1) if end > start else first
        span = Span(start - self._starts[first], end - self._starts[last])
        if first == last and (not self._sound or not self._changes_lines(first, span, text)):
            return self._strings[first].encode(Edit(span, text))
        return self._relaid(first, last, span, text) if self._sound else None

    def _changes_lines(self, part: int, span: Span, text: str) -> bool:
        """Return whether an edit within one item changes its lines."""
        own = self._strings[part].text
        if "\n" in text or (text and span.start == len(own) and own.endswith("\n")):
            return True
        emptied = span == Span(0, len(own)) and not text and len(self._strings) > 1
        return emptied or (part < len(self._strings) - 1 and "\n" in span.of(own))

    def _relaid(self, first: int, last: int, span: Span, text: str) -> Edit | None:
        """Return the raw edit that replaces the text from a place in one item to a place in another, line by line."""
        between = self._between
        if between is None:
            return None
        head, tail = self._strings[first], self._strings[last]
        before, after = head.text[: span.start], tail.text[span.end :]
        following = self._strings[last + 1] if last + 1 < len(self._strings) else None
        begin = head.raw_span(Span(span.start, span.start)).start
        stop = tail.raw_span(Span(0, span.end)).end if span.end else tail.start
        whole = before + text + after
        if following is not None and tail.text.endswith("\n") and not whole.endswith("\n"):
            # The rest of the line continues with the next one.
            stop, after = following.start, following.text
        if SPLIT_PAIR.search(before[-1:] + text + after[:1]) is not None:
            # Two surrogates would be read as one character.
            return None
        if not whole and following is None and first > 0:
            # The last lines are removed, with the commas before them.
            previous = self._strings[first - 1]
            return Edit(Span(previous.start + previous.raw_length, stop), "")
        lines = [head.escape(line) for line in _LINES.findall(text)]
        escaped = [line for line in lines if line is not None]
        if len(escaped) < len(lines):
            return None
        written = between.join(escaped)
        if before.endswith("\n") and (text or after):
            written = between + written
        if text.endswith("\n") and after:
            written += between
        return Edit(Span(begin, stop), written)


class Deferred:
    """A projection of a known text, whose place is computed on first use.

    Invariant: `make` returns a projection of a text of that length.
    """

    def __init__(self, length: int, make: Callable[[], Projection]) -> None:
        self.length = length
        self._make = make

    @cached_property
    def _made(self) -> Projection:
        return self._make()

    def to_raw(self, offset: int) -> int:
        """Return where the decoded code point at `offset` begins."""
        return self._made.to_raw(offset)

    def raw_span(self, span: Span) -> Span:
        """Return the raw span of a decoded one."""
        return self._made.raw_span(span)

    def to_decoded(self, raw_offset: int) -> int | None:
        """Return the decoded offset of a raw one, None outside the passage."""
        return self._made.to_decoded(raw_offset)

    def encode(self, edit: Edit) -> Edit | None:
        """Return the raw edit that changes the text as `edit` does, or None where none can."""
        return self._made.encode(edit)
