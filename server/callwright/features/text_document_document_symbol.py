"""Document symbols: turns, sections and headings, the calls in them and their arguments; tools and their parameters
where they are defined.

Owns: `textDocument/documentSymbol`. Must not know: dialects, positions, which tags frame sections.

They are kept with their blocks; sections reach over blocks, and are written around what the blocks have. A document
beyond the outline's length has none: they are asked for after every edit.

An editor shows the symbols of several servers side by side. One that shows the headings of a language itself, as the
Markdown extension of VS Code does, names the language under `experimental.callwrightHeadings`: then headings are left
to it, so that none is shown twice. Every other editor gets all symbols. A heading that begins the documentation of a
tool is left out: the tool is shown in its place.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import deque
from collections.abc import Generator, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Edge, Feature, Lines, Request, by_kind, no_answer, of_json
from callwright.features.support.pieces import Piece, Pieces, Template, Writing, joined, text_of, texts_of
from callwright.text.facts import Holder
from callwright.text.holes import HOLE
from callwright.text.records import NamedTuple
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.cursor.section_tree import Section
    from callwright.document.blocks import Block
    from callwright.document.snapshot import Snapshot
    from callwright.features.support.defined import DefinedTool
    from callwright.features.support.outline import CallPart, Outline, OutlinePart, TurnPart


#: The protocol's numbers.
_NAMESPACE, _PROPERTY, _FIELD, _FUNCTION, _STRING = 3, 7, 8, 12, 15
_KINDS: Final = {"string": 15, "integer": 16, "number": 16, "boolean": 17, "array": 18, "object": 19, "null": 21}
_DEPRECATED: Final = 1
_HOLES: Final = re.compile(f"{HOLE}++")
#: A string of JSON, as `json.dumps` writes one.
_quoted: Final = json.encoder.encode_basestring_ascii
#: How many characters of a value or of a turn are shown.
_SHORT: Final = 60


@dataclass(slots=True)
class Symbol:
    """One symbol: what it covers, where its name is, and what is inside of it."""

    name: str
    detail: str
    kind: int
    span: Span
    named: Span
    deprecated: bool = False
    children: list[Symbol] = field(default_factory=list)


@dataclass(slots=True)
class Outlined(Pieces):
    """Pieces, and the sections of the document around what is in them, in the order of the text."""

    sections: Sequence[Section] = ()


def _of_tools(snapshot: Snapshot, _request: Request) -> Pieces | None:
    """Return the tools of a file as symbols; None where it is too long."""
    from callwright.features.support.defined import defined_tools
    from callwright.features.support.outline import MAX_KEPT_LENGTH

    if len(snapshot.document) > MAX_KEPT_LENGTH:
        return None
    tools = defined_tools(snapshot)
    whole = Span(0, len(snapshot.document))
    return Pieces([Piece(whole, Holder(), lambda: [_tool(each) for each in tools])])


def _of_text(snapshot: Snapshot, request: Request) -> Pieces | Generator[None, None, Pieces] | None:
    """Return the outermost symbols of each block; None where the document is too long."""
    from callwright.features.support.defined import defined_tools
    from callwright.features.support.outline import MAX_KEPT_LENGTH, in_steps

    if len(snapshot.document) > MAX_KEPT_LENGTH:
        return None
    tools = defined_tools(snapshot)
    pieces = [*_pieces(snapshot, tools)]
    if not snapshot.host.flow:
        return in_steps(snapshot, lambda: Pieces(pieces))
    reported_by_client = snapshot.origin.language in request.client.words("experimental.callwrightHeadings")
    return in_steps(snapshot, lambda: Outlined(pieces, _sections(snapshot, tools, headings=not reported_by_client)))


def _sections(snapshot: Snapshot, tools: Sequence[DefinedTool], *, headings: bool) -> list[Section]:
    """Return the sections of a document that are listed."""
    from callwright.cursor.section_tree import document_sections

    tree = document_sections(snapshot).tree
    return _beside(tools, tree if headings else [section for section in tree if not section.level])


def _beside(tools: Sequence[DefinedTool], sections: Sequence[Section]) -> list[Section]:
    """Return sections without those that begin within a tool, or with the heading of one; none ends within a tool."""
    if not tools or not sections:
        return [*sections]
    starts = [tool.span.start for tool in tools]
    found: list[Section] = []
    for section in sections:
        start, after = section.marker.span
        at = bisect_right(starts, after - 1) - 1
        if at >= 0 and start < tools[at].span.end:
            continue
        last = bisect_right(starts, section.end - 1) - 1
        is_cut = last >= 0 and start < starts[last] and section.end < tools[last].span.end
        found.append(replace(section, end=tools[last].span.end) if is_cut else section)
    return found


def _pieces(snapshot: Snapshot, tools: Sequence[DefinedTool]) -> Iterator[Piece]:
    """Yield the units that symbols are made for: a block, or the blocks that a tool reaches over, with the `tools` in
    them."""
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
    from callwright.cursor.section_tree import sections_in
    from callwright.features.support.defined import kept_beside
    from callwright.features.support.outline import Outline, outline_of

    first, start = blocks[0]
    last, at = blocks[-1]
    own = [tool.shift(-start) for tool in tools]
    owner = kept_beside(first, own, [block for block, _ in blocks[1:]])

    def found() -> list[Symbol]:
        if len(blocks) == 1:
            reported = [] if snapshot.host.flow else sections_in(first, snapshot)
            return _nested(outline_of(first, snapshot), own, [section for each in reported for section in each.tree])
        outline = Outline()
        for block, place in blocks:
            one = outline_of(block, snapshot)
            outline.turns += [turn.shift(place - start) for turn in one.turns]
            outline.calls += [call.shift(place - start) for call in one.calls]
        return _nested(outline, own)

    return Piece(Span(start, at + last.length), owner, found)


def _nested(outline: Outline, tools: Sequence[DefinedTool], sections: Sequence[Section] = ()) -> list[Symbol]:
    """Return turns, tools, sections and calls, each in what is around it, in the order of the text."""
    around = [*map(_turn, outline.turns), *map(_tool, tools), *map(_section, _beside(tools, sections))]
    calls = [*map(_call, outline.calls)]
    inmost = {id(call) for call in calls}
    top: list[Symbol] = []
    stack: list[Symbol] = []
    for symbol in sorted([*around, *calls], key=_order):
        while stack and not stack[-1].span.covers(symbol.span):
            stack.pop()
        (stack[-1].children if stack else top).append(symbol)
        if id(symbol) not in inmost:
            stack.append(symbol)
    return top


def _order(symbol: Symbol) -> tuple[int, int]:
    return symbol.span.start, -symbol.span.end


def _turn(turn: TurnPart) -> Symbol:
    stated = next((text.value for text in turn.turn.texts if text.value.strip()), "")
    return Symbol(_named(turn.role), _short(stated), _NAMESPACE, turn.span, Span(turn.span.start, turn.span.start))


def _section(section: Section) -> Symbol:
    kind, detail = _reported(section)
    return Symbol(_named(section.name), detail, kind, section.span, section.named)


def _reported(section: Section) -> tuple[int, str]:
    """Return the kind of a section, and its detail beside the name."""
    if section.level:
        return _STRING, "#" * section.level
    return _FIELD, _short(section.words) if section.words else ""


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


def _part(part: OutlinePart) -> Symbol:
    named = part.names[0] if part.names and part.span.covers(part.names[0]) else Span(part.span.start, part.span.start)
    children = [_part(child) for child in part.children if part.span.covers(child.span)]
    detail = "" if children else _short(part.plain if isinstance(part.plain, str) else _json(part.plain))
    return Symbol(_named(part.name), detail, _KINDS.get(part.kind, 13), part.span, named, False, children)


def _named(name: str) -> str:
    """Return a name as it can be shown: the protocol wants one that is not empty."""
    return _HOLES.sub("…", name).strip() or '""'


def _json(value: Any) -> str:
    if isinstance(value, dict | list):
        # A call that is not listed part by part may be large.
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


def to_json(result: Pieces, edge: Edge) -> str:
    """Return the symbols in the form in which they are sent."""
    listed: Any = edge.client.capabilities.get("textDocument")
    for step in ("documentSymbol", "tagSupport", "valueSet"):
        listed = listed.get(step) if isinstance(listed, dict) else None
    tags = isinstance(listed, list) and _DEPRECATED in listed
    tree = edge.client.promises("textDocument.documentSymbol.hierarchicalDocumentSymbolSupport")
    style = _Style(tree, tags, edge.uri)
    if isinstance(result, Outlined) and result.sections:
        return _outlined(result, edge, style)
    return joined(style.key(""), result, edge, lambda symbols, lines: style.write(symbols, lines, ""))


class _Style(NamedTuple):
    """How a client takes the symbols of the document `uri`: as a tree, or one after another; with tags or without."""

    tree: bool
    tags: bool
    uri: str

    def key(self, around: str, *, parted: bool = False) -> Hashable:
        """Return what a text depends on beside its block; in a list that is the name of what is `around`, too."""
        return (self.tree, self.tags, parted, None if self.tree else (self.uri, around))

    def write(self, symbols: Sequence[Symbol], lines: Lines, around: str) -> Template:
        """Return symbols as JSON, with commas between them."""
        writing = Writing()
        if self.tree:
            _write_tree(symbols, writing, lines, tags=self.tags)
        else:
            _write_flat(symbols, writing, lines, json.dumps(self.uri), around, tags=self.tags)
        return writing.template()

    @property
    def after_end(self) -> str:
        """What follows where a section ends: in a tree what is in it."""
        return '},"children":[' if self.tree else "}}}"

    @property
    def tail(self) -> str:
        """What ends a section."""
        return "]}" if self.tree else ""

    def change(self, change: _Change, lines: Lines) -> Template:
        """Return a section up to where it ends, or where one ends."""
        writing = Writing()
        if not change.name:
            writing.position(lines, change.at)
            return writing.template()
        writing.text(f'{{"name":{_quoted(change.name)},"kind":{change.kind},')
        if self.tree:
            writing.text(f'"detail":{_quoted(change.detail)},' if change.detail else "")
            writing.text('"selectionRange":')
            writing.range(lines, change.named)
            writing.text(',"range":{"start":')
        else:
            writing.text(f'"containerName":{_quoted(change.around)},' if change.around else "")
            writing.text(f'"location":{{"uri":{json.dumps(self.uri)},"range":{{"start":')
        writing.position(lines, change.at)
        writing.text(',"end":')
        return writing.template()


class _Change(NamedTuple):
    """A place of a piece at which a section begins, named as it is sent, or the innermost one ends: then it has none.

    `named` is where the name is written, from where the piece begins. `around` is the name of what is around the place.
    """

    at: int
    around: str
    name: str = ""
    kind: int = 0
    detail: str = ""
    named: Span = Span(0, 0)


def _outlined(result: Outlined, edge: Edge, style: _Style) -> str:
    """Return the sections as JSON, with what is in the pieces where it is in them.

    Where a section ends is written when that is known, in the place that was left for it.
    """
    parts: list[str] = []
    gaps: list[int] = []
    lead = ""
    waiting = deque(result.sections)
    opened: list[tuple[int, str]] = []
    last = len(result.pieces) - 1
    for number, piece in enumerate(result.pieces):
        around = opened[-1][1] if opened else ""
        changes = [*_changes(waiting, opened, piece.span, is_last=number == last)]
        if not changes:
            text = text_of(style.key(around), piece, edge, partial(style.write, around=around))
            parts += (lead, text) if text else ()
            lead = "," if text else lead
            continue
        texts = texts_of(style.key("", parted=True), changes, piece, edge, partial(_parted, style, changes, around))
        for index, text in enumerate(texts):
            change = changes[index // 2] if index % 2 else None
            if change is not None and not change.name:
                parts[gaps.pop()] = text
                parts.append(style.tail)
                lead = ","
            elif text:
                parts += (lead, text)
                lead = ","
                if change is not None:
                    gaps.append(len(parts))
                    parts += ("", style.after_end)
                    lead = "" if style.tree else ","
    return f"[{''.join(parts)}]"


def _changes(
    waiting: deque[Section], opened: list[tuple[int, str]], piece: Span, *, is_last: bool
) -> Iterator[_Change]:
    """Yield where sections begin and end in a piece; what waits to begin, and the ends and names of what is open, are
    kept in step."""
    start = piece.start
    while opened or waiting:
        end, around = opened[-1] if opened else (None, "")
        section = waiting[0] if waiting else None
        if section is None or (end is not None and end <= section.marker.span.start):
            assert end is not None, "something is open, or waits"
            if end >= piece.end and not is_last:
                return
            opened.pop()
            yield _Change(end - start, around)
        elif section.marker.span.start >= piece.end and not is_last:
            return
        else:
            waiting.popleft()
            kind, detail = _reported(section)
            name = _named(section.name)
            opened.append((section.end, name))
            yield _Change(section.marker.span.start - start, around, name, kind, detail, section.named.shift(-start))


def _parted(
    style: _Style, changes: Sequence[_Change], around: str, symbols: Sequence[Symbol], lines: Lines
) -> list[Template]:
    """Return the symbols between changes as JSON, and between them the changes."""
    places = [change.at for change in changes]
    parts: list[list[Symbol]] = [[] for _ in range(len(changes) + 1)]
    for symbol in symbols:
        parts[bisect_right(places, symbol.span.start)].append(symbol)
    found = [style.write(parts[0], lines, around)]
    for number, (change, part) in enumerate(zip(changes, parts[1:], strict=True), 1):
        inside = changes[number].around if number < len(changes) else change.name or change.around
        found += (style.change(change, lines), style.write(part, lines, inside))
    return found


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
    symbols: Sequence[Symbol],
    writing: Writing,
    lines: Lines,
    uri: str,
    around: str,
    *,
    tags: bool,
    inside: bool = False,
) -> None:
    for number, symbol in enumerate(symbols):
        lead = "," if number or inside else ""
        writing.text(f'{lead}{{"name":{_quoted(symbol.name)},"kind":{symbol.kind},"location":{{"uri":{uri},"range":')
        writing.range(lines, symbol.span)
        writing.text("}")
        if around:
            writing.text(f',"containerName":{_quoted(around)}')
        if symbol.deprecated and tags:
            writing.text(f',"tags":[{_DEPRECATED}]')
        writing.text("}")
        _write_flat(symbol.children, writing, lines, uri, symbol.name, tags=tags, inside=True)


handle = by_kind(calls=_of_text, tools=_of_tools, configuration=no_answer)

FEATURE: Final = Feature(
    method="textDocument/documentSymbol",
    capability="documentSymbolProvider",
    options={"label": "Callwright"},
    handle=handle,
    to_lsp=of_json(to_json),
    to_json=to_json,
)
