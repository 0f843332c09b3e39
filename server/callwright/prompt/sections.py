"""The sections of a prompt: tags that frame prose, and headings, read as its outline.

Owns: which tags and headings frame a section (`section_markers_of`), where each tag's section ends (`ends_of`), and
what is wrong with them (`section_faults`). Must not know: rules, what a call is, how sections nest with headings
(`section_tree`).

A tag frames a section where it begins a line outside of fences, code spans, comments and calls; one that is merely
mentioned within a line frames none. Tags that name tools are left out. An element of HTML lays out a page and frames no
section, unless its name says what it holds (`_CONTENT`) and it is closed; those are left out.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Final, TypeAlias

from callwright.calls.markers import marker_names
from callwright.calls.vocabularies import HTML_NAMES
from callwright.hosts.base import FlowHost
from callwright.syntax.prose import COMMENT_CLOSE, COMMENT_OPEN, fence_at, fence_closer, line_start
from callwright.text.budget import yield_point
from callwright.text.facts import derived
from callwright.text.holes import HOLE
from callwright.text.line_ends import LINE_START
from callwright.text.patterns import compile_later
from callwright.text.projection import Identity
from callwright.text.records import NamedTuple
from callwright.text.span import Span, united_spans
from callwright.tools.names import nearest

if TYPE_CHECKING:
    from callwright.document.block_runs import Run
    from callwright.document.blocks import Block, ReadPassage
    from callwright.document.snapshot import Snapshot
    from callwright.text.projection import Projection

#: A name that is shorter may come near many others.
MIN_NAME: Final = 5
#: So many sections of a name must be paired for one more to be reported as unclosed.
MIN_PAIRED: Final = 2
#: How deep a section may lie for its closer to be found.
MAX_DEPTH: Final = 32
#: At most this many characters are between two yield points.
_REST: Final = 8_192
#: Names of HTML that prompts give to sections of their own, which say what is in them.
_CONTENT: Final = frozenset({"data", "input", "output", "search", "source", "style", "summary", "template", "title"})
#: How text ends of which the rest is left out.
_LEFT_OUT: Final = ("...", "…")
#: Elements of HTML that need no closer.
UNCLOSED: Final = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
    | {"body", "colgroup", "dd", "dt", "head", "html", "li", "optgroup", "option", "p", "rp", "rt", "tbody", "td"}
    | {"tfoot", "th", "thead", "tr"}
)

_NAME: Final = r"[^\W\d][\w.\-]*+(?::[^\W\d][\w.\-]*+)?+"
TAG: Final = re.compile(rf"<(/?)({_NAME})([ \t][^<>\r\n]*+)?(?<!/)>")
_LINE: Final = re.compile(r"[^\r\n]*+(?:\r\n|[\r\n])?+")
_HEADING: Final = compile_later(rf"{LINE_START}[ \t]*+(#{{1,6}})[ \t]++([^\r\n]*+)", re.MULTILINE)
_MASK: Final = compile_later(r"`[^`\r\n]++`|<!--")
_FENCE: Final = compile_later(rf"{LINE_START}[ \t>]*+(?:[-*+][ \t]|\d{{1,9}}[.)][ \t])*+(?:```|~~~)", re.MULTILINE)
_SPACE: Final = re.compile(r"[ \t>]*+")


class Tag(NamedTuple):
    """A tag that frames a section: its name, whether it closes, and its span. Offsets are those of what it lies in.

    One that is no `edge` is within a line: it can close what is open, and is no evidence for anything else. An opener
    is `alone` where nothing but tags is on its line, and no words that are not attributes are in it. `before` is where
    the line before its own ends, or the text before it on its line. `words` are its attributes as written. `is_html` is
    true if HTML has an element of the name.
    """

    name: str
    closing: bool
    span: Span
    edge: bool = True
    alone: bool = True
    before: int = 0
    words: str = ""
    is_html: bool = False

    @property
    def name_span(self) -> Span:
        """Where the name is written."""
        start = self.span.start + 1 + self.closing
        return Span(start, start + len(self.name))

    def shift(self, by: int) -> Tag:
        """Return the tag moved by `by` characters."""
        name, closing, (start, end), edge, alone, before, words, is_html = self
        return Tag(name, closing, Span(start + by, end + by), edge, alone, before + by, words, is_html)


class Heading(NamedTuple):
    """A heading of Markdown: `span` is its line from the first `#` to the end of the title, `named` the title."""

    level: int
    title: str
    span: Span
    named: Span
    before: int = 0

    def shift(self, by: int) -> Heading:
        """Return the heading moved by `by` characters."""
        level, title, span, named, before = self
        return Heading(level, title, span.shift(by), named.shift(by), before + by)


Marker: TypeAlias = Tag | Heading
_BY_PLACE: Final = itemgetter(2)


class Markers(NamedTuple):
    """What opens and closes sections in one text, in order.

    `tags` are those that diagnostics may be about, `markers` all tags and headings, with those of every branch of a
    template, `framing` the tags among these, and `layout` the elements of HTML. After `hidden`, where a comment begins
    that never ends, there is none but in `tags`; None where there is no such comment.
    """

    tags: Sequence[Tag] = ()
    markers: Sequence[Marker] = ()
    framing: Sequence[Tag] = ()
    layout: Sequence[Tag] = ()
    hidden: int | None = None


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


class End(NamedTuple):
    """Where the section of an opener ends: at its closer, else `at` the place where what is around it continues.

    Without a closer, `at` is None where that is the end of the text.
    """

    opener: Tag
    closer: Tag | None
    at: int | None


# What is wrong


def section_faults(snapshot: Snapshot) -> Iterator[Misnamed | Unclosed]:
    """Yield what is wrong with the sections of a document, in its offsets.

    Nothing is reported about a template: its branches may open and close a section in different ways.
    """
    if snapshot.template is not None:
        return
    if not isinstance(snapshot.host, FlowHost):
        return
    counts: Counter[str] = Counter()
    for run in snapshot.blocks.runs:
        counts.update(_balance_in(run))
    unbalanced = {name for name, count in counts.items() if count and not snapshot.registry.has(name)}
    if not unbalanced:
        return
    tags = [
        tag.shift(place + start)
        for place, run in snapshot.blocks.placed_runs()
        for start, block in run.placed()
        for tag in tags_of(block)
    ]
    paired = _paired(tags)
    found = [*faults_of(tags, unbalanced, paired)]
    unclosed = Counter(fault.opener.name for fault in found if isinstance(fault, Unclosed))
    alone = Counter(tag.name for tag in tags if not tag.closing) - paired
    for fault in found:
        if not isinstance(fault, Unclosed):
            yield fault
        elif unclosed[fault.opener.name] > alone[fault.opener.name]:
            continue  # sections of this name lie in each other
        elif not any(says_why(snapshot, fault) for says_why in (_is_mentioned, _is_closed_in_text, _is_cut_short)):
            yield fault


def _is_mentioned(snapshot: Snapshot, fault: Unclosed) -> bool:
    """Return whether an opener is at the start of a line by chance: a sentence goes on after it."""
    end = fault.opener.span.end
    return snapshot.document.slice(end, min(end + 2, fault.insert_at)).lstrip(" \t")[:1].islower()


def _is_closed_in_text(snapshot: Snapshot, fault: Unclosed) -> bool:
    """Return whether a closer is written where no section's tag is: in a fence, or in a comment."""
    return f"</{fault.opener.name}" in snapshot.document.slice(fault.opener.span.end, fault.insert_at)


