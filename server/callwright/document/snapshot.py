"""Snapshots: a document, its settings and its calls at one moment, kept in step with edits block by block.

Owns: `Snapshot`, `Block`, `PlacedCall`, `Summary`. Must not know: rules, protocols, files.

A document is a sequence of blocks with positions relative to their start. A block's reading depends on its text, on the
state it begins with, and on what its `reach` covers; so an edit re-reads from the first block whose reach it touches up
to the first old block that begins at the same character in the same state.
"""

from __future__ import annotations

import json
import marshal
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import count, pairwise
from typing import TYPE_CHECKING, Any, Final
from weakref import ref

from callwright.calls.own_text import refer_to
from callwright.declarations.own_tools import OwnTools
from callwright.declarations.reading import declares_in_value, marks_in_data, may_declare_in_data
from callwright.document.block_runs import Blocks, Run, Shelf
from callwright.document.documented_names import DocumentedNames
from callwright.document.reader import START, FoundCall, ReaderState, Stretch, read_context, read_stretch
from callwright.document.sessions import settings_of
from callwright.document.versions import settle
from callwright.hosts.base import Embedded, FlowHost, Host, HostContext, Passage, Record, RecordHost, TranscriptPart
from callwright.hosts.catalogue import HEAD, LONGEST_LINE, NEXT_LINE, choose_host, head_of
from callwright.schema.binding import Binding, bind
from callwright.templates.catalogue import NONE, choose_template, find_template, is_switched_off
from callwright.templates.support.undeclared import MAY_HOLD, UNDECLARED
from callwright.templates.support.versions import Layout, layout_of
from callwright.text.budget import UNLIMITED, Budget, breathe, is_divided
from callwright.text.document import TextDocument
from callwright.text.holes import HOLE
from callwright.text.keeping import Kept
from callwright.text.projection import Composed, Identity, Projection
from callwright.text.span import Edit, Span, apply_edits
from callwright.tools.registry import EMPTY, ToolRegistry
from callwright.transcripts.catalogue import find_shape

if TYPE_CHECKING:
    from callwright.calls.model import ToolCall
    from callwright.calls.protocol import ReadContext, ToolNames
    from callwright.document.patched import Before
    from callwright.document.settings import Settings
    from callwright.syntax.json_views import JsonView
    from callwright.syntax.problem import Problem

_HOLES: Final = re.compile(f"{HOLE}++")
#: From so many edits on, those of a fixer, they are made in one go.
_MANY_EDITS: Final = 32
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


@dataclass(slots=True)
class ReadPassage:
    """A passage with what was read in it; `passage.projection` maps to the block.

    `registry` holds the tools that its transcript brings along, None where the project's are meant. It is empty for a
    call that the provider itself carries out.
    """

    passage: Passage
    calls: list[FoundCall]
    problems: list[Problem]
    registry: ToolRegistry | None = None
    bindings: dict[int, Binding] = field(default_factory=dict)
    peers: tuple[ToolCall, ...] = ()

    def __post_init__(self) -> None:
        self.peers = tuple(found.call for found in self.calls)


@dataclass(frozen=True, slots=True)
class Summary:
    """What document rules may know of a block: how many calls, of which tools, in which dialects."""

    calls: int = 0
    tools: Counter[str] = field(default_factory=Counter)
    dialects: Counter[str] = field(default_factory=Counter)

    def merge(self, other: Summary) -> Summary:
        """Return the summary of both blocks together; the order does not matter."""
        return Summary(self.calls + other.calls, self.tools + other.tools, self.dialects + other.dialects)


