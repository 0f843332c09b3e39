"""Folding ranges: calls, their long arguments, the turns of transcripts, sections of a prompt, and defined tools.

Owns: `textDocument/foldingRange`. Must not know: dialects, positions.

What folds in a block is kept with it. A document beyond the outline's length is left to the editor's own folding.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Client, Edge, Feature, Lines, Request, by_kind, no_answer, of_json
from callwright.text.facts import FactFor, Holder, Owner
from callwright.text.line_ends import LINE_START
from callwright.text.records import NamedTuple
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.cursor.section_tree import Sections
    from callwright.document.blocks import Block
    from callwright.document.snapshot import Snapshot
    from callwright.features.support.outline import CallPart


_REGION: Final = "region"
_COMMENT: Final = "comment"
_COMMENT_OPENER: Final = "<!--"
_COMMENT_CLOSER: Final = "-->"
#: Lines that open or close something in prose that is no section: a comment, a fence.
_LINE: Final = re.compile(rf"{LINE_START}[ \t]*+(?:(?P<comment><!--)|(?P<fence>```|~~~))", re.MULTILINE)


@dataclass(slots=True)
class Fold:
    """What disappears when something is folded: `span`, up to its closer if it has one on a line of its own."""

    span: Span
    kind: str | None = None
    shown: str = ""
    closed: bool = False


@dataclass(slots=True)
class BlockFolds:
    """What folds inside one block, which is at `span`, in offsets from its start; `inside` is open where it begins.

    `owner` is the block, or what lasts as long.
    """

    span: Span
    owner: Owner
    inside: str | None
    folds: Sequence[Fold]


@dataclass(slots=True)
class Folds:
    """What folds in a document: block by block, and what reaches from one block into another, in its own offsets."""

    blocks: Sequence[BlockFolds]
    across: Sequence[Fold] = ()


class _Event(NamedTuple):
    """A line of prose that opens a comment or a fence, or ends one; `after` is where the line's own text ends."""

    kind: str
    start: int
    after: int
    name: str

    def shift(self, by: int) -> _Event:
        """Return the event moved by `by` characters."""
        return _Event(self.kind, self.start + by, self.after + by, self.name)


class _Prose(NamedTuple):
    """What a block has for prose: all that folds in it, the end of what another block has opened, the fence or the
    comment that it leaves open."""

    folds: list[Fold]
    left: list[_Event]
    opened: _Event | None


def _of_tools(snapshot: Snapshot, _request: Request) -> Folds | None:
    """Return the tools of a file as folds; None where it is too long to be scanned."""
    from callwright.features.support.outline import MAX_KEPT_LENGTH

    if len(snapshot.document) > MAX_KEPT_LENGTH:
        return None
    whole = Span(0, len(snapshot.document))
    return Folds([BlockFolds(whole, Holder(), None, sorted(_definitions(snapshot), key=_order))])


def _of_text(snapshot: Snapshot, _request: Request) -> Folds | Generator[None, None, Folds] | None:
    """Return what can be folded; None where the document is too long to be scanned."""
    from callwright.features.support.outline import MAX_KEPT_LENGTH, in_steps

    if len(snapshot.document) > MAX_KEPT_LENGTH:
        return None
    return in_steps(snapshot, lambda: _of_document(snapshot))


#: What folds in a block, for what is open where it begins, and how it is sent to a client of some style.
_FOLDS: Final[FactFor[str | None, tuple[list[Fold], _Prose]]] = FactFor()
_SHOWN: Final[FactFor[tuple[str | None, _Style], tuple[Any, list[_Shown], int, str]]] = FactFor()


def _of_document(snapshot: Snapshot) -> Folds:
    from callwright.cursor.section_tree import document_sections

    blocks: list[BlockFolds] = []
    across = _Across()
    inside: str | None = None
    for block, start in zip(snapshot.blocks, snapshot.starts, strict=True):
        known = _FOLDS.get(block, inside)
        if known is None:
            known = _FOLDS.keep(block, inside, _of_block(block, start, snapshot, inside))
        blocks.append(BlockFolds(Span(start, start + block.length), block, inside, known[0]))
        inside = across.take(known[1], start)
    sections = _sections(document_sections(snapshot)) if snapshot.host.flow else ()
    return Folds(blocks, sorted([*across.found, *sections, *_definitions(snapshot)], key=_order))


