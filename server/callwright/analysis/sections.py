"""The sections of a prompt: tags that frame prose, read as its outline.

Owns: `Section` faults (`misnamed_sections`, `unclosed_sections`), and which tags frame a section. Must not know: rules,
what a call is.

A tag frames a section where it begins a line outside of fences, code spans, comments and calls; one that is merely
mentioned within a line frames none. Elements of HTML and tags that name tools are left out.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from callwright.calls.tags import HTML_NAMES
from callwright.hosts.base import FlowHost
from callwright.text.budget import breathe
from callwright.text.span import Span
from callwright.tools.names import nearest

if TYPE_CHECKING:
    from callwright.analysis.block_runs import Run
    from callwright.analysis.snapshot import Block, ReadPassage, Snapshot

#: A name that is shorter may come near many others.
MIN_NAME: Final = 5
#: So many sections of a name are paired where one more is told to be unclosed.
MIN_PAIRED: Final = 2
#: So many characters are between two yield points.
_REST: Final = 8_192

_TAG: Final = re.compile(r"<(/?)([A-Za-z_][\w.\-]*+)(?:[ \t][^<>\r\n]*+)?(?<!/)>")
_LINE: Final = re.compile(r"[^\r\n]*+(?:\r\n|[\r\n])?+")
_MASKED: Final = re.compile(r"`[^`\r\n]++`|<!--.*?-->", re.DOTALL)
_SPACE: Final = re.compile(r"[ \t>]*+")


class Tag(NamedTuple):
    """A tag that frames a section: its name, whether it closes, and its span. Offsets are those of what it lies in.

    One that is no `edge` stands within a line: it can close what is open, and is no evidence for anything else.
    """

    name: str
    closing: bool
    span: Span
    edge: bool = True

    @property
    def name_span(self) -> Span:
        """Where the name is written."""
        start = self.span.start + 1 + self.closing
        return Span(start, start + len(self.name))


class Misnamed(NamedTuple):
    """An opener and the closer that ends its section under another name; `wrong` is the one that is misspelt."""

    opener: Tag
    closer: Tag
    wrong: Tag


class Unclosed(NamedTuple):
    """An opener whose closer is missing while `paired` others of its name have theirs; it belongs at `insert_at`."""

    opener: Tag
    paired: int
    insert_at: int


def section_faults(snapshot: Snapshot) -> Iterator[Misnamed | Unclosed]:
    """Yield what is wrong with the sections of a document, in its offsets.

    Nothing is said about a template: its branches may open and close a section in different ways.
    """
    if snapshot.template is not None:
        return
    if not isinstance(snapshot.host, FlowHost):
        return
    counts: Counter[str] = Counter()
    for run in snapshot.blocks.runs:
        counts.update(run.known("unbalanced sections", _balance_in))
    unbalanced = {name for name, count in counts.items() if count and not snapshot.registry.has(name)}
    if not unbalanced:
        return
    tags = [
        tag._replace(span=tag.span.shift(place + start))
        for place, run in snapshot.blocks.placed_runs()
        for start, block in run.placed()
        for tag in tags_of(block)
    ]
    for fault in faults_of(tags, unbalanced):
        if not isinstance(fault, Unclosed) or not _is_closed_in_text(snapshot, fault):
            yield fault


def _is_closed_in_text(snapshot: Snapshot, fault: Unclosed) -> bool:
    """Return whether a closer is written where no section's tag is: in a fence, or in a comment."""
    return f"</{fault.opener.name}" in snapshot.document.slice(fault.opener.span.end, fault.insert_at)


def faults_of(tags: Sequence[Tag], unbalanced: Iterable[str]) -> Iterator[Misnamed | Unclosed]:
    """Yield what is wrong with sections that are framed by these tags, in the order of the text.

    `unbalanced` are the names that open and close unequally often.
    """
    odd = frozenset(unbalanced)
    paired = _paired(tags)
    stack: list[Tag] = []
    for tag in tags:
        if not tag.closing:
            if stack and stack[-1].name == tag.name and tag.name in odd and paired[tag.name] >= MIN_PAIRED:
                yield Unclosed(stack.pop(), paired[tag.name], tag.span.start)
            stack.append(tag)
            continue
        if stack and stack[-1].name == tag.name:
            stack.pop()
            continue
        if not tag.edge:
            continue
        if stack and {stack[-1].name, tag.name} <= odd and _is_slip(stack[-1].name, tag.name):
            opener = stack.pop()
            yield Misnamed(opener, tag, tag if paired[opener.name] >= paired[tag.name] else opener)
            continue
        lowest = max(len(stack) - MAX_DEPTH, 0)
        depth = next((at for at in reversed(range(lowest, len(stack))) if stack[at].name == tag.name), None)
        if depth is None:
            continue
        for opener in stack[depth + 1 :]:
            if opener.name in odd and paired[opener.name] >= MIN_PAIRED:
                yield Unclosed(opener, paired[opener.name], tag.span.start)
        del stack[depth:]


