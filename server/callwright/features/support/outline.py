"""The outline of a document: turns, the calls in them, and the parts of each call, with places in the raw document.

Owns: `Outline`, `TurnPart`, `CallPart`, `Part`. Must not know: any single feature, protocols, tools but through a
binding.

What is found in a block is kept with the block, so a keystroke costs one block. The places that are kept count from the
block's start; `outline_between` returns them as the document's, in the order of the text. No call as it was read is
kept with it: that takes twice the memory of its outline, and hardly anyone asks (`placed_call`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from callwright.calls.model import JsonValue, MarkupValue, Path, ToolCall
from callwright.calls.turns import NativeCall, Turn
from callwright.document.blocks import Block, PlacedCall, ReadPassage, binding_of
from callwright.document.reader import FoundCall
from callwright.schema.binding import Binding
from callwright.syntax.json import JsonNode
from callwright.syntax.xml import XmlElement
from callwright.text.facts import Fact, derived
from callwright.text.projection import Composed, Identity, JsonString, Projection
from callwright.text.records import NamedTuple
from callwright.text.span import Span
from callwright.tools.model import ToolSchema

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot

#: A document beyond this length is not outlined as a whole: that would hold up whatever is typed meanwhile.
MAX_LENGTH: Final = 1 << 19
#: The same for an answer that is kept block by block: it costs this much once, in steps, and one block from then on.
MAX_KEPT_LENGTH: Final = 1 << 20
#: So much is outlined at once, in characters.
_STEP: Final = 1 << 15
#: What is nested deeper than this in a call is one value of the outline.
_MAX_DEPTH: Final = 48
#: A call of more parts than this has no parts in the outline.
_MAX_COUNT: Final = 20_000
_WORD: Final = re.compile(r"\w")
#: A word of a marker; what is around it is punctuation.
_PIECE: Final = re.compile(r"""[^\s"'{},:=]++""")
#: What the kinds of JSON nodes are called that have no value of their own.
_OTHER: Final = "other"
_KINDS: Final[dict[type, str]] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    dict: "object",
    list: "array",
}


_Answer = TypeVar("_Answer")


@dataclass(slots=True)
class OutlinePart:
    """One argument of a call, or a value inside one; `path` leads to it from the arguments.

    `name` is its name, or the number of an item. `span` covers name, markers and value, `value` what is between the
    markers, `names` every writing of the name, without quotes. `kind` is the JSON type of the value, `"integer"` and
    `"number"` distinguished, or `"other"`. `element` is true where it is written between markers: its text has no type;
    `marks` are the words of these markers that are not the name.
    """

    path: Path
    name: str
    span: Span
    names: tuple[Span, ...]
    value: Span
    kind: str
    plain: Any = None
    element: bool = False
    markers: tuple[Span, ...] = ()
    children: list[OutlinePart] = field(default_factory=list)

    def shift(self, by: int) -> OutlinePart:
        """Return the part moved by `by` characters."""
        return OutlinePart(
            self.path,
            self.name,
            self.span.shift(by),
            tuple(span.shift(by) for span in self.names),
            self.value.shift(by),
            self.kind,
            self.plain,
            self.element,
            tuple(span.shift(by) for span in self.markers),
            [child.shift(by) for child in self.children],
        )

    def walk(self) -> Iterator[OutlinePart]:
        """Yield this part and all below it, in the order of the text."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(slots=True)
class CallPart:
    """One call: `span` covers it, `frame` also what only exists to contain it.

    `names` are the writings of its tool's name, `body` is the region between its own markers, `marks` are these
    markers, line by line.

    `tool` is what the call is bound to, `tool_name` what it names; `strange` is true where there is no such tool, and
    could be no other. `unknown` are the arguments that the tool has not. `number` is the number of the passage in its
    block, and of the call in the passage.
    """

    number: tuple[int, int]
    tool: ToolSchema | None
    tool_name: str | None
    dialect: str
    sketch: bool
    strange: bool
    unknown: frozenset[Path]
    turn: Turn | None
    span: Span
    frame: Span
    names: tuple[Span, ...]
    body: Span
    markers: tuple[Span, ...]
    parts: list[OutlinePart]
    whole: bool = True

    @property
    def title(self) -> str:
        """The tool's name, or a word for a call that names none."""
        return self.tool_name or "call"

    def shift(self, by: int) -> CallPart:
        """Return the call moved by `by` characters."""
        if not by:
            return self
        return CallPart(
            self.number,
            self.tool,
            self.tool_name,
            self.dialect,
            self.sketch,
            self.strange,
            self.unknown,
            self.turn,
            self.span.shift(by),
            self.frame.shift(by),
            tuple(span.shift(by) for span in self.names),
            self.body.shift(by),
            tuple(span.shift(by) for span in self.markers),
            [part.shift(by) for part in self.parts],
            self.whole,
        )

    def walk(self) -> Iterator[OutlinePart]:
        """Yield every part of the call in the order of the text."""
        for part in self.parts:
            yield from part.walk()