def _is_cut_short(snapshot: Snapshot, fault: Unclosed) -> bool:
    """Return whether an ellipsis is in place of a section's rest and its closer, in the section around it."""
    document, at = snapshot.document, fault.insert_at
    rest = document.slice(max(fault.opener.span.end, at - _REST), at).rstrip(" \t\r\n>")
    return rest.endswith(_LEFT_OUT) and document.slice(at, at + 2) == "</"


def faults_of(tags: Sequence[Tag], unbalanced: Iterable[str], paired: Counter[str]) -> Iterator[Misnamed | Unclosed]:
    """Yield what is wrong with sections that are framed by these tags, in the order of the text.

    `unbalanced` are the names that open and close unequally often, `paired` counts the sections that are closed.
    """
    odd = frozenset(unbalanced)
    for opener, closer, at in ends_of(tags, odd, paired):
        if closer is not None and closer.name != opener.name:
            yield Misnamed(opener, closer, min(closer, opener, key=lambda tag: _evidence_for(tag.name, paired)))
        elif closer is None and at is not None and opener.name in odd and paired[opener.name] >= MIN_PAIRED:
            yield Unclosed(opener, paired[opener.name], at)


def _evidence_for(name: str, paired: Counter[str]) -> tuple[int, bool]:
    """Return the key by which names are ordered, the one that is meant last: sections have it, or calls of a dialect.

    Of equal ones, the first is the misspelt one.
    """
    return paired[name], name in marker_names()


