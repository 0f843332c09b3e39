"""Frames: a tool's result, or arguments that are JSON in a field or a string of their own, as the cursor sees them.

Owns: `FramedSpot`, `framed_spot`. Must not know: features, protocols, the shape of any transcript.

The cursor knows JSON inside the element of a tool. A value that is alone is shown to it in such an element, of a
tool whose parameters are what may be in the value: for a result, what its tool declares to return.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from callwright.conversation.conversation import conversations
from callwright.conversation.results import output_tool, result_place
from callwright.cursor.cursor import Spot
from callwright.document.blocks import shifted
from callwright.text.projection import Composed, Identity, JsonString, Projection
from callwright.text.span import Edit, Span
from callwright.tools.registry import ToolRegistry

if TYPE_CHECKING:
    from callwright.calls.turns import NativeCall
    from callwright.conversation.conversation import Answer, Conversation
    from callwright.document.blocks import Block
    from callwright.document.snapshot import Snapshot
    from callwright.tools.model import ToolSchema

_TAG: Final = re.compile(r"[^\W\d][\w.-]*+")
#: A value beyond this length is not read for a cursor.
_MAX_LENGTH: Final = 256 * 1024


@dataclass(frozen=True, slots=True)
class FramedSpot:
    """A place in a value or in a tool's name: the spot in its frame, the tools that the frame may be of, and what a
    member of the value is to a tool: `"argument of"` or `"member of the result of"`."""

    spot: Spot
    registry: ToolRegistry
    relation: str


class _Frame:
    """The text between a frame's tags, as a part of the whole frame."""

    __slots__ = ("_inner", "_lead", "_size", "length")

    def __init__(self, inner: Projection, lead: int, tail: int) -> None:
        self._inner = inner
        self._lead = lead
        self._size = inner.length
        self.length = lead + inner.length + tail

    def _within(self, offset: int) -> int:
        return min(max(offset - self._lead, 0), self._size)

    def to_raw(self, offset: int) -> int:
        """Return where a character begins; what belongs to the frame is taken to the value's edges."""
        return self._inner.to_raw(self._within(offset))

    def raw_span(self, span: Span) -> Span:
        """Return the raw span of what of a span belongs to the value."""
        return self._inner.raw_span(Span(self._within(span.start), self._within(span.end)))

    def to_decoded(self, raw_offset: int) -> int | None:
        """Return the offset in the frame, None outside the value."""
        offset = self._inner.to_decoded(raw_offset)
        return None if offset is None else offset + self._lead

    def encode(self, edit: Edit) -> Edit | None:
        """Return the raw edit, None where it would change the frame."""
        span = edit.span.shift(-self._lead)
        if span.start < 0 or span.end > self._size:
            return None
        return self._inner.encode(Edit(span, edit.text))


def framed_spot(snapshot: Snapshot, offset: int) -> FramedSpot | None:
    """Return the place of a document's offset in a result, in native arguments or in a string with arguments, None
    where it is in none of them."""
    found = snapshot.block_at(offset)
    if found is None:
        return None
    block, start = found
    encoded = _encoded_at(snapshot, block, start, offset)
    if encoded is not None or not block.transcripts:
        return encoded
    native = _native_at(snapshot, block, start, offset)
    if native is not None:
        return native
    for conversation, answer in _answers_in(snapshot, block):
        tool = output_tool(answer, snapshot)
        if tool is None or tool.output_schema is None:
            continue
        spot = _result_spot(conversation, answer, tool, offset)
        if spot is not None:
            own = replace(tool, input_schema=tool.output_schema, output_schema=None, markup="xml")
            return FramedSpot(spot, ToolRegistry([own]), "member of the result of")
    return None


def _answers_in(snapshot: Snapshot, block: Block) -> Iterator[tuple[Conversation, Answer]]:
    for conversation in conversations(snapshot):
        if conversation.block not in (None, block):
            continue
        for answer in conversation.ledger.answers:
            if answer.turn.block is block:
                yield conversation, answer


def _result_spot(conversation: Conversation, answer: Answer, tool: ToolSchema, offset: int) -> Spot | None:
    placed = result_place(conversation, answer)
    return _spot(tool.name, *placed, offset) if placed is not None else None


def _encoded_at(snapshot: Snapshot, block: Block, start: int, offset: int) -> FramedSpot | None:
    """Return the place in the string that holds the arguments of a call in a text."""
    for read in block.passages:
        for found in read.calls:
            content: Span | None = found.call.details.get("encoded")
            if content is None or found.call.tool is None:
                continue
            projection: Projection = shifted(read.passage.projection, start)
            raw = projection.raw_span(content)
            if not raw.start <= offset <= raw.end:
                continue
            string = JsonString(content.of(read.passage.text), content.start)
            whole = Span(0, string.length)
            spot = _spot(found.call.tool, string.text, Composed(projection, string), whole, offset)
            if spot is not None:
                return FramedSpot(spot, read.registry or snapshot.registry, "argument of")
    return None


def _native_at(snapshot: Snapshot, block: Block, start: int, offset: int) -> FramedSpot | None:
    parts = {id(turn): part for part in block.transcripts for turn in part.turns if turn.calls}
    for read in block.passages:
        part = parts.get(id(read.passage.turn))
        if read.passage.calls is None or part is None:
            continue
        for found in read.calls:
            native: NativeCall | None = found.call.details.get("native")
            if native is None or found.call.tool is None:
                continue
            around = part.projection.raw_span(native.place.span).shift(start)
            if around.start <= offset <= around.end:
                projection: Projection = shifted(read.passage.projection, start)
                spot = _name_spot(found.call.tool, projection, found.call.tool_span, offset)
                if spot is None and found.call.arguments is not None and not native.unparsed:
                    spot = _spot(found.call.tool, read.passage.text, projection, found.call.body, offset)
                if spot is not None:
                    return FramedSpot(spot, read.registry or snapshot.registry, "argument of")
    return None


def _name_spot(tool: str, projection: Projection, span: Span, offset: int) -> Spot | None:
    """Return the place of a document's offset in a tool's name, taken for an element's, None where it is not in it."""
    if not _TAG.fullmatch(tool) or span.end - span.start != len(tool):
        return None
    inner = Composed(projection, Identity(span.start, len(tool)))
    at = inner.to_decoded(offset)
    if at is None:
        return None
    tail = f"></{tool}>"
    return Spot(f"<{tool}{tail}", _Frame(inner, 1, len(tail)), at + 1)


def _spot(tool: str, text: str, projection: Projection, span: Span, offset: int) -> Spot | None:
    """Return the place of a document's offset in the frame of a segment of text, None where it is outside."""
    if not _TAG.fullmatch(tool) or span.end - span.start > _MAX_LENGTH:
        return None
    inner = Composed(projection, Identity(span.start, span.end - span.start))
    at = inner.to_decoded(offset)
    if at is None:
        return None
    lead, tail = f"<{tool}>", f"</{tool}>"
    framed = f"{lead}{span.of(text)}{tail}"
    return Spot(framed, _Frame(inner, len(lead), len(tail)), at + len(lead))
