"""Versions: the texts that a template may become, as far as its branches go.

Owns: the tree of a template's blocks, the choice of branches for each version, and what of a version is uncertain. Must
not know: single languages, dialects, documents.

Branches of a choice exclude each other. The first version shows the first of each, and every further one some branch
that was not shown yet, in its context; branches of the same condition go together. What is shown together is settled
paragraph by paragraph: blank lines outside all blocks divide a text into parts, each of which has versions of its own,
so that it does not matter how much of a document is checked.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from callwright.templates.base import Tag, TagKind, Template
from callwright.text.budget import yield_point
from callwright.text.records import NamedTuple, dataclass, field
from callwright.text.span import Span, united_spans
from callwright.text.templated import Cut, Templated, decode_cuts

#: How many versions of one text are read at most.
MAX_COUNT: Final = 32
#: Blocks that nest deeper than this count as their text.
MAX_DEPTH: Final = 48
#: How many characters may belong to a tag of which no more than its beginning is there.
_TAIL: Final = 4
#: A line of white space after a line's end.
_BLANK: Final = re.compile(r"(?<=[\r\n])(?!(?<=\r)\n)[ \t]*+(?:\r\n|\n|\r)")


@dataclass(slots=True, eq=False)
class _Branch:
    """One way to continue in a block: `[start, end)` is the raw text of the branch, without the tags around it."""

    condition: str
    start: int
    block: _Block | None
    end: int = 0
    items: list[_Block | Cut] = field(default_factory=list)
    seen: bool = False

    def walk(self) -> Iterator[_Branch]:
        """Yield this branch and those of the blocks in it, in the order of the text."""
        yield self
        for item in self.items:
            if isinstance(item, _Block):
                for branch in item.branches:
                    yield from branch.walk()


@dataclass(slots=True, eq=False)
class _Block:
    """A block with its branches, the `number`th that opens, in a branch of another one."""

    number: int
    start: int
    name: str
    choice: bool
    repeats: bool
    within: _Branch
    branches: list[_Branch] = field(default_factory=list)
    end: int = 0

    @property
    def whole(self) -> bool:
        """Whether one of the branches is there in any case."""
        return not self.choice or (len(self.branches) > 1 and not self.branches[-1].condition)

    @property
    def loose(self) -> bool:
        """Whether its text may be missing or occur several times."""
        return self.repeats or not self.whole


class Loose(NamedTuple):
    """What of a version is not certain, in offsets of its text.

    `holes` are the runs of holes, `blocks` the bodies of blocks that may be missing or occur several times, and
    `branches` those and the branches that others might replace.
    """

    holes: Sequence[Span]
    blocks: Sequence[Span]
    branches: Sequence[Span]


@dataclass(frozen=True)
class Version:
    """One text that a template may become.

    `fresh` lists the spans of it that no earlier version shows, None where that is all of it. `blocks` and `branches`
    are those of `Loose` as raw spans; most texts hold no call, and no one asks what of them is uncertain. `stated` is
    that where it is known.
    """

    projection: Templated
    fresh: Sequence[Span] | None
    blocks: Sequence[Span] = ()
    branches: Sequence[Span] = ()
    stated: Loose | None = None

    @cached_property
    def loose(self) -> Loose:
        """What is not certain."""
        if self.stated is not None:
            return self.stated
        text = self.projection
        holes = united_spans(text.place(at) for at, cut in enumerate(text.cuts) if cut.hole)
        return Loose(holes, _decoded(text, self.blocks), _decoded(text, self.branches))


@dataclass(slots=True)
class _Play:
    """One version of one part: what is cut, which branch of each block is chosen, and the raw spans of branches."""

    cuts: list[Cut] = field(default_factory=list)
    chosen: dict[int, int | None] = field(default_factory=dict)
    fresh: list[Span] = field(default_factory=list)
    loose: list[Span] = field(default_factory=list)
    varying: list[Span] = field(default_factory=list)


@dataclass
class Layout:
    """A text taken apart: its `tags` and the tree of its blocks; no code begins before `start`."""

    raw: str
    template: Template
    start: int
    tags: Sequence[Tag]
    root: _Branch
    count: int
    #: Kept by hand: nothing may give way to other work inside of a `cached_property`.
    _breaks: list[int] | None = None

    @property
    def plain(self) -> bool:
        """Whether there is no template code at all."""
        return not self.root.items

    def settled(self) -> int:
        """Return how much of the text stays as it was taken apart, however the text continues."""
        raw = self.raw
        end = min((tag.start for tag in self.tags if tag.end >= len(raw)), default=len(raw))
        end = max(min(end, len(raw) - _TAIL), 0)
        last = self.root.items[-1] if self.root.items else None
        if isinstance(last, _Block) and last.end >= len(raw):
            end = min(end, last.start)
        while end > 0 and raw[end - 1].isspace():
            end -= 1
        return end

    def reach(self, offset: int) -> int:
        """Return how far the text was checked for what is before `offset`, which is no less."""
        reach = offset
        while reach < len(self.raw) and self.raw[reach].isspace():
            reach += 1
        reach = min(reach + _TAIL, len(self.raw))
        for tag in self.tags:
            if tag.start > offset:
                break
            reach = max(reach, tag.end)
        return reach

    @property
    def breaks(self) -> list[int]:
        """The places after blank lines outside all blocks and tags, in order."""
        if self._breaks is None:
            self._breaks = self._find_breaks()
        return self._breaks

    def _find_breaks(self) -> list[int]:
        found: list[int] = []
        items, at = self.root.items, 0
        for blank in _BLANK.finditer(self.raw, self.start):
            yield_point()
            while at < len(items) and items[at].end < blank.start():
                at += 1
            if at == len(items) or items[at].start >= blank.end():
                found.append(blank.end())
        return found

    @cached_property
    def _parts(self) -> list[list[_Block | Cut]]:
        parts: list[list[_Block | Cut]] = []
        current = -1
        for item in self.root.items:
            part = bisect_right(self.breaks, item.start)
            if part != current:
                parts.append([])
                current = part
            parts[-1].append(item)
        return parts

    @cached_property
    def _plays(self) -> list[list[_Play]]:
        return [_plays(part) for part in self._parts]

    def needed(self, end: int) -> int:
        """Return how many versions show all that is before `end`."""
        return max((len(plays) for _, plays in self._played(end)), default=1)

    def version(self, number: int, projection: Templated | None = None) -> Version:
        """Return a version of the text, or of what its `projection` shows."""
        projection = self.projection(number) if projection is None else projection
        played = [plays for _, plays in self._played(projection.raw_length)]
        shown = [plays[number] if number < len(plays) else plays[0] for plays in played]
        fresh = [span for plays in played if number < len(plays) for span in plays[number].fresh]
        return Version(
            projection,
            _decoded(projection, fresh) if number else None,
            [span for play in shown for span in play.loose],
            [span for play in shown for span in play.varying],
        )

    def projection(self, number: int, end: int | None = None) -> Templated:
        """Return the text of a version up to `end`, a place in no tag or block, and its way back."""
        end = len(self.raw) if end is None else end
        cuts: list[Cut] = []
        chosen: dict[int, int | None] = {}
        for _, plays in self._played(end):
            play = plays[number] if number < len(plays) else plays[0]
            # Code after the last break of all belongs to a part that may begin before `end`.
            cuts += [cut for cut in play.cuts if cut.start < end]
            chosen.update(play.chosen)
        template, start = self.template, self.start

        def reread(changed: str) -> str | None:
            return layout_of(changed, template, start).decode(chosen)

        return Templated(self.raw[:end], 0, cuts, template.escape, reread)

    def _played(self, end: int) -> Iterator[tuple[Sequence[_Block | Cut], list[_Play]]]:
        return ((part, plays) for part, plays in zip(self._parts, self._plays, strict=True) if part[0].start < end)

    def ends(self, projection: Templated) -> list[int]:
        """Return the places between paragraphs as places of a version's text."""
        return [projection.decoded(place) for place in self.breaks if place <= projection.raw_length]

    def decode(self, chosen: Mapping[int, int | None]) -> str | None:
        """Return the text with the branches shown that were chosen, by the numbers of their blocks; None where another
        block would have to be shown."""
        showing = _Showing(chosen)
        showing.items(self.root.items)
        return decode_cuts(self.raw, showing.play.cuts) if showing.play.chosen == chosen else None