# Where sections end


def ends_of(tags: Sequence[Tag], odd: frozenset[str], paired: Counter[str] | None = None) -> Iterator[End]:
    """Yield where the section of each opener ends, in the order of the ends; `odd` are the names that are unbalanced.

    A closer closes the innermost section of its name, and ends what lies in that and lacks its own. One that is
    misspelt closes the innermost section where both names are odd. A section of an odd name ends where the next of
    that name begins: lists of things, of which one, or none, is ever closed.
    """
    counts = _paired(tags) if paired is None else paired
    stack: list[Tag] = []
    for tag in tags:
        if not tag.closing:
            if stack and stack[-1].name == tag.name and tag.name in odd and _may_follow(counts[tag.name]):
                yield End(stack.pop(), None, tag.span.start)
            stack.append(tag)
            continue
        if stack and stack[-1].name == tag.name:
            yield End(stack.pop(), tag, tag.span.start)
            continue
        if not tag.edge:
            continue
        if stack and {stack[-1].name, tag.name} <= odd and _is_misspelling(stack[-1].name, tag.name):
            yield End(stack.pop(), tag, tag.span.start)
            continue
        lowest = max(len(stack) - MAX_DEPTH, 0)
        depth = next((at for at in reversed(range(lowest, len(stack))) if stack[at].name == tag.name), None)
        if depth is None:
            continue
        for opener in stack[depth + 1 :]:
            yield End(opener, None, tag.span.start)
        yield End(stack[depth], tag, tag.span.start)
        del stack[depth:]
    for opener in stack:
        yield End(opener, None, None)


def _may_follow(paired: int) -> bool:
    """Return whether an opener may end a section of its name: so many are closed, or none ever is."""
    return not paired or paired >= MIN_PAIRED


def balance_of(tags: Iterable[Tag]) -> Counter[str]:
    """Return for each name how many sections more are opened than closed; of most that is none."""
    counts: Counter[str] = Counter()
    for tag in tags:
        counts[tag.name] += 0 if not tag.edge else -1 if tag.closing else 1
    return counts


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


def _is_misspelling(one: str, other: str) -> bool:
    if min(len(one), len(other)) < MIN_NAME or one.rstrip("s") == other.rstrip("s"):
        # A list of things is often framed by their plural.
        return False
    return nearest(one, (other,)) is not None


@derived
def _balance_in(run: Run) -> Counter[str]:
    """Return for each name how many sections more are opened in some blocks than closed, where that is not none."""
    counts: Counter[str] = Counter()
    for block in run.blocks:
        own = _balance_of(block)
        if own:
            counts.update(own)
    return Counter({name: count for name, count in counts.items() if count})


@derived
def _balance_of(block: Block) -> Counter[str]:
    return balance_of(tags_of(block)) if section_markers_of.known(block) or _may_be_unbalanced(block) else Counter()


def _may_be_unbalanced(block: Block) -> bool:
    """Return whether some tag is opened and closed unequally often in a block, wherever but in calls it is written.

    It is asked of each block, and those that say no need no closer look: a closer in a code span or a fence, too,
    speaks against a section that is left open.
    """
    counts: Counter[str] = Counter()
    for read in block.passages[:1]:
        for (marker, name, _), count in _written_tags(read).items():
            counts[name] += -count if marker else count
    return any(counts.values())


# The markers of a text


