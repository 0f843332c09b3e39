"""What a prompt teaches, as a value: tools, parameters, and the sections that they are in.

Owns: `Teaching`, `TaughtTool`, `TaughtParameter`, `PassagePlace`. Must not know: how it is read out of a text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from callwright.declarations.documented_lines import Claim, Line
from callwright.text.budget import yield_point
from callwright.text.projection import encode_all
from callwright.text.records import NamedTuple
from callwright.text.span import Edit, Span, with_newlines

if TYPE_CHECKING:
    from callwright.hosts.base import Passage
    from callwright.tools.model import ToolSchema
    from callwright.tools.registry import ToolRegistry

#: What no common word has.
_WORDS: Final = re.compile(r"[_\-.\d]|[a-z][A-Z]")


class PassagePlace(NamedTuple):
    """A passage, and where its block begins in the document."""

    passage: Passage
    base: int
    newline: str = "\n"

    def raw(self, span: Span) -> Span:
        """Return a span of the passage as one of the document."""
        return self.passage.projection.raw_span(span).shift(self.base)

    def edits(self, edits: Iterable[Edit]) -> tuple[Edit, ...] | None:
        """Return edits of the passage as those of the document, None where its dialect cannot hold them."""
        raw = encode_all(self.passage.projection, edits)
        if raw is None:
            return None
        placed = tuple(Edit(span.shift(self.base), text) for span, text in raw)
        return placed if self.newline == "\n" else with_newlines(placed, self.newline)


class TaughtParameter(NamedTuple):
    """One parameter as it is documented, the place of it, and the line it is on (None where it has none).

    `again` says where else it is named, as a schema names it among those that are required.
    """

    claim: Claim
    place: PassagePlace
    line: Line | None = None
    again: tuple[tuple[PassagePlace, Span], ...] = ()

    def renamed(self, name: str) -> tuple[Edit, ...] | None:
        """Return the edits that give it another name wherever it is named, None where one of them cannot be made."""
        edits: list[Edit] = []
        for place, span in ((self.place, self.claim.span), *self.again):
            own = place.edits([Edit(span, name)])
            if own is None:
                return None
            edits += own
        return tuple(sorted(edits))


@dataclass(slots=True)
class TaughtTool:
    """One tool as a text documents it.

    `form` says how, `group` is the same for tools that are documented side by side. `whole` is true if its parameters
    are listed and nothing says that there are others; `nothing` if it is stated to have none. `listing` is set where a
    label announces parameters. `last` is the place and the end of the last line of that list. `dated` is true if the
    text itself calls the tool old. `child` is how far the first entry below it is indented: what is indented more
    belongs to that, and is none of its parameters. `ended` is true if what it returns, or an example, comes next.
    """

    name: str
    place: PassagePlace
    span: Span
    form: str
    group: tuple[object, ...]
    quoted: str = ""
    parameters: list[TaughtParameter] = field(default_factory=list)
    whole: bool = False
    nothing: bool = False
    listing: bool = False
    dated: bool = False
    last: tuple[PassagePlace, int] | None = None
    level: int = 0
    indent: int = 0
    child: int | None = None
    ended: bool = False

    @property
    def raw(self) -> Span:
        """The span of the name in the document."""
        return self.place.raw(self.span)


@dataclass(frozen=True, slots=True)
class Section:
    """The heading over a group of tools, and where it is."""

    place: PassagePlace
    span: Span


@dataclass(frozen=True, slots=True)
class Teaching:
    """What a document teaches.

    `tools` are all that look like documented tools, whether the registry has them or not; `sections` are the headings
    over their groups. `named` are the tools whose names occur anywhere. `generated` is true if a template or a managed
    block writes some of the documentation. `managed` are the segments of managed blocks.
    """

    tools: tuple[TaughtTool, ...] = ()
    sections: Mapping[tuple[object, ...], Section] = field(default_factory=dict)
    named: frozenset[str] = frozenset()
    generated: bool = False
    managed: tuple[Span, ...] = ()

    def is_managed(self, offset: int) -> bool:
        """Return whether an offset of the document lies in a managed block."""
        index = bisect_right(self.managed, offset, key=lambda span: span.start) - 1
        return index >= 0 and self.managed[index].start <= offset < self.managed[index].end

    def is_near(self, span: Span) -> bool:
        """Return whether some of a segment of the document lies in a managed block."""
        index = bisect_left(self.managed, span.end, key=lambda each: each.start) - 1
        return index >= 0 and self.managed[index].end > span.start

    def known(self, registry: ToolRegistry) -> list[TaughtTool]:
        """Return the documented tools that the registry has.

        A tool that is named by a common word counts where it is beside another one, is called a tool, or has its
        parameters listed: a heading `Status` is about anything. Code counts beside other code of the kind, for a single
        function may be one that carries the tool out.
        """
        known = [tool for tool in self.tools if registry.has(tool.name)]
        names: dict[tuple[object, ...], set[str]] = {}
        for tool in known:
            names.setdefault(tool.group, set()).add(tool.name)
        return [tool for tool in known if len(names[tool.group]) > 1 or _speaks_for_itself(tool, registry)]


def tools_named(registry: ToolRegistry, name: str) -> tuple[ToolSchema, ...]:
    """Return the tools of a name whose schemas can be relied on, none where one of them cannot be."""
    yield_point()
    tools = registry.get(name)
    return tools if all(tool.checked for tool in tools) else ()


def _speaks_for_itself(tool: TaughtTool, registry: ToolRegistry) -> bool:
    """Return whether one documented tool is certainly that, without others beside it."""
    if tool.form == "code":
        return False
    if tool.form not in ("title", "line", "row") or _WORDS.search(tool.name) is not None:
        return True
    parameters = [parameter for known in registry.get(tool.name) for parameter in known.parameters]
    return tool.listing and any(each.claim.name in parameters for each in tool.parameters)