def _plays(part: Sequence[_Block | Cut]) -> list[_Play]:
    """Return the versions of one part of a text."""
    branches = [each for item in part if isinstance(item, _Block) for branch in item.branches for each in branch.walk()]
    plays: list[_Play] = []
    wanted: _Branch | None = None
    while not plays or (wanted is not None and len(plays) < MAX_COUNT):
        showing = _Showing(_path_to(wanted))
        showing.suppose(wanted)
        showing.items(part)
        plays.append(showing.play)
        wanted = next((branch for branch in branches if not branch.seen), None)
    return plays


def layout_of(text: str, template: Template, start: int = 0) -> Layout:
    """Take a text apart; no code begins before `start`. A block that is never closed continues to the end of the
    text."""
    tags = list(template.tags(text, start))
    root = branch = _Branch("", start, None, len(text))
    open_: list[_Block] = []
    deep: list[str] = []
    count = 0
    for tag in tags:
        yield_point()
        kind = tag.kind
        if kind is TagKind.UNFINISHED:
            continue
        if kind is TagKind.OPEN and len(open_) < MAX_DEPTH:
            block = _Block(count, tag.start, tag.name, tag.choice, tag.repeats, branch)
            count += 1
            branch.items.append(block)
            open_.append(block)
            branch = _begun(block, tag)
        elif kind is TagKind.OPEN:
            deep.append(tag.name)
            branch.items.append(Cut(tag.start, tag.end))
        elif kind is TagKind.CLOSE and tag.name in deep[-MAX_DEPTH:]:
            while deep.pop() != tag.name:
                pass
            branch.items.append(Cut(tag.start, tag.end))
        elif kind is TagKind.CLOSE and any(block.name == tag.name for block in reversed(open_)):
            deep.clear()
            while True:
                block = open_.pop()
                block.branches[-1].end, block.end = tag.start, tag.start
                if block.name == tag.name:
                    break
            block.end = tag.end
            branch = block.within
        elif kind is TagKind.BRANCH and not deep and open_ and open_[-1].name == tag.name:
            branch.end = tag.start
            branch = _begun(open_[-1], tag)
        elif kind is TagKind.EXPRESSION or kind is TagKind.TEXT:
            hole = kind is TagKind.EXPRESSION
            literal = not hole and template.escape(tag.text) == text[tag.start : tag.end]
            branch.items.append(Cut(tag.start, tag.end, tag.text, hole, literal))
        else:
            branch.items.append(Cut(tag.start, tag.end))
    for block in open_:
        block.branches[-1].end = block.end = len(text)
    return Layout(text, template, start, tags, root, count)


