"""Snapshots: a document, its settings and its calls at one moment, updated by edits block by block.

Owns: `Origin`, `Snapshot`, what an edit leaves as it was read. Must not know: rules, protocols, files.

A document is a sequence of blocks with positions relative to their start. What is read in a block depends on its text,
on the state it begins with, and on the text up to its `reach`; so an edit re-reads from the first block whose reach it
touches up to the first old block that begins at the same character in the same state.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from callwright.declarations.own_tools import OwnTools
from callwright.declarations.reading import may_declare
from callwright.document.block_reading import BlockReading
from callwright.document.block_runs import Blocks, Growing, ReusableTail, Run, Waiting
from callwright.document.blocks import DIAGNOSTICS, Block, PlacedCall, placed_passage
from callwright.document.documented_names import DocumentedNames
from callwright.document.log_tools import LogTools
from callwright.document.memo import Memo
from callwright.document.sessions import settings_of
from callwright.hosts.base import Host, Passage, RecordHost
from callwright.hosts.catalogue import HEAD, MAX_LINE_LENGTH, NEXT_LINE, choose_host, head_of
from callwright.templates.catalogue import NONE, choose_template, find_template, is_switched_off
from callwright.templates.support.undeclared import UNDECLARED
from callwright.text.budget import UNLIMITED, Budget, yield_point
from callwright.text.document import TextDocument
from callwright.text.facts import Facts, derived
from callwright.text.projection import Identity
from callwright.text.records import NamedTuple, dataclass, field
from callwright.text.span import Edit, Span, apply_edits

if TYPE_CHECKING:
    from callwright.document.contents import Triage
    from callwright.document.patched import Before
    from callwright.document.settings import Settings
    from callwright.tools.registry import ToolRegistry

#: From this many edits on, as a fixer makes them, they are applied together.
_MANY_EDITS: Final = 32


@derived
def _shapes_in(run: Run) -> tuple[Sequence[str], Sequence[str]]:
    """Return the shapes that some blocks' transcripts are of, those that are certain and all of them."""
    parts = [part for block in run.blocks for part in block.transcripts]
    certain = dict.fromkeys(part.shape for part in parts if part.certain or part.whole)
    return tuple(certain), tuple(dict.fromkeys(part.shape for part in parts))


@derived
def _has_transcripts(run: Run) -> bool:
    return any(block.transcripts for block in run.blocks)


@dataclass(frozen=True, slots=True)
class Origin:
    """How a document is opened: its names, and what is known of its kind besides its text.

    `language` and `host` come from an editor or a command, None where the name and the text decide. `boundary` is the
    folder above which a configuration may name nothing, None for the folder that it is in. `triage` finds the parts of
    a long record that may have diagnostics; without it, every record is read in full. `memo` is the cache of reading,
    one for all documents of a server.
    """

    uri: str
    path: str | None = None
    language: str | None = None
    host: Host | None = None
    boundary: str | None = None
    triage: Triage | None = None
    memo: Memo = field(default_factory=Memo)


class Known(NamedTuple):
    """What a document shows of itself besides its calls, as far as it is known from before."""

    template: str | None = None
    documented: DocumentedNames | None = None
    own_tools: OwnTools | None = None
    log_tools: LogTools | None = None


class Left(NamedTuple):
    """The snapshot `after` an edit, and what the edit leaves as it was read: the blocks that it begins with, those that
    wait where they would begin now, and those that cannot be reused."""

    after: Snapshot
    known: Blocks = Blocks()
    waiting: Sequence[ReusableTail] = ()
    gone: Sequence[Block] = ()


