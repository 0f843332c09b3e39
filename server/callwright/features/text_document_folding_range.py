"""Folding ranges: calls, their arguments of several lines, the turns of transcripts, and the sections of a prompt.

Owns: `textDocument/foldingRange`. Must not know: dialects, positions.

What folds in a block is kept with it. A document beyond the outline's length is left to the editor's own folding.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.analysis.snapshot import Block, Snapshot
    from callwright.features.base import Client, Edge, Request
    from callwright.features.support.outline import CallPart

METHOD = "textDocument/foldingRange"
CAPABILITY = "foldingRangeProvider"
OPTIONS: dict[str, Any] = {}

_REGION: Final = "region"
_COMMENT: Final = "comment"
#: Lines that open or close something in prose: a heading, a tag alone on its line, a comment.
_LINE: Final = re.compile(
    r"""^[ \t]*+(?:
    (?P<heading>\#{1,6})(?=[ \t])
    | </(?P<close>[A-Za-z_][\w.:-]{0,100}+)[ \t]*+>[ \t]*+(?=[\r\n]|\Z)
    | <(?P<open>[A-Za-z_][\w.:-]{0,100}+)(?:[ \t][^<>\r\n]*+)?(?<!/)>[ \t]*+(?=[\r\n]|\Z)
    | (?P<comment><!--)
    | (?P<fence>```|~~~)
    )""",
    re.MULTILINE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Fold:
    """What disappears when something is folded: `span`, up to its closer if it has one on a line of its own."""

    span: Span
    kind: str | None = None
    shown: str = ""
    closed: bool = False


class _Event(NamedTuple):
    """A line of prose that opens or closes something; `behind` is where the line's own text ends."""

    kind: str
    start: int
    behind: int
    name: str


def handle(snapshot: Snapshot, _request: Request) -> list[Fold] | None:
    """Return what can be folded in the order of the text; None where the document is too long to be looked through."""
    from callwright.features.support.outline import LONGEST, outline_between

    if len(snapshot.document) > LONGEST or snapshot.host.holds == "configuration":
        return None
    if snapshot.host.holds == "tools":
        return sorted(_definitions(snapshot), key=_order)
    outline = outline_between(snapshot)
    found = [Fold(turn.span, _REGION, turn.role) for turn in outline.turns]
    for call in outline.calls:
        found += _of_call(call)
    if snapshot.host.flow:
        found += _of_prose(snapshot, [call.frame for call in outline.calls])
    return sorted(found, key=_order)


def _order(fold: Fold) -> tuple[int, int]:
    return (fold.span.start, -fold.span.end)


def _of_call(call: CallPart) -> Iterator[Fold]:
    if call.frame != call.span:
        yield Fold(call.frame, None, call.title, closed=True)
    yield Fold(call.span, None, call.title, closed=call.whole)
    for part in call.walk():
        if part.element:
            yield Fold(part.span, None, part.name, closed=True)
        elif part.kind in ("object", "array"):
            yield Fold(part.value, None, part.name, closed=True)


def _definitions(snapshot: Snapshot) -> Iterator[Fold]:
    from callwright.analysis.occurrences import document_of

    document = document_of(snapshot)
    for definition in document.definitions:
        yield Fold(document.places.value(definition.path), _REGION, definition.tool.name, closed=True)
        if definition.schema_path is not None:
            yield Fold(document.places.value(definition.schema_path), None, "parameters", closed=True)


# Prose


def _events(block: Block, text: str) -> list[_Event]:
    """Return the lines of a block that open or close something, in offsets from its start; kept with the block."""
    known: list[_Event] | None = block.cache.get("folding")
    if known is None:
        known = block.cache["folding"] = list(_read_events(text))
    return known


def _read_events(text: str) -> Iterator[_Event]:
    ended = 0
    for match in _LINE.finditer(text):
        if match.start() < ended:
            continue
        kind = match.lastgroup or ""
        if kind == "comment":
            end = text.find("-->", match.end())
            if end < 0:
                # Nothing behind it can be known to be prose.
                return
            ended = end + 3
            yield _Event(kind, match.start("comment"), ended, "")
            continue
        yield _Event(kind, match.start(kind), match.end(), match[kind])


def _of_prose(snapshot: Snapshot, calls: Sequence[Span]) -> Iterator[Fold]:
    """Yield the sections below headings, between tags and in fences, outside of calls."""
    headings: list[tuple[int, int, str]] = []
    tags: dict[str, list[_Event]] = {}
    fence: _Event | None = None
    waiting = iter(calls)
    call = next(waiting, None)
    for block, start in zip(snapshot.blocks, snapshot.starts, strict=True):
        for event in _events(block, snapshot.document.slice(start, start + block.length)):
            at, behind = event.start + start, event.behind + start
            while call is not None and call.end <= at:
                call = next(waiting, None)
            if call is not None and call.start <= at:
                continue
            if event.kind == "fence":
                if fence is None:
                    fence = _Event("fence", at, behind, event.name)
                elif fence.name == event.name:
                    yield Fold(Span(fence.start, behind), None, "", closed=True)
                    fence = None
            elif fence is not None:
                continue
            elif event.kind == "comment":
                yield Fold(Span(at, behind), _COMMENT)
            elif event.kind == "heading":
                level = len(event.name)
                while headings and headings[-1][0] >= level:
                    yield Fold(Span(headings.pop()[1], at), _REGION, closed=True)
                headings.append((level, at, ""))
            elif event.kind == "open":
                tags.setdefault(event.name, []).append(_Event("open", at, behind, event.name))
            elif tags.get(event.name):
                yield Fold(Span(tags[event.name].pop().start, behind), _REGION, event.name, closed=True)
    end = len(snapshot.document)
    for _, at, _ in headings:
        yield Fold(Span(at, end), _REGION)


def to_lsp(result: Sequence[Fold], edge: Edge) -> list[dict[str, Any]]:
    """Return what spans several lines, each first line once, the outer ones where the client takes only so many."""
    whole_lines = edge.client.promises("textDocument.foldingRange.lineFoldingOnly")
    texts = edge.client.promises("textDocument.foldingRange.foldingRange.collapsedText")
    kinds = edge.client.words("textDocument.foldingRange.foldingRangeKind.valueSet")
    found: dict[int, dict[str, Any]] = {}
    for fold in result:
        place = edge.to_lsp_range(fold.span)
        first, last = place["start"]["line"], place["end"]["line"]
        if fold.closed or place["end"]["character"] == 0:
            # The closer stays to be seen.
            last -= whole_lines or place["end"]["character"] == 0
        if last <= first or first in found:
            continue
        shown: dict[str, Any] = {"startLine": first, "endLine": last}
        if not whole_lines and place["end"]["line"] == last:
            shown["endCharacter"] = place["end"]["character"]
        if fold.kind is not None and (not kinds or fold.kind in kinds):
            shown["kind"] = fold.kind
        if texts and fold.shown:
            shown["collapsedText"] = f"{fold.shown} …"
        found[first] = shown
    return _outermost(list(found.values()), edge.client)


def _outermost(folds: list[dict[str, Any]], client: Client) -> list[dict[str, Any]]:
    """Return as many folds as the client takes; those that reach farthest stay."""
    asked: Any = client.capabilities.get("textDocument")
    asked = asked.get("foldingRange") if isinstance(asked, dict) else None
    limit = asked.get("rangeLimit") if isinstance(asked, dict) else None
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 0 or len(folds) <= limit:
        return folds
    kept = sorted(folds, key=lambda fold: (fold["startLine"] - fold["endLine"], fold["startLine"]))[:limit]
    return sorted(kept, key=lambda fold: int(fold["startLine"]))
