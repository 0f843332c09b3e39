"""The tools that a document declares itself, as the registry that its calls are read and judged by.

Owns: `OwnTools`: which declaration of a name counts, what stays in force while an author types, and where a tool is
declared. Must not know: styles, documents, hosts, calls.

While an author types in a declaration, its text may be broken for a moment. Its last sound tools stay in force then, so
that calls do not turn red.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from callwright.declarations.reading import NONE, Declaration, Declarations, declarations_in
from callwright.text.records import NamedTuple, dataclass, field, replace
from callwright.text.span import Span
from callwright.tools.registry import ToolRegistry

if TYPE_CHECKING:
    from callwright.text.document import TextDocument
    from callwright.text.projection import Projection
    from callwright.tools.definitions import Definition
    from callwright.tools.model import ToolSchema


class Declared(NamedTuple):
    """One tool in one declaration."""

    declaration: Declaration
    definition: Definition

    @property
    def tool(self) -> ToolSchema:
        """The tool."""
        return self.definition.tool


class _Held(NamedTuple):
    """The tools of a declaration that edits have broken, and the segment of text where it was."""

    span: Span
    tools: tuple[ToolSchema, ...]


@dataclass(frozen=True, slots=True)
class OwnTools:
    """What one document declares: its `declarations`, and the `registry` of their tools, None without any.

    `file` is the file that the tools are attributed to. Immutable: an edit returns a new value (`edited`). Invariant:
    while the tools stay the same, so does the registry.
    """

    declarations: Declarations = NONE
    registry: ToolRegistry | None = None
    file: str = ""
    _tools: tuple[ToolSchema, ...] = ()
    _held: tuple[_Held, ...] = ()
    _placed: Mapping[tuple[int, int], Sequence[Definition]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, text: str, file: str) -> OwnTools:
        """Return what a text declares."""
        return cls(file=file).with_found(declarations_in(text))

    @classmethod
    def of_parts(cls, parts: Iterable[tuple[str, Projection]], file: str) -> OwnTools:
        """Return what the texts declare that are parts of one document, each with its projection onto it."""
        return cls(file=file).with_parts(parts)

    def with_parts(self, parts: Iterable[tuple[str, Projection]]) -> OwnTools:
        """Return what the document declares where these texts are its parts now."""
        return self.with_found(Declarations.gathered((declarations_in(text), projection) for text, projection in parts))

    def edited(self, after: TextDocument, low: int, high: int, delta: int) -> OwnTools:
        """Return what the text declares `after` edits, which changed `[low, high)` of it, grown by `delta`.

        A declaration that the edits break keeps the tools that it had, as long as their names are still written there.
        """
        found = self.declarations.edited(after, low, high, delta)
        if found is self.declarations:
            return self
        touched = Span(low, high - delta)
        sound = (
            _Held(each.span, tools_in([each]))
            for each in self.declarations
            if not each.read.broken and each.span.touches(touched)
        )
        held = (_still(each, found, after, low, high, delta) for each in (*self._held, *sound))
        return self.with_found(found, tuple(each for each in held if each is not None))

    def with_found(self, found: Declarations, held: tuple[_Held, ...] = ()) -> OwnTools:
        """Return what the document declares where these are its declarations now, and tools that are `held`."""
        kept = {tool.name: tool for each in held for tool in each.tools}
        declared = tools_in(found)
        there = {tool.name for tool in declared}
        lost = tuple(tool for name, tool in kept.items() if name not in there)
        tools = (*(kept.get(tool.name, tool) for tool in declared), *lost)
        if tools == self._tools:
            return OwnTools(found, self.registry, self.file, self._tools, held, self._placed)
        from callwright.declarations.documents import number_of, placed

        declarations = found.found
        definitions = placed(declarations, self.file, self._placed)
        in_force = [
            each.tool if each.tool.name not in kept else replace(kept[each.tool.name], origin=each.tool.origin)
            for each in definitions
        ]
        # A text may speak of tools that others document.
        registry = ToolRegistry([*in_force, *lost], closed=False, declared=True) if tools else None
        made = iter(definitions)
        known = {
            number_of(number, each): [next(made) for _ in each.read.definitions]
            for number, each in enumerate(declarations)
        }
        # What contradicts another one may not do so after an edit.
        sound = {key: own for key, own in known.items() if all(each.tool.checked for each in own)}
        return OwnTools(found, registry, self.file, tools, held, sound)

    @property
    def repeats(self) -> bool:
        """Whether a tool is declared more than once."""
        return self.registry is not None and len(self.registry.names) < len(self.registry.tools)

    @property
    def holds(self) -> bool:
        """Whether tools are in force that the text does not declare at this moment."""
        return bool(self._held)

    def changed(self, before: OwnTools) -> frozenset[str]:
        """Return the names of the tools by which calls are read or judged otherwise than in the text before an edit."""
        now, then = set(map(id, self._tools)), set(map(id, before._tools))
        others = {tool.name for tool in self._tools if id(tool) not in then}
        others |= {tool.name for tool in before._tools if id(tool) not in now}
        return frozenset(
            name for name in others if not _are_alike(_named(self._tools, name), _named(before._tools, name))
        )

    def __iter__(self) -> Iterator[Declared]:
        return (Declared(each, definition) for each in self.declarations for definition in each.read.definitions)


def tools_in(declarations: Iterable[Declaration]) -> tuple[ToolSchema, ...]:
    """Return the tools of declarations, in order; a name may be there several times."""
    return tuple(definition.tool for each in declarations for definition in each.read.definitions)


def _are_alike(some: Sequence[ToolSchema], others: Sequence[ToolSchema]) -> bool:
    """Return whether tools of one name differ in their descriptions alone."""
    return len(some) == len(others) and all(
        one is other or _without_words(one) == _without_words(other) for one, other in zip(some, others, strict=True)
    )


def _without_words(tool: ToolSchema) -> ToolSchema:
    schema: Mapping[str, Any] = _bare(tool.input_schema)
    return replace(tool, description="", title=None, input_schema=schema)


def _bare(value: Any, *, names: bool = False) -> Any:
    """Return a schema without descriptions; below `properties`, keys are `names`."""
    if isinstance(value, list):
        return [_bare(each) for each in value]
    if not isinstance(value, Mapping):
        return value
    return {
        key: _bare(each, names=not names and key in ("properties", "$defs"))
        for key, each in value.items()
        if names or key not in ("description", "title")
    }


def _named(tools: Iterable[ToolSchema], name: str) -> list[ToolSchema]:
    return [tool for tool in tools if tool.name == name]


def _still(held: _Held, found: Declarations, after: TextDocument, low: int, high: int, delta: int) -> _Held | None:
    """Return what is held after edits; None where the segment declares tools again, or no longer names them."""
    start, end = held.span
    if end > low:
        # What an edit covers becomes what it writes.
        start = start + delta if start >= high - delta else min(start, low)
        end = end + delta if end >= high - delta else high
    span = Span(start, end)
    if any(not each.read.broken and each.span.overlaps(span) for each in found):
        return None
    written = after.slice(*span)
    tools = tuple(tool for tool in held.tools if tool.name in written)
    return _Held(span, tools) if tools else None
