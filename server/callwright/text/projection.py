"""Projections: the map between a passage's decoded text and the raw document, in both directions.

Owns: the contract, the table of pieces that every escaping dialect shares, JSON strings, and the nesting of one
projection in another. Another encoding is another module with a subclass of `SegmentProjection`. Must not know: hosts,
dialects, what the text means.
"""

import json
import re
from abc import ABC, abstractmethod
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import accumulate, repeat
from typing import Final, Protocol

from callwright.text.escapes import JSON_ESCAPES, SPLIT_PAIR, in_utf16, of_halves
from callwright.text.holes import has_hole
from callwright.text.patterns import compile_later
from callwright.text.records import dataclass
from callwright.text.span import Edit, Span


class Projection(Protocol):
    """The map of one passage. Decoded offsets run from 0 to `length`; raw offsets are those of the document.

    Invariants: both maps are monotonic; `to_decoded(to_raw(offset)) == offset`; an encoded edit changes the decoded
    text exactly as the edit does. A decoded offset or span outside the passage raises ValueError.
    """

    @property
    def length(self) -> int:
        """How many code points the decoded text has."""

    def to_raw(self, offset: int) -> int:
        """Return where the decoded code point at `offset` begins; for `length`, where the last one ends."""

    def raw_span(self, span: Span) -> Span:
        """Return the raw span of a decoded one: whole escapes, and an empty place for an empty span."""

    def to_decoded(self, raw_offset: int) -> int | None:
        """Return the decoded offset of a raw one, None outside the passage (whose end still is inside).

        Inside an escape it is the code point that the escape yields.
        """

    def encode(self, edit: Edit) -> Edit | None:
        """Return the raw edit that changes the decoded text as `edit` does, or None if that is impossible.

        A text with a hole in it is rejected: it is unknown which expression the hole represents.
        """


def encode_all(projection: Projection, edits: Iterable[Edit]) -> tuple[Edit, ...] | None:
    """Return the raw edits of decoded ones that are applied together, or None where they cannot all be expressed.

    Edits that touch become one, since each depends on the result of its neighbour.
    """
    joined: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: edit.span):
        if joined and joined[-1].span.end == edit.span.start:
            before = joined.pop()
            joined.append(Edit(Span(before.span.start, edit.span.end), before.text + edit.text))
        else:
            joined.append(edit)
    raw: list[Edit] = []
    for edit in joined:
        encoded = projection.encode(edit)
        if encoded is None or (raw and encoded.span.start < raw[-1].span.end):
            return None
        raw.append(encoded)
    return tuple(raw)


@dataclass(frozen=True, slots=True)
class Identity:
    """The passage is the segment of `length` code points of the document from `start` on, without any change."""

    start: int
    length: int

    def to_raw(self, offset: int) -> int:
        """Return the same place in the document."""
        _check(Span(offset, offset), self.length)
        return self.start + offset

    def raw_span(self, span: Span) -> Span:
        """Return the same span in the document."""
        _check(span, self.length)
        return span.shift(self.start)

    def to_decoded(self, raw_offset: int) -> int | None:
        """Return the same place in the passage, None outside it."""
        offset = raw_offset - self.start
        return offset if 0 <= offset <= self.length else None

    def encode(self, edit: Edit) -> Edit | None:
        """Return the same edit in the document."""
        return None if has_hole(edit.text) else Edit(self.raw_span(edit.span), edit.text)


class Segments:
    """The pieces that raw and decoded text consist of, in order, each with its length on both sides.

    A piece of equal lengths is written as it is, code point by code point. A piece of different lengths is an *atom*:
    an escape, or raw text that yields nothing (indentation, a line continuation). Raw offsets count from the first.
    """

    __slots__ = ("_decoded", "_raw")

    def __init__(self, decoded: Iterable[int], raw: Iterable[int]) -> None:
        """Take the lengths of the pieces, decoded and raw; both have as many."""
        self._decoded = array("q", accumulate(decoded, initial=0))
        self._raw = array("q", accumulate(raw, initial=0))

    def start(self, offset: int) -> int:
        """Return where the decoded code point at `offset` begins in the raw text; for the length, its end."""
        piece = self._piece(self._decoded, offset)
        if piece == len(self._decoded) - 1:
            return self.end(offset)
        return self._raw[piece] + (offset - self._decoded[piece] if self._plain(piece) else 0)

    def end(self, offset: int) -> int:
        """Return where the decoded code point before `offset` ends in the raw text; 0 for 0."""
        if offset == 0:
            return 0
        piece = self._piece(self._decoded, offset - 1)
        return self._raw[piece] + offset - self._decoded[piece] if self._plain(piece) else self._raw[piece + 1]

    def decoded(self, raw: int) -> int:
        """Return the decoded offset of a raw one that lies inside the raw text."""
        piece = self._piece(self._raw, raw)
        plain = piece < len(self._raw) - 1 and self._plain(piece)
        return self._decoded[piece] + (raw - self._raw[piece] if plain else 0)

    def atom(self, offset: int) -> Span:
        """Return the decoded span of the atom around `offset`, or the empty span there."""
        piece = self._piece(self._decoded, offset)
        if piece == len(self._decoded) - 1 or self._decoded[piece] == offset or self._plain(piece):
            return Span(offset, offset)
        return Span(self._decoded[piece], self._decoded[piece + 1])

    def _plain(self, piece: int) -> bool:
        return self._decoded[piece + 1] - self._decoded[piece] == self._raw[piece + 1] - self._raw[piece]

    @staticmethod
    def _piece(cuts: Sequence[int], offset: int) -> int:
        """Return the last piece that begins at or before `offset`; the number of pieces at the very end."""
        return bisect_right(cuts, offset) - 1