def tags_of(block: Block) -> Sequence[Tag]:
    """Return the tags of sections in a block of a flow document, in its offsets; found once.

    Where nothing but HTML is written outside of calls, nothing else is looked for.
    """
    return section_markers_of(block).tags if section_markers_of.known(block) or _has_tags(block) else ()


@derived
def _has_tags(block: Block) -> bool:
    """Return whether a tag that is not HTML is written outside of calls."""
    return any(_written_tags(read) for read in block.passages[:1])


def _written_tags(read: ReadPassage) -> Counter[tuple[str, str, str]]:
    """Return how often each tag that is not HTML is written outside of calls: its `/`, name and attributes."""
    text = read.passage.text
    counts: Counter[tuple[str, str, str]] = Counter()
    if "<" not in text:
        return counts
    at = 0
    for start, end in (*united_spans([found.call.frame or found.call.span for found in read.calls]), (len(text), 0)):
        counts.update(TAG.findall(text, at, start))
        at = end
    return Counter({tag: count for tag, count in counts.items() if tag[1].lower() not in HTML_NAMES})


@derived
def section_markers_of(block: Block) -> Markers:
    """Return what opens and closes sections in a block of a flow document, in its offsets."""
    yield_point()
    depths = [(0, len(block.state.fences)), *block.fenced]
    return together([markers_in(each, depths) for each in versions_of(block.passages)])


def versions_of(passages: Sequence[ReadPassage]) -> Iterator[ReadPassage]:
    """Yield the first of some passages, and where it is a version of a template, the other versions of it."""
    for number, read in enumerate(passages):
        version = read.passage.version
        if not number or (
            version is not None and version.fresh is not None and version.projection is read.passage.projection
        ):
            yield read


def together(found: Sequence[Markers]) -> Markers:
    """Return the markers of all versions of a text: what a later one shows alone is in none of the earlier ones."""
    if len(found) < 2:
        return found[0] if found else Markers()
    markers = {marker.span: marker for each in found for marker in reversed(each.markers)}
    layout = {tag.span: tag for each in found for tag in each.layout}
    hidden = [each.hidden for each in found if each.hidden is not None]
    ordered = sorted(markers.values(), key=_BY_PLACE)
    return Markers(
        found[0].tags,
        ordered,
        [marker for marker in ordered if isinstance(marker, Tag)],
        sorted(layout.values(), key=_BY_PLACE),
        min(hidden, default=None),
    )


def markers_in(read: ReadPassage, depths: Sequence[tuple[int, int]] | None = None) -> Markers:
    """Return the markers of a passage in the offsets that it is projected on.

    `depths` lists where fences open and close, each with how many are open from there on; without it the text is read.
    """
    return read_markers(
        read.passage.text,
        read.passage.projection,
        [found.call.frame or found.call.span for found in read.calls],
        depths,
    )


def read_markers(
    text: str,
    projection: Projection,
    calls: Sequence[Span] = (),
    depths: Sequence[tuple[int, int]] | None = None,
) -> Markers:
    """Return the markers of a text that holds these calls, as `markers_in` does."""
    has_tags, has_headings = "<" in text, "#" in text
    if not has_tags and not has_headings:
        return Markers()
    raw, is_same = projection.raw_span, type(projection) is Identity and not projection.start
    if depths is None:
        depths = [(projection.to_raw(at), depth) for at, depth in fences_in(text)]

    def is_fenced(at: int) -> bool:
        index = bisect_right(depths, at, key=itemgetter(0))
        return index > 0 and depths[index - 1][1] > 0

    united = united_spans(calls)
    masks, hidden = _masks_in(text, united, lambda at: is_fenced(projection.to_raw(at)))
    passed = united_spans([*united, *masks]) if masks else united
    tags: list[Tag] = []
    framing: list[Tag] = []
    headings: list[Heading] = []
    layout: list[Tag] = []
    stop = len(text) if hidden is None else hidden
    starts: list[int] = []
    for found in _tags_in(text, passed) if has_tags else ():
        tag = found
        start = tag.span.start
        starts.append(start)
        if not is_same:
            tag = tag._replace(span=raw(tag.span), before=projection.to_raw(tag.before))
        if is_fenced(tag.span.start):
            continue
        if not tag.is_html:
            tags.append(tag)
        if start < stop:
            own = not tag.is_html or tag.name.lower() in _CONTENT
            (framing if own else layout).append(tag)
    if starts:
        starts.sort()
    for line in _HEADING.finditer(text) if has_headings else ():
        begin = line.start(1)
        if begin >= stop:
            break
        heading = None if passed and _holds(passed, begin) else _heading(line, begin, starts)
        if heading is None:
            continue
        if not is_same:
            level, title, span, named, before = heading
            heading = Heading(level, title, raw(span), raw(named), projection.to_raw(before))
        if not is_fenced(heading.span.start):
            headings.append(heading)
    markers: list[Marker] = [*headings]
    if framing:
        framing.sort(key=_BY_PLACE)
        markers = sorted([*framing, *headings], key=_BY_PLACE) if headings else [*framing]
    return Markers(tags, markers, framing, layout, None if hidden is None else projection.to_raw(hidden))


