"""Segments: parts of what a place decodes to, such as a result that is in the middle of a message.

Owns: `PlacedText`, `Segment`, `Tail`. Must not know: what is there, the shape of any transcript.
"""

from __future__ import annotations

from functools import cached_property

from callwright.calls.turns import Located, Spot
from callwright.syntax.json_views import JsonView
from callwright.text.projection import Composed, Identity, JsonString, Projection
from callwright.text.span import Span


class PlacedText:
    """A text with its place: a JSON string (a `JsonView`) or a segment of the transcript's text as it is (a `Spot`)."""

    def __init__(self, place: Located, value: str) -> None:
        self.place = place
        self.value = value

    @cached_property
    def projection(self) -> Projection | None:
        """The map from offsets of the value to those of the transcript's text; None where it is unknown."""
        span = self.place.span
        if isinstance(self.place, Spot):
            return Identity(span.start, len(self.value))
        if not isinstance(self.place, JsonView):
            return None
        raw = span.of(self.place.read.text)
        if len(raw) < 2 or not raw[0] == '"' == raw[-1]:
            return None
        string = JsonString(raw[1:-1], span.start + 1)
        # A string that had to be fixed is read otherwise than it decodes.
        return string if string.text == self.value else None


class Segment:
    """A part of a text, in offsets of its decoded value. Its place is computed when it is asked for.

    `text` is what is there. Where the text's own escapes cannot be followed, the place is the whole text.
    """

    __slots__ = ("part", "turn_texts")

    def __init__(self, turn_texts: PlacedText, part: Span) -> None:
        self.turn_texts = turn_texts
        self.part = part

    @property
    def text(self) -> str:
        """The decoded characters."""
        return self.part.of(self.turn_texts.value)

    @property
    def projection(self) -> Projection | None:
        """The map from offsets of `text` to those of the transcript's text; None where it is unknown."""
        around = self.turn_texts.projection
        return None if around is None else Composed(around, Identity(self.part.start, self.part.end - self.part.start))

    @property
    def span(self) -> Span:
        """Where it is in the transcript's text."""
        around = self.turn_texts.projection
        return self.turn_texts.place.span if around is None else around.raw_span(self.part)

    def __repr__(self) -> str:
        return f"<Segment {self.part.start}..{self.part.end}>"


class Tail(JsonView):
    """The view of what is after a fixed beginning of a JSON string, as the name in `"tool-search"`.

    Its `value` is that text, its `span` covers these characters without the closing quote. A string with escapes is its
    place as a whole.
    """

    __slots__ = ("whole",)

    def __init__(self, whole: JsonView, beginning: str) -> None:
        super().__init__(whole.read, str(whole.value).removeprefix(beginning), whole.parent, whole.step)
        self.whole = whole

    @property
    def span(self) -> Span:
        """The characters after the beginning."""
        span = self.whole.span
        end = span.end - 1
        start = end - len(self.value)
        return Span(start, end) if self.whole.read.text[start:end] == self.value else span
