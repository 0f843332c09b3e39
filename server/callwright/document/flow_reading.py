"""Reading flow documents: reads a block from the text that follows.

Owns: `FlowReader`, where a block of a flow document ends, how a template's versions agree on that. Must not know:
documents, snapshots, rules.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import count
from typing import TYPE_CHECKING, Final

from callwright.document.blocks import Block, ReadPassage, read_passages
from callwright.document.contents import Read
from callwright.document.reader import ReaderState, ReadResult, read_segment
from callwright.hosts.base import FlowHost, Passage
from callwright.templates.support.undeclared import MAY_HOLD, UNDECLARED
from callwright.text.projection import Identity
from callwright.text.records import dataclass

if TYPE_CHECKING:
    from callwright.calls.protocol import ReadContext
    from callwright.document.settings import Settings
    from callwright.templates.base import Template
    from callwright.templates.support.versions import Layout
    from callwright.text.templated import Templated

#: What a block was read from is cut to the block's own text where it is longer than this, and than so many times the
#: block's length.
_MIN_CUT: Final = 8_192
_FAR: Final = 4
#: How many offsets in a row are tried as the end of a template's block before the block grows by half each time.
_NEAR: Final = 4


@dataclass(frozen=True, slots=True)
class FlowReader:
    """What a block of a flow document is read with, besides its text and the state that it begins in.

    `undeclared` is whether code of a template language that is nowhere declared is taken out of a text.
    """

    host: FlowHost
    template: Template | None
    undeclared: bool
    settings: Settings
    context: ReadContext

    def block(
        self, text: str, state: ReaderState, stop_after: int, *, at_start: bool = False, at_end: bool
    ) -> Block | None:
        """Read the block that a text begins with, which covers at least `stop_after` characters.

        `at_start` and `at_end` are whether the document begins and ends with the text. None where it is too short.
        """
        host = self.host
        front = host.front(text) if at_start else 0
        reach = 0
        if at_start and text.startswith(("---", "\ufeff---")):
            if not front and not at_end and len(text) < 1 << 17:
                return None
            reach = 1 << 17
        if self.template is not None:
            return self._templated(_layout(text, self.template, front), state, stop_after, reach, at_end=at_end)
        segment = read_segment(
            text,
            self.context,
            state=state,
            markdown=host.markdown,
            start=front,
            stop_after=stop_after,
            at_end=at_end,
        )
        if segment.reach >= len(text) and not at_end:
            return None
        reach = max(reach, segment.reach)
        own = text[: segment.end]
        if self.undeclared and MAY_HOLD.search(own, front) is not None:
            return self._templated(_layout(text, UNDECLARED, front), state, stop_after, reach, at_end=at_end)
        _keep_only(own, text, segment)
        passage = Passage(own, Identity(0, len(own)), None, host.markdown)
        passages = list(read_passages(passage, segment))
        return Block(len(own), state, segment.state, reach, Read(passages), fenced=segment.fenced)

    def _templated(
        self, layout: Layout, state: ReaderState, stop_after: int, reach: int, *, at_end: bool
    ) -> Block | None:
        """Read a block of a template: all its versions end at the same place, in the same state."""
        from callwright.document.versions import settle

        size = len(layout.raw)
        usable = size if at_end else layout.settled()
        goal = max(stop_after, 1)
        for attempt in count():
            # The same offset for all of them: the goal may be in text that a version leaves out.
            place = bisect_left(layout.breaks, goal)
            goal = layout.breaks[place] if place < len(layout.breaks) else usable
            if goal >= usable and not at_end:
                return None
            segments: list[tuple[ReadResult, int]] = []
            shown: list[Templated] = []
            while not segments or len(segments) < layout.needed(max(end for _, end in segments)):
                projection = layout.projection(len(segments), usable)
                text = projection.text
                ends = layout.ends(projection)
                segment = read_segment(
                    text,
                    self.context,
                    state=state,
                    markdown=self.host.markdown,
                    start=min(layout.start, len(text)),
                    stop_after=projection.decoded(min(goal, usable)),
                    at_end=at_end,
                    ends=ends,
                )
                if segment.reach >= len(text) and not at_end:
                    return None
                end = usable if segment.end >= len(text) else layout.breaks[bisect_left(ends, segment.end)]
                reach = max(reach, projection.to_raw(segment.reach) if segment.reach < len(text) else usable)
                segments.append((segment, end))
                shown.append(projection)
            end = max(end for _, end in segments)
            states = {segment.state for segment, _ in segments}
            if end == usable or (len(states) == 1 and all(each == end for _, each in segments)):
                break
            # The versions disagree that a block may end there. It ends where they agree, usually soon after.
            goal = max(end, goal + 1 if attempt < _NEAR else goal + goal // 2 + 1)
        if end == usable and not at_end:
            return None
        passages: list[ReadPassage] = []
        if any(each != end for _, each in segments):
            return self._templated(layout, state, size, reach, at_end=at_end)
        for number, (segment, _) in enumerate(segments):
            version = layout.version(number, shown[number] if end == usable else layout.projection(number, end))
            text = version.projection.text
            _keep_only(text, shown[number].text, segment)
            settle(segment, text, version)
            passage = Passage(text, version.projection, None, self.host.markdown, version=version)
            passages += read_passages(passage, segment)
        first = segments[0][0]
        fenced = [(shown[0].to_raw(place), depth) for place, depth in first.fenced]
        return Block(end, state, first.state, max(reach, layout.reach(end)), Read(passages), fenced=fenced)


def _layout(text: str, template: Template, front: int) -> Layout:
    from callwright.templates.support.versions import layout_of

    return layout_of(text, template, front)


def _keep_only(own: str, text: str, segment: ReadResult) -> None:
    """Let a segment refer to its own text only where far more was read, because something is never closed."""
    if len(text) > _MIN_CUT and len(text) > _FAR * len(own):
        from callwright.calls.detached_text import detach

        for found in segment.calls:
            detach(found.call, own, text)
