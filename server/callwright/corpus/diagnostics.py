"""Diagnostics in rows: what one is, and which turn, call and field of the row it is about.

Owns: `CorpusDiagnostic`, the columns of a table of them, `located`, `Spot`. Must not know: where rows come from, files,
engines.

A diagnostic says the same whatever dialect the row was kept in: `start` and `end` count code points of the decoded
value of the string that `field` names. Where the value is in no string, they are null, and `raw` is its JSON.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final, TypeVar

from callwright.corpus.paths import dotted
from callwright.syntax.json import JsonNode, JsonRead, read_json
from callwright.syntax.json_views import JsonView
from callwright.text.projection import JsonString
from callwright.text.span import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from callwright.calls.model import ToolCall
    from callwright.calls.turns import Turn
    from callwright.corpus.suspect_turns import SuspectTurn
    from callwright.document.blocks import PlacedCall
    from callwright.document.snapshot import Snapshot
    from callwright.hosts.base import TranscriptPart
    from callwright.rules.base import Diagnostic

_Record = TypeVar("_Record")
#: The keys and indexes that lead to a value of a row.
Place = tuple[str | int, ...]
#: How many characters of what a diagnostic is about are kept.
RAW: Final = 400


@dataclass(slots=True)
class CorpusDiagnostic:
    """One diagnostic. `row` counts from 0 in its shard, or in its unit as long as only this is known.

    `turn` is the place of the message in its list, `call` the number of the call in its turn; null where the diagnostic
    is about none. `fixable` is true if a safe fix resolves it.
    """

    row: int
    turn: int | None
    call: int | None
    tool: str | None
    dialect: str | None
    rule: str
    severity: str
    message: str
    field: str
    start: int | None
    end: int | None
    raw: str
    fixable: bool


def columns_of(record: type[Any]) -> pa.Schema:
    """Return the columns of a table of records that are a dataclass; `source` is the name of the shard."""
    import pyarrow as pa

    kinds = {
        "row": pa.int64(),
        "turn": pa.int32(),
        "call": pa.int32(),
        "start": pa.int64(),
        "end": pa.int64(),
        "fixable": pa.bool_(),
    }
    own = [pa.field(each.name, kinds.get(each.name, pa.string())) for each in fields(record)]
    return pa.schema([pa.field("source", pa.string()), *own])


def order(diagnostic: CorpusDiagnostic) -> tuple[Any, ...]:
    """Return what the diagnostics of a unit are sorted by; diagnostics about no turn are first."""

    def place(value: int | None) -> int:
        return -1 if value is None else value

    return (
        diagnostic.row,
        place(diagnostic.turn),
        place(diagnostic.call),
        diagnostic.field,
        place(diagnostic.start),
        place(diagnostic.end),
        diagnostic.rule,
        diagnostic.message,
    )


@dataclass(slots=True)
class _Segment:
    """The place of a turn in the row's text, with its number and its calls in the order of the text."""

    span: Span
    number: int | None
    calls: list[PlacedCall]


@dataclass(slots=True)
class Spot:
    """The part of a row that a diagnostic is about: the fields of a `CorpusDiagnostic` of these names."""

    turn: int | None
    call: int | None
    tool: str | None
    dialect: str | None
    field: str
    start: int | None
    end: int | None
    raw: str


#: For a row that cannot be reported in detail.
NOWHERE: Final = Spot(None, None, None, None, "", None, None, "")


def located(snapshot: Snapshot, found: Sequence[Diagnostic], row: int, place: Place = ()) -> list[CorpusDiagnostic]:
    """Return the diagnostics of a row's document as diagnostics of row `row`.

    Where `place` is given, the document's first member is what is there in the row; where it ends in an empty step,
    the document itself is.
    """
    if not found:
        return []
    return _found_diagnostics(found, spots(snapshot, [each.span for each in found], place), row)


def located_in_text(snapshot: Snapshot, found: Sequence[Diagnostic], row: int, place: Place) -> list[CorpusDiagnostic]:
    """Return the diagnostics of a document that is itself the text of a field."""
    return _found_diagnostics(found, spots_in_text(snapshot, [each.span for each in found], place), row)