@dataclass(slots=True)
class TurnPart:
    """One turn of a transcript: who speaks, and where."""

    turn: Turn
    span: Span
    role: str

    def shift(self, by: int) -> TurnPart:
        """Return the turn moved by `by` characters."""
        return TurnPart(self.turn, self.span.shift(by), self.role)


@dataclass(slots=True)
class Outline:
    """The turns and the calls of a segment of a document, each in the order of the text; calls may lie in turns."""

    turns: list[TurnPart] = field(default_factory=list)
    calls: list[CallPart] = field(default_factory=list)


#: The outline of a block where it begins in the document, with that place.
_PLACED: Final[Fact[tuple[int, Outline]]] = Fact()


def outline_between(snapshot: Snapshot, span: Span | None = None) -> Outline:
    """Return what is in the blocks that a span touches, in all of them without one."""
    found = Outline()
    for block, start in blocks_between(snapshot, span):
        placed = _placed(block, start, snapshot)
        found.turns += placed.turns
        found.calls += placed.calls
    return found


def in_steps(snapshot: Snapshot, answer: Callable[[], _Answer]) -> _Answer | Generator[None, None, _Answer]:
    """Return the results for all blocks; where many blocks have yet to be outlined, the steps that lead to them."""
    missing = [block for block in snapshot.blocks if not outline_of.known(block)]
    if sum(block.length for block in missing) <= _STEP or len(missing) < 2:
        return answer()

    def steps() -> Generator[None, None, _Answer]:
        done = 0
        for block in missing:
            outline_of(block, snapshot)
            done += block.length
            if done > _STEP:
                done = 0
                yield
        return answer()

    return steps()


def _placed(block: Block, start: int, snapshot: Snapshot) -> Outline:
    """Return a block's outline in offsets of the document; kept while the block stays where it is."""
    known = _PLACED.get(block)
    if known is None or known[0] != start:
        own = outline_of(block, snapshot)
        placed = Outline([turn.shift(start) for turn in own.turns], [call.shift(start) for call in own.calls])
        known = _PLACED.keep(block, (start, placed))
    return known[1]


def blocks_between(snapshot: Snapshot, span: Span | None = None) -> list[tuple[Block, int]]:
    """Return the blocks that a span touches, each with where it begins; all of them without a span."""
    starts, blocks = snapshot.starts, snapshot.blocks
    if span is None:
        return list(zip(blocks, starts, strict=True))
    first = max(bisect_right(starts, span.start) - 1, 0)
    if first and starts[first] == span.start:
        # A place between two blocks touches both.
        first -= 1
    last = bisect_right(starts, span.end)
    return list(zip(blocks[first:last], starts[first:last], strict=True))


@derived
def outline_of(block: Block, snapshot: Snapshot) -> Outline:
    """Return what is in a block, in offsets from its start."""
    return Outline(_turns(block), _calls(block, snapshot))


def passing_outline(block: Block, snapshot: Snapshot) -> Outline:
    """Return what `outline_of` returns, and keep nothing: for one pass over a text of any length."""
    known = outline_of.get(block)
    return known if known is not None else Outline(_turns(block), _calls(block, snapshot))


def placed_call(call: CallPart, snapshot: Snapshot) -> PlacedCall:
    """Return a call of the outline as it was read; `call` has its place in the document."""
    at = bisect_right(snapshot.starts, call.span.start) - 1
    passage, number = call.number
    read = snapshot.blocks[at].passages[passage]
    return PlacedCall(read.calls[number], read, snapshot.starts[at], snapshot)


