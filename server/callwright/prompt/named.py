"""A tool or a parameter that is named: what names it, where, and how another name is written there.

Owns: `Target`, `Occurrence`. Must not know: how names are found.

Spans are offsets of the document. How a name is written depends on what holds it: an edit goes through the dialect of
the call and through the projection of the passage, and comes out as None where one of them cannot hold it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from typing import TYPE_CHECKING, Any

from callwright.declarations.documents import differ
from callwright.text.facts import derived
from callwright.text.records import dataclass, field
from callwright.text.span import Edit, Span

if TYPE_CHECKING:
    from callwright.calls.model import Path
    from callwright.document.blocks import Block
    from callwright.document.snapshot import Snapshot
    from callwright.tools.documents import ToolDocument
    from callwright.tools.model import ToolSchema
    from callwright.tools.property_places import Names


Write = Callable[[str], tuple[Edit, ...] | None]


class Kind(Enum):
    """What names the tool or the parameter."""

    DEFINITION = "definition"
    SCHEMA = "schema"
    CALL = "call"
    RESULT = "result"
    EXAMPLE = "example"
    LISTED = "listed"
    MENTION = "mention"


class Uncertainty(Enum):
    """Why a person must confirm that an occurrence is renamed with the others."""

    NONE = ""
    PROSE = "prose"
    TRANSCRIPT = "transcript"
    OTHER_SET = "other set"


@dataclass(frozen=True, slots=True)
class Target:
    """What is looked for: a tool by the name that is written (its own or an alias), or a parameter by the names that
    lead to it. `tool` is its definition, None where no registry has one."""

    name: str
    path: Names = ()
    tool: ToolSchema | None = None

    @property
    def word(self) -> str:
        """The word that is written wherever the target is named."""
        return self.path[-1] if self.path else self.name

    @property
    def file(self) -> str | None:
        """The file that defines the tool, None where none does."""
        return self.tool.origin.file if self.tool is not None else None

    @property
    def tool_names(self) -> frozenset[str]:
        """Every name of the tool."""
        if self.tool is None:
            return frozenset({self.name})
        return frozenset({self.name, self.tool.name, *self.tool.aliases})

    def is_tool(self, tool: ToolSchema | None) -> bool:
        """Return whether a definition is this target's own; nothing is known of a tool without one.

        What one file says of a name in several places it says of one tool, and so do several files that agree on its
        parameters.
        """
        if self.tool is None or tool is None:
            return self.tool is None and tool is None
        if self.tool is tool:
            return True
        here, there = self.tool.origin, tool.origin
        if here.file is not None and here.file == there.file:
            return here.pointer == there.pointer or self.tool.name == tool.name
        return self.tool.name == tool.name and not differ(self.tool, tool)

    def __str__(self) -> str:
        return ".".join((self.name, *self.path))


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One place that names the target.

    `spans` are the writings of the name, the one that is pointed at first: an element has two. `frame` is what they
    belong to: a whole call, a definition. `name` is the word that is there, which for a tool may be another one of its
    names. `reason` says why it cannot be written otherwise, empty where it can. `path` is that of the argument which a
    call gives.
    """

    kind: Kind
    uncertainty: Uncertainty
    spans: tuple[Span, ...]
    frame: Span
    name: str
    value_format: str
    reason: str = ""
    write: Write = field(default=lambda _name: None, repr=False)
    path: Path = ()

    @property
    def span(self) -> Span:
        """The writing that is pointed at."""
        return self.spans[0]


def member_paths(value: Any) -> Iterator[Path]:
    """Yield the paths of all members of the objects in a plain value."""
    pending: list[tuple[Path, Any]] = [((), value)]
    while pending:
        path, node = pending.pop()
        items: Iterable[tuple[str | int, Any]] = ()
        if isinstance(node, dict):
            yield from ((*path, key) for key in node)
            items = node.items()
        elif isinstance(node, list):
            items = enumerate(node)
        pending.extend(((*path, step), item) for step, item in items if isinstance(item, dict | list))


class Covered:
    """Spans of a document, asked whether one of them holds a place."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        end = -1
        for span in sorted(spans):
            end = max(end, span.end)
            self._starts.append(span.start)
            self._ends.append(end)

    def holds(self, span: Span) -> bool:
        """Return whether a span overlaps one of them."""
        from bisect import bisect_left

        index = bisect_left(self._starts, span.end) - 1
        return index >= 0 and self._ends[index] > span.start


def pattern_of(names: Iterable[str]) -> re.Pattern[str]:
    """Return the pattern that finds whole names."""
    ordered = sorted(names, key=len, reverse=True)
    return re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, ordered))})(?![\w-])")


def document_of(snapshot: Snapshot) -> ToolDocument:
    """Return what a tool file's snapshot defines; read once."""
    return _document_of(snapshot.blocks[0], snapshot)


@derived
def _document_of(_block: Block, snapshot: Snapshot) -> ToolDocument:
    from callwright.declarations.documents import read_tools_of

    return read_tools_of(snapshot.document.text(), snapshot.path or snapshot.uri)