def _paired(tags: Sequence[Tag]) -> Counter[str]:
    """Return how many sections of each name are opened and closed."""
    found: Counter[str] = Counter()
    stack: list[str] = []
    for tag in tags:
        if not tag.closing:
            stack.append(tag.name)
        elif tag.name in stack[-MAX_DEPTH:]:
            while stack.pop() != tag.name:
                pass
            found[tag.name] += 1
    return found


#: How deep a section may lie for its closer to be found.
MAX_DEPTH: Final = 32


def _is_slip(one: str, other: str) -> bool:
    if min(len(one), len(other)) < MIN_NAME or one.rstrip("s") == other.rstrip("s"):
        # A list of things is often framed by their plural.
        return False
    return nearest(one, (other,)) is not None


def _balance_in(run: Run) -> Counter[str]:
    """Return for each name how many sections more are opened in some blocks than closed, where that is not none."""
    counts: Counter[str] = Counter()
    for block in run.blocks:
        for tag in tags_of(block):
            counts[tag.name] += 0 if not tag.edge else -1 if tag.closing else 1
    return Counter({name: count for name, count in counts.items() if count})


def tags_of(block: Block) -> Sequence[Tag]:
    """Return the tags of sections in a block, in its offsets; found once."""
    known: Sequence[Tag] | None = block.cache.get("sections")
    if known is None:
        breathe()
        depths = [(0, len(block.state.fences)), *block.fenced]
        known = block.cache["sections"] = [
            tag for read in block.passages[:1] for tag in _tags_in(read) if not _is_fenced(tag.span.start, depths)
        ]
    return known


def _is_fenced(at: int, depths: Sequence[tuple[int, int]]) -> bool:
    index = bisect_right(depths, at, key=itemgetter(0))
    return index > 0 and depths[index - 1][1] > 0


def _tags_in(read: ReadPassage) -> Iterator[Tag]:
    """Yield the tags of a passage that begin a line, and those that close; a pair within one line frames no section."""
    text = read.passage.text
    if "<" not in text or all(tag[2].lower() in HTML_NAMES for tag in _TAG.finditer(text)):
        return
    calls = [found.call.frame or found.call.span for found in read.calls]
    passed = _united([*calls, *(match.span() for match in _MASKED.finditer(text))])
    to_raw = read.passage.projection.raw_span
    rested = 0
    for line in _LINE.finditer(text):
        if "<" not in line[0]:
            continue
        if line.start() - rested > _REST:
            rested = line.start()
            breathe()
        found = [
            Tag(tag[2], bool(tag[1]), Span(line.start() + tag.start(), line.start() + tag.end()))
            for tag in _TAG.finditer(line[0])
            if tag[2].lower() not in HTML_NAMES
        ]
        at_edge = _at_edges(text, line, found)
        for tag in _unpaired(found):
            edge = tag.span in at_edge
            if (edge or tag.closing) and not _touch(passed, tag.span):
                yield tag._replace(span=to_raw(tag.span), edge=edge)


def _united(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the spans in order, those that touch each other as one."""
    united: list[tuple[int, int]] = []
    start = end = -1
    for span in sorted(spans):
        if span[0] <= end:
            end = max(end, span[1])
        else:
            if start >= 0:
                united.append((start, end))
            start, end = span
    return [*united, (start, end)] if start >= 0 else united


def _touch(united: Sequence[tuple[int, int]], span: Span) -> bool:
    """Return whether one of the spans shares a character or an end with another one."""
    index = bisect_right(united, span.end, key=itemgetter(0))
    return index > 0 and united[index - 1][1] >= span.start


def _at_edges(text: str, line: re.Match[str], tags: Sequence[Tag]) -> frozenset[Span]:
    """Return which tags of a line begin it, and which closing ones end it: nothing but tags is before or after them."""
    found: set[Span] = set()
    at = _end_of(_SPACE, text, line.start())
    for tag in tags:
        if tag.span.start != at:
            break
        found.add(tag.span)
        at = _end_of(_SPACE, text, tag.span.end)
    end = line.start() + len(line[0].rstrip())
    for tag in reversed(tags):
        if not tag.closing or tag.span.end != end:
            break
        found.add(tag.span)
        end = line.start() + len(text[line.start() : tag.span.start].rstrip())
    return frozenset(found)


def _end_of(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return at if match is None else match.end()


def _unpaired(tags: Sequence[Tag]) -> Sequence[Tag]:
    """Return the tags of one line without the pairs in it."""
    left: list[Tag] = []
    for tag in tags:
        if tag.closing and left and not left[-1].closing and left[-1].name == tag.name:
            left.pop()
        else:
            left.append(tag)
    return left
