"""The cursor: what is at one place of a passage, however broken the text around it is.

Owns: the segment of text that is read around a place, and which module is asked what is there. Must not know: the calls
that the reader found (half-typed text has none), dialect modules, protocols.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from callwright.calls.json_objects import LANGUAGES
from callwright.cursor.cursor_calls import call_place
from callwright.cursor.cursor_markup import AFTER, markup_place
from callwright.cursor.cursor_places import CursorPlace, Role, Schemas
from callwright.document.blocks import shifted
from callwright.hosts.base import HostContext, RecordHost
from callwright.syntax.prose import line_start
from callwright.text.projection import Identity, JsonString, SegmentProjection
from callwright.text.records import NamedTuple
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.document.blocks import Block, ReadPassage
    from callwright.document.reader import FoundCall
    from callwright.document.snapshot import Snapshot
    from callwright.syntax.prose import FenceState
    from callwright.text.projection import Projection
    from callwright.tools.registry import ToolRegistry

__all__ = [
    "AFTER",
    "BEFORE",
    "CursorPlace",
    "Role",
    "Schemas",
    "Spot",
    "dialect_near",
    "place_at",
    "place_at_spot",
    "spot_at",
]

#: How much text before the cursor is read, in code points.
BEFORE: Final = 128 * 1024
#: How far back, at least, a call may have been begun that the reader gave up: one that it read begins in its block.
_LOOK_BACK: Final = 12 * 1024
#: How far back at most where no block begins: in a line without end, or a template that is one block.
_FAR: Final = 32 * 1024
#: How much text after the opening line of a fence is searched for JSON.
_LOOK_INTO: Final = 256
#: How many calls are read besides those that begin at the requested place: a list of calls is one place.
_SOME: Final = 16
#: The content of a turn in a line of a transcript, and how long such a line may be.
_STATED: Final = re.compile(r'"(?:content|text|value)"\s*+:\s*+"((?:[^"\\\r\n]++|\\[^\r\n])*+)"')
_LINE: Final = 16 * 1024
#: How long a program or a file of YAML may be that is read once more for the string at the cursor.
_UNREAD: Final = 64 * 1024
_BEGINS: Final = re.compile(r"[<{\[`]")


def place_at(text: str, offset: int, tools: ToolRegistry, fence: FenceState | None = None) -> CursorPlace:
    """Return what is at `offset` of a passage's text.

    `fence` is open where the text begins. Time is linear in the text that is read, which is bounded whatever the text's
    length.
    """
    begin = max(0, offset - BEFORE)
    if begin:
        begin = line_start(text, begin)
        begin = min(begin, offset)
    end = min(len(text), offset + AFTER)
    window = text if begin == 0 and end == len(text) else text[begin:end]
    return markup_place(window, offset - begin, tools, None if begin else fence).shift(begin)


def place_at_spot(snapshot: Snapshot, spot: Spot) -> CursorPlace:
    """Return what is at a spot of a document: in a call of any dialect, else in markup, JSON or prose."""
    raw = spot.projection.to_raw(spot.offset)
    calls = _calls_around(snapshot, raw)
    inside = next(((span.start, dialect) for span, dialect in calls if span.start < raw <= span.end), None)
    known = spot.projection.to_decoded(inside[0]) if inside is not None else None
    stated, near = snapshot.settings.dialect, inside[1] if inside is not None else _near(calls, raw)
    found = call_place(spot.text, spot.offset, snapshot.offered, stated=stated, near=near, known=known)
    if found is not None:
        return found
    return place_at(spot.text, spot.offset, snapshot.offered, spot.fence)


def _calls_between(block: Block, low: int, high: int) -> Iterator[tuple[Span, ReadPassage, FoundCall]]:
    """Yield the calls of a block that begin between two places in it, with some around them, each with where it is.

    In a line without end, or a template that is one block, there are very many others.
    """
    for read in block.passages:
        calls, projection = read.calls, read.passage.projection
        if read.passage.calls is not None:
            continue
        if isinstance(projection, Identity | SegmentProjection):

            def begins(found: FoundCall, projection: Identity | SegmentProjection = projection) -> int:
                return projection.to_raw(found.call.place.start)

            first, last = bisect_left(calls, low, key=begins), bisect_right(calls, high, key=begins)
            calls = calls[max(0, first - _SOME) : last + _SOME]
        for found in calls:
            yield projection.raw_span(found.call.place), read, found


def dialect_near(snapshot: Snapshot, offset: int) -> str | None:
    """Return the dialect of the last call before a document's offset, or the first one after it, in its block."""
    return _near(_calls_around(snapshot, offset), offset)


def _near(calls: Sequence[tuple[Span, str]], offset: int) -> str | None:
    before = [dialect for span, dialect in calls if span.end <= offset]
    return before[-1] if before else next((dialect for span, dialect in calls if span.start > offset), None)