def _of_block(block: Block, start: int, snapshot: Snapshot, inside: str | None) -> tuple[list[Fold], _Prose]:
    """Return what folds in a block that begins inside of what these marks open, or of nothing; in its own offsets."""
    from callwright.cursor.section_tree import sections_in
    from callwright.features.support.outline import outline_of

    outline = outline_of(block, snapshot)
    found = [Fold(turn.span, _REGION, turn.role) for turn in outline.turns]
    for call in outline.calls:
        found += _of_call(call)
    prose = _Prose([], [], None)
    if snapshot.host.flow:
        text = snapshot.document.slice(start, start + block.length)
        prose = _of_prose(text, [call.frame for call in outline.calls], inside)
    else:
        found += [fold for sections in sections_in(block, snapshot) for fold in _sections(sections)]
    return sorted([*found, *prose.folds], key=_order), prose


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
    from callwright.features.support.defined import defined_tools

    for each in defined_tools(snapshot):
        yield Fold(each.span, _REGION, each.tool.name, closed=snapshot.host.holds == "tools")
        if each.schema is not None:
            yield Fold(each.schema, None, "parameters", closed=True)


# Prose


def _sections(sections: Sections) -> Iterator[Fold]:
    """Yield the folds of sections that are closed, of headings, and of elements of HTML on lines of their own."""
    for section in sections.tree:
        if section.level:
            yield Fold(section.span, _REGION)
        elif section.closer is not None:
            yield Fold(section.span, _REGION, section.name, closed=True)
    for opener, closer in sections.layout():
        if closer is not None and opener.alone:
            yield Fold(Span(opener.span.start, closer.span.end), _REGION, opener.name, closed=True)


def _of_prose(text: str, calls: Sequence[Span], inside: str | None) -> _Prose:
    """Return the fences and comments outside of calls; what is open is left to others.

    `inside` are the marks of the fence or comment that the text begins in.
    """
    folds: list[Fold] = []
    left: list[_Event] = []
    fence: _Event | None = None
    at = 0
    if inside == _COMMENT_OPENER:
        end = text.find(_COMMENT_CLOSER)
        if end < 0:
            return _Prose([], [], None)
        at, inside = end + len(_COMMENT_CLOSER), None
        left.append(_Event("comment", end, at, ""))
    waiting = iter(calls)
    call = next(waiting, None)
    while match := _LINE.search(text, at):
        at = match.end()
        kind = match.lastgroup or ""
        event = _Event(kind, match.start(kind), at, match[kind])
        while call is not None and call.end <= event.start:
            call = next(waiting, None)
        if call is not None and call.start <= event.start:
            continue
        if kind == "fence":
            if inside is not None:
                if inside == event.name:
                    left.append(event)
                    inside = None
            elif fence is None:
                fence = event
            elif fence.name == event.name:
                folds.append(Fold(Span(fence.start, event.after), None, "", closed=True))
                fence = None
        elif fence is None and inside is None:
            end = text.find(_COMMENT_CLOSER, at)
            if end < 0:
                fence = event
                break
            at = end + len(_COMMENT_CLOSER)
            folds.append(Fold(Span(event.start, at), _COMMENT))
    return _Prose(folds, left, fence)


class _Across:
    """What folds over several blocks and is no section, found as the blocks are gone through."""

    def __init__(self) -> None:
        self.found: list[Fold] = []
        self._opened: _Event | None = None

    def take(self, prose: _Prose, start: int) -> str | None:
        """Take what a block that begins at `start` leaves to others; return the marks of what is then open."""
        for own in prose.left:
            event = own.shift(start)
            if self._opened is not None:
                whole = Span(self._opened.start, event.after)
                fence = event.kind == "fence"
                self.found.append(Fold(whole, None, "", closed=True) if fence else Fold(whole, _COMMENT))
            self._opened = None
        if prose.opened is not None:
            self._opened = prose.opened.shift(start)
        return self._opened.name if self._opened is not None else None


# The wire


class _Shown(NamedTuple):
    """A fold as it is sent: its lines, and what is after them in JSON. `place` is what folds are ordered by."""

    place: tuple[int, int]
    first: int
    last: int
    more: str

    def text(self, by: int) -> str:
        """Return the JSON of the fold, moved by so many lines."""
        return f'{{"startLine":{self.first + by},"endLine":{self.last + by}{self.more}}}'


class _Style(NamedTuple):
    """What the client takes: whole lines alone, texts for what is folded, these kinds (any, where it names none)."""

    whole_lines: bool
    texts: bool
    kinds: frozenset[str]