def _begun(block: _Block, tag: Tag) -> _Branch:
    branch = _Branch(tag.condition, tag.end, block)
    block.branches.append(branch)
    return branch


def _path_to(branch: _Branch | None) -> dict[int, int | None]:
    """Return which branches must be chosen for one to be shown, by the numbers of their blocks."""
    chosen: dict[int, int | None] = {}
    while branch is not None and branch.block is not None:
        chosen[branch.block.number] = branch.block.branches.index(branch)
        branch = branch.block.within
    return chosen


class _Showing:
    """One version in the making; `wanted` is chosen in any case."""

    def __init__(self, wanted: Mapping[int, int | None]) -> None:
        self.wanted = wanted
        self.play = _Play()
        self.truths: dict[str, bool] = {}
        self._new = 0

    def suppose(self, branch: _Branch | None) -> None:
        """Take for true what must be for a branch to be shown."""
        while branch is not None and branch.block is not None:
            for each in branch.block.branches:
                self._learn(each.condition, holds=each is branch)
                if each is branch:
                    break
            branch = branch.block.within

    def show(self, branch: _Branch) -> None:
        """Show one branch, and in it the branches that are chosen."""
        if branch.seen:
            self.items(branch.items)
            return
        branch.seen = True
        if not self._new:
            self.play.fresh.append(Span(branch.start, branch.end))
        self._new += 1
        self.items(branch.items)
        self._new -= 1

    def items(self, items: Sequence[_Block | Cut]) -> None:
        """Show what is in a branch or part."""
        play = self.play
        for item in items:
            if isinstance(item, Cut):
                play.cuts.append(item)
                continue
            index = play.chosen[item.number] = self._choose(item)
            if index is None:
                play.cuts.append(Cut(item.start, item.end))
                continue
            shown = item.branches[index]
            play.cuts.append(Cut(item.start, shown.start))
            span = Span(shown.start, shown.end)
            if item.loose:
                play.loose.append(span)
            if item.choice or item.repeats:
                play.varying.append(span)
            self.show(shown)
            if shown.end < item.end:
                play.cuts.append(Cut(shown.end, item.end))

    def _choose(self, block: _Block) -> int | None:
        """Return which branch of a block is shown, None for none."""
        if block.number in self.wanted:
            index = self.wanted[block.number]
        elif len(block.branches) == 1 and not block.choice:
            return 0
        else:
            index = self._fitting(block)
        for at, branch in enumerate(block.branches if index is None else block.branches[: index + 1]):
            self._learn(branch.condition, holds=at == index)
        return index

    def _fitting(self, block: _Block) -> int | None:
        """Return the branch that fits what was chosen before: one that was not shown yet, or the first."""
        possible: list[int] = []
        for at, branch in enumerate(block.branches):
            truth = self._truth(branch.condition)
            if truth:
                return at
            if truth is None:
                possible.append(at)
        if not possible:
            return None
        return next((at for at in possible if any(not each.seen for each in block.branches[at].walk())), possible[0])

    def _truth(self, condition: str) -> bool | None:
        if condition.startswith("not "):
            denied = self.truths.get(condition[4:])
            return None if denied is None else not denied
        return self.truths.get(condition)

    def _learn(self, condition: str, *, holds: bool) -> None:
        if condition.startswith("not "):
            self.truths.setdefault(condition[4:], not holds)
        elif condition:
            self.truths.setdefault(condition, holds)


def _decoded(text: Templated, spans: Sequence[Span]) -> list[Span]:
    """Return raw spans of branches that are shown in offsets of the text."""
    found: list[Span] = []
    for start, end in spans:
        begin, stop = text.to_decoded(start), text.to_decoded(end)
        if begin is not None and stop is not None:
            found.append(Span(begin, stop))
    return found