class Snapshot:
    """A document at one moment: its text, the project it is read under, and its calls. Immutable.

    Offsets are code points of the raw document. `given` are the project's settings, `settings` the same with those that
    the document sets itself, as a session of the runtime does.
    """

    def __init__(
        self,
        document: TextDocument,
        blocks: Sequence[Block],
        origin: Origin,
        *,
        host: Host,
        registry: ToolRegistry,
        settings: Settings,
        version: int = 0,
        known: Known = Known(),  # noqa: B008 - it cannot be changed
    ) -> None:
        self.document = document
        #: The names that the document documents: evidence for what a tag is that does not name a tool.
        self.documented = known.documented or DocumentedNames(document, registry.elsewhere)
        self.blocks = Blocks.of(blocks)
        self.origin = origin
        self.host = host
        self.given = settings
        self.settings = settings = settings_of(_head(document), settings)
        self.is_session = settings is not self.given
        #: The project's tools: those in force, or those that are only offered.
        self.project_tools = registry
        #: The tools that the document declares; they are in force where the project has none.
        self.own_tools = known.own_tools or OwnTools(file=origin.path or origin.uri)
        self.registry = self._tools_in_force()
        self.version = version
        self.template = known.template
        self.log_tools = known.log_tools or LogTools()
        #: Set by hand: nothing may yield to other work inside a `cached_property`.
        self._undeclared: str | None = None
        #: The facts derived of this very document.
        self.facts: Facts = {}
        #: Whether it is of conversations, once that was asked for; set from outside where it is a part of a document.
        self.of_conversations: bool | None = None
        #: What was read before the latest edits, where an edit keeps most of it.
        self.before: Before | None = None

    @classmethod
    def open(
        cls,
        document: TextDocument,
        origin: Origin,
        *,
        registry: ToolRegistry,
        settings: Settings,
        version: int = 0,
        budget: Budget | None = UNLIMITED,
        documented: DocumentedNames | None = None,
    ) -> Snapshot:
        """Return the snapshot of a whole document; language or file name choose the host unless it is given.

        `documented` are the names that are evidence that a tag is a call, None for those that the text documents.

        Without a `budget` nothing is read: the blocks are taken from elsewhere.
        """
        snapshot = cls(
            document,
            [],
            origin,
            host=origin.host or choose_host(origin.path, origin.language, _kind(document)),
            registry=registry,
            settings=settings,
            version=version,
            known=Known(documented=documented),
        )
        snapshot.template = snapshot.chosen_template()
        snapshot.declare()
        if budget is not None:
            snapshot.take(BlockReading(snapshot, budget).blocks())
        return snapshot

    @property
    def uri(self) -> str:
        """The document's name in a protocol."""
        return self.origin.uri

    @property
    def path(self) -> str | None:
        """The document's file, None where it has none."""
        return self.origin.path

    @property
    def offered(self) -> ToolRegistry:
        """The tools that completion offers: those in force, else those that are only offered."""
        return self.registry or self.project_tools

    @property
    def may_declare(self) -> bool:
        """Whether the tools that the document declares are in force: the project has none, and it is not a reply."""
        return not self.project_tools.in_force and self.settings.placeholders and self.documented.evidence is not None

    @property
    def is_of_rows(self) -> bool:
        """Whether the document is many records, each of which is a text of its own."""
        return isinstance(self.host, RecordHost) and type(self.host).cut is not RecordHost.cut

    @property
    def is_of_conversations(self) -> bool:
        """Whether the document is rows of JSON that contain conversations, not one value laid out over its lines."""
        if self.of_conversations is None:
            from callwright.syntax.json_rows import begins_with_row

            self.of_conversations = begins_with_row(self.document.lines()) and self.has_transcripts
        return self.of_conversations

    @property
    def is_of_turns(self) -> bool:
        """Whether the document is a log of which each record is a turn, so that its prompts apply to all of it."""
        return isinstance(self.host, RecordHost) and type(self.host).prompts is not RecordHost.prompts

    @property
    def is_own(self) -> bool:
        """Whether the tools in force are those that the document declares."""
        return self.own_tools.registry is not None and self.may_declare

    def declare(self, own_tools: OwnTools | None = None) -> None:
        """Put the tools in force that a document of one text declares, `own_tools` where they are known."""
        if own_tools is None and self.host.flow and self.may_declare:
            own_tools = OwnTools.of(self.document.text(), self.path or self.uri)
        elif own_tools is None and self.may_declare:
            own_tools = self._reported_in_prompts()
        if own_tools is not None:
            same = own_tools.registry is self.own_tools.registry
            self.own_tools = own_tools
            if not same:
                self.registry = self._tools_in_force()

    def _reported_in_prompts(self) -> OwnTools | None:
        """Return the tools that the prompts of a log declare, None where each record is a text of its own."""
        assert isinstance(self.host, RecordHost), "a text that flows is one prompt"
        if not self.is_of_turns:
            return None
        text = self.document.text()
        spans = (self.host.prompts(text) or ()) if may_declare(text) else ()
        return self.own_tools.with_parts((span.of(text), Identity(span.start, span.end - span.start)) for span in spans)

    def _tools_in_force(self) -> ToolRegistry:
        project = self.project_tools.in_force
        own = self.own_tools.registry
        if own is None or not self.may_declare:
            return project.with_markup(self.settings.markup)
        own = own if project.elsewhere is None else own.beside(project.elsewhere)
        return own.with_markup(self.settings.markup)

    def edit(self, edits: Sequence[Edit], version: int | None = None) -> Snapshot:
        """Return the snapshot after `edits`, applied in order, each in offsets of the text before it.

        Raises ValueError where an edit is outside the text.
        """
        left = self.edited(edits, version, self.blocks)
        left.after.take(BlockReading(left.after).blocks(Growing(left.known), Waiting(left.waiting)))
        return left.after

    def edited(
        self, edits: Sequence[Edit], version: int | None, blocks: Blocks, waiting: Sequence[ReusableTail] = ()
    ) -> Left:
        """Return the snapshot after `edits` as `edit` does, but without blocks, and what remains of its `blocks` and of
        those that are `waiting`. Raises ValueError where an edit is outside the text."""
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
        after = self._with(document, documented=documented, version=number)
        if self.host.flow and self.may_declare:
            after.declare(self.own_tools.edited(document, low, max(high, low), delta))
        elif self.is_of_turns:
            after.declare()
        if low <= HEAD or low <= len(_kind(self.document)):
            # The beginning of the text decides what kind of document it is, and it may be another kind now.
            origin = self.origin
            after.host = origin.host or choose_host(origin.path, origin.language, _kind(document))
            after.template = after.chosen_template()
            if after.host is not self.host and (after.is_of_turns or self.is_of_turns):
                after.declare(OwnTools(file=self.own_tools.file))
                after.declare()
        if after.host is self.host and after.settings is self.settings:
            after.before = self._changed(low, high, delta)
        return _left(after, after.stale_since(self), (low, high, delta), blocks, waiting)

    def stale_since(self, before: Snapshot) -> Stale | None:
        """Return the text that may be read otherwise than in the snapshot before an edit, though the edit did not touch
        it; None where that may be all of it."""
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
        """Return the block of a document that is a single one, and where edits change it; None for any other."""
        if self.is_session or self.is_own or not isinstance(self.host, RecordHost) or not self.host.defers:
            return None
        from callwright.document.patched import change_of

        known = change_of(self.blocks[0], low, high, delta) if len(self.blocks) == 1 else None
        return known if known is not None or self.before is None else self.before.then(low, high, delta)

    def with_project(self, registry: ToolRegistry, settings: Settings, *, budget: Budget = UNLIMITED) -> Snapshot:
        """Return the same document read with other tools or settings."""
        after = self.unread_with(registry, settings)
        after.take(BlockReading(after, budget).blocks())
        return after

    def unread_with(self, registry: ToolRegistry, settings: Settings) -> Snapshot:
        """Return what `with_project` returns, without blocks: they have to be read."""
        documented = self.documented.beside(registry.elsewhere)
        after = self._with(project=(registry, settings), documented=documented)
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
        """Set the blocks that were read, and give the calls in entries of a log the tools that the log brings along."""
        self.facts.clear()
        read = Blocks.of(blocks)
        self.log_tools = self.log_tools.of(read, self.settings)
        self.blocks = self.log_tools.given(read)

    def _with(
        self,
        document: TextDocument | None = None,
        *,
        documented: DocumentedNames | None = None,
        project: tuple[ToolRegistry, Settings] | None = None,
        version: int | None = None,
    ) -> Snapshot:
        """Return a snapshot of the same origin without blocks, of another text or under another project."""
        registry, settings = project or (self.project_tools, self.given)
        after = Snapshot(
            self.document if document is None else document,
            [],
            self.origin,
            host=self.host,
            registry=registry,
            settings=settings,
            version=self.version if version is None else version,
            known=Known(
                self.template,
                self.documented if documented is None else documented,
                self.own_tools,
                self.log_tools if project is None else None,
            ),
        )
        if after.settings == self.settings:
            # What is cached with the blocks is only valid for these settings.
            after.settings = self.settings
        if after.project_tools is self.project_tools and after.settings is self.settings:
            after.registry = self.registry
        return after

    def part(self, block: Block, start: int) -> Snapshot:
        """Return a snapshot of what `block` covers, which begins at `start`, as if it were alone."""
        return Snapshot(
            TextDocument.from_text(self.document.slice(start, start + block.length)),
            [block],
            self.origin,
            host=self.host,
            registry=self.project_tools,
            settings=self.settings,
            version=self.version,
            known=Known(documented=self.documented, own_tools=self.own_tools),
        )

    def chosen_template(self) -> str | None:
        """Return the template language that the text is written in, None for none."""
        own = self.host.template
        return choose_template(self.path, self.origin.language, _head(self.document), self.settings.template, own)

    @property
    def texts_template(self) -> str | None:
        """The template language that hosts read texts in: `none` where the author has set it, `undeclared` where only
        the texts may declare it, None where what looks like an expression is what a model wrote."""
        if self.template is not None:
            return self.template
        if self._undeclared is None:
            off = is_switched_off(_head(self.document), self.settings.template)
            self._undeclared = NONE if off else UNDECLARED.name
        return self._undeclared if self.settings.placeholders or self._undeclared == NONE else None

    @property
    def kind_of_text(self) -> tuple[Host, str | None]:
        """What the reading of every block depends on besides its text."""
        return (self.host, self.texts_template)

    @cached_property
    def starts(self) -> list[int]:
        """The offset at which each block begins."""
        return self.blocks.starts()

    @property
    def is_log(self) -> bool:
        """Whether the conversation in it continues elsewhere: in the next line of a log, where it is one."""
        return any(not part.whole for block in self.blocks for part in block.transcripts)

    @property
    def has_transcripts(self) -> bool:
        """Whether it contains a conversation, or a part of one."""
        return any(map(_has_transcripts, self.blocks.runs))

    @cached_property
    def kind(self) -> str:
        """The kind of document in words: its host, template language and transcripts' shapes."""
        from callwright.transcripts.catalogue import find_shape

        language = find_template(self.template) if self.template is not None else None
        title = self.host.title if language is None else f"{self.host.title} in {language.title}"
        found = [_shapes_in(run) for run in self.blocks.runs]
        # In a log, a message of plain text is of the shape that the others around it have.
        names = dict.fromkeys(name for certain, _ in found for name in certain)
        names = names or dict.fromkeys(name for _, all_of_them in found for name in all_of_them)
        shapes = [shape.title for name in names if (shape := find_shape(name)) is not None]
        return ", ".join([title, *shapes])

    def placed_calls(self) -> Iterator[PlacedCall]:
        """Yield the calls of the document in the order of its text."""
        for start, block in zip(self.starts, self.blocks, strict=True):
            yield from self.calls_of(block, start)

    def calls_of(self, block: Block, start: int) -> Iterator[PlacedCall]:
        """Yield the calls of a block that begins at `start`, in the order of its text."""
        yield_point()
        found = [PlacedCall(entry, read, start, self) for read in block.passages for entry in read.calls]
        yield from sorted(found, key=lambda placed: placed.span) if len(block.passages) > 1 else found

    def block_at(self, offset: int) -> tuple[Block, int] | None:
        """Return the block that contains `offset` and where it begins; the last one for the end of the document."""
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