class SegmentProjection(ABC):
    """A projection by a table of pieces, for any encoding with escapes; the table is built on first use.

    `text` is the decoded text, `raw` the text as it is in the document from the offset `start` on. A subclass defines
    the pieces and how text is written.
    """

    raw: str
    text: str
    start: int

    @abstractmethod
    def split(self) -> Segments:
        """Return the pieces; their decoded lengths add up to that of `text`."""

    @abstractmethod
    def escape(self, text: str) -> str | None:
        """Return `text` as it is written in this encoding, or None if it cannot be."""

    def settle(self, edit: Edit) -> Edit | None:
        """Return a decoded edit of the same effect that is valid next to the remaining text, None if there is none."""
        return edit

    @cached_property
    def segments(self) -> Segments:
        """The pieces, cached."""
        return self.split()

    @property
    def length(self) -> int:
        """How many code points the decoded text has."""
        return len(self.text)

    def to_raw(self, offset: int) -> int:
        """Return where the decoded code point at `offset` begins; for `length`, where the last one ends."""
        _check(Span(offset, offset), self.length)
        return self.start + self.segments.start(offset)

    def raw_span(self, span: Span) -> Span:
        """Return the raw span of a decoded one: whole escapes, and an empty place for an empty span."""
        start = self.to_raw(span.start)
        if span.start == span.end:
            return Span(start, start)
        _check(span, self.length)
        return Span(start, self.start + self.segments.end(span.end))

    def to_decoded(self, raw_offset: int) -> int | None:
        """Return the decoded offset of a raw one, None outside the passage; inside an escape, its code point."""
        raw = raw_offset - self.start
        return self.segments.decoded(raw) if 0 <= raw <= self.raw_length else None

    @property
    def raw_length(self) -> int:
        """How many code points the raw text has."""
        return len(self.raw)

    def encode(self, edit: Edit) -> Edit | None:
        """Return the raw edit that changes the decoded text as `edit` does, or None if that is impossible."""
        _check(edit.span, self.length)
        if has_hole(edit.text):
            return None
        settled = self.settle(edit)
        if settled is None:
            return None
        span, text = self._widen(settled)
        escaped = self.escape(text)
        return None if escaped is None else Edit(self.raw_span(span), escaped)

    def _widen(self, edit: Edit) -> Edit:
        """Return the edit extended to whole atoms: the kept part of a split atom is written again."""
        (start, end), text = edit
        first, last = self.segments.atom(start), self.segments.atom(end)
        if first == last == Span(start, end):
            return edit
        return Edit(Span(first.start, last.end), self.text[first.start : start] + text + self.text[end : last.end])


#: What JSON decodes. A pair of surrogates is one code point; anything else after a backslash is literal.
_JSON_ESCAPE: Final = compile_later(
    r"(\\(?:"
    r'["\\/bfnrt]'
    r"|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|u[0-9a-fA-F]{4}"
    r"))"
)
#: A backslash that decoded to itself, and the text after it that further characters could turn into an escape.
_JSON_UNFINISHED: Final = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_JSON_WRITTEN: Final = {decoded: f"\\{short}" for short, decoded in JSON_ESCAPES.items() if decoded != "/"}
_JSON_MUST_ESCAPE: Final = compile_later(r'["\\\x00-\x1f\ud800-\udfff]')
_JSON_NOT_ASCII: Final = re.compile(r'["\\\x00-\x1f]|[^\x00-\x7f]')