def _turns(block: Block) -> list[TurnPart]:
    found = [
        TurnPart(turn, part.projection.raw_span(turn.place.span), turn.role or "turn")
        for part in block.transcripts
        for turn in part.turns
    ]
    found.sort(key=lambda turn: (turn.span.start, -turn.span.end))
    return found


def _calls(block: Block, snapshot: Snapshot) -> list[CallPart]:
    """Return the calls of a block; one that is in several versions of a template is listed once."""
    found: dict[Span, CallPart] = {}
    around = {id(turn): part.projection for part in block.transcripts for turn in part.turns}
    for passage, read in enumerate(block.passages):
        for number, entry in enumerate(read.calls):
            native: NativeCall | None = entry.call.details.get("native")
            if native is not None and id(read.passage.turn) in around:
                # The whole entry, of which the passage has but the name and the arguments.
                span = around[id(read.passage.turn)].raw_span(native.place.span)
            else:
                span = _raw_of(read.passage.projection)(entry.call.span)
            if span not in found:
                found[span] = _call(read, entry, (passage, number), snapshot, span)
    return sorted(found.values(), key=lambda call: (call.span.start, -call.span.end))


def _call(read: ReadPassage, entry: FoundCall, number: tuple[int, int], snapshot: Snapshot, span: Span) -> CallPart:
    call, passage = entry.call, read.passage
    projection = passage.projection
    raw = _raw_of(projection)
    binding = binding_of(read, entry, snapshot.registry, snapshot.settings)
    names = tuple([raw(name) for name in call.name_spans if name.start < name.end])
    maker = _Parts(binding, projection)
    parts = maker.of_call()
    native = "native" in call.details
    tools = binding.registry
    unknown = {(*error.path, str(name)) for error in binding.errors for name in error.data.get("unexpected", ())}
    return CallPart(
        number,
        binding.tool,
        call.tool,
        call.dialect,
        call.sketch,
        binding.tool is None and bool(tools.names) and tools.closed and not call.details.get("hosted"),
        frozenset(unknown.union(binding.unknown)),
        passage.turn,
        span,
        span if native else raw(call.place),
        names,
        raw(_within(call.body, call.span)),
        () if native else tuple([raw(marker) for marker in _markers(call, passage.text)]),
        [] if maker.too_many else parts,
        whole=call.complete,
    )


def _raw_of(projection: Projection) -> Callable[[Span], Span]:
    """Return the way from spans of a passage to those of its block; of most blocks they are the same."""
    if type(projection) is Identity and not projection.start:
        return _same
    return projection.raw_span


def _same(span: Span) -> Span:
    return span


def _within(inner: Span, outer: Span) -> Span:
    start = min(max(inner.start, outer.start), outer.end)
    return Span(start, min(max(inner.end, start), outer.end))


def _markers(call: ToolCall, text: str) -> Iterator[Span]:
    """Yield the words of a call's own markers, without the tool's name."""
    place, body = call.place, _within(call.body, call.span)
    for region in (Span(place.start, body.start), Span(body.end, place.end)):
        yield from _words(text, region, sorted(call.name_spans))


def _words(text: str, region: Span, names: Iterable[Span]) -> Iterator[Span]:
    """Yield the words of a marker that are no names; the names are given in order."""
    at = region.start
    for name in [*names, Span(region.end, region.end)]:
        if name.start < at or name.start > region.end:
            continue
        if _WORD.search(text, at, name.start) is not None:
            for piece in _PIECE.finditer(text, at, name.start):
                if _WORD.search(text, *piece.span()):
                    yield Span(*piece.span())
        at = name.end


class _Source(NamedTuple):
    """The text that values are written in, and the way from it to the block."""

    text: str
    raw: Callable[[Span], Span]


def _bare(span: Span, text: str) -> Span:
    """Return the span of a key without the quotes around it."""
    start, end = span
    while start < end and text[start] in "\"'\\":
        start += 1
    while end > start and text[end - 1] in "\"'\\":
        end -= 1
    return Span(start, end)


