"""Joined projections: several segments of one document read as one text.

Owns: `Joined`, and `JoinedSegments`, its base class for other ways to join. Must not know: what the segments contain,
who joins them.

A call with its name in one string of a transcript and its arguments in another is read as one passage, in the order of
the document.
"""

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

from callwright.text.projection import Projection, SegmentProjection
from callwright.text.span import Edit, Span


class JoinedSegments:
    """Parts of a document in order, each with its own projection, and the offset of each part's text.

    Between the texts of two parts are `gap` characters outside the parts. Invariant: the parts do not overlap and are
    given in the order of the document; there is at least one.
    """

    def __init__(self, parts: Sequence[Projection], gap: int) -> None:
        self.parts = tuple(parts)
        self._gap = gap
        self._starts = list(accumulate((part.length + gap for part in self.parts), initial=0))

    @property
    def length(self) -> int:
        """How many code points the text has."""
        return self._starts[-1] - self._gap

    def _part(self, offset: int) -> int:
        """Return the part of the code point at `offset`; the last one for the end."""
        if not 0 <= offset <= self.length:
            raise ValueError(f"offset {offset} lies outside the passage (0..{self.length})")
        return min(bisect_right(self._starts, offset) - 1, len(self.parts) - 1)

    def to_raw(self, offset: int) -> int:
        """Return where the code point at `offset` begins; for the end, where the last one ends."""
        part = self._part(offset)
        return self.parts[part].to_raw(offset - self._starts[part])

    def raw_span(self, span: Span) -> Span:
        """Return the raw span of a decoded one; over several parts, with all text between them."""
        first = self._part(span.start)
        if span.start == span.end:
            return self.parts[first].raw_span(Span(*(span.start - self._starts[first],) * 2))
        last = self._part(span.end - 1)
        start = self.parts[first].raw_span(
            Span(span.start - self._starts[first], min(span.end - self._starts[first], self.parts[first].length))
        )
        if last == first:
            own_end = span.end - self._starts[first]
            if own_end <= self.parts[first].length:
                return start
            # The text after the part is covered, too, up to the next one.
            following = self.parts[first + 1].to_raw(0) if first + 1 < len(self.parts) else start.end
            return Span(start.start, following)
        end = self.parts[last].raw_span(Span(0, span.end - self._starts[last]))
        return Span(start.start, end.end)

    def to_decoded(self, raw_offset: int) -> int | None:
        """Return the decoded offset of a raw one, None between the parts and outside them."""
        part = bisect_right(self._places, raw_offset) - 1
        if part < 0:
            return None
        offset = self.parts[part].to_decoded(raw_offset)
        return None if offset is None else self._starts[part] + offset

    @cached_property
    def _places(self) -> list[int]:
        # A part may begin with raw text that yields nothing: such a place is inside it.
        return [part.start if isinstance(part, SegmentProjection) else part.to_raw(0) for part in self.parts]


class Joined(JoinedSegments):
    """Segments of a document in order, each with its own projection, joined by one line feed.

    The line feed represents the text between them in the document, and edits must not touch it.
    """

    def __init__(self, parts: Sequence[Projection]) -> None:
        super().__init__(parts, 1)

    def start(self, part: int) -> int:
        """Return where the text of a part begins."""
        return self._starts[part]

    def encode(self, edit: Edit) -> Edit | None:
        """Return the raw edit, or None if it would touch the text between two parts."""
        part = self._part(edit.span.start)
        start, own = self._starts[part], self.parts[part]
        if edit.span.end - start > own.length:
            return None
        return own.encode(Edit(edit.span.shift(-start), edit.text))