def located_in_turns(turns: Sequence[SuspectTurn], row: int, place: Place = ()) -> list[CorpusDiagnostic]:
    """Return what was found in turns that were read alone; `place` is as in `located`."""
    diagnostics: list[CorpusDiagnostic] = []
    for turn in turns:
        places = _Places(turn.text, turn.read)
        extents = [span for span, _ in turn.calls]
        where = []
        for each in turn.found:
            number = _call_at(extents, each.span)
            call = turn.calls[number][1] if number is not None else None
            where.append(_pinned(each.span, turn.text, places, turn.path, int(turn.path[-1]), number, call, place))
        diagnostics += _found_diagnostics(turn.found, where, row)
    return diagnostics


def spots(snapshot: Snapshot, spans: Sequence[Span], place: Place = ()) -> list[Spot]:
    """Return what is at spans of a row's document; `place` is as in `located`."""
    text = snapshot.document.text()
    places = _Places(text)
    segments = sorted(_segments(snapshot), key=lambda each: (each.span.start, -each.span.end))
    return [_spot(each, text, places, segments, place) for each in spans]


def spots_in_text(snapshot: Snapshot, spans: Sequence[Span], place: Place) -> list[Spot]:
    """Return what is at spans of a document that is itself the text of a field."""
    text = snapshot.document.text()
    field = dotted(place)
    calls = list(snapshot.placed_calls())
    extents = [_extent(each) for each in calls]
    at = [_call_at(extents, each) for each in spans]
    return [
        _described(None, number, calls[number].call if number is not None else None, field, each, text)
        for number, each in zip(at, spans, strict=True)
    ]


def _spot(one: Span, text: str, places: _Places, segments: list[_Segment], place: Place) -> Spot:
    turn: int | None = None
    number: int | None = None
    calls: list[PlacedCall] = []
    for segment in segments:
        # Of turns in one another, the innermost: it begins last.
        if segment.span.start <= one.start <= segment.span.end:
            turn, calls = segment.number, segment.calls
            number = _call_at([_extent(each) for each in calls], one)
    call = calls[number].call if number is not None else None
    return _pinned(one, text, places, (), turn, number, call, place)


def _pinned(
    one: Span,
    text: str,
    places: _Places,
    above: Place,
    turn: int | None,
    number: int | None,
    call: ToolCall | None,
    place: Place,
) -> Spot:
    """Return what is at a span of a text, to which `above` leads in its document."""
    path, span, decoded = places.of(one)
    path = (*above, *path)
    if place:
        path = (*place[:-1], *path) if place[-1] == "" else (*place, *path[1:])
    field = dotted(path)
    if decoded is None:
        return _described(turn, number, call, field, None, one.of(text))
    return _described(turn, number, call, field, span, decoded)


def _described(
    turn: int | None, number: int | None, call: ToolCall | None, field: str, span: Span | None, text: str
) -> Spot:
    return Spot(
        turn=turn,
        call=number,
        tool=clean(call.tool) if call is not None and call.tool is not None else None,
        dialect=call.dialect if call is not None else None,
        field=clean(field),
        start=span.start if span is not None else None,
        end=span.end if span is not None else None,
        raw=clean(text[span.start : min(span.end, span.start + RAW)] if span is not None else text[:RAW]),
    )


def at_spot(record: Callable[..., _Record], row: int, spot: Spot | CorpusDiagnostic, **stated: Any) -> _Record:
    """Return a record about what is described by a spot, or by another record."""
    return record(row=row, **{name: getattr(spot, name) for name in Spot.__slots__}, **stated)


def _found_diagnostics(found: Sequence[Diagnostic], where: Sequence[Spot], row: int) -> list[CorpusDiagnostic]:
    return [
        at_spot(
            CorpusDiagnostic,
            row,
            spot,
            rule=one.code,
            severity=one.severity.value,
            message=clean(one.message),
            fixable=any(fix.is_safe for fix in one.fixes),
        )
        for one, spot in zip(found, where, strict=True)
    ]