@dataclass(slots=True)
class Block:
    """A stretch of a document that was read at once.

    `length` is in code points; `reach` counts from the block's start and may lie behind its end. `brought` are the
    definitions of tools that an entry of a log brings to the whole log, `log` the tools that calls of a log were given
    from there. `fenced` lists where fences open and close in it, each with how many are open from there on. `embedded`
    are the whole documents that it holds, in its own offsets. `cache` belongs to whoever checks the block. `value` is
    the whole of a transcript in JSON, None elsewhere.
    """

    length: int
    state: ReaderState
    after: ReaderState
    reach: int
    passages: list[ReadPassage]
    problems: Sequence[Problem] = ()
    transcripts: Sequence[TranscriptPart] = ()
    brought: Any = None
    log: ToolRegistry | None = None
    fenced: Sequence[tuple[int, int]] = ()
    embedded: Sequence[Embedded] = ()
    cache: dict[str, Any] = field(default_factory=dict)
    value: JsonView | None = None

    @property
    def faultless(self) -> bool:
        """Whether it is known that nothing is to be said about it but its `problems` and what is said of `doubtful`."""
        return False

    @property
    def is_patched(self) -> bool:
        """Whether it is put together of what was read before and of parts that were read again."""
        return False

    @property
    def doubtful(self) -> Sequence[tuple[int, Block]]:
        """The parts that are to be looked at in place of the whole, each with its place."""
        return ()

    @property
    def summary(self) -> Summary:
        """The block's summary."""
        found = [entry.call for read in self.passages for entry in read.calls]
        return Summary(
            len(found),
            Counter(call.tool for call in found if call.tool is not None),
            Counter(call.dialect for call in found),
        )


@dataclass(frozen=True, slots=True)
class PlacedCall:
    """A call with its passage and the place of its block in the document."""

    found: FoundCall
    read: ReadPassage
    start: int
    snapshot: Snapshot

    @property
    def call(self) -> ToolCall:
        """The call; its spans are offsets of the passage's text."""
        return self.found.call

    @property
    def passage(self) -> Passage:
        """The passage, with a projection onto the document."""
        return placed_passage(self.read.passage, self.start)

    @property
    def binding(self) -> Binding:
        """The call bound to its tool; kept with the block."""
        return binding_of(self.read, self.found, self.snapshot.registry, self.snapshot.settings)

    @property
    def span(self) -> Span:
        """The call's span in the document."""
        return self.raw_span(self.call.span)

    @property
    def written_tool(self) -> str | None:
        """The tool's name as the document has it: template expressions in it are their own text."""
        tool = self.call.tool
        return tool if tool is None or HOLE not in tool else self._with_code(tool, self.call.tool_span)

    @property
    def written_arguments(self) -> Any:
        """The arguments with each template expression as its own text; `…` where that is not known."""
        arguments = self.binding.arguments
        start, end = self.call.span
        if self.read.passage.text.find(HOLE, start, end) < 0:
            return arguments
        return self._with_codes(arguments, ())

    def _with_codes(self, value: Any, path: tuple[str | int, ...]) -> Any:
        if isinstance(value, dict):
            return {
                self._with_code(name, self.binding.key_span_of((*path, name))): self._with_codes(one, (*path, name))
                for name, one in value.items()
            }
        if isinstance(value, list):
            return [self._with_codes(one, (*path, index)) for index, one in enumerate(value)]
        if isinstance(value, str):
            return self._with_code(value, self.binding.span_of(path)) if HOLE in value else value
        if value is None:
            # What stands for a whole value has no type.
            span = self.binding.span_of(path)
            if _HOLES.fullmatch(self.read.passage.text, *span):
                return self.snapshot.document.slice(*self.raw_span(span))
        return value

    def _with_code(self, value: str, place: Span | None) -> str:
        """Return a text that is written at `place` with the expressions in it."""
        if HOLE not in value:
            return value
        runs = [] if place is None else [Span(*run.span()) for run in _HOLES.finditer(self.read.passage.text, *place)]
        known = [len(run) for run in _HOLES.findall(value)] == [run.end - run.start for run in runs]
        codes = iter([self.snapshot.document.slice(*self.raw_span(run)) for run in runs] if known else ())
        return _HOLES.sub(lambda _: next(codes, "…"), value)

    def raw_span(self, span: Span) -> Span:
        """Return a span of the passage as a span of the document."""
        return self.read.passage.projection.raw_span(span).shift(self.start)


def placed_passage(passage: Passage, start: int) -> Passage:
    """Return a block's passage as one of the document: the block begins at offset `start`."""
    return replace(passage, projection=shifted(passage.projection, start))


def shifted(projection: Any, by: int) -> Any:
    """Return a block's projection as one of the document: the block begins at offset `by`."""
    return Composed(Identity(by, 1 << 62), projection) if by else projection