def _heading(line: re.Match[str], begin: int, tags: Sequence[int]) -> Heading | None:
    """Return the heading that begins in a line, in offsets of the text, None where it has no title; one of the `tags`
    in the line ends it."""
    start, title = line.start(2), line[2]
    index = bisect_left(tags, start) if tags else 0
    if index < len(tags):
        title = title[: max(tags[index] - start, 0)]
    title = title.rstrip(" \t")
    if title[-1:] == "#":
        shown = title.rstrip("#")
        if not shown or shown[-1] in " \t":
            # Signs after the title close it.
            title = shown.rstrip(" \t")
    if not title:
        return None
    end = start + len(title)
    return Heading(len(line[1]), title, Span(begin, end), Span(start, end), _before(line.string, line.start()))


def _before(text: str, line: int) -> int:
    """Return where the line ends that is before the one that begins at `line`."""
    if line > 0 and text[line - 1] in "\r\n":
        line -= 2 if text.startswith("\r\n", line - 2) and line > 1 else 1
    return line


def _tags_in(text: str, passed: Sequence[tuple[int, int]]) -> Iterator[Tag]:
    """Yield the tags of a text that begin a line, and those that close; a pair within one line frames no section.

    They are in the order of the text but for a line's elements of HTML, which follow its other tags.
    """
    at = rested = 0
    while (place := text.find("<", at)) >= 0:
        index = bisect_right(passed, place, key=itemgetter(0))
        if index and passed[index - 1][1] > place:
            # What is in a call, a code span or a comment is none; a tag further on has all of its line scanned.
            at = passed[index - 1][1]
            continue
        line = _line_of(text, place)
        at = line.end()
        index = bisect_right(passed, place, key=itemgetter(0))
        if index and passed[index - 1][1] >= line.start() + line[0].rfind(">"):
            # All of its tags lie in one call.
            continue
        if line.start() - rested > _REST:
            rested = line.start()
            yield_point()
        own: list[Tag] = []
        html: list[Tag] = []
        for tag in _tags_of_line(line):
            (html if tag.is_html else own).append(tag)
        for tags in (own, html):
            for tag in _framing(text, line, tags) if tags else ():
                if not _touch(passed, tag.span):
                    yield tag


def _tags_of_line(line: re.Match[str]) -> Iterator[Tag]:
    """Yield all tags of a line, in offsets of its text."""
    for match in TAG.finditer(line[0]):
        begin = line.start() + match.start()
        words = (match[3] or "").strip(" \t")
        # Words that are not attributes make a placeholder of it: `<list of files>`.
        alone = not words or "=" in words or HOLE in words
        span = Span(begin, line.start() + match.end())
        yield Tag(match[2], bool(match[1]), span, True, alone, begin, words, match[2].lower() in HTML_NAMES)


def open_in_line(text: str, at: int) -> list[str]:
    """Return the names of tags that are open at a place and were opened within its line, the innermost first."""
    line = _line_of(text, at)
    tags = list(_tags_of_line(line))
    at_edge, _ = _at_edges(text, line, tags)
    left = _unpaired([tag for tag in tags if tag.span.end <= at])
    opened = [tag.name for tag in left if not tag.closing and tag.span not in at_edge]
    closed = {tag.name for tag in tags if tag.closing and tag.span.start >= at}
    return [name for name in reversed(opened) if name not in closed and name.lower() not in UNCLOSED]


