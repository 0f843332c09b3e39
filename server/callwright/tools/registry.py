"""The registry: every tool that calls may name, and the treatment of unknown names.

Owns: `ToolRegistry`, `EMPTY`. Must not know: files, calls, dialects.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from callwright.text.records import NamedTuple, replace
from callwright.tools.names import Names

if TYPE_CHECKING:
    from callwright.syntax.problem import Problem
    from callwright.tools.model import ToolSchema

#: How many results of nearness are cached; a prompt repeats the same few tags.
_REMEMBERED = 4_096
#: What separates a namespace from a name, and how much of a name is searched for it.
_NAMESPACE = re.compile(r"[./:]|__")
_MAX_LENGTH = 200


class ToolProblem(NamedTuple):
    """A problem of a definition: its file (None for a definition from a program), and the problem there."""

    file: str | None
    problem: Problem


class ToolRegistry:
    """The tools that calls may name. Immutable; merging returns a new registry.

    Several tools may have one name where sets clash: the author's own come first, and a call is valid if one of them
    accepts it. A registry without tools is never closed. Tools given as a function are loaded when one is asked for.
    """

    def __init__(
        self,
        tools: Iterable[ToolSchema] | Callable[[], Iterable[ToolSchema]] = (),
        *,
        closed: bool = True,
        problems: Iterable[ToolProblem] = (),
        offered: bool = False,
        elsewhere: Container[str] | None = None,
        declared: bool = False,
    ) -> None:
        #: Whether the tools are those that the document itself declares; it may mention others.
        self.declared = declared
        #: The names that other files of the project document: evidence that a tag is a call, never for its arguments.
        self.elsewhere = elsewhere
        self._given = tools if callable(tools) else tuple(tools)
        self._offered = offered
        self._problems = tuple(problems)
        self._closed = closed and bool(self._tools)
        self._near: dict[str, str | None] = {}
        self._forgot = False
        self._parameters: dict[str, Mapping[str, Mapping[str, Any]]] = {}

    @cached_property
    def _tools(self) -> tuple[ToolSchema, ...]:
        return tuple(self._given()) if callable(self._given) else self._given

    @cached_property
    def _by_name(self) -> dict[str, tuple[ToolSchema, ...]]:
        by_name: dict[str, list[ToolSchema]] = {}
        for tool in self._tools:
            by_name.setdefault(tool.name, []).append(tool)
        for tool in self._tools:
            for alias in tool.aliases:
                by_name.setdefault(alias, []).append(tool)
        return {name: tuple(found) for name, found in by_name.items()}

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(tool.name for tool in self._tools))

    @cached_property
    def _meant(self) -> dict[str, str]:
        """The tool of each name and alias."""
        meant = {name: name for name in self._names}
        for tool in self._tools:
            for alias in tool.aliases:
                meant.setdefault(alias, tool.name)
        return meant

    @cached_property
    def _spellings(self) -> Names:
        return Names(self._meant)

    @classmethod
    def of(
        cls, tools: ToolRegistry | Iterable[Mapping[str, Any] | ToolSchema] | Mapping[str, Any] | None
    ) -> ToolRegistry:
        """Return a registry of a caller's tools: a registry, tools, definitions in any known shape, or nothing.

        The shape of each definition is detected, and shapes may be mixed; an unknown one is left out and reported in
        `problems`. Raises TypeError where `tools` is the path of a file.
        """
        if isinstance(tools, ToolRegistry):
            return tools
        refuse_path(tools)
        if not tools:
            return EMPTY
        from callwright.tools.definitions import read_definitions
        from callwright.tools.model import ToolSchema

        items: list[Any] = [tools] if isinstance(tools, Mapping) else list(tools)
        if not any(isinstance(item, ToolSchema) for item in items):
            found, problems = read_definitions(tools if isinstance(tools, Mapping) else items)
            return cls(found, problems=(ToolProblem(None, problem) for problem in problems))
        ready: list[ToolSchema] = []
        faults: list[Problem] = []
        for item in items:
            if isinstance(item, ToolSchema):
                ready.append(item)
            else:
                found, problems = read_definitions(item)
                ready.extend(found)
                faults.extend(problems)
        return cls(ready, problems=(ToolProblem(None, problem) for problem in faults))

    @property
    def tools(self) -> tuple[ToolSchema, ...]:
        """Every tool, in the order of preference."""
        return self._tools

    @property
    def names(self) -> tuple[str, ...]:
        """The tools' own names in order, each once; aliases are not among them."""
        return self._names

    @cached_property
    def name_set(self) -> frozenset[str]:
        """The tools' own names as a set, for membership tests."""
        return frozenset(self._names)

    @cached_property
    def all_names(self) -> tuple[str, ...]:
        """The tools' own names in order, and then their aliases, each once."""
        return tuple(self._by_name)

    @cached_property
    def sorted_names(self) -> tuple[str, ...]:
        """The tools' own names in alphabetical order."""
        return tuple(sorted(self._names))

    @property
    def tool_sets(self) -> tuple[str, ...]:
        """The names of the sets that the tools come from, in order; a set without a name is not among them."""
        return tuple(dict.fromkeys(tool.origin.tool_set for tool in self._tools if tool.origin.tool_set))

    @property
    def closed(self) -> bool:
        """Whether an unknown name is an error."""
        return self._closed

    @property
    def problems(self) -> tuple[ToolProblem, ...]:
        """The problems of definitions that were left out or fixed."""
        return self._problems

    def has(self, name: str) -> bool:
        """Return whether a tool has exactly this name or alias."""
        return name in self._by_name

    def get(self, name: str) -> tuple[ToolSchema, ...]:
        """Return the tools of this name or alias, the preferred first; several where sets clash, none where unknown."""
        return self._by_name.get(name, ())

    def near(self, name: str) -> str | None:
        """Return the one tool name that is nearest to `name`, or None where none is near or several are equally
        near.
        """
        if not self._meant:
            return None
        if name not in self._near:
            if len(self._near) >= _REMEMBERED:
                self._near.clear()
                self._forgot = True
            self._near[name] = self._spellings.nearest(name)
        return self._near[name]

    def unqualified(self, name: str) -> str | None:
        """Return the tool whose name is the part of `name` after a namespace, as in `functions.read_file`."""
        found = (self._meant.get(name[each.end() :]) for each in _NAMESPACE.finditer(name[:_MAX_LENGTH]))
        return next((each for each in found if each is not None), None)

    def answers_changed_since(self, before: ToolRegistry) -> frozenset[str] | None:
        """Return the names for which `before` has answered differently, as near a tool's or as a parameter's; None
        where that may be any name.

        The definitions of tools are not compared.
        """
        if self._closed != before._closed or self.elsewhere is not before.elsewhere or before._forgot:
            return None
        changed: set[str] = set()
        if self._names != before._names:
            changed.update(name for name, answer in [*before._near.items()] if self.near(name) != answer)
        for one, other in ((self, before), (before, self)):
            changed.update(
                parameter for tool in one for parameter in tool.parameters if not other.has_parameter(parameter)
            )
        return frozenset(changed)

    def parameters(self, name: str) -> Mapping[str, Mapping[str, Any]] | None:
        """Return the parameters of a tool with their JSON Schemas, or None where the tool is not known.

        Where sets clash, the parameters of all tools are returned; for the same parameter, the preferred tool's.
        """
        if name not in self._by_name:
            return None
        if name not in self._parameters:
            merged: dict[str, Mapping[str, Any]] = {}
            for tool in self._by_name[name]:
                for parameter in tool.parameters.values():
                    merged.setdefault(parameter.name, parameter.schema)
            self._parameters[name] = merged
        return self._parameters[name]

    def has_parameter(self, name: str) -> bool:
        """Return whether any tool has a parameter of this name."""
        return name in self._parameter_names

    @cached_property
    def _parameter_names(self) -> frozenset[str]:
        return frozenset(parameter for tool in self._tools for parameter in tool.parameters)

    def markup(self, name: str) -> str | None:
        """Return the markup of a tool's element text, `"xml"` or `"raw"`, None where none is stated.

        The preferred tool of the name decides.
        """
        candidates = self._by_name.get(name)
        return candidates[0].markup if candidates else None

    def dialect(self, name: str) -> str | None:
        """Return the dialect that a tool's own system uses, None where none is known.

        The preferred tool of the name decides.
        """
        candidates = self._by_name.get(name)
        return candidates[0].dialect if candidates else None

    def merge(self, other: ToolRegistry) -> ToolRegistry:
        """Return a registry of both: own tools are preferred; it is closed where one of the two is.

        A tool that both define equally is kept once.
        """
        if not other.tools and not other.problems:
            return self
        if not self._tools and not self._problems:
            return other
        closed = self._closed or other.closed
        more = [tool for tool in other.tools if not any(_same(tool, own) for own in self._by_name.get(tool.name, ()))]
        return ToolRegistry((*self._tools, *more), closed=closed, problems=self._problems + other.problems)

    def with_markup(self, markup: str | None) -> ToolRegistry:
        """Return the same tools with `markup` for all element text; None keeps that of each set."""
        if markup is None or all(tool.markup == markup for tool in self._tools):
            return self
        return self._with(tools=(replace(tool, markup=markup) for tool in self._tools))

    @property
    def offered(self) -> bool:
        """Whether the tools are only offered: they are used for completion, but not for reading or checking text."""
        return self._offered

    @property
    def in_force(self) -> ToolRegistry:
        """The tools that texts are read and checked with: none where these are only offered."""
        if not self._offered:
            return self
        return EMPTY if self.elsewhere is None else ToolRegistry(elsewhere=self.elsewhere)

    def beside(self, elsewhere: Container[str]) -> ToolRegistry:
        """Return the same tools with the names that other files of the project document."""
        return self._with(elsewhere=elsewhere)

    def _with(self, **changes: Any) -> ToolRegistry:
        values: dict[str, Any] = {
            "tools": self._given,
            "closed": self._closed,
            "problems": self._problems,
            "offered": self._offered,
            "elsewhere": self.elsewhere,
            "declared": self.declared,
        }
        return ToolRegistry(**{**values, **changes})

    def without_problems(self) -> ToolRegistry:
        """Return the same tools as a registry without problems."""
        return self._with(problems=()) if self._problems else self

    def opened(self) -> ToolRegistry:
        """Return the same tools as a registry that does not claim to know every name."""
        return self._with(closed=False) if self._closed else self

    def __len__(self) -> int:
        return len(self._tools)

    def __iter__(self) -> Iterator[ToolSchema]:
        return iter(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __bool__(self) -> bool:
        return bool(self._tools)

    def __repr__(self) -> str:
        return f"<ToolRegistry of {len(self._tools)} tools{', closed' if self._closed else ''}>"


def refuse_path(tools: object) -> None:
    """Raise TypeError where `tools` is a path, or any other text: a program's argument is never read as a file."""
    if isinstance(tools, str | bytes | bytearray | os.PathLike):
        raise TypeError(
            f"`tools` is the path {str(tools)[:200]!r}, but files are not loaded here: load it, as in "
            "`json.loads(Path(…).read_text())`, and pass the definitions"
            if isinstance(tools, os.PathLike)
            else f"`tools` is a `{type(tools).__name__}` and contains no definition: load the file, as in "
            "`json.loads(Path(…).read_text())`, and pass the definitions"
        )


def _same(one: ToolSchema, other: ToolSchema) -> bool:
    """Return whether two definitions are equal, apart from their places."""
    return one.name == other.name and replace(one, origin=other.origin) == other


#: The empty registry: it has no tool and accepts every name.
EMPTY = ToolRegistry()