def _calls_around(snapshot: Snapshot, offset: int) -> Sequence[tuple[Span, str]]:
    """Return where the calls around an offset are in the document, of its block, each with its dialect."""
    block = snapshot.block_at(offset)
    if block is None:
        return ()
    at = offset - block[1]
    return [(span.shift(block[1]), found.call.dialect) for span, _, found in _calls_between(block[0], at, at)]


class Spot(NamedTuple):
    """A place in a document as its passage sees it: the text around it, the way back, and the offset in that text.

    `fence` is open where the text begins.
    """

    text: str
    projection: Projection
    offset: int
    fence: FenceState | None = None


def spot_at(snapshot: Snapshot, offset: int) -> Spot | None:
    """Return the passage text around a document's offset, None where no passage is.

    Of a document that is one long passage it is a segment that begins some way before the cursor, so that what is
    half-typed before the cursor's block is seen too; and where a fence of JSON is open there, with that fence.
    """
    passage = snapshot.passage_at(offset)
    block = snapshot.block_at(offset)
    if snapshot.host.flow and (passage is None or block is None or passage.text is block[0].passages[0].passage.text):
        document = snapshot.document
        begin, fence = _beginning(snapshot, offset) if offset > _LOOK_BACK else (0, None)
        text = document.slice(begin, min(len(document), offset + AFTER))
        return Spot(text, Identity(begin, len(text)), offset - begin, fence)
    if passage is None:
        return _string_at(snapshot, offset) or _unread_string(snapshot, offset)
    decoded = passage.projection.to_decoded(offset)
    return None if decoded is None else Spot(passage.text, passage.projection, decoded)


def _beginning(snapshot: Snapshot, offset: int) -> tuple[int, FenceState | None]:
    """Return where the text before an offset begins that has to be read, and the fence that is open there."""
    blocks = snapshot.blocks
    if not blocks:
        return max(0, offset - BEFORE), None
    index = blocks.index_at(offset - _LOOK_BACK)
    start = blocks.start(index)
    if not blocks[index].passages:
        # This text has not been read: nothing in it is known to be ignored, so no more of it is read than necessary.
        return max(start, snapshot.document.line_start(snapshot.document.line_at(offset - _LOOK_BACK))), None
    # What is half-typed in a fence of JSON is known by the fence, however far above it opens.
    first = index
    while first > 0 and _opens_json(blocks[first].state.fences) and offset - start < BEFORE:
        first -= 1
        start = blocks.start(first)
    if first < index and not _holds_json(snapshot, first):
        first, start = index, blocks.start(index)
    begin = max(start, offset - (BEFORE if first < index else _FAR))
    fences = blocks[first].state.fences
    return begin, fences[-1] if fences and begin == start else None


def _opens_json(fences: Sequence[FenceState]) -> bool:
    return bool(fences) and fences[-1].language in LANGUAGES


def _holds_json(snapshot: Snapshot, number: int) -> bool:
    """Return whether the fence that is open after a block opens in it, and JSON may be in the fence.

    The content of a fence that opens farther above, or with other text, is not a call as a whole.
    """
    blocks, document = snapshot.blocks, snapshot.document
    open_now = len(blocks[number].state.fences)
    opened, content = len(blocks[number + 1].state.fences), None
    for place, depth in blocks[number].fenced:
        if open_now < depth == opened:
            content = blocks.start(number) + place
        open_now = depth
    if content is None:
        return False
    return document.slice(content, min(len(document), content + _LOOK_INTO)).lstrip()[:1] in ("", "{", "[")


def _string_at(snapshot: Snapshot, offset: int) -> Spot | None:
    """Return the place in a string of a transcript that does not contain the beginning of a call yet."""
    found = snapshot.block_at(offset)
    if found is None or not found[0].transcripts:
        return None
    document = snapshot.document
    line = document.line_at(offset)
    start = document.line_start(line)
    text = document.line(line)
    if len(text) > _LINE:
        return None
    for match in _STATED.finditer(text):
        if match.start(1) <= offset - start <= match.end(1):
            string = JsonString(match[1], start + match.start(1))
            decoded = string.to_decoded(offset)
            return None if decoded is None else Spot(string.text, string, decoded)
    return None


def _unread_string(snapshot: Snapshot, offset: int) -> Spot | None:
    """Return the place in a string of a program or of YAML that its host passed over, because it looks like no call."""
    found = snapshot.block_at(offset)
    host = snapshot.host
    if found is None or not isinstance(host, RecordHost) or host.holds != "calls" or found[0].transcripts:
        return None
    block, start = found
    if block.length > _UNREAD:
        return None
    at = offset - start
    context = HostContext(snapshot.texts_template, frozenset(snapshot.offered.names), (Span(max(at - 1, 0), at + 1),))
    text = snapshot.document.slice(start, start + block.length)
    for passage in host.read(text, context).passages:
        decoded = passage.projection.to_decoded(at) if passage.calls is None else None
        # A word in quotes is not a text that contains calls.
        if decoded is not None and ("\n" in passage.text or _BEGINS.search(passage.text, 0, decoded) is not None):
            return Spot(passage.text, shifted(passage.projection, start), decoded)
    return None