@dataclass(frozen=True)
class Stale:
    """The text that is read otherwise since the document's tools changed: blocks that reach one of `words`, and, where
    the tools' `names` changed, blocks with diagnostics, which may list the names.
    """

    document: TextDocument
    words: frozenset[str] = frozenset()
    names: bool = False

    def __bool__(self) -> bool:
        return bool(self.words) or self.names

    def without(self, tail: ReusableTail) -> list[ReusableTail]:
        """Return the blocks of a tail that are still read as they were."""
        places = self._places

        def reaches(start: int, end: int) -> bool:
            first = bisect_left(places, start)
            return first < len(places) and places[first] <= end

        return tail.parted(reaches, (lambda block: DIAGNOSTICS.get(block) != []) if self.names else None)[0]

    @cached_property
    def _places(self) -> Sequence[int]:
        text = self.document.text()
        found: list[int] = []
        for word in self.words:
            at = text.find(word)
            while at >= 0:
                found.append(at)
                at = text.find(word, at + 1)
        return sorted(found)


NONE_STALE: Final = Stale(TextDocument.from_text(""))


def _left(
    after: Snapshot, stale: Stale | None, change: tuple[int, int, int], known: Blocks, waiting: Sequence[ReusableTail]
) -> Left:
    """Return what a change leaves of blocks, of which some text is `stale`: the change is the first offset that it
    touched, the end of what it touched in the new text, and by how many characters that has grown."""
    if stale is None:
        return Left(after)
    low, high, delta = change
    first = known.index_reaching(low)
    kept: list[ReusableTail] = []
    gone: list[Block] = []
    for tail in (ReusableTail(known.start(first), known.since(first)), *waiting):
        # The beginning of the document may be read otherwise, and no other block can become the beginning.
        following = tail.blocks.index_from(max(high - delta, 1, 1 - delta) - tail.place)
        kept.append(ReusableTail(tail.place + tail.blocks.start(following) + delta, tail.blocks.since(following)))
        # Blocks after one that reads far ahead, as front matter makes the first do, may not be touched by the change.
        scanned = ReusableTail(tail.place, tail.blocks.until(following))
        clear, touched = scanned.parted(lambda start, end: start == 0 or end >= low)
        kept += clear
        gone += touched
    known = known.until(first)
    if stale:
        kept = [same for tail in (ReusableTail(0, known), *kept) for same in stale.without(tail)]
        known = Blocks()
    return Left(after, known, kept, gone)


def _head(document: TextDocument) -> str:
    return document.slice(0, min(HEAD, len(document)))


def _kind(document: TextDocument) -> str:
    """Return the beginning of a document, which decides what kind of document it is."""
    first = document.line_start(1) if document.line_count > 1 else len(document)
    return head_of(document.slice(0, min(max(HEAD, min(first + NEXT_LINE, MAX_LINE_LENGTH)), len(document))))


def _joined(document: TextDocument, edits: Sequence[Edit]) -> Sequence[Edit]:
    """Return edits that make the same changes as the given ones: a single one, where there are many from the document's
    end to its start.

    Each edit copies the line that it changes, and a line may contain all of them.
    """
    if len(edits) < _MANY_EDITS or any(one.span.start < other.span.end for one, other in pairwise(edits)):
        return edits
    start, end = edits[-1].span.start, edits[0].span.end
    moved = [Edit(span.shift(-start), text) for span, text in reversed(edits)]
    return (Edit(Span(start, end), apply_edits(document.slice(start, end), moved)),)
