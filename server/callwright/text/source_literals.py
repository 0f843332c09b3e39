"""String literals of programs: the common part of their projections in all languages.

Owns: the pieces of a literal with expressions in it, and edits that keep those expressions. Must not know: the escapes
of any language, where in a source a literal is.
"""

import re
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final

from callwright.text.holes import HOLE, has_hole
from callwright.text.joined import JoinedSegments
from callwright.text.projection import Projection, SegmentProjection, Segments
from callwright.text.span import Edit, Span

_HOLES: Final = re.compile(f"{HOLE}++")


class SourceLiteral(SegmentProjection):
    """A passage that is a string literal: `raw` is what is between its quotes, `start` where in the document.

    `fields` are the expressions in it, as spans of `raw` with their braces: each is a run of holes of the same length.
    Decoding never fails: an invalid escape is literal text. An edit may move expressions only as a whole and in their
    order: its text contains the same runs of holes as the text it replaces. All other edits that touch an expression
    are rejected.
    """

    #: An escape outside expressions; the text between two of them is literal.
    escapes: re.Pattern[str]

    def __init__(self, raw: str, start: int, fields: Sequence[Span] = ()) -> None:
        self.raw = raw
        self.start = start
        self.fields = fields
        self.text = "".join(self._decoded_parts())

    @abstractmethod
    def meaning(self, escape: re.Match[str]) -> str:
        """Return the value of an escape."""

    @abstractmethod
    def reach(self, span: Span, text: str) -> Span:
        """Return the decoded span of an edit, extended over text that would otherwise join with the new text."""

    def _parts(self) -> Iterator[tuple[bool, Span]]:
        """Yield the segments of `raw` in order; the first of each pair says whether it is an expression."""
        at = 0
        for field in self.fields:
            yield False, Span(at, field.start)
            yield True, field
            at = field.end
        yield False, Span(at, len(self.raw))

    def _decoded_parts(self) -> Iterator[str]:
        for is_field, span in self._parts():
            part = span.of(self.raw)
            yield HOLE * len(part) if is_field else self.escapes.sub(self.meaning, part)

    def split(self) -> Segments:
        """Return plain runs, escapes and expressions in turn; an expression is as long on both sides."""
        decoded: list[int] = []
        raw: list[int] = []
        for is_field, (start, end) in self._parts():
            at = start
            for escape in () if is_field else self.escapes.finditer(self.raw, start, end):
                raw += [escape.start() - at, escape.end() - escape.start()]
                decoded += [escape.start() - at, len(self.meaning(escape))]
                at = escape.end()
            raw.append(end - at)
            decoded.append(end - at)
        return Segments(decoded, raw)

    @cached_property
    def ascii_only(self) -> bool:
        """Whether the literal writes all that is not ASCII as escapes, and has such."""
        shown = "".join(span.of(self.raw) for is_field, span in self._parts() if not is_field)
        return shown.isascii() and not self.text.replace(HOLE, "").isascii()

    def raw_of(self, offset: int) -> str:
        """Return the raw text of the code point before `offset`, with its whole escape."""
        if offset == 0:
            return ""
        return self.raw[self.segments.start(offset - 1) : self.segments.end(offset)]

    def encode(self, edit: Edit) -> Edit | None:
        """Return the raw edit that changes the decoded text as `edit` does, or None where none can."""
        (start, end), text = edit
        if not 0 <= start <= end <= self.length:
            raise ValueError(f"span {start}..{end} lies outside the passage (0..{self.length})")
        if self._cuts(start) or self._cuts(end):
            return None
        runs = self._runs(Span(start, end))
        if [len(run) for run in _HOLES.findall(text)] != [run.end - run.start for run in runs]:
            return None
        span, text = self._widen(Edit(Span(start, end), text))
        reached = self.reach(span, text)
        if has_hole(self.text[reached.start : span.start]) or has_hole(self.text[span.end : reached.end]):
            return None
        span, text = self._widen(
            Edit(reached, self.text[reached.start : span.start] + text + self.text[span.end : reached.end])
        )
        written = self._written(span, text, runs)
        if written is None:
            return None
        return self.verified(Edit(self.raw_span(span), written), Edit(span, text))

    def verified(self, raw: Edit, decoded: Edit) -> Edit | None:
        """Return the raw edit, or None if the value of the literal would then differ from `decoded`."""
        del decoded
        return raw

    def _cuts(self, offset: int) -> bool:
        return 0 < offset < self.length and self.text[offset - 1] == HOLE == self.text[offset]

    def _runs(self, span: Span) -> list[Span]:
        return [Span(*found.span()) for found in _HOLES.finditer(self.text, span.start, span.end)]

    def _written(self, span: Span, text: str, runs: Sequence[Span]) -> str | None:
        """Return `text` as it is written in place of `span`, with the expressions of `runs`."""
        parts = _HOLES.split(text)
        written: list[str] = []
        for index, part in enumerate(parts):
            last = index == len(parts) - 1
            escaped = self.escape(part, at_end=last and span.end == self.length)
            if escaped is None:
                return None
            written.append(escaped)
            if not last:
                written.append(self.raw_span(runs[index]).shift(-self.start).of(self.raw))
        return "".join(written)

    @abstractmethod
    def escape(self, text: str, *, at_end: bool = False) -> str | None:
        """Return `text` as it is written in this literal, or None if it cannot be; `at_end`: a quote follows it."""


def short_escape(character: str, quotes: str, written: Mapping[str, str]) -> str | None:
    """Return the escape of a quote, of a character that has a letter of its own, or of one below U+0100; else None."""
    if character in quotes:
        return f"\\{character}"
    code = ord(character)
    return written.get(character) or (f"\\x{code:02x}" if code < 0x100 else None)


class Adjacent(JoinedSegments):
    """Literals that follow each other and are one string: a projection of their texts, one directly after the other.

    An edit over several parts puts its text into the first of them, and the text between the parts is kept.
    """

    def __init__(self, parts: Sequence[Projection], source: str) -> None:
        """Take the parts, and the text of the document that they map to."""
        # All places of a part without text are also ends of other parts.
        super().__init__([part for part in parts if part.length] or parts[:1], 0)
        self._source = source

    def encode(self, edit: Edit) -> Edit | None:
        """Return the raw edit that changes the text as `edit` does, or None if a part cannot represent it."""
        span, text = edit
        first = self._part(span.start)
        last = self._part(span.end - 1) if span.end > span.start else first
        if first == last:
            return self.parts[first].encode(Edit(span.shift(-self._starts[first]), text))
        whole = Span(span.start - self._starts[first], self.parts[first].length)
        edits = [self.parts[first].encode(Edit(whole, text))]
        for part in range(first + 1, last + 1):
            end = min(span.end - self._starts[part], self.parts[part].length)
            edits.append(self.parts[part].encode(Edit(Span(0, end), "")))
        sound = [each for each in edits if each is not None]
        if len(sound) < len(edits):
            return None
        written = sound[0].text
        for before, after in pairwise(sound):
            written += self._source[before.span.end : after.span.start] + after.text
        return Edit(Span(sound[0].span.start, sound[-1].span.end), written)