class _Parts:
    """The making of one call's parts."""

    def __init__(self, binding: Binding, projection: Projection) -> None:
        self.binding = binding
        self.projection = projection
        self.raw = _raw_of(projection)
        self.count = 0
        self.too_many = False
        self.paths: dict[int, Path] = {}

    def of_call(self) -> list[OutlinePart]:
        """Return the arguments of the call in the order of the text."""
        value = self.binding.call.arguments
        if isinstance(value, JsonValue):
            if self.binding.decoded:
                return self._of_string(value)
            return self._members(value.node, (), _Source(self.binding.text, self.raw), 0)
        if isinstance(value, MarkupValue):
            self.paths = {id(place.element): path for path, place in self.binding.coerced.places.items()}
            return self._elements(value.element, (), 0)
        return []

    def _of_string(self, value: JsonValue) -> list[OutlinePart]:
        """Return the arguments that the JSON in a string holds."""
        from callwright.syntax.json import read_json

        start, end = value.span
        text = self.binding.text
        if end - start < 2 or text[start] != '"' or text[end - 1] != '"':
            return []
        string = JsonString(text[start + 1 : end - 1], start + 1)
        source = _Source(string.text, Composed(self.projection, string).raw_span)
        return self._members(read_json(string.text).root, (), source, 0)

    def _full(self) -> bool:
        self.count += 1
        self.too_many = self.too_many or self.count > _MAX_COUNT
        return self.too_many

    def _members(self, node: JsonNode, path: Path, source: _Source, depth: int) -> list[OutlinePart]:
        if depth > _MAX_DEPTH or node.kind not in ("object", "array"):
            return []
        found: list[OutlinePart] = []
        if node.kind == "object":
            for member in node.members:
                if self._full():
                    break
                found.append(self._member(member.key, member.key_span, member.span, member.value, path, source, depth))
            return found
        for index, item in enumerate(node.items):
            if self._full():
                break
            found.append(self._member(index, None, item.span, item, path, source, depth))
        return found

    def _member(
        self,
        step: str | int,
        key: Span | None,
        span: Span,
        node: JsonNode,
        path: Path,
        source: _Source,
        depth: int,
    ) -> OutlinePart:
        inner = (*path, step)
        raw = source.raw
        return OutlinePart(
            inner,
            str(step),
            raw(span),
            (raw(_bare(key, source.text)),) if key is not None else (),
            raw(node.span),
            kind_of(node),
            node.value,
            False,
            (),
            self._members(node, inner, source, depth + 1) if node.kind in ("object", "array") else [],
        )

    def _elements(self, element: XmlElement, path: Path, depth: int) -> list[OutlinePart]:
        if depth > _MAX_DEPTH or element.opaque:
            return []
        found: list[OutlinePart] = []
        raw = self.raw
        for child in element.elements:
            if self._full():
                break
            inner = self.paths.get(id(child), (*path, child.name))
            try:
                plain = self.binding.value_at(inner)
            except (KeyError, IndexError, TypeError):
                plain = None
            writings = [child.name_span, child.close_name_span]
            names = tuple([raw(each) for each in writings if each is not None and each.start < each.end])
            children = self._elements(child, inner, depth + 1) if child.has_elements else []
            words: list[Span] = []
            # A tag of XML that holds its name alone has no other words.
            if type(child) is not XmlElement or child.open_end > child.start + len(child.name) + 2:
                own = [each for each in writings if each is not None]
                tags = (Span(child.start, child.open_end), Span(max(child.content_end, child.open_end), child.end))
                words = [word for tag in tags for word in _words(child.source, tag, own)]
            kind = kind_of_value(plain)
            found.append(
                OutlinePart(
                    inner,
                    child.name,
                    raw(child.span),
                    names,
                    raw(child.content),
                    kind,
                    plain,
                    True,
                    tuple(map(raw, words)),
                    children,
                )
            )
        return found


def kind_of(node: JsonNode) -> str:
    """Return the JSON type of a node."""
    return kind_of_value(node.value) if node.kind in ("object", "array", "string", "number", "literal") else _OTHER


def kind_of_value(value: Any) -> str:
    """Return the JSON type of a plain value; a whole number is an integer."""
    return _KINDS.get(type(value), _OTHER)
