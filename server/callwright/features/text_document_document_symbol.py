"""Document symbols: turns, the calls in them and their arguments; tools and their parameters where they are defined.

Owns: `textDocument/documentSymbol`. Must not know: dialects, positions.

They are kept with their blocks. A document beyond the outline's length has none: they are asked for after every edit.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from callwright.text.holes import HOLE
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.analysis.snapshot import Block, Snapshot
    from callwright.features.base import Edge, Lines, Request
    from callwright.features.support.defined import DefinedTool
    from callwright.features.support.outline import CallPart, Outline, Part
    from callwright.features.support.pieces import Piece, Pieces, Template, Writing

METHOD = "textDocument/documentSymbol"
CAPABILITY = "documentSymbolProvider"
OPTIONS: dict[str, Any] = {"label": "Callwright"}

#: The protocol's numbers.
_NAMESPACE, _PROPERTY, _FUNCTION = 3, 7, 12
_KINDS: Final = {"string": 15, "integer": 16, "number": 16, "boolean": 17, "array": 18, "object": 19, "null": 21}
_DEPRECATED: Final = 1
_HOLES: Final = re.compile(f"{HOLE}++")
#: A string of JSON, as `json.dumps` writes one.
_quoted: Final = json.encoder.encode_basestring_ascii
#: How much of a value or of what somebody says is shown.
_SHORT: Final = 60


@dataclass(slots=True)
class Symbol:
    """One symbol: what it covers, where its name stands, and what is inside of it."""

    name: str
    detail: str
    kind: int
    span: Span
    named: Span
    deprecated: bool = False
    children: list[Symbol] = field(default_factory=list)


def handle(snapshot: Snapshot, _request: Request) -> Pieces | Generator[None, None, Pieces] | None:
    """Return the outermost symbols of each block; None where the document is too long."""
    from callwright.features.support.defined import defined_tools
    from callwright.features.support.outline import LONGEST_KEPT, in_steps
    from callwright.features.support.pieces import Piece, Pieces

    if len(snapshot.document) > LONGEST_KEPT or snapshot.host.holds == "configuration":
        return None
    tools = defined_tools(snapshot)
    if snapshot.host.holds == "tools":
        whole = Span(0, len(snapshot.document))
        return Pieces([Piece(whole, {}, lambda: [_tool(each) for each in tools])])
    found = Pieces([*_pieces(snapshot, tools)])
    return in_steps(snapshot, lambda: found)


def _pieces(snapshot: Snapshot, tools: Sequence[DefinedTool]) -> Iterator[Piece]:
    """Yield what is told together: a block, or the blocks that a tool reaches over, with the `tools` in them."""
    from callwright.features.support.outline import blocks_between

    here: list[tuple[Block, int]] = []
    own: list[DefinedTool] = []
    waiting = deque(tools)
    for block, start in blocks_between(snapshot):
        end = start + block.length
        here.append((block, start))
        while waiting and waiting[0].span.start < end:
            own.append(waiting.popleft())
        if not own or all(tool.span.end <= end for tool in own):
            yield _piece(snapshot, here, own)
            here, own = [], []
    if here:
        yield _piece(snapshot, here, own)


def _piece(snapshot: Snapshot, blocks: Sequence[tuple[Block, int]], tools: Sequence[DefinedTool]) -> Piece:
    from callwright.features.support.defined import kept_beside
    from callwright.features.support.outline import Outline, outline_of
    from callwright.features.support.pieces import Piece

    first, start = blocks[0]
    last, at = blocks[-1]
    own = [tool.shift(-start) for tool in tools]
    kept = kept_beside(first, own, [block for block, _ in blocks[1:]])

    def found() -> list[Symbol]:
        if len(blocks) == 1:
            return _nested(outline_of(first, snapshot), own)
        outline = Outline()
        for block, place in blocks:
            one = outline_of(block, snapshot)
            outline.turns += [turn.shift(place - start) for turn in one.turns]
            outline.calls += [call.shift(place - start) for call in one.calls]
        return _nested(outline, own)

    return Piece(Span(start, at + last.length), kept, found)


def _nested(outline: Outline, tools: Sequence[DefinedTool]) -> list[Symbol]:
    """Return turns and tools with what is written in them, and the calls that are in neither."""
    top: list[Symbol] = []
    of_turn: dict[int, Symbol] = {}
    for turn in outline.turns:
        said = next((text.value for text in turn.turn.texts if text.value.strip()), "")
        symbol = Symbol(_named(turn.role), _short(said), _NAMESPACE, turn.span, Span(turn.span.start, turn.span.start))
        of_turn[id(turn.turn)] = symbol
        top.append(symbol)
    for call in outline.calls:
        own = _call(call)
        around = of_turn.get(id(call.turn)) if call.turn is not None else None
        (around.children if around is not None and around.span.covers(own.span) else top).append(own)
    turns = [*of_turn.values()]
    starts = [turn.span.start for turn in turns]
    outside: list[Symbol] = []
    inside: dict[int, list[Symbol]] = {}
    for tool in tools:
        at = bisect_right(starts, tool.span.start) - 1
        within = at >= 0 and turns[at].span.covers(tool.span)
        (inside.setdefault(at, []) if within else outside).append(_tool(tool))
    for at, own_tools in inside.items():
        turns[at].children = _around(own_tools, turns[at].children)
    return _around(outside, top)


def _around(tools: Sequence[Symbol], symbols: Sequence[Symbol]) -> list[Symbol]:
    """Return tools, and the symbols that are in none of them, in the order of the text; a tool takes what is in it."""
    starts = [tool.span.start for tool in tools]
    found = [*tools]
    for symbol in symbols:
        at = bisect_right(starts, symbol.span.start) - 1
        (tools[at].children if at >= 0 and tools[at].span.covers(symbol.span) else found).append(symbol)
    return sorted(found, key=_order)


def _order(symbol: Symbol) -> tuple[int, int]:
    return symbol.span.start, -symbol.span.end


def _call(call: CallPart) -> Symbol:
    named = next((name for name in call.names if call.frame.covers(name)), Span(call.span.start, call.span.start))
    tool = call.tool
    return Symbol(
        _named(call.title),
        call.dialect,
        _FUNCTION,
        call.frame,
        named,
        tool is not None and tool.deprecated is not None,
        [_part(part) for part in call.parts if call.frame.covers(part.span)],
    )


def _part(part: Part) -> Symbol:
    named = part.names[0] if part.names and part.span.covers(part.names[0]) else Span(part.span.start, part.span.start)
    children = [_part(child) for child in part.children if part.span.covers(child.span)]
    detail = "" if children else _short(part.plain if isinstance(part.plain, str) else _json(part.plain))
    return Symbol(_named(part.name), detail, _KINDS.get(part.kind, 13), part.span, named, False, children)


def _named(name: str) -> str:
    """Return a name as it can be shown: the protocol wants one that is not empty."""
    return _HOLES.sub("…", name).strip() or '""'


def _json(value: Any) -> str:
    if isinstance(value, dict | list):
        # Whatever is not told part by part may be large.
        return "{}" if value == {} else "[]" if value == [] else "…"
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return ""


def _short(text: str) -> str:
    """Return the beginning of a text on one line."""
    line = " ".join(_HOLES.sub("…", text[: 4 * _SHORT]).split())
    return f"{line[:_SHORT].rstrip()}…" if len(line) > _SHORT else line


def _tool(defined: DefinedTool) -> Symbol:
    from callwright.features.support.markdown import type_words

    tool = defined.tool
    children: list[Symbol] = []
    for parameter, span, named in defined.parameters:
        words = type_words(parameter.schema, tool.input_schema)
        detail = words if parameter.required else f"{words}, optional"
        children.append(Symbol(_named(parameter.name), detail, _PROPERTY, span, named, parameter.deprecated))
    detail = _short(tool.title or tool.description)
    deprecated = tool.deprecated is not None
    return Symbol(_named(tool.name), detail, _FUNCTION, defined.span, defined.named, deprecated, children)


def to_lsp(result: Pieces, edge: Edge) -> list[dict[str, Any]]:
    """Return the symbols as a tree, or one after another for a client that takes no tree."""
    shown: list[dict[str, Any]] = json.loads(to_json(result, edge))
    return shown


def to_json(result: Pieces, edge: Edge) -> str:
    """Return the symbols in the form in which they are sent."""
    from callwright.features.support.pieces import Writing, joined

    listed: Any = edge.client.capabilities.get("textDocument")
    for step in ("documentSymbol", "tagSupport", "valueSet"):
        listed = listed.get(step) if isinstance(listed, dict) else None
    tags = isinstance(listed, list) and _DEPRECATED in listed
    tree = edge.client.promises("textDocument.documentSymbol.hierarchicalDocumentSymbolSupport")

    def write(symbols: Sequence[Symbol], lines: Lines) -> Template:
        writing = Writing()
        if tree:
            _write_tree(symbols, writing, lines, tags=tags)
        else:
            _write_flat(symbols, writing, lines, json.dumps(edge.uri), tags=tags)
        return writing.template()

    return joined(f"symbols {tree} {tags} {'' if tree else edge.uri}", result, edge, write)


def _write_tree(symbols: Sequence[Symbol], writing: Writing, lines: Lines, *, tags: bool) -> None:
    lead = ""
    for symbol in symbols:
        writing.text(f'{lead}{{"name":{_quoted(symbol.name)},"kind":{symbol.kind},"range":')
        writing.range(lines, symbol.span)
        writing.text(',"selectionRange":')
        writing.range(lines, symbol.named)
        if symbol.detail:
            writing.text(f',"detail":{_quoted(symbol.detail)}')
        if symbol.deprecated and tags:
            writing.text(f',"tags":[{_DEPRECATED}]')
        if symbol.children:
            writing.text(',"children":[')
            _write_tree(symbol.children, writing, lines, tags=tags)
            writing.text("]")
        writing.text("}")
        lead = ","


def _write_flat(
    symbols: Sequence[Symbol], writing: Writing, lines: Lines, uri: str, around: str = "", *, tags: bool
) -> None:
    for number, symbol in enumerate(symbols):
        lead = "," if around or number else ""
        writing.text(f'{lead}{{"name":{_quoted(symbol.name)},"kind":{symbol.kind},"location":{{"uri":{uri},"range":')
        writing.range(lines, symbol.span)
        writing.text("}")
        if around:
            writing.text(f',"containerName":{_quoted(around)}')
        if symbol.deprecated and tags:
            writing.text(f',"tags":[{_DEPRECATED}]')
        writing.text("}")
        _write_flat(symbol.children, writing, lines, uri, symbol.name, tags=tags)