def binding_of(read: ReadPassage, found: FoundCall, registry: ToolRegistry, settings: Settings) -> Binding:
    """Return a call's binding, made on first use and kept with its passage."""
    key = id(found)
    binding = read.bindings.get(key)
    tools = registry if read.registry is None else read.registry
    if binding is None or (binding.registry is not tools and tools.declared):
        # A declaration may say something else of the same tool now, in words that nothing is judged by.
        breathe()
        binding = bind(found.call, read.passage.text, tools, settings, fence=found.fence, peers=read.peers)
        read.bindings[key] = binding
    return binding


#: The registries of definitions that transcripts bring along: many transcripts bring the same.
_registries: Final[Kept[tuple[bytes, str | None], ToolRegistry]] = Kept(64, 4_000_000)
#: Prompts without calls, with the tools and settings under which they have none, and what was read instead.
_plain_prompts: Final[Kept[tuple[str, bool], tuple[ref[ToolNames], Settings, Stretch]]] = Kept(64, 4_000_000)


def registry_of(definitions: Any, settings: Settings) -> ToolRegistry:
    """Return the tools of definitions that a transcript brings along; of equal ones mostly the same registry.

    None come of what is no list or object.
    """
    if not isinstance(definitions, list | dict):
        return EMPTY
    key = (marshal.dumps(definitions, 2), settings.markup)
    known = _registries.get(key)
    if known is None:
        found = ToolRegistry.of(definitions).with_markup(settings.markup)
        # A definition that is not understood may be that of any tool.
        known = found.opened() if found.problems else found
        _registries.keep(key, known, len(key[0]))
    return known


@dataclass(frozen=True, slots=True)
class LogTools:
    """The tools that the entries of a log bring along: the definitions, each once, and the registry of them all.

    A log lists its tools in one entry and calls them in others, so these are no entry's own. Invariant: equal
    definitions have the same registry from one snapshot to the next.
    """

    keys: tuple[bytes, ...] = ()
    registry: ToolRegistry | None = None

    def of(self, blocks: Blocks, settings: Settings) -> LogTools:
        """Return what the blocks bring along: these very tools where they are the same."""
        found: dict[bytes, Any] = {}
        for run in blocks.runs:
            for key, definitions in run.known("brought", _brought_in):
                found.setdefault(key, definitions)
        if tuple(found) == self.keys:
            return self
        registries = [registry_of(definitions, settings) for definitions in found.values()]
        tools = [tool for registry in registries for tool in registry]
        problems = [problem for registry in registries for problem in registry.problems]
        closed = all(registry.closed for registry in registries)
        return LogTools(tuple(found), ToolRegistry(tools, closed=closed, problems=problems) or None)

    def given(self, blocks: Blocks) -> Blocks:
        """Return the blocks with these tools given to the calls of a log."""
        runs = [self._given_in(run) for run in blocks.runs]
        return blocks if runs == [*blocks.runs] else Blocks(tuple(runs))

    def _given_in(self, run: Run) -> Run:
        known: tuple[ToolRegistry | None] | None = run.kept.get("log")
        if known is not None and known[0] is self.registry:
            return run
        given: list[Block] = []
        changed = False
        for block in run.blocks:
            own = block if block.log is self.registry else self._given(block)
            changed = changed or own is not block
            given.append(own)
        run = Run(tuple(given)) if changed else run
        run.kept["log"] = (self.registry,)
        return run

    def _given(self, block: Block) -> Block:
        breathe()
        turns = {id(turn) for part in block.transcripts if not part.whole for turn in part.turns}
        if not turns:
            return block
        passages = [
            replace(read, registry=self.registry, bindings={})
            if read.passage.calls is not None and id(read.passage.turn) in turns and read.registry is not EMPTY
            else read
            for read in block.passages
        ]
        return replace(block, passages=passages, log=self.registry, cache={})


def _brought_in(run: Run) -> Sequence[tuple[bytes, Any]]:
    """Return the definitions that blocks bring to a log, each once, with what tells them from others."""
    found: dict[bytes, Any] = {}
    for block in run.blocks:
        if block.brought is not None:
            breathe()
            key: bytes | None = block.cache.get("brought")
            if key is None:
                block.cache["brought"] = key = marshal.dumps(block.brought, 2)
            found.setdefault(key, block.brought)
    return tuple(found.items())


def _shapes_in(run: Run) -> tuple[Sequence[str], Sequence[str]]:
    """Return the shapes that some blocks' transcripts are of, those that are certain and all of them."""
    parts = [part for block in run.blocks for part in block.transcripts]
    certain = dict.fromkeys(part.shape for part in parts if part.certain or part.whole)
    return tuple(certain), tuple(dict.fromkeys(part.shape for part in parts))