class JsonString(SegmentProjection):
    """A passage that is a JSON string: `raw` is what is between the quotes, `start` the offset where that begins.

    Decoding never fails: a broken escape, a raw control character and a quote without backslash are literal, lone
    surrogates are kept. Text is written back with the fewest escapes, but non-ASCII as `\\uXXXX` where the string
    already does so throughout.
    """

    def __init__(self, raw: str, start: int) -> None:
        self.raw = raw
        self.start = start
        self.text = decode_json_string(raw)

    def split(self) -> Segments:
        """Return plain runs and escapes in turn; an escape yields one code point."""
        raw = list(map(len, _JSON_ESCAPE.split(self.raw)))
        decoded = raw.copy()
        decoded[1::2] = repeat(1, len(raw) // 2)
        return Segments(decoded, raw)

    def escape(self, text: str) -> str | None:
        """Return `text` as it is between quotes; None if two lone surrogates would be read as one code point."""
        return None if SPLIT_PAIR.search(text) else encode_json_string(text, ascii_only=self._ascii_only)

    def settle(self, edit: Edit) -> Edit | None:
        """Return the edit extended over a broken escape that it would complete; None if it would join lone
        surrogates."""
        (start, end), text = edit
        if SPLIT_PAIR.search(self.text[max(start - 1, 0) : start] + text + self.text[end : end + 1]):
            return None
        unfinished = _JSON_UNFINISHED.search(self.text[max(start - 5, 0) : start])
        if unfinished is None:
            return edit
        backslash = start - len(unfinished[0])
        if self.segments.end(backslash + 1) - self.segments.start(backslash) > 1:
            return edit
        return Edit(Span(backslash, end), self.text[backslash:start] + text)

    @cached_property
    def _ascii_only(self) -> bool:
        return self.raw.isascii() and not self.text.isascii()


def decode_json_string(raw: str) -> str:
    """Return the value of the characters between the quotes of a JSON string; broken escapes are literal."""
    if "\\" not in raw:
        return raw
    try:
        decoded = json.loads(f'"{raw}"', strict=False)
    except ValueError:
        # Also for a quote without backslash: the C decoder sees a shorter string and then something else.
        parts = _JSON_ESCAPE.split(raw)
        parts[1::2] = map(_decode_json_escape, parts[1::2])
        return "".join(parts)
    return str(decoded)


def _decode_json_escape(escape: str) -> str:
    if escape[1] != "u":
        return JSON_ESCAPES[escape[1]]
    unit = int(escape[2:6], 16)
    if len(escape) == 6:
        return chr(unit)
    return of_halves(unit, int(escape[8:], 16))


def encode_json_string(text: str, *, ascii_only: bool = False) -> str:
    """Return `text` as it is written between the quotes of a JSON string.

    Escaped are quotes, backslashes, control characters and lone surrogates; with `ascii_only` all that is not ASCII.
    """
    return (_JSON_NOT_ASCII if ascii_only else _JSON_MUST_ESCAPE).sub(_encode_json_character, text)


def _encode_json_character(match: re.Match[str]) -> str:
    character = match[0]
    return _JSON_WRITTEN.get(character) or in_utf16(character)


class Composed:
    """One projection inside another: `inner` maps to the decoded text of `outer`, and that to the document."""

    __slots__ = ("inner", "outer")

    def __init__(self, outer: Projection, inner: Projection) -> None:
        self.outer = outer
        self.inner = inner

    @property
    def length(self) -> int:
        """How many code points the innermost text has."""
        return self.inner.length

    def to_raw(self, offset: int) -> int:
        """Return where the code point at `offset` begins in the document."""
        return self.outer.to_raw(self.inner.to_raw(offset))

    def raw_span(self, span: Span) -> Span:
        """Return the document's span of a decoded one: whole escapes of both encodings."""
        return self.outer.raw_span(self.inner.raw_span(span))

    def to_decoded(self, raw_offset: int) -> int | None:
        """Return the decoded offset of a raw one, None outside the inner passage."""
        between = self.outer.to_decoded(raw_offset)
        offset = None if between is None else self.inner.to_decoded(between)
        if offset == self.length and raw_offset > self.to_raw(offset):
            # Inside an escape of the outer text that begins just where the inner text ends.
            return None
        return offset

    def encode(self, edit: Edit) -> Edit | None:
        """Return the document's edit that changes the innermost text as `edit` does, or None if that is impossible."""
        between = self.inner.encode(edit)
        return None if between is None else self.outer.encode(between)


def _check(span: Span, length: int) -> None:
    """Raise ValueError if a decoded span is outside the passage."""
    if not 0 <= span.start <= span.end <= length:
        raise ValueError(f"span {span.start}..{span.end} lies outside the passage (0..{length})")
