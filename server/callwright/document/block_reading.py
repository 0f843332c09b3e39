"""Reading blocks: takes a document's text apart from a given offset, block by block.

Owns: `BlockReading`, where a block ends, how records, templates and flowing texts become blocks. Must not know: rules,
protocols, files.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any
from weakref import ref

from callwright.declarations.own_tools import OwnTools
from callwright.declarations.reading import declares_in_value, markers_in_data, may_declare_in_data
from callwright.document.block_runs import Blocks, Growing, Waiting
from callwright.document.blocks import Block, ReadPassage, read_passages
from callwright.document.contents import Deferred, Read
from callwright.document.flow_reading import FlowReader
from callwright.document.log_tools import registry_of
from callwright.document.reader import START, FoundCall, ReaderState, ReadResult, read_context, read_segment
from callwright.hosts.base import FlowHost, HostContext, Passage, Record, RecordHost
from callwright.templates.catalogue import find_template
from callwright.templates.support.undeclared import UNDECLARED
from callwright.text.budget import UNLIMITED, Budget, yield_point
from callwright.text.facts import Facts
from callwright.text.records import replace
from callwright.tools.registry import EMPTY, ToolRegistry

if TYPE_CHECKING:
    from callwright.calls.protocol import ReadContext
    from callwright.document.snapshot import Snapshot
    from callwright.text.projection import Projection
    from callwright.text.span import Span

#: How many characters a block of a flow document aims to have, and from how many it is first read.
BLOCK = 2_048
WINDOW = 8_192
#: How far ahead a block reads that has to read far.
FAR = 16_384
#: A longer prompt is read each time it occurs.
_MAX_PROMPT_LENGTH = 65_536
#: From this length on, triage is asked first whether a record may have any diagnostic.
_MIN_TRIAGE_LENGTH = 16_384


class BlockReading:
    """The reading of a snapshot's blocks from a given offset on."""

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
        #: Whether code of a language that no one declared is taken out of a text.
        self.undeclared = snapshot.texts_template == UNDECLARED.name
        #: How many characters the latest block was read from, and how many it was to cover at least.
        self.read_from = (0, 0)
        #: How many characters the next block covers at least.
        self.stride = 0

    def _take_tools(self) -> None:
        """Read with the tools that are in force for the snapshot now."""
        snapshot = self.snapshot
        self.registry = snapshot.registry
        self.host_context = HostContext(snapshot.texts_template, snapshot.registry.name_set)
        documented = snapshot.documented.evidence
        self.context = read_context(snapshot.registry, snapshot.settings, self.budget, documented=documented)

    def blocks(
        self,
        read: Growing | None = None,
        waiting: Waiting | None = None,
        look: Callable[[Block, int], None] | None = None,
    ) -> Blocks:
        """Read everything that follows the blocks that are `read`; may be given up at any check of a budget.

        Waiting blocks are reused where the reading reaches their place in their state. Where one waits nearby, the
        block before it ends there if it may, so that an edit moves no boundaries. Every block that is read is passed to
        `look`, with the offset where it begins.
        """
        read = read or Growing()
        waiting = waiting or Waiting()
        while read.at < self.size or read.last is None:
            yield_point()
            self.budget.check()
            at, state = read.at, read.last.after if read.last is not None else START
            known = waiting.take(at, state)
            if known is not None:
                read.extend(known)
                continue
            goal = (waiting.following(at) or at) - at
            block = self.block(at, state, goal if 0 < goal <= 2 * BLOCK else BLOCK)
            if look is not None:
                look(block, at)
            read.append(block)
        return read.blocks()

    def block(self, at: int, state: ReaderState, stop_after: int) -> Block:
        """Read the block that begins at `at`; in a flow document it covers at least `stop_after` characters.

        Where one block after the other reads far ahead, for what closes none of their calls, each is twice as long as
        the one before: so all of them together read no more than a constant times the text.
        """
        if self.before is not None and at == 0:
            from callwright.document.patched import patched, release

            known = patched(self, self.before)
            if known is not None:
                return known
        window = WINDOW
        # No block ends inside a line, so the whole first line is needed.
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
        """Remove calls that are named like a declaration: `Action: search` may begin one, and then calls nothing."""
        if self.snapshot.own_tools.registry is None or not isinstance(block.content, Read):
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
        """Read a block as `block` does; None where more than `longest` characters must be read for it."""
        window = WINDOW
        while window <= longest:
            block = self._within(at, window, state, stop_after)
            if block is not None:
                return block
            window *= 2
        return None

    def _within(self, at: int, window: int, state: ReaderState, stop_after: int) -> Block | None:
        """Read a block from the next `window` characters; None where they are too few."""
        end = min(at + window, self.size)
        text = self.document.slice(at, end)
        at_end = end == self.size
        host = self.host
        if isinstance(host, RecordHost):
            return self._record(host, text, at_end=at_end)
        block = self.flow(host).block(text, state, stop_after, at_start=at == 0, at_end=at_end)
        if block is not None and at == 0:
            self._front(host, text, block)
        return block

    def flow(self, host: FlowHost) -> FlowReader:
        """Return what reads the blocks of a flow document."""
        return FlowReader(host, self.template, self.undeclared, self.settings, self.context)

    def _front(self, host: FlowHost, text: str, block: Block) -> None:
        """Put the calls of the front matter into the block that begins with it."""
        front = host.front(text)
        record = host.read_front(text[:front], self.host_context) if front else Record()
        if record.passages or record.transcripts:
            block.content = Read([*block.passages, *self._record_passages(record)], record.transcripts)

    def _record(self, host: RecordHost, text: str, *, at_end: bool) -> Block | None:
        length = host.cut(text, at_end=at_end)
        if length is None:
            return None
        own = text[:length]
        may_defer = host.defers and length >= _MIN_TRIAGE_LENGTH and not self.strictly
        triage = self.snapshot.origin.triage
        if may_defer and triage is not None and not (self.snapshot.may_declare and _declares(own)):
            # Only for a large document is triage worth its cost.
            seen = triage(own, self.registry, self.settings)
            parts = self._parts(host, own, seen.suspects) if seen is not None else None
            if seen is not None and parts is not None:
                late, facts = copy(self), Facts()
                late.budget, late.context = UNLIMITED, replace(self.context, budget=UNLIMITED)
                content = Deferred(lambda: late.taken_apart(host, own).content, parts, facts)
                return Block(length, START, START, length + host.ahead, content, seen.faults, facts=facts)
        return self.taken_apart(host, own)

    def _parts(self, host: RecordHost, text: str, spans: Sequence[Span]) -> list[tuple[int, Block]] | None:
        """Read parts of a record, each by itself; None where the result of one may depend on another."""
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
        places = markers_in_data(text)
        if not places and self.snapshot.own_tools.registry is None:
            return self.of_record(record, length, reach)
        reported = record
        if host.passes_over:
            reported = host.read(text, replace(self.host_context, wanted=tuple(places)))
        snapshot, before = self.snapshot, self.snapshot.own_tools
        own = OwnTools.of_parts(_declaring_texts(reported), before.file)
        if own.registry is None and before.registry is None:
            return self.of_record(record, length, reach)
        snapshot.declare(own)
        self._take_tools()
        if host.passes_over:
            record = host.read(text, self.host_context)
        block = self.of_record(record, length, reach)
        if snapshot.is_of_rows:
            # The next row is a text of its own.
            for read in block.passages:
                read.registry = snapshot.registry if read.registry is None else read.registry
            snapshot.declare(before)
            self._take_tools()
        return block

    def of_record(self, record: Record, length: int, reach: int) -> Block:
        """Read the contents of a record of `length` code points."""
        inline_tools: Any = None
        for part in record.transcripts:
            if not part.whole:
                inline_tools = part.definitions or inline_tools
        content = Read(self._record_passages(record), record.transcripts)
        block = Block(length, START, START, reach, content, record.problems, inline_tools)
        block.embedded, block.value = record.embedded, record.value
        return block

    def _record_passages(self, record: Record) -> list[ReadPassage]:
        """Read the passages of a record; those of a transcript that brings tools are read with these."""
        from callwright.document.versions import settle

        own: dict[int, ToolRegistry | None] = {}
        for part in record.transcripts:
            if part.whole:
                registry = registry_of(part.definitions, self.settings) or None
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
                context = read_context(registry, self.settings, self.budget, documented=self.context.documented)
            if context.strict and passage.role not in (None, "assistant"):
                # A prompt and a user's message are not replies: their sections and definitions are not calls.
                context = replace(context, strict=False)
            if passage.role == "assistant" and context.documented is not None:
                # In what a model has written, the shape of a call is evidence enough.
                context = replace(context, documented=None)
            segment = self._segment_of(passage, context)
            if passage.version is not None:
                settle(segment, passage.text, passage.version)
            if self.strictly:
                # The strict parser reads quoted text as text.
                passages.append(ReadPassage(passage, segment.calls, segment.problems, registry))
            else:
                passages += read_passages(passage, segment, registry)
        return passages

    def _segment_of(self, passage: Passage, context: ReadContext) -> ReadResult:
        """Read a passage of a record; a prompt without calls, which occurs in many records, is read once."""
        key = (passage.text, passage.markdown)
        prompts = self.snapshot.origin.memo.plain_prompts
        known = prompts.get(key) if passage.role == "system" else None
        if known is not None and known[0]() is context.tools and known[1] is self.settings:
            plain = known[2]
            return ReadResult(plain.end, plain.state, plain.reach, fenced=[*plain.fenced])
        segment = read_segment(passage.text, context, markdown=passage.markdown)
        is_plain = passage.role == "system" and not (segment.calls or segment.problems or segment.quoted)
        if is_plain and len(passage.text) <= _MAX_PROMPT_LENGTH:
            kept = ReadResult(segment.end, segment.state, segment.reach, fenced=[*segment.fenced])
            prompts.keep(key, (ref(context.tools), self.settings, kept), len(passage.text))
        return segment


def _declares(text: str) -> bool:
    """Return whether a text of JSON may declare tools in its strings."""
    if not may_declare_in_data(text.encode("utf-8", "surrogatepass")):
        return False
    try:
        return declares_in_value(json.loads(text))
    except (ValueError, RecursionError):
        return True


def _declaring_texts(record: Record) -> Iterator[tuple[str, Projection]]:
    """Yield the texts of a record that may declare tools; replies of models and results of tools declare none."""
    for passage in record.passages:
        is_first = passage.version is None or passage.version.fresh is None
        if passage.calls is None and passage.role not in ("assistant", "tool") and is_first:
            yield passage.text, passage.projection