def to_json(result: Folds, edge: Edge) -> str:
    """Return the folds in the form in which they are sent."""
    style = _Style(
        edge.client.promises("textDocument.foldingRange.lineFoldingOnly"),
        edge.client.promises("textDocument.foldingRange.foldingRange.collapsedText"),
        edge.client.words("textDocument.foldingRange.foldingRangeKind.valueSet"),
    )
    across = list(result.across)[::-1]
    lists: list[tuple[int, Sequence[_Shown]]] = []
    texts: list[str] = []
    count, latest = 0, -1
    for block in result.blocks:
        lines = edge.lines(block.span)
        first = lines.first
        shown, text = _kept(block, lines, style)
        own: list[_Shown] = []
        while across and across[-1].span.start < block.span.end:
            fold = across.pop()
            place = edge.to_lsp_range(fold.span)
            start, end = place["start"], place["end"]
            moved = (fold.span.start - block.span.start, block.span.start - fold.span.end)
            one = _shown(fold, moved, (start["line"] - first, end["line"] - first, end["character"]), style)
            own += [one] if one is not None else []
        if own or (shown and shown[0].first + first <= latest):
            merged = sorted([*own, *shown], key=lambda one: one.place)
            shown = [one for one in _once(merged) if one.first + first > latest]
            text = ",".join([one.text(first) for one in shown])
        if shown:
            count += len(shown)
            latest = shown[-1].first + first
            texts.append(text)
            lists.append((first, shown))
    limit = _limit(edge.client)
    if limit is None or count <= limit:
        return f"[{','.join(texts)}]"
    every = [(by, one) for by, own in lists for one in own]
    kept = sorted(every, key=lambda pair: (pair[1].first - pair[1].last, pair[0] + pair[1].first))[:limit]
    kept.sort(key=lambda pair: pair[0] + pair[1].first)
    return f"[{','.join([one.text(by) for by, one in kept])}]"


def _kept(block: BlockFolds, lines: Lines, style: _Style) -> tuple[Sequence[_Shown], str]:
    """Return what folds in a block as it is sent, made once and kept with it."""
    key, depends = (block.inside, style), lines.key
    known = _SHOWN.get(block.owner, key)
    if known is None or known[0] != depends:
        found: list[_Shown] = []
        for fold in block.folds:
            first, (last, end) = lines.position(fold.span.start)[0], lines.position(fold.span.end)
            one = _shown(fold, (fold.span.start, -fold.span.end), (first, last, end), style)
            if one is not None:
                found.append(one)
        known = (depends, list(_once(found)), -1, "")
    if known[2] != lines.first:
        text = ",".join([one.text(lines.first) for one in known[1]])
        known = _SHOWN.keep(block.owner, key, (depends, known[1], lines.first, text))
    return known[1], known[3]


def _once(shown: Iterable[_Shown]) -> Iterator[_Shown]:
    """Yield of the folds that begin in one line the first."""
    latest: set[int] = set()
    for one in shown:
        if one.first not in latest:
            latest.add(one.first)
            yield one


def _shown(fold: Fold, order: tuple[int, int], place: tuple[int, int, int], style: _Style) -> _Shown | None:
    """Return a fold as it is sent, None where it spans no lines; `place` is its first line, its last, and its end."""
    first, end_line, end = place
    last = end_line
    if fold.closed or end == 0:
        # The closer stays to be seen.
        last -= style.whole_lines or end == 0
    if last <= first:
        return None
    more = f',"endCharacter":{end}' if not style.whole_lines and end_line == last else ""
    if fold.kind is not None and (not style.kinds or fold.kind in style.kinds):
        more += f',"kind":"{fold.kind}"'
    if style.texts and fold.shown:
        more += f',"collapsedText":{json.dumps(f"{fold.shown} …")}'
    return _Shown(order, first, last, more)


def _limit(client: Client) -> int | None:
    """Return how many folds the client accepts, None where it does not state that."""
    asked: Any = client.capabilities.get("textDocument")
    asked = asked.get("foldingRange") if isinstance(asked, dict) else None
    limit = asked.get("rangeLimit") if isinstance(asked, dict) else None
    return limit if isinstance(limit, int) and not isinstance(limit, bool) and limit >= 0 else None


handle = by_kind(calls=_of_text, tools=_of_tools, configuration=no_answer)

FEATURE: Final = Feature(
    method="textDocument/foldingRange",
    capability="foldingRangeProvider",
    handle=handle,
    to_lsp=of_json(to_json),
    to_json=to_json,
)