def clean(text: str) -> str:
    """Return a text as UTF-8 can hold it: halves of surrogate pairs become escapes."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _segments(snapshot: Snapshot) -> Iterator[_Segment]:
    """Yield the turns of a record with their places."""
    by_turn: dict[int, list[PlacedCall]] = {}
    for placed in snapshot.placed_calls():
        turn = placed.read.passage.turn
        if turn is not None:
            by_turn.setdefault(id(turn), []).append(placed)
    for start, block in zip(snapshot.starts, snapshot.blocks, strict=True):
        for part in block.transcripts:
            for number, turn in _numbered(part):
                span = part.projection.raw_span(turn.place.span).shift(start)
                yield _Segment(span, number, by_turn.get(id(turn), []))


def _numbered(part: TranscriptPart) -> Iterator[tuple[int | None, Turn]]:
    """Yield the turns of a conversation with the places of their messages in the list that holds these.

    What is in front of the messages, such as a system prompt of its own, has none; an answer that is beside them
    continues counting.
    """
    last: int | None = None
    first: tuple[str | int, ...] | None = None
    for turn in part.turns:
        path = turn.place.path if isinstance(turn.place, JsonView) else ()
        at = next((index for index in range(len(path) - 1, -1, -1) if isinstance(path[index], int)), None)
        if at is not None and first in (None, path[:at]):
            first, last = path[:at], int(path[at])
        elif first is not None:
            last = (-1 if last is None else last) + 1
        yield last, turn


def _call_at(extents: Sequence[Span], span: Span) -> int | None:
    """Return which of a turn's calls a place belongs to: the innermost that holds it, None where none does."""
    best: tuple[int, int] | None = None
    for number, own in enumerate(extents):
        if own.start <= span.start <= own.end:
            size = own.end - own.start
            if best is None or size <= best[0]:
                best = (size, number)
    return best[1] if best is not None else None


def _extent(placed: PlacedCall) -> Span:
    """Return where a call is: of a native one the whole entry, so that its id belongs to it."""
    own = placed.span
    native = placed.call.details.get("native")
    if native is None:
        return own
    entry = native.place.span
    if native.place.read.text == placed.snapshot.document.text():
        return Span(entry.start + placed.start, entry.end + placed.start)
    return own


class _Places:
    """The values of a row's JSON, by the places of their text."""

    def __init__(self, text: str, read: JsonRead | None = None) -> None:
        self._text = text
        self._read = read

    def of(self, span: Span) -> tuple[tuple[str | int, ...], Span, str | None]:
        """Return the path of the innermost value that holds a place, the place in it, and its decoded text.

        The text is None where the value is not a string, and the place is then that of the row's text.
        """
        if self._read is None:
            self._read = read_json(self._text, 1 if self._text.startswith("\ufeff") else 0)
        node, path = self._innermost(self._read.root, span)
        own = node.span
        if node.kind != "string" or own.end - own.start < 2 or self._text[own.start] != '"':
            return path, span, None
        string = JsonString(self._text[own.start + 1 : own.end - 1], own.start + 1)
        start = string.to_decoded(min(max(span.start, own.start + 1), own.end - 1))
        end = string.to_decoded(min(max(span.end, own.start + 1), own.end - 1))
        if start is None or end is None:
            return path, span, None
        if end < len(string.text) and string.to_raw(end) < span.end:
            end += 1
        return path, Span(start, max(start, end)), string.text

    @staticmethod
    def _innermost(root: JsonNode, span: Span) -> tuple[JsonNode, Place]:
        node = root
        path: Place = ()
        while True:
            steps: list[str | int]
            if node.kind == "object":
                members = node.members
                children = [member.value for member in members]
                steps = [member.key for member in members]
            else:
                children = node.items
                steps = list(range(len(children)))
            at = bisect_right(children, span.start, key=lambda child: child.span.start) - 1
            if at < 0 or span.end > children[at].span.end or span.start > children[at].span.end:
                return node, path
            node, path = children[at], (*path, steps[at])
