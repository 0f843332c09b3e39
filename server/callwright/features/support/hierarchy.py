"""Who calls which tool: the turns, sections and documents that hold calls, and the tools that they call.

Owns: `Item`, `Link`, `caller_at`, `callers`, `tool_item`, `found_tool`, and how an item is sent. Must not know:
requests, where documents come from.

A call belongs to its turn in a transcript, to its section in a text with headings, and to the document otherwise; so
does every call of a document beyond the outline's length.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from callwright.text.holes import has_hole
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.features.base import Edge, Workspace
    from callwright.features.support.outline import CallPart
    from callwright.prompt.named import Target
    from callwright.tools.model import ToolSchema

#: The protocol's numbers.
_FILE, _NAMESPACE, _FUNCTION, _STRING = 1, 3, 12, 15
#: How many characters of a turn are shown.
_SHORT: Final = 40


@dataclass(frozen=True, slots=True)
class Item:
    """A tool, or a place that holds calls: what it is called, and where it is.

    `key` identifies it when the client asks about it: `tool` and its `file`, or the `place` where it begins.
    """

    name: str
    detail: str
    kind: int
    document: Snapshot
    span: Span
    named: Span
    key: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Link:
    """One end of calls, and where the calls are in the document that makes them."""

    item: Item
    caller: Snapshot
    places: Sequence[Span]


def callers(snapshot: Snapshot) -> list[tuple[Item, list[CallPart]]]:
    """Return the places of a document that hold calls, each with its calls, in the order of the text."""
    from callwright.features.support.outline import MAX_LENGTH, blocks_between, outline_between, passing_outline

    if snapshot.host.holds != "calls":
        return []
    whole = _whole(snapshot)
    if len(snapshot.document) > MAX_LENGTH:
        every = [
            call.shift(start)
            for block, start in blocks_between(snapshot)
            for call in passing_outline(block, snapshot).calls
        ]
        return [(whole, every)] if every else []
    outline = outline_between(snapshot)
    turns = {id(turn.turn): turn for turn in outline.turns}
    numbers = {one: number for number, one in enumerate(turns, 1)}
    sections = _sections(snapshot) if not turns else []
    starts = [section.span.start for section in sections]
    found: dict[int, tuple[Item, list[CallPart]]] = {}
    for call in outline.calls:
        turn = turns.get(id(call.turn)) if call.turn is not None else None
        at = bisect_right(starts, call.span.start) - 1
        if turn is not None and turn.span.covers(call.span):
            stated = next((text.value for text in turn.turn.texts if text.value.strip()), "")
            place = Span(turn.span.start, turn.span.start)
            item = Item(
                f"Turn {numbers[id(turn.turn)]} · {turn.role or '…'}",
                _short(stated),
                _NAMESPACE,
                snapshot,
                turn.span,
                place,
                {"place": turn.span.start},
            )
        else:
            item = sections[at] if at >= 0 and sections[at].span.covers(call.span) else whole
        found.setdefault(item.span.start if item is not whole else -1, (item, []))[1].append(call)
    return list(found.values())


def _whole(snapshot: Snapshot) -> Item:
    name = (snapshot.path or snapshot.uri).replace("\\", "/").rpartition("/")[2]
    span = Span(0, len(snapshot.document))
    return Item(name or "document", "", _FILE, snapshot, span, Span(0, 0), {"place": -1})


def _sections(snapshot: Snapshot) -> list[Item]:
    """Return the sections of a text with headings: each reaches to the next heading, whatever its level."""
    from callwright.cursor.section_tree import document_sections, sections_in

    if snapshot.host.flow:
        found = [(document_sections(snapshot).headings, len(snapshot.document))]
    else:
        found = [
            ([heading.shift(start) for heading in each.headings], start + each.span.end)
            for block, start in zip(snapshot.blocks, snapshot.starts, strict=True)
            for each in sections_in(block, snapshot)
        ]
    return [
        Item(
            _short(head.title) or "…",
            "",
            _STRING,
            snapshot,
            Span(head.span.start, end),
            head.named,
            {"place": head.span.start},
        )
        for heads, last in found
        for head, end in zip(heads, [*(head.span.start for head in heads[1:]), last], strict=False)
    ]


def _short(text: str) -> str:
    line = " ".join(text[: 4 * _SHORT].split())
    return line if len(line) <= _SHORT else f"{line[:_SHORT]}…"


def caller_at(snapshot: Snapshot, offset: int) -> Item | None:
    """Return the innermost place around an offset that holds calls."""
    here = Span(offset, offset)
    found = [item for item, _ in callers(snapshot) if item.span.covers(here)]
    return min(found, key=lambda item: item.span.end - item.span.start, default=None)


def found_tool(name: str, file: str | None, here: Snapshot | None, workspace: Workspace) -> Target:
    """Return the tool of a name that a file defines, or any of that name where the file defines it no longer.

    `here` is the document in which the tool was pointed at.
    """
    from callwright.features.support.defined import defined_tools, document_defining
    from callwright.prompt.named import Target

    named: ToolSchema | None = None
    for project in workspace.registries():
        for tool in project.registry.get(name):
            if tool.origin.file == file:
                return Target(tool.name, (), tool)
            named = named or tool
    # A document that declares its tools belongs to no project's.
    document = document_defining(file, here, workspace)
    own = [each.tool for each in (defined_tools(document) if document is not None else ()) if each.tool.name == name]
    return Target(name, (), own[0] if own else named)


def tool_item(tool: ToolSchema, here: Snapshot, workspace: Workspace | None) -> Item | None:
    """Return a tool where its file, or the document `here` itself, defines it; None where neither does."""
    from callwright.features.support.defined import document_defining
    from callwright.prompt.named import Kind, Target
    from callwright.prompt.occurrences import occurrences

    file = tool.origin.file
    document = document_defining(file, here, workspace)
    if document is None:
        return None
    places = [each for each in occurrences(document, Target(tool.name, (), tool)) if each.kind is Kind.DEFINITION]
    if not places:
        return None
    one = places[0]
    return Item(
        tool.name,
        tool.origin.tool_set,
        _FUNCTION,
        document,
        one.frame if one.frame.covers(one.span) else one.span,
        one.span,
        {"tool": tool.name, "file": file},
    )


def called_item(call: CallPart, snapshot: Snapshot) -> Item:
    """Return a tool that no file defines, where it is called."""
    name = call.title
    place = next((each for each in call.names if call.frame.covers(each)), Span(call.frame.start, call.frame.start))
    # A template expression in a name is shown as the document has it.
    shown = " ".join(snapshot.document.slice(*place).split()) if has_hole(name) else name
    return Item(shown, call.dialect, _FUNCTION, snapshot, call.frame, place, {"tool": name, "file": None})


def is_of(call: CallPart, target: Target) -> bool:
    """Return whether a call is one of a tool."""
    tool = call.tool
    if tool is not None and target.tool is not None:
        return target.is_tool(tool)
    return call.tool_name in target.tool_names


def places_of(calls: Sequence[CallPart]) -> list[Span]:
    """Return where calls name their tools."""
    return [next(iter(call.names), Span(call.span.start, call.span.start)) for call in calls]


def to_lsp_item(item: Item, edge: Edge) -> dict[str, Any]:
    """Return an item in the protocol's form."""
    own = edge.of(item.document)
    shown: dict[str, Any] = {
        "name": item.name,
        "kind": item.kind,
        "uri": own.uri,
        "range": own.to_lsp_range(item.span),
        "selectionRange": own.to_lsp_range(item.named),
        "data": {"uri": own.uri, **item.key},
    }
    if item.detail:
        shown["detail"] = item.detail
    return shown


def to_lsp_links(links: Sequence[Link], edge: Edge, end: str) -> Iterator[dict[str, Any]]:
    """Yield links in the protocol's form; `end` is the end of the calls that the items are: `from` or `to`."""
    for link in links:
        caller = edge.of(link.caller)
        ranges = [caller.to_lsp_range(place) for place in link.places]
        yield {end: to_lsp_item(link.item, edge), "fromRanges": ranges}