def _has_transcripts(run: Run) -> bool:
    return any(block.transcripts for block in run.blocks)


class Snapshot:
    """A document at one moment: its text, the project it is read under, and its calls. Immutable.

    Offsets are code points of the raw document. `boundary` is the folder above which a configuration may name nothing,
    None for the folder that it lies in. `given` are the project's settings, `settings` those with what the document
    itself says of how it is read, which a session of the runtime does.
    """

    def __init__(
        self,
        document: TextDocument,
        blocks: Sequence[Block],
        *,
        uri: str,
        path: str | None,
        host: Host,
        registry: ToolRegistry,
        settings: Settings,
        version: int,
        wanted: tuple[str | None, Host | None] = (None, None),
        log_tools: LogTools | None = None,
        template: str | None = None,
        boundary: str | None = None,
        documented: DocumentedNames | None = None,
        own_tools: OwnTools | None = None,
    ) -> None:
        self.document = document
        #: The names that the document documents: evidence for what a tag is that names no tool.
        self.documented = documented or DocumentedNames(document, registry.elsewhere)
        self.blocks = Blocks.of(blocks)
        self.uri = uri
        self.path = path
        self.host = host
        self.given = settings
        self.settings = settings = settings_of(_head(document), settings)
        self.is_session = settings is not self.given
        #: What the project has: the tools in force, or those that are merely on offer.
        self.project_tools = registry
        #: The tools that the document declares itself, which are in force where the project has none.
        self.own_tools = own_tools or OwnTools(file=path or uri)
        self.registry = self._tools_in_force()
        self.version = version
        self.wanted = wanted
        self.template = template
        self.boundary = boundary
        self.log_tools = log_tools or LogTools()
        #: Kept by hand: nothing may give way to other work inside of a `cached_property`.
        self._undeclared: str | None = None
        #: What others have found out about this very document, by their own words.
        self.kept: dict[str, Any] = {}
        #: What was read before the latest edits, where an edit leaves most of it as it was.
        self.before: Before | None = None

    @classmethod
    def open(
        cls,
        document: TextDocument,
        *,
        uri: str,
        registry: ToolRegistry,
        settings: Settings,
        path: str | None = None,
        language: str | None = None,
        host: Host | None = None,
        version: int = 0,
        boundary: str | None = None,
        budget: Budget | None = UNLIMITED,
        documented: DocumentedNames | None = None,
    ) -> Snapshot:
        """Return the snapshot of a whole document; the host is chosen by language or file name unless it is given.

        `documented` are the names that are evidence that a tag is a call, None for those that the text documents.

        With no `budget` at all nothing is read: the blocks are to be taken from elsewhere.
        """
        snapshot = cls(
            document,
            [],
            uri=uri,
            path=path,
            host=host or choose_host(path, language, _kind(document)),
            registry=registry,
            settings=settings,
            version=version,
            wanted=(language, host),
            boundary=boundary,
            documented=documented,
        )
        snapshot.template = snapshot.chosen_template()
        snapshot.declare()
        if budget is not None:
            snapshot.take(BlockReading(snapshot, budget).blocks(0, START))
        return snapshot

    @property
    def offered(self) -> ToolRegistry:
        """The tools that completion offers: those in force, else the ones that are merely on offer."""
        return self.registry or self.project_tools

    @property
    def may_declare(self) -> bool:
        """Whether the tools that the document declares are in force: the project has none, and it is no reply."""
        return not self.project_tools.in_force and self.settings.placeholders and self.documented.evidence is not None

    @property
    def is_of_rows(self) -> bool:
        """Whether the document is many records, each of which is a text of its own."""
        return isinstance(self.host, RecordHost) and type(self.host).cut is not RecordHost.cut

    @property
    def is_own(self) -> bool:
        """Whether the tools in force are those that the document declares."""
        return self.own_tools.registry is not None and self.may_declare

    def declare(self, own_tools: OwnTools | None = None) -> None:
        """Take the tools that a document of one text declares, `own_tools` where they are known."""
        if own_tools is None and self.host.flow and self.may_declare:
            own_tools = OwnTools.of(self.document.text(), self.path or self.uri)
        if own_tools is not None:
            same = own_tools.registry is self.own_tools.registry
            self.own_tools = own_tools
            if not same:
                self.registry = self._tools_in_force()

    def _tools_in_force(self) -> ToolRegistry:
        project = self.project_tools.in_force
        own = self.own_tools.registry
        if own is None or not self.may_declare:
            return project.with_markup(self.settings.markup)
        own = own if project.elsewhere is None else own.beside(project.elsewhere)
        return own.with_markup(self.settings.markup)

    def edit(self, edits: Sequence[Edit], version: int | None = None, *, budget: Budget = UNLIMITED) -> Snapshot:
        """Return the snapshot after `edits`, applied one after another, each in offsets of the text before it.

        Raises ValueError where an edit lies outside the text.
        """
        after, (low, high, delta) = self.edited(edits, version)
        stale = after.stale_since(self)
        if stale is None:
            after.take(BlockReading(after, budget).blocks(0, START))
            return after
        blocks = self.blocks
        if not edits:
            after.blocks = blocks
            return after
        first = min(blocks.index_reaching(low), max(len(blocks) - 1, 0))
        behind = max(first, blocks.index_from(high - delta))
        before = Shelf(0, blocks.until(first))
        kept = [Shelf(blocks.start(behind) + delta, blocks.since(behind))]
        if stale:
            kept = [*stale.without(before), *stale.without(kept[0])]
            before = kept.pop(0) if kept and not kept[0].place and kept[0].end <= before.end else Shelf(0, Blocks())
        state = before.blocks[-1].after if before.blocks else START
        reading = BlockReading(after, budget)
        after.take(Blocks.joined((before.blocks, reading.blocks(before.end, state, kept))))
        return after

    def edited(self, edits: Sequence[Edit], version: int | None = None) -> tuple[Snapshot, tuple[int, int, int]]:
        """Return the snapshot after `edits` as `edit` does, without blocks, and where they changed the text.

        That is the first offset that they touched, the end of what they touched in the new text, and by how much the
        text has grown. Raises ValueError where an edit lies outside the text.
        """
        document = self.document
        low, high, delta = len(document), 0, 0
        for span, text in _joined(document, edits):
            document = document.replace(span, text)
            grown = len(text) - (span.end - span.start)
            low = min(low, span.start)
            high = max(high, span.end) + grown
            delta += grown
        documented = self.documented.edited(document, low, max(high, low), delta)
        number = self.version + 1 if version is None else version
        after = self._with(document=document, version=number, documented=documented)
        if self.host.flow and self.may_declare:
            after.declare(self.own_tools.edited(document, low, max(high, low), delta))
        language, host = self.wanted
        if low <= HEAD or low <= len(_kind(self.document)):
            # What the text begins with says what kind of document it is, and now it may say something else.
            after.host = host or choose_host(self.path, language, _kind(document))
            after.template = after.chosen_template()
        if after.host is self.host and after.settings is self.settings:
            after.before = self._changed(low, high, delta)
        return after, (low, high, delta)

    def stale_since(self, before: Snapshot) -> Stale | None:
        """Return which text that an edit left alone may be read otherwise than in the snapshot before it; None where
        all of it may be."""
        if self.kind_of_text != before.kind_of_text or self.settings is not before.settings:
            return None
        documented = self.documented.changed_since(before.documented)
        if self.registry is before.registry:
            return Stale(self.document, documented) if documented else NONE_STALE
        if not (self.is_own and before.is_own):
            return None
        changed = self.own_tools.changed(before.own_tools)
        if not changed:
            return Stale(self.document, documented) if documented else NONE_STALE
        others = self.registry.answers_changed_since(before.registry)
        if others is None:
            return None
        words = documented | changed | others
        return Stale(self.document, words, names=self.registry.names != before.registry.names)

    def _changed(self, low: int, high: int, delta: int) -> Before | None:
        """Return what was read of a document that is one block, and where edits change it; None for any other."""
        if self.is_session or self.is_own or not isinstance(self.host, RecordHost) or not self.host.defers:
            return None
        from callwright.document.patched import change_of

        known = change_of(self.blocks[0], low, high, delta) if len(self.blocks) == 1 else None
        return known if known is not None or self.before is None else self.before.then(low, high, delta)

    def with_project(self, registry: ToolRegistry, settings: Settings, *, budget: Budget = UNLIMITED) -> Snapshot:
        """Return the same document read under other tools or settings."""
        after = self.unread_with(registry, settings)
        after.take(BlockReading(after, budget).blocks(0, START))
        return after

    def unread_with(self, registry: ToolRegistry, settings: Settings) -> Snapshot:
        """Return what `with_project` does, without blocks: they are to be read."""
        documented = self.documented.beside(registry.elsewhere)
        after = self._with(registry=registry, settings=settings, log_tools=None, documented=documented)
        after.template = after.chosen_template()
        if after.may_declare and not self.may_declare:
            after.declare()
        return after

    def with_blocks(self, blocks: Sequence[Block]) -> Snapshot:
        """Return the same document with other blocks, which tile its text."""
        after = self._with()
        after.template = self.template
        after.blocks = Blocks.of(blocks)
        return after

    def take(self, blocks: Sequence[Block]) -> None:
        """Take blocks that were read, and give the calls in entries of a log the tools that the log brings along."""
        read = Blocks.of(blocks)
        self.log_tools = self.log_tools.of(read, self.settings)
        self.blocks = self.log_tools.given(read)

    def _with(self, **changes: Any) -> Snapshot:
        values: dict[str, Any] = {
            "uri": self.uri,
            "path": self.path,
            "host": self.host,
            "registry": self.project_tools,
            "own_tools": self.own_tools,
            "settings": self.given,
            "version": self.version,
            "wanted": self.wanted,
            "template": self.template,
            "boundary": self.boundary,
            "log_tools": self.log_tools,
            "documented": self.documented,
        }
        document = changes.pop("document", self.document)
        after = Snapshot(document, [], **{**values, **changes})
        if after.settings == self.settings:
            # What is kept with the blocks is kept for these very settings.
            after.settings = self.settings
        if after.project_tools is self.project_tools and after.settings is self.settings:
            after.registry = self.registry
        return after

    def part(self, block: Block, start: int) -> Snapshot:
        """Return a snapshot of what `block` covers, which begins at `start`, as if it stood alone."""
        return Snapshot(
            TextDocument.from_text(self.document.slice(start, start + block.length)),
            [block],
            uri=self.uri,
            path=self.path,
            host=self.host,
            registry=self.project_tools,
            settings=self.settings,
            version=self.version,
            wanted=self.wanted,
            boundary=self.boundary,
            documented=self.documented,
            own_tools=self.own_tools,
        )

    def chosen_template(self) -> str | None:
        """Return the template language that the text is written in, None for none."""
        own = self.host.template
        return choose_template(self.path, self.wanted[0], _head(self.document), self.settings.template, own)

    @property
    def texts_template(self) -> str | None:
        """The template language that hosts read texts in: `none` where an author says so, `undeclared` where only the
        texts may say it, None where what looks like an expression is what a model wrote."""
        if self.template is not None:
            return self.template
        if self._undeclared is None:
            off = is_switched_off(_head(self.document), self.settings.template)
            self._undeclared = NONE if off else UNDECLARED.name
        return self._undeclared if self.settings.placeholders or self._undeclared == NONE else None

    @property
    def kind_of_text(self) -> tuple[Host, str | None]:
        """What every block's reading depends on beside its text."""
        return (self.host, self.texts_template)

    @cached_property
    def starts(self) -> list[int]:
        """The offset at which each block begins."""
        return self.blocks.starts()

    @property
    def has_transcripts(self) -> bool:
        """Whether a conversation stands in it, or a part of one."""
        for run in self.blocks.runs:  # noqa: SIM110 - asked of each line of a large file
            if run.known("has transcripts", _has_transcripts):
                return True
        return False

    @cached_property
    def kind(self) -> str:
        """What kind of document this is, as a person is told: its host, template language and transcripts' shapes."""
        language = find_template(self.template) if self.template is not None else None
        title = self.host.title if language is None else f"{self.host.title} in {language.title}"
        found = [run.known("shapes", _shapes_in) for run in self.blocks.runs]
        # In a log, a message of plain text is of the shape that the others around it have.
        names = dict.fromkeys(name for certain, _ in found for name in certain)
        names = names or dict.fromkeys(name for _, all_of_them in found for name in all_of_them)
        shapes = [shape.title for name in names if (shape := find_shape(name)) is not None]
        return ", ".join([title, *shapes])

    @property
    def summary(self) -> Summary:
        """The summaries of all blocks, merged."""
        total = Summary()
        for block in self.blocks:
            total = total.merge(block.summary)
        return total

    def placed_calls(self) -> Iterator[PlacedCall]:
        """Yield the calls of the document in the order of its text."""
        for start, block in zip(self.starts, self.blocks, strict=True):
            yield from self.calls_of(block, start)

    def calls_of(self, block: Block, start: int) -> Iterator[PlacedCall]:
        """Yield the calls of a block that begins at `start`, in the order of its text."""
        breathe()
        found = [PlacedCall(entry, read, start, self) for read in block.passages for entry in read.calls]
        yield from sorted(found, key=lambda placed: placed.span) if len(block.passages) > 1 else found

    def block_at(self, offset: int) -> tuple[Block, int] | None:
        """Return the block that holds `offset` and where it begins; the last one for the end of the document."""
        if not self.blocks:
            return None
        index = self.blocks.index_at(offset)
        return self.blocks[index], self.blocks.start(index)

    def passage_at(self, offset: int) -> Passage | None:
        """Return the innermost passage of text around `offset`, with a projection onto the document."""
        place = self.block_at(offset)
        if place is None:
            return None
        block, start = place
        best: Passage | None = None
        for read in block.passages:
            if read.passage.calls is not None or read.passage.projection.to_decoded(offset - start) is None:
                continue
            if best is None or len(read.passage.text) <= len(best.text):
                best = read.passage
        if best is None:
            return None
        return placed_passage(best, start)


