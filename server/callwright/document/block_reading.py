"""Reading blocks: a document's text taken apart from some place on, block by block.

Owns: `BlockReading`, where a block ends, how records, templates and flowing texts become blocks. Must not know: rules,
protocols, files.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, Final
from weakref import ref

from callwright.calls.own_text import refer_to
from callwright.declarations.own_tools import OwnTools
from callwright.declarations.reading import declares_in_value, marks_in_data, may_declare_in_data
from callwright.document.block_runs import Blocks, Shelf
from callwright.document.blocks import Block, ReadPassage, read_passages
from callwright.document.log_tools import registry_of
from callwright.document.reader import START, FoundCall, ReaderState, Stretch, read_context, read_stretch
from callwright.document.versions import settle
from callwright.hosts.base import FlowHost, HostContext, Passage, Record, RecordHost
from callwright.templates.catalogue import find_template
from callwright.templates.support.undeclared import MAY_HOLD, UNDECLARED
from callwright.templates.support.versions import Layout, layout_of
from callwright.text.budget import UNLIMITED, Budget, is_divided
from callwright.text.keeping import Kept
from callwright.text.projection import Identity, Projection
from callwright.text.span import Span
from callwright.tools.registry import EMPTY, ToolRegistry

if TYPE_CHECKING:
    from callwright.calls.protocol import ReadContext, ToolNames
    from callwright.document.settings import Settings
    from callwright.document.snapshot import Snapshot

#: How much of a flow document a block aims to hold, and how much text it is first read from.
BLOCK = 2_048
WINDOW = 8_192
#: How far ahead a block looks that looks far.
FAR = 16_384
#: A longer prompt is read wherever it stands.
_LONGEST_PROMPT = 65_536
#: How long a record is of which it is asked first whether there is anything to say about it.
_WORTH_A_VERDICT = 65_536
#: How many places in a row are tried as the end of a block of a template, before the block grows by half each time.
_NEAR = 4
#: How many times its own length a block may keep of the text that it was read from.
_FAR = 4
#: Prompts without calls, with the tools and settings under which they have none, and what was read instead.
_plain_prompts: Final[Kept[tuple[str, bool], tuple[ref[ToolNames], Settings, Stretch]]] = Kept(64, 4_000_000)


class BlockReading:
    """The reading of a snapshot's blocks from some place on."""

    def __init__(self, snapshot: Snapshot, budget: Budget = UNLIMITED) -> None:
        self.snapshot = snapshot
        self.document = snapshot.document
        self.host = snapshot.host
        self.budget = budget
        self.size = len(snapshot.document)
        self.settings = snapshot.settings
        self._take_tools()
        self.before = snapshot.before
        self.strictly = snapshot.is_session
        self.template = find_template(snapshot.template) if snapshot.template is not None else None
        #: Whether code of a language that nobody declared is taken out of a text.
        self.undeclared = snapshot.texts_template == UNDECLARED.name
        self.latest: tuple[Any, ToolRegistry | None] | None = None
        #: How much text the latest block was read from, and how far it was to go at least.
        self.read_from = (0, 0)
        #: How far the next block goes at least.
        self.stride = 0

    def _take_tools(self) -> None:
        """Read by the tools that are in force for the snapshot now."""
        snapshot = self.snapshot
        self.registry = snapshot.registry
        siblings = frozenset(snapshot.registry.names)
        self.host_context = HostContext(snapshot.texts_template, siblings)
        self.context = read_context(
            snapshot.registry, snapshot.settings, siblings, self.budget, documented=snapshot.documented.evidence
        )

    def blocks(self, start: int, state: ReaderState, old: Sequence[Shelf] = ()) -> Blocks:
        """Read blocks from `start` on, and take old blocks where one begins at the place and in the state that reading
        has come to.

        Where an old block begins nearby, the one before it ends there if it may, so that an edit moves no boundaries.

        `old` has the blocks that nothing has changed, in order; the first block is read in any case.
        """
        parts: list[Blocks | Sequence[Block]] = []
        out: list[Block] = []
        waiting = [*old]
        at = start
        while at < self.size or (not out and at == 0):
            while waiting and waiting[0].end <= at:
                del waiting[0]
            goal = 0
            if waiting:
                shelf = waiting[0]
                index = shelf.number_at(at) if out or parts else None
                if index is not None and shelf.blocks[index].state == state:
                    known = shelf.blocks.since(index)
                    parts += [out, known]
                    out = []
                    at, state = shelf.end, known[-1].after
                    continue
                goal = (shelf.following(at) or at) - at
            self.budget.check()
            block = self.block(at, state, goal if 0 < goal <= 2 * BLOCK else BLOCK)
            out.append(block)
            at += block.length
            state = block.after
        return Blocks.joined((*parts, out)) if parts else Blocks.of(out)

    def block(self, at: int, state: ReaderState, stop_after: int) -> Block:
        """Read the block that begins at `at` and of a flow document goes on for `stop_after` characters at least.

        Where one block after the other looks far ahead, for what closes none of their calls, each is twice as long as
        the one before: so all of them together look at no more than some times the text.
        """
        if self.before is not None and at == 0:
            from callwright.document.patched import patched, release

            known = patched(self, self.before)
            if known is not None:
                return known
        window = WINDOW
        # No block ends in a line, so the whole of the first one is needed.
        _, begin, line = self.document.line_holding(at)
        least = begin + len(line) - at
        while window < least:
            window *= 4
        goes_on = max(stop_after, self.stride)
        while True:
            block = self._within(at, window, state, goes_on)
            if block is not None:
                self._leave_names(block, at)
                self.read_from = (window, goes_on)
                is_far = block.reach - block.length > FAR
                self.stride = min(2 * max(self.stride, BLOCK), window // 32) if is_far else 0
                break
            window *= 4
        if self.before is not None and at == 0:
            release(self.before, block)
        return block

    def _leave_names(self, block: Block, at: int) -> None:
        """Take calls away whose name is that of a declaration: `Action: search` may begin one, and calls nothing."""
        if self.snapshot.own_tools.registry is None or type(block) is not Block:
            return
        names = self.snapshot.own_tools.declarations.names_in(at, at + block.length)
        if not names:
            return
        for read in block.passages:
            if any(self._is_name(read, found, at, names) for found in read.calls):
                read.calls = [found for found in read.calls if not self._is_name(read, found, at, names)]
                read.peers = tuple(found.call for found in read.calls)

    @staticmethod
    def _is_name(read: ReadPassage, found: FoundCall, at: int, names: Sequence[Span]) -> bool:
        start = read.passage.projection.raw_span(found.call.tool_span).start + at
        index = bisect_right(names, start, key=lambda name: name.start) - 1
        return index >= 0 and start < names[index].end

    def short_block(self, at: int, state: ReaderState, stop_after: int, longest: int) -> Block | None:
        """Read a block as `block` does; None where more than `longest` characters must be looked at for it."""
        window = WINDOW
        while window <= longest:
            block = self._within(at, window, state, stop_after)
            if block is not None:
                return block
            window *= 2
        return None

    def flow_again(self, text: str, state: ReaderState, stop_after: int, *, at_end: bool) -> Block:
        """Return the block of a flow document that was read from this text before, and not from its beginning."""
        assert isinstance(self.host, FlowHost), "records are not read again"
        block = self._flow(self.host, text, 1, state, stop_after, at_end=at_end)
        assert block is not None, "the same text was enough before"
        return block

    def _within(self, at: int, window: int, state: ReaderState, stop_after: int) -> Block | None:
        """Read a block from the next `window` characters; None where they are too few."""
        end = min(at + window, self.size)
        text = self.document.slice(at, end)
        at_end = end == self.size
        host = self.host
        if isinstance(host, RecordHost):
            return self._record(host, text, at_end=at_end)
        block = self._flow(host, text, at, state, stop_after, at_end=at_end)
        if block is not None and at == 0:
            self._front(host, text, block)
        return block

    def _flow(
        self, host: FlowHost, text: str, at: int, state: ReaderState, stop_after: int, *, at_end: bool
    ) -> Block | None:
        front = host.front(text) if at == 0 else 0
        reach = 0
        if at == 0 and text.startswith(("---", "\ufeff---")):
            if not front and not at_end and len(text) < 1 << 17:
                return None
            reach = 1 << 17
        if self.template is not None:
            layout = layout_of(text, self.template, front)
            return self._templated(host, layout, state, stop_after, reach, at_end=at_end)
        stretch = read_stretch(
            text,
            self.context,
            state=state,
            markdown=host.markdown,
            start=front,
            stop_after=stop_after,
            at_end=at_end,
        )
        if stretch.reach >= len(text) and not at_end:
            return None
        reach = max(reach, stretch.reach)
        own = text[: stretch.end]
        if self.undeclared and MAY_HOLD.search(own, front) is not None:
            layout = layout_of(text, UNDECLARED, front)
            return self._templated(host, layout, state, stop_after, reach, at_end=at_end)
        _keep_only(own, text, stretch)
        passage = Passage(own, Identity(0, len(own)), None, host.markdown)
        passages = list(read_passages(passage, stretch))
        return Block(len(own), state, stretch.state, reach, passages, fenced=stretch.fenced)

    def _front(self, host: FlowHost, text: str, block: Block) -> None:
        """Put the calls of the front matter into the block that begins with it."""
        front = host.front(text)
        record = host.read_front(text[:front], self.host_context) if front else Record()
        if record.passages or record.transcripts:
            block.passages += self._record_passages(record)
            block.transcripts = record.transcripts

    def _templated(
        self, host: FlowHost, layout: Layout, state: ReaderState, stop_after: int, reach: int, *, at_end: bool
    ) -> Block | None:
        """Read a block of a template: all its versions end at the same place, in the same state."""
        size = len(layout.raw)
        usable = size if at_end else layout.settled()
        goal = max(stop_after, 1)
        for attempt in count():
            # The same place for all of them: what a version leaves out may hold the goal.
            place = bisect_left(layout.breaks, goal)
            goal = layout.breaks[place] if place < len(layout.breaks) else usable
            if goal >= usable and not at_end:
                return None
            stretches: list[tuple[Stretch, int]] = []
            texts: list[str] = []
            while not stretches or len(stretches) < layout.needed(max(end for _, end in stretches)):
                projection = layout.projection(len(stretches), usable)
                text = projection.text
                ends = layout.ends(projection)
                stretch = read_stretch(
                    text,
                    self.context,
                    state=state,
                    markdown=host.markdown,
                    start=min(layout.start, len(text)),
                    stop_after=projection.segments.decoded(min(goal, usable)),
                    at_end=at_end,
                    ends=ends,
                )
                if stretch.reach >= len(text) and not at_end:
                    return None
                end = usable if stretch.end >= len(text) else layout.breaks[bisect_left(ends, stretch.end)]
                reach = max(reach, projection.to_raw(stretch.reach) if stretch.reach < len(text) else usable)
                stretches.append((stretch, end))
                texts.append(text)
            end = max(end for _, end in stretches)
            states = {stretch.state for stretch, _ in stretches}
            if end == usable or (len(states) == 1 and all(each == end for _, each in stretches)):
                break
            # The versions do not agree that a block may end there. It ends where they do: soon, as a rule.
            goal = max(end, goal + 1 if attempt < _NEAR else goal + goal // 2 + 1)
        if end == usable and not at_end:
            return None
        passages: list[ReadPassage] = []
        if any(each != end for _, each in stretches):
            return self._templated(host, layout, state, size, reach, at_end=at_end)
        for number, (stretch, _) in enumerate(stretches):
            version = layout.version(number, end)
            text = version.projection.text
            _keep_only(text, texts[number], stretch)
            settle(stretch, text, version)
            passage = Passage(text, version.projection, None, host.markdown, version=version)
            passages += read_passages(passage, stretch)
        first = stretches[0][0]
        raw = layout.projection(0, usable).to_raw
        fenced = [(raw(place), depth) for place, depth in first.fenced]
        return Block(end, state, first.state, max(reach, layout.reach(end)), passages, fenced=fenced)

    def _record(self, host: RecordHost, text: str, *, at_end: bool) -> Block | None:
        length = host.cut(text, at_end=at_end)
        if length is None:
            return None
        own = text[:length]
        may_defer = host.defers and length >= _WORTH_A_VERDICT and not (self.strictly or is_divided())
        triage = self.snapshot.origin.triage
        if may_defer and triage is not None and not (self.snapshot.may_declare and _declares(own)):
            # Only a large document pays for what tells so. The verdict comes in one piece, and what is read late is
            # read at once, whoever asks.
            from callwright.document.deferred import DeferredBlock

            seen = triage(own, self.registry, self.settings)
            parts = self._parts(host, own, seen.doubtful) if seen is not None else None
            if seen is not None and parts is not None:
                late = copy(self)
                late.budget, late.context = UNLIMITED, replace(self.context, budget=UNLIMITED)
                read = partial(late.taken_apart, host, own)
                return DeferredBlock(length, length + host.ahead, read, seen.faults, parts)
        return self.taken_apart(host, own)

    def _parts(self, host: RecordHost, text: str, spans: Sequence[Span]) -> list[tuple[int, Block]] | None:
        """Read parts of a record, each for itself; None where what is said of one may depend on another."""
        found = [(span.start, self.taken_apart(host, span.of(text))) for span in spans]
        for _, block in found:
            if not block.transcripts or block.embedded or not all(part.whole for part in block.transcripts):
                return None
        return found

    def taken_apart(self, host: RecordHost, text: str) -> Block:
        """Read a whole record."""
        record = host.read(text, self.host_context)
        length, reach = len(text), len(text) + host.ahead
        if not self.snapshot.may_declare or not record.passages or self.snapshot.is_of_turns:
            return self.of_record(record, length, reach)
        places = marks_in_data(text)
        if not places and self.snapshot.own_tools.registry is None:
            return self.of_record(record, length, reach)
        told = record
        if host.passes_over:
            told = host.read(text, replace(self.host_context, wanted=tuple(places)))
        snapshot, before = self.snapshot, self.snapshot.own_tools
        own = OwnTools.of_parts(_telling(told), before.file)
        if own.registry is None and before.registry is None:
            return self.of_record(record, length, reach)
        snapshot.declare(own)
        self._take_tools()
        if host.passes_over:
            record = host.read(text, self.host_context)
        block = self.of_record(record, length, reach)
        if snapshot.is_of_rows:
            # The next row is a text of its own.
            block.passages = [
                replace(read, registry=snapshot.registry) if read.registry is None else read for read in block.passages
            ]
            snapshot.declare(before)
            self._take_tools()
        return block

    def of_record(self, record: Record, length: int, reach: int) -> Block:
        """Read what a record of some length consists of."""
        brought: Any = None
        for part in record.transcripts:
            if not part.whole:
                brought = part.definitions or brought
        passages = self._record_passages(record)
        block = Block(length, START, START, reach, passages, record.problems, record.transcripts, brought)
        block.embedded, block.value = record.embedded, record.value
        return block

    def _record_passages(self, record: Record) -> list[ReadPassage]:
        """Read the passages of a record, those of a transcript that brings tools along with these."""
        own: dict[int, ToolRegistry | None] = {}
        for part in record.transcripts:
            if part.whole:
                registry = self._brought(part.definitions)
                own.update((id(turn), registry) for turn in part.turns)
        passages: list[ReadPassage] = []
        for passage in record.passages:
            registry = own.get(id(passage.turn)) if own else None
            if passage.calls is not None:
                if any(call.details.get("hosted") for call in passage.calls):
                    registry = EMPTY
                calls = [FoundCall(call) for call in passage.calls]
                passages.append(ReadPassage(passage, calls, [*passage.problems], registry))
                continue
            context = self.context
            if registry is not None:
                siblings, documented = frozenset(registry.names), self.context.documented
                context = read_context(registry, self.settings, siblings, self.budget, documented=documented)
            if context.strict and passage.role not in (None, "assistant"):
                # What a prompt or a user says is no reply: its sections and definitions are no calls.
                context = replace(context, strict=False)
            if passage.role == "assistant" and context.documented is not None:
                # In what a model has written, the shape of a call is evidence enough.
                context = replace(context, documented=None)
            stretch = self._stretch_of(passage, context)
            if passage.version is not None:
                settle(stretch, passage.text, passage.version)
            if self.strictly:
                # The strict parser takes quoted text for text.
                passages.append(ReadPassage(passage, stretch.calls, stretch.problems, registry))
            else:
                passages += read_passages(passage, stretch, registry)
        return passages

    def _stretch_of(self, passage: Passage, context: ReadContext) -> Stretch:
        """Read a passage of a record; a prompt without calls, which stands in many records, is read once."""
        key = (passage.text, passage.markdown)
        known = _plain_prompts.get(key) if passage.role == "system" else None
        if known is not None and known[0]() is context.tools and known[1] is self.settings:
            plain = known[2]
            return Stretch(plain.end, plain.state, plain.reach, fenced=[*plain.fenced])
        stretch = read_stretch(passage.text, context, markdown=passage.markdown)
        is_plain = passage.role == "system" and not (stretch.calls or stretch.problems or stretch.quoted)
        if is_plain and len(passage.text) <= _LONGEST_PROMPT:
            kept = Stretch(stretch.end, stretch.state, stretch.reach, fenced=[*stretch.fenced])
            _plain_prompts.keep(key, (ref(context.tools), self.settings, kept), len(passage.text))
        return stretch

    def _brought(self, definitions: Any) -> ToolRegistry | None:
        """Return the tools that a transcript brings along, None where it brings none that are understood."""
        if not definitions or not isinstance(definitions, list | dict):
            return None
        if self.latest is not None and self.latest[0] == definitions:
            # Each line of a log brings the same tools.
            return self.latest[1]
        registry = registry_of(definitions, self.settings) or None
        self.latest = (definitions, registry)
        return registry


def _declares(text: str) -> bool:
    """Return whether a text of JSON may declare tools in its strings."""
    if not may_declare_in_data(text.encode("utf-8", "surrogatepass")):
        return False
    try:
        return declares_in_value(json.loads(text))
    except (ValueError, RecursionError):
        return True


def _telling(record: Record) -> Iterator[tuple[str, Projection]]:
    """Yield the texts of a record that may declare tools: what a model has said, and a tool, declares none."""
    for passage in record.passages:
        is_first = passage.version is None or passage.version.fresh is None
        if passage.calls is None and passage.role not in ("assistant", "tool") and is_first:
            yield passage.text, passage.projection


def _keep_only(own: str, text: str, stretch: Stretch) -> None:
    """Let a stretch hold nothing but its own text where far more was read, since something is never closed."""
    if len(text) > WINDOW and len(text) > _FAR * len(own):
        for found in stretch.calls:
            refer_to(found.call, own, text)
