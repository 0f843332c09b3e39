"""The parts of a document in which the tools that it declares are in force.

Owns: `stated_places`. Must not know: styles, rules, what a call is.

A prompt is one text: its tools are in force everywhere, and so are those of a program, whose prompt and examples are
often in strings of their own. A page of Markdown shows examples in its sections: a fence in one of them says nothing
about the others.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from callwright.syntax.prose import fence_at, fence_closer, line_end
from callwright.text.line_ends import LINE_START
from callwright.text.records import NamedTuple
from callwright.text.span import Span, united_spans

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot

_PAGE: Final = "markdown"
#: A longer page is one text: its sections are sought again at each edit.
_MAX_LENGTH: Final = 1 << 18
#: A line that opens a fence or is a heading.
_LINE: Final = re.compile(
    rf"{LINE_START}(?:[ \t>]|[-*+][ \t]|\d{{1,9}}[.)][ \t])*+(?:(?P<fence>`{{3}}|~{{3}})|(?P<level>#{{1,6}})[ \t]++)",
    re.MULTILINE,
)
#: A heading of a section that states the tools of the section around it; one about a single function does not.
_TOOLS: Final = re.compile(
    r"[^\r\n]*?\b(?:tools|functions|actions|commands|toolset|toolbox|toolkit"
    r"|(?:tool|function)[ \t_-]++(?:us(?:e|age)|call(?:s|ing)|definitions?|descriptions?|documentation|interface|list"
    r"|reference|schemas?|signatures?|spec(?:s|ifications?)?))\b",
    re.IGNORECASE,
)


class _Section(NamedTuple):
    """A heading and what is below it; `states` is true if it is about tools, `outer` is the section around it."""

    start: int
    level: int
    states: bool
    outer: int


def stated_places(snapshot: Snapshot) -> list[Span] | None:
    """Return where the declared tools are in force, in order; None where that is everywhere."""
    declared = snapshot.own_tools.declarations
    if snapshot.host.name != _PAGE or len(snapshot.document) > _MAX_LENGTH:
        return None
    if not declared or not snapshot.is_own or not snapshot.registry.declared:
        return None
    text = snapshot.document.text()
    fences, sections, ends = _outline(text)
    places: list[Span] = []
    for each in declared:
        start = each.whole_place.start
        fence = bisect_right(fences, start, key=lambda fence: fence.start) - 1
        if fence < 0 or start >= fences[fence].end:
            return None
        at = bisect_right(sections, start, key=lambda section: section.start) - 1
        while at >= 0 and sections[at].states:
            at = sections[at].outer
        if at < 0:
            return None
        places.append(Span(sections[at].start, ends[at]))
    return united_spans(places)


def _outline(text: str) -> tuple[list[Span], list[_Section], list[int]]:
    """Return the fences of a page, the sections whose headings are outside of them, and where each of these ends."""
    fences: list[Span] = []
    sections: list[_Section] = []
    ends: list[int] = []
    open_ones: list[int] = []
    at = 0
    while (line := _LINE.search(text, at)) is not None:
        at = line_end(text, line.start())
        if line["level"] is not None:
            level = len(line["level"])
            while open_ones and sections[open_ones[-1]].level >= level:
                ends[open_ones.pop()] = line.start()
            states = _TOOLS.match(text, line.end(), at) is not None
            sections.append(_Section(line.start(), level, states, open_ones[-1] if open_ones else -1))
            open_ones.append(len(ends))
            ends.append(len(text))
            continue
        fence = fence_at(text, line.start())
        if fence is not None:
            closer = fence_closer(fence.char, fence.length).search(text, fence.content)
            at = closer.end() if closer is not None else len(text)
            fences.append(Span(line.start(), at))
    return fences, sections, ends