@dataclass(frozen=True, slots=True)
class Stale:
    """What of a text is read otherwise since its own tools are others: what reaches one of `words`, and, where the
    `names` of tools are others, what something is said about: it may list them.
    """

    document: TextDocument
    words: frozenset[str] = frozenset()
    names: bool = False

    def __bool__(self) -> bool:
        return bool(self.words) or self.names

    def without(self, shelf: Shelf) -> list[Shelf]:
        """Return the blocks of a shelf that are read as they were."""
        return shelf.kept_where(self._is_same, self._places)

    @property
    def _places(self) -> Sequence[int]:
        text = self.document.text()
        found: list[int] = []
        for word in self.words:
            at = text.find(word)
            while at >= 0:
                found.append(at)
                at = text.find(word, at + 1)
        return sorted(found)

    def _is_same(self, block: Block) -> bool:
        return not self.names or block.cache.get("diagnostics") == []


NONE_STALE: Final = Stale(TextDocument.from_text(""))


def _head(document: TextDocument) -> str:
    return document.slice(0, min(HEAD, len(document)))


def _kind(document: TextDocument) -> str:
    """Return the beginning of a document that says what kind of document it is."""
    first = document.line_start(1) if document.line_count > 1 else len(document)
    return head_of(document.slice(0, min(max(HEAD, min(first + NEXT_LINE, LONGEST_LINE)), len(document))))


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
        if may_defer and not (self.snapshot.may_declare and _declares(own)):
            # Only a large document pays for what tells so. The verdict comes in one piece, and what is read late is
            # read at once, whoever asks.
            from callwright.document.deferred import DeferredBlock, outlook

            seen = outlook(own, self.registry, self.settings)
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
        if not self.snapshot.may_declare or not record.passages:
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


def read_passages(passage: Passage, stretch: Stretch, registry: ToolRegistry | None = None) -> Iterator[ReadPassage]:
    """Yield a passage with its calls, then those of the quoted strings in it."""
    yield ReadPassage(passage, stretch.calls, stretch.problems, registry)
    for quoted in stretch.quoted:
        projection = Composed(passage.projection, quoted.projection)
        inner = replace(passage, text=quoted.projection.text, projection=projection, version=None)
        yield from read_passages(inner, quoted.stretch, registry)


def _joined(document: TextDocument, edits: Sequence[Edit]) -> Sequence[Edit]:
    """Return edits that change a document as the given ones do: one, where there are many from its end to its start.

    Each edit copies the line that it changes, and a line may hold all of them.
    """
    if len(edits) < _MANY_EDITS or any(one.span.start < other.span.end for one, other in pairwise(edits)):
        return edits
    start, end = edits[-1].span.start, edits[0].span.end
    moved = [Edit(span.shift(-start), text) for span, text in reversed(edits)]
    return (Edit(Span(start, end), apply_edits(document.slice(start, end), moved)),)