def pair_in_line(text: str, at: int) -> tuple[Span, Span] | None:
    """Return the names of two tags that pair within the line of a place, one of which is written there."""
    waiting: dict[str, list[Tag]] = {}
    for tag in _tags_of_line(_line_of(text, at)):
        if not tag.closing:
            waiting.setdefault(tag.name, []).append(tag)
        elif opened := waiting.get(tag.name):
            pair = opened.pop().name_span, tag.name_span
            if any(name.start <= at <= name.end for name in pair):
                return pair
    return None


def _line_of(text: str, at: int) -> re.Match[str]:
    line = _LINE.match(text, line_start(text, at))
    assert line is not None, "any text matches"
    return line


def _framing(text: str, line: re.Match[str], tags: Sequence[Tag]) -> Iterator[Tag]:
    """Yield those of a line's tags that frame something."""
    at_edge, is_alone = _at_edges(text, line, tags)
    first = line.start() + len(line[0]) - len(line[0].lstrip(" \t>"))
    for name, closing, span, _, alone, at, words, is_html in _unpaired(tags):
        edge = span in at_edge
        if edge or closing:
            before = at if at > first else _before(text, line.start())
            yield Tag(name, closing, span, edge, alone and is_alone and not closing, before, words, is_html)


def _masks_in(
    text: str, calls: Sequence[tuple[int, int]], is_fenced: Callable[[int], bool]
) -> tuple[list[tuple[int, int]], int | None]:
    """Return the code spans and comments of a text, and where a comment begins that never ends, if one does."""
    masks: list[tuple[int, int]] = []
    hidden: int | None = None
    last = text.rfind(COMMENT_CLOSE)
    at = 0
    while (mask := _MASK.search(text, at)) is not None:
        yield_point()
        start, at = mask.span()
        if mask[0] == COMMENT_OPEN:
            if at > last:
                if hidden is None and not is_fenced(start) and not _touch(calls, Span(start, at)):
                    hidden = start
                continue
            at = text.find(COMMENT_CLOSE, at) + len(COMMENT_CLOSE)
        masks.append((start, at))
    return masks, hidden


def fences_in(text: str) -> Iterator[tuple[int, int]]:
    """Yield where fences open and close in a text, each with how many are open from there on."""
    if "```" not in text and "~~~" not in text:
        return
    closer: re.Pattern[str] | None = None
    for line in _FENCE.finditer(text):
        if closer is not None:
            if closer.match(text, line.start()):
                closer = None
                yield line.start(), 0
        elif (fence := fence_at(text, line.start())) is not None:
            closer = fence_closer(fence.char, fence.length)
            yield fence.content, 1


def _touch(united: Sequence[tuple[int, int]], span: Span) -> bool:
    """Return whether one of the spans shares a character or an end with another one."""
    index = bisect_right(united, span.end, key=itemgetter(0))
    return index > 0 and united[index - 1][1] >= span.start


def _holds(united: Sequence[tuple[int, int]], at: int) -> bool:
    """Return whether one of the spans holds the character at a place."""
    index = bisect_right(united, at, key=itemgetter(0))
    return index > 0 and united[index - 1][1] > at


def _at_edges(text: str, line: re.Match[str], tags: Sequence[Tag]) -> tuple[frozenset[Span], bool]:
    """Return which tags of a line begin it, and which closing ones end it: nothing but tags is before or after them.

    With them comes whether those that begin it are all that is on it.
    """
    found: set[Span] = set()
    at = _end_of(_SPACE, text, line.start())
    for tag in tags:
        if tag.span.start != at:
            break
        found.add(tag.span)
        at = _end_of(_SPACE, text, tag.span.end)
    end = line.start() + len(line[0].rstrip())
    is_alone = at >= end
    for tag in reversed(tags):
        if not tag.closing or tag.span.end != end:
            break
        found.add(tag.span)
        end = line.start() + len(text[line.start() : tag.span.start].rstrip())
    return frozenset(found), is_alone


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
