"""Blocks: the parts of a document that are each read as a whole, and the calls in them at their places.

Owns: `Block`, `ReadPassage`, `PlacedCall`, the binding of a call that was read. Must not know: how blocks
are read, snapshots, rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from callwright.text.budget import yield_point
from callwright.text.facts import Fact, Facts
from callwright.text.holes import HOLE
from callwright.text.projection import Composed, Identity
from callwright.text.records import dataclass, field, replace
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.calls.model import ToolCall
    from callwright.document.contents import Content
    from callwright.document.reader import FoundCall, ReaderState, ReadResult
    from callwright.document.settings import Settings
    from callwright.document.snapshot import Snapshot
    from callwright.hosts.base import Embedded, Passage, TranscriptPart
    from callwright.schema.binding import Binding
    from callwright.syntax.json_views import JsonView
    from callwright.syntax.problem import Problem
    from callwright.tools.registry import ToolRegistry

_HOLES: Final = re.compile(f"{HOLE}++")
#: The problems of a block, in its own offsets, and for each turn in it, by its `id`, the problems of that turn:
#: diagnostics of rules, which this room does not know.
DIAGNOSTICS: Final[Fact[list[Any]]] = Fact()
FAULTS: Final[Fact[dict[int, list[Any]]]] = Fact()
#: Whether other blocks are patched from a block.
IS_BASE: Final[Fact[bool]] = Fact()


@dataclass(slots=True)
class ReadPassage:
    """A passage with what was read in it; `passage.projection` maps to the block.

    `registry` contains the tools that its transcript brings along, None for the project's tools. It is empty for a call
    that the provider itself carries out.
    """

    passage: Passage
    calls: list[FoundCall]
    problems: list[Problem]
    registry: ToolRegistry | None = None
    bindings: dict[int, Binding] = field(default_factory=dict)
    peers: tuple[ToolCall, ...] = ()

    def __post_init__(self) -> None:
        self.peers = tuple(found.call for found in self.calls)


@dataclass(slots=True)
class Block:
    """A segment of a document that is read as a whole.

    `length` is in code points; `reach` counts from the block's start and may lie after its end. `content` is what was
    read in it, possibly deferred or read again. `inline` are the definitions of tools that an entry of a log brings to
    the whole log, `log` are the tools that calls of a log got from there. `fenced` lists where fences open and close in
    it, each with how many are open from there on. `embedded` are the whole documents that it contains, in its own
    offsets. `facts` are what is derived of the block. `value` is the whole of a transcript in JSON, None elsewhere.
    `on_release` is called when the block is released.
    """

    length: int
    state: ReaderState
    after: ReaderState
    reach: int
    content: Content
    problems: Sequence[Problem] = ()
    inline: Any = None
    log: ToolRegistry | None = None
    fenced: Sequence[tuple[int, int]] = ()
    embedded: Sequence[Embedded] = ()
    facts: Facts = field(default_factory=dict)
    value: JsonView | None = None
    on_release: tuple[Callable[[], object], ...] = ()

    def release(self) -> None:
        """Drop what refers back to the block: no document has it any more.

        What was derived from a large block and the block refer to each other and to its whole text, which is too much
        to leave to the garbage collector. A block that others are patched from is still needed.
        """
        if not IS_BASE.known(self):
            for forget in self.on_release:
                forget()
            self.on_release = ()

    @property
    def passages(self) -> list[ReadPassage]:
        """The passages of its content."""
        return self.content.passages

    @property
    def transcripts(self) -> Sequence[TranscriptPart]:
        """The transcripts of its content."""
        return self.content.transcripts

    @property
    def is_clean(self) -> bool:
        """Whether the block is known to have no problems but its `problems`, and those in its `suspects`."""
        return self.content.is_clean

    @property
    def suspects(self) -> Sequence[tuple[int, Block]]:
        """The parts that are to be checked in place of the whole, each with its place."""
        return self.content.suspects


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
        """The tool's name as the document writes it: template expressions in it are kept as text."""
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
            # An expression that means a whole value has no type.
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
        # A later declaration may describe the same tool in other words, which no check depends on.
        from callwright.schema.binding import bind

        yield_point()
        binding = bind(found.call, read.passage.text, tools, settings, fence=found.fence, peers=read.peers)
        read.bindings[key] = binding
    return binding


def read_passages(passage: Passage, segment: ReadResult, registry: ToolRegistry | None = None) -> Iterator[ReadPassage]:
    """Yield a passage with its calls, then those of the quoted strings in it."""
    yield ReadPassage(passage, segment.calls, segment.problems, registry)
    for quoted in segment.quoted:
        projection = Composed(passage.projection, quoted.projection)
        inner = replace(passage, text=quoted.projection.text, projection=projection, version=None)
        yield from read_passages(inner, quoted.segment, registry)
