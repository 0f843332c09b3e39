"""The outline of a text: its sections and headings as a tree, and what is open at a place in it.

Owns: `Section`, `Sections`, and which text lies around a place: a document, what is in a fence, a string of data or of
a program. Must not know: which tags and headings there are (`sections` finds them), features, protocols.

A section reaches to its closer. A heading reaches to the next one of its level or above, and never beyond the section
that it is in. A section that lacks its closer reaches to where what is around it ends, as a heading does; it is listed
only where its opener is alone on its line, because otherwise it may be a mention.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from callwright.cursor.cursor import spot_at
from callwright.document.blocks import ReadPassage
from callwright.hosts.base import HostContext, RecordHost
from callwright.prompt.sections import (
    MAX_DEPTH,
    TAG,
    UNCLOSED,
    End,
    Heading,
    Marker,
    Markers,
    Tag,
    balance_of,
    ends_of,
    markers_in,
    open_in_line,
    pair_in_line,
    read_markers,
    section_markers_of,
    together,
)
from callwright.text.facts import derived
from callwright.text.projection import Identity
from callwright.text.records import NamedTuple
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.cursor.cursor import Spot
    from callwright.document.block_runs import Run
    from callwright.document.blocks import Block
    from callwright.document.snapshot import Snapshot

#: Of a longer document only the text around a place is known, so far before and after it.
MAX_LENGTH: Final = 1 << 20
_REACH: Final = 1 << 16
#: So many sections of a text are listed at most.
MAX_COUNT: Final = 5_000
#: How many names are tried for a closer.
_TRIED: Final = 8
#: How long a program may be of which strings are read that hold no call.
_UNREAD: Final = 1 << 16
#: So much text before a string shows what the string is for, and what it continues.
_BEFORE: Final = 200
_CONTINUES: Final = frozenset("(,[{=+")
_KEPT: Final = "section tree"

Names: TypeAlias = tuple[Span, Span]


@dataclass(slots=True)
class Section:
    """One section: its opener or heading, and where it ends; `parent` is the number of the one around it, or -1.

    `depth` counts those around it.
    """

    marker: Marker
    end: int
    parent: int
    depth: int
    closer: Tag | None = None

    @property
    def level(self) -> int:
        """The level of the heading that it begins with, 0 where that is a tag."""
        return self.marker.level if isinstance(self.marker, Heading) else 0

    @property
    def words(self) -> str:
        """The attributes of its opener as they are written."""
        return "" if isinstance(self.marker, Heading) else self.marker.words

    @property
    def name(self) -> str:
        """The name of the tag, or the title."""
        return self.marker.title if isinstance(self.marker, Heading) else self.marker.name

    @property
    def named(self) -> Span:
        """Where the name or the title is written."""
        return self.marker.named if isinstance(self.marker, Heading) else self.marker.name_span

    @property
    def span(self) -> Span:
        """All of the section."""
        return Span(self.marker.span.start, self.end)

    @property
    def inner(self) -> Span:
        """What is after its opener or title, and before its closer."""
        return Span(self.marker.span.end, self.end if self.closer is None else self.closer.span.start)


class Parts(NamedTuple):
    """The marks of texts that follow each other, each list after the place that its offsets count from: those of
    sections, the tags among them, and elements of HTML. A comment that never `ends` hides what follows."""

    markers: Sequence[tuple[int, Sequence[Marker]]]
    framing: Sequence[tuple[int, Sequence[Tag]]]
    layout: Sequence[tuple[int, Sequence[Tag]]]
    ends: bool

    @classmethod
    def of(cls, found: Sequence[tuple[int, Markers]]) -> Parts:
        """Return the marks of some texts, each given after where it begins."""
        ends = False
        for number, (_, own) in enumerate(found, 1):
            if own.hidden is not None:
                found, ends = found[:number], True
                break
        return cls(
            [(place, own.markers) for place, own in found if own.markers],
            [(place, own.framing) for place, own in found if own.framing],
            [(place, own.layout) for place, own in found if own.layout],
            ends,
        )


class Sections:
    """The sections of one text, which lies at `span`; offsets are those of what it lies in.

    Nothing is moved to its place in the text, and nothing paired, before it is asked for: who asks for tags alone pays
    for no headings.

    Invariant: sections nest, each begins after the one before it, and all lie in the text.
    """

    __slots__ = ("_begin", "_ends", "_is_tool", "_line_end", "_parts", "_tags", "_tree", "span")

    def __init__(
        self,
        parts: Sequence[tuple[int, Parts]],
        span: Span,
        is_tool: Callable[[str], bool],
        line_end: Callable[[int], int] | None = None,
        begin: int = 0,
    ) -> None:
        """Take the marks of a text; what is named as a tool is no section, and before `begin` there is none.

        `line_end` tells where the line ends before the one that begins at a place, for marks that do not know.
        """
        ends = (number for number, (_, part) in enumerate(parts, 1) if part.ends)
        self._parts = parts[: next(ends, len(parts))]
        self.span = span
        self._is_tool = is_tool
        self._line_end = line_end
        self._begin = begin
        self._tags: list[Tag] | None = None
        self._tree: list[Section] | None = None
        self._ends: list[End] | None = None

    @classmethod
    def of(cls, markers: Markers, span: Span, is_tool: Callable[[str], bool]) -> Sections:
        """Return the sections of a text that has these marks."""
        return cls([(0, Parts.of([(0, markers)]))], span, is_tool)

    @property
    def markers(self) -> list[Marker]:
        """What opens and closes sections."""
        found = [
            marker.shift(place + start) if place + start else marker
            for place, part in self._parts
            for start, own in part.markers
            for marker in own
        ]
        if self._begin:
            found = [marker for marker in found if marker.span.start >= self._begin]
        line_end = self._line_end
        if line_end is None:
            return found
        return [
            marker._replace(before=line_end(marker.before)) if marker.before == marker.span.start else marker
            for marker in found
        ]

    @property
    def tags(self) -> list[Tag]:
        """The tags among the marks."""
        if self._tags is None:
            self._tags = self._placed([(place, part.framing) for place, part in self._parts])
        return self._tags

    @property
    def html(self) -> list[Tag]:
        """The tags of HTML that frame nothing."""
        return self._placed([(place, part.layout) for place, part in self._parts])

    def _placed(self, found: Sequence[tuple[int, Sequence[tuple[int, Sequence[Tag]]]]]) -> list[Tag]:
        tags = [
            tag.shift(place + start) if place + start else tag
            for place, part in found
            for start, own in part
            for tag in own
        ]
        return [tag for tag in tags if tag.span.start >= self._begin] if self._begin else tags

    @property
    def headings(self) -> list[Heading]:
        """The headings among the marks."""
        return [marker for marker in self.markers if isinstance(marker, Heading)]

    def moved(self, by: int) -> Sections:
        """Return the sections of the same text where it lies further on."""
        return Sections([(place + by, part) for place, part in self._parts], self.span.shift(by), self._is_tool)

    @property
    def ends(self) -> list[End]:
        """Where the section of each opener ends."""
        if self._ends is None:
            self._ends = _ends(self.tags)
        return self._ends

    @property
    def tree(self) -> list[Section]:
        """The sections, in the order of the text."""
        if self._tree is None:
            self._tree = _Nesting(self).tree()
        return self._tree

    def is_reported(self, end: End) -> bool:
        """Return whether a section is one: one without a closer only where its opener can be nothing else."""
        opener = end.opener
        return (end.closer is not None or (opener.alone and not opener.is_html)) and not self._is_tool(opener.name)

    def layout(self, besides: int | None = None) -> Iterator[tuple[Tag, Tag | None]]:
        """Yield the openers of elements of HTML, each with its closer, the innermost of its name; the tag at the place
        `besides` counts for none."""
        waiting: dict[str, list[Tag]] = {}
        for tag in self.html:
            if besides is not None and tag.span.start < besides <= tag.span.end:
                continue
            if not tag.closing:
                waiting.setdefault(tag.name, []).append(tag)
            elif opened := waiting.get(tag.name):
                yield opened.pop(), tag
        for left in waiting.values():
            yield from ((tag, None) for tag in left)

    def around(self, offset: int) -> Iterator[Section]:
        """Yield the sections around a place, the innermost first."""
        tree = self.tree
        at = bisect_right(tree, offset, key=lambda section: section.marker.span.start) - 1
        while at >= 0:
            if offset <= tree[at].end:
                yield tree[at]
            at = tree[at].parent

    def names_at(self, offset: int) -> Names | None:
        """Return the names of the opener and closer of which one is written at a place; None where there is no pair."""
        pairs = ((opener, closer) for opener, closer, _ in self.ends)
        for opener, closer in (*pairs, *self.layout()):
            if closer is not None and (_is_in(opener.name_span, offset) or _is_in(closer.name_span, offset)):
                return opener.name_span, closer.name_span
        return None

    def lacking_at(self, offset: int) -> list[str]:
        """Return the names of what is open at a place and lacks a closer there, the innermost first, HTML last.

        Something lacks one where more tags have their like with it than without. The tag at the place itself does not
        count: it is the one that is being written.
        """
        tags = [tag for tag in self.tags if not tag.span.start < offset <= tag.span.end]
        ends = _ends(tags)
        opened = [
            (opener.span.start, opener.name)
            for opener, _, at in ends
            if opener.span.end <= offset and (at is None or at >= offset)
        ]
        lonely = _lonely(tags, ends)
        found: list[str] = []
        for name in list(dict.fromkeys(name for _, name in sorted(opened, reverse=True)))[:_TRIED]:
            closed = [*tags]
            insort(closed, Tag(name, True, Span(offset, offset)), key=_place)
            if _lonely(closed, _ends(closed)) < lonely:
                found.append(name)
        layout = [
            (opener.span.start, opener.name)
            for opener, closer in self.layout(offset)
            if closer is None and opener.span.end <= offset and opener.name.lower() not in UNCLOSED
        ]
        return list(dict.fromkeys([*found, *(name for _, name in sorted(layout, reverse=True)[:_TRIED])]))


def _is_in(span: Span, offset: int) -> bool:
    return span.start <= offset <= span.end


def _place(tag: Tag) -> int:
    return tag.span.start


def _ends(tags: Sequence[Tag]) -> list[End]:
    odd = frozenset(name for name, count in balance_of(tags).items() if count)
    return list(ends_of(tags, odd))


def _lonely(tags: Sequence[Tag], ends: Sequence[End]) -> int:
    """Return how many openers have no closer, and closers no opener."""
    return len(tags) - 2 * sum(closer is not None for _, closer, _ in ends)


# The tree


@dataclass(slots=True)
class _Open:
    """What is open while the marks are read.

    `number` is that of its section, -1 where it is not listed, and `reported` that of the innermost section that is.
    `level` is that of a heading, 0 of a section, which begins at `start` and ends at `until` where another begins
    there.
    """

    number: int
    reported: int
    level: int = 0
    start: int = 0
    until: int | None = None


class _Nesting:
    """One pass over the marks of a text; no more than `MAX_COUNT` sections are listed, and none deeper than
    `MAX_DEPTH`.

    `_heads` and `_closed` are the places on the stack of headings and of sections that have a closer: a heading ends
    what is above the innermost closed section alone.
    """

    def __init__(self, sections: Sections) -> None:
        self._sections = sections
        self._tree: list[Section] = []
        self._stack: list[_Open] = []
        self._heads: list[int] = []
        self._closed: list[int] = []

    def tree(self) -> list[Section]:
        """Return the sections, in the order of the text."""
        ends = self._sections.ends
        known = {end.opener.span.start: end for end in ends}
        closes = {closer.span.start: opener.span.start for opener, closer, _ in ends if closer is not None}
        for marker in self._sections.markers:
            if isinstance(marker, Heading):
                self._end_headings(marker)
                self._heads.append(len(self._stack))
                self._open(marker, is_reported=True).level = marker.level
            elif not marker.closing:
                self._begin(marker, known[marker.span.start])
            elif (opened := closes.get(marker.span.start)) is not None:
                self._close(marker, opened)
        return self._tree

    def _open(self, marker: Marker, *, is_reported: bool) -> _Open:
        tree, stack = self._tree, self._stack
        parent = stack[-1].reported if stack else -1
        depth = tree[parent].depth + 1 if parent >= 0 else 0
        entry = _Open(-1, parent)
        if is_reported and depth < MAX_DEPTH and len(tree) < MAX_COUNT:
            entry.number = entry.reported = len(tree)
            tree.append(Section(marker, self._sections.span.end, parent, depth))
        stack.append(entry)
        return entry

    def _cut(self, low: int, at: int) -> None:
        """End what is open from a place on the stack on."""
        for entry in self._stack[low:]:
            if entry.number >= 0:
                section = self._tree[entry.number]
                section.end = max(at, section.marker.span.end)
        del self._stack[low:]
        for places in (self._heads, self._closed):
            while places and places[-1] >= low:
                places.pop()

    def _end_headings(self, heading: Heading) -> None:
        """End the headings that one ends, with what lies in them and is never closed."""
        low = len(self._stack)
        wall = self._closed[-1] if self._closed else -1
        for place in reversed(self._heads):
            if place < wall or self._stack[place].level < heading.level:
                break
            low = place
        self._cut(low, heading.before)

    def _begin(self, tag: Tag, end: End) -> None:
        stack = self._stack
        top = len(stack) - 1
        while top >= 0 and stack[top].level:
            top -= 1
        if top >= 0 and stack[top].until == tag.span.start:
            self._cut(top, tag.before)
        is_reported = self._sections.is_reported(end)
        if is_reported or end.closer is not None:
            if end.closer is not None:
                self._closed.append(len(stack))
            entry = self._open(tag, is_reported=is_reported)
            entry.start = tag.span.start
            entry.until = end.at

    def _close(self, tag: Tag, opened: int) -> None:
        low = self._closed[-1] if self._closed else -1
        if low < 0 or self._stack[low].start != opened:
            return
        number = self._stack[low].number
        self._cut(low + 1, tag.before)
        if number >= 0:
            self._tree[number].closer = tag
        self._cut(low, tag.span.end)


# Which text lies around a place


def document_sections(snapshot: Snapshot, around: int | None = None) -> Sections:
    """Return the sections of a flow document, in its offsets; of a very long one those around a place."""
    size = len(snapshot.document)
    if size > MAX_LENGTH and around is not None and not _all_sections.known(snapshot):
        placed = _blocks_around(snapshot, around)
        span = Span(placed[0][0], placed[-1][0] + placed[-1][1].length)
        parts = [(0, Parts.of([(start, section_markers_of(block)) for start, block in placed]))]
        return _of_document(snapshot, parts, span)
    return _all_sections(snapshot)


@derived
def _all_sections(snapshot: Snapshot) -> Sections:
    parts = [(place, _parts_of(run)) for place, run in snapshot.blocks.placed_runs()]
    return _of_document(snapshot, parts, Span(0, len(snapshot.document)))


def _blocks_around(snapshot: Snapshot, around: int) -> list[tuple[int, Block]]:
    """Return the blocks that are near a place, each after where it begins."""
    low, high = around - _REACH, around + _REACH
    return [
        (place + start, block)
        for place, run in snapshot.blocks.placed_runs()
        if place <= high and place + run.length >= low
        for start, block in run.placed()
        if place + start <= high and place + start + block.length >= low
    ]


@derived
def _parts_of(run: Run) -> Parts:
    return Parts.of([(start, section_markers_of(block)) for start, block in run.placed()])


def _of_document(snapshot: Snapshot, parts: Sequence[tuple[int, Parts]], span: Span) -> Sections:
    """Return the sections of a document, or of a part of it; front matter holds none."""
    document, host = snapshot.document, snapshot.host
    front = host.front(document.slice(0, snapshot.blocks[0].length)) if host.flow and snapshot.blocks else 0

    def line_end(at: int) -> int:
        before = document.slice(max(at - 2, 0), at)
        return at - (2 if before == "\r\n" else 1 if before[-1:] in ("\r", "\n") else 0)

    return Sections(parts, span, snapshot.registry.has, line_end, front)


def sections_in(block: Block, snapshot: Snapshot) -> list[Sections]:
    """Return the sections of each text in a block of data or of a program, in its offsets."""
    return [Sections.of(markers, span, snapshot.registry.has) for markers, span in _markers_in(block, snapshot)]


@derived
def _markers_in(block: Block, snapshot: Snapshot) -> list[tuple[Markers, Span]]:
    found = [_of_text(passages) for passages in _texts(_passages_of(block, snapshot))]
    return [(markers, span) for markers, span in found if markers.markers or markers.layout]


def _of_text(passages: Sequence[ReadPassage]) -> tuple[Markers, Span]:
    """Return the marks of a text in all its versions, and where it is.

    In a string, a line that begins with `#` is a heading only where something else shows that the string is a prompt: a
    section, a call, or a speaker.
    """
    first = passages[0].passage
    markers = together([markers_in(read) for read in passages])
    is_stated = first.role is not None or any(read.calls for read in passages)
    if not is_stated and all(closer is None for _, closer, _ in _ends(markers.framing)):
        markers = markers._replace(markers=[], framing=[])
    return markers, first.projection.raw_span(Span(0, len(first.text)))


def _texts(passages: Sequence[ReadPassage]) -> Iterator[list[ReadPassage]]:
    """Yield the versions of each text in which something may be marked; a text within another one is none."""
    current: list[ReadPassage] = []
    end = -1
    for read in passages:
        passage = read.passage
        if passage.calls is not None or ("<" not in passage.text and "#" not in passage.text):
            continue
        place = passage.projection.raw_span(Span(0, len(passage.text)))
        if place.start < end:
            if passage.version is not None and passage.version.fresh is not None:
                current.append(read)
            continue
        if current:
            yield current
        current, end = [read], place.end
    if current:
        yield current


def _passages_of(block: Block, snapshot: Snapshot) -> Sequence[ReadPassage]:
    """Return the passages of a block, with the strings of a program in which sections alone are written."""
    host = snapshot.host
    if not isinstance(host, RecordHost) or not host.passes_over or len(snapshot.blocks) > 1 or block.length > _UNREAD:
        return block.passages
    text = snapshot.document.text()
    strings = host.strings(text) if "</" in text else ()
    wanted = tuple(string for string in strings if _may_hold(string.of(text)) and not _documents(text, string.start))
    if not wanted:
        return block.passages
    context = HostContext(snapshot.texts_template, frozenset(snapshot.offered.names), wanted)
    known = {_begin_of(read) for read in block.passages}
    others = [ReadPassage(passage, [], []) for passage in host.read(text, context).passages]
    return sorted([*block.passages, *(read for read in others if _begin_of(read) not in known)], key=_begin_of)


def _begin_of(read: ReadPassage) -> int:
    return read.passage.projection.to_raw(0)


def _documents(text: str, start: int) -> bool:
    """Return whether a string is a statement of its own: it documents the program and is no prompt."""
    before = text[max(start - _BEFORE, 0) : start]
    kept = before.rstrip(" \t")
    return not kept or (kept[-1] in "\r\n" and kept.rstrip()[-1:] not in _CONTINUES)


def _may_hold(string: str) -> bool:
    """Return whether a string has several lines, and an opener that is closed."""
    if "</" not in string or ("\n" not in string and "\r" not in string):
        return False
    names = {tag[2] for tag in TAG.finditer(string) if tag[1]}
    return any(not tag[1] and tag[2] in names for tag in TAG.finditer(string))


# At a place


def sections_around(snapshot: Snapshot, offset: int, spot: Spot | None = None) -> Sections | None:
    """Return the sections of the text around a place of a document, in its offsets; None where no text is.

    In a fence these are of what is in it, which the outline of the document does not have. `spot` is the place in
    its text, where that is known.
    """
    if snapshot.host.flow:
        fence = _fence_around(snapshot, offset)
        if fence is None:
            return document_sections(snapshot, offset)
        text = snapshot.document.slice(*fence)
        markers = read_markers(text, Identity(fence.start, len(text)))
        return Sections.of(markers, fence, snapshot.registry.has)
    found = snapshot.block_at(offset)
    if found is not None:
        block, start = found
        for sections in sections_in(block, snapshot):
            if sections.span.start <= offset - start <= sections.span.end:
                return sections.moved(start)
    spot = spot or spot_at(snapshot, offset)
    if spot is None:
        return None
    raw = spot.projection.raw_span(Span(0, len(spot.text)))
    return Sections.of(read_markers(spot.text, spot.projection), raw, snapshot.registry.has)


def _fence_around(snapshot: Snapshot, offset: int) -> Span | None:
    """Return what is in the fence around a place, as far as it is near; None outside of fences."""
    here = snapshot.block_at(offset)
    if here is None:
        return None
    block, start = here
    before = [depth for at, depth in block.fenced if start + at <= offset]
    if not (before[-1] if before else block.state.fences):
        return None
    placed = _blocks_around(snapshot, offset)
    opened = placed[0][0]
    depth = len(placed[0][1].state.fences)
    for start, block in placed:
        for at, now in block.fenced:
            if depth and not now and start + at > offset:
                return Span(opened, start + at)
            if now and not depth:
                opened = start + at
            depth = now
    return Span(opened, placed[-1][0] + placed[-1][1].length)


def names_at(snapshot: Snapshot, offset: int) -> Names | None:
    """Return the names of the pair of tags in prose of which one is written at a place; None where there is none."""
    spot = spot_at(snapshot, offset)
    if spot is None:
        return None
    near = pair_in_line(spot.text, spot.offset)
    if near is not None:
        return spot.projection.raw_span(near[0]), spot.projection.raw_span(near[1])
    sections = sections_around(snapshot, offset, spot)
    return None if sections is None else sections.names_at(offset)


def closers_at(snapshot: Snapshot, spot: Spot, at: int) -> list[str]:
    """Return the names of what lacks a closer where a tag begins at `at` of a spot's text, the innermost first."""
    sections = sections_around(snapshot, spot.projection.to_raw(at), spot)
    # The place is the end of what is typed, so that the tag which is being written is known by it.
    lacking = sections.lacking_at(spot.projection.to_raw(spot.offset)) if sections is not None else []
    names = dict.fromkeys([*open_in_line(spot.text, at), *lacking])
    # A tag of a tool that begins no call is a mention.
    return [name for name in names if not snapshot.offered.has(name)]
