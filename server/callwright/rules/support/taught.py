"""What rules about documented tools share: comparing a claim with the tools, and the line that fixes a list.

Owns: comparing a documented parameter with the tools of its name. Must not know: single rules, how prompts are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from callwright.prompt.taught import TaughtParameter, TaughtTool, tools_named
from callwright.prompt.teachings import teaching_of
from callwright.text.budget import yield_point
from callwright.tools.names import nearest
from callwright.tools.parameters import Parameter, types_of

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.tools.model import ToolSchema
    from callwright.tools.registry import ToolRegistry

#: Keywords that make a parameter required depending on other arguments.
_DEPENDING = ("anyOf", "oneOf", "if", "dependentRequired", "dependencies", "dependentSchemas", "not")


@dataclass(frozen=True)
class Documented:
    """A tool as a text documents it, with the tools of that name."""

    taught: TaughtTool
    tools: Sequence[ToolSchema]

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.taught.name

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of the documented parameters."""
        return frozenset(each.claim.name for each in self.taught.parameters)

    @cached_property
    def free(self) -> Sequence[str]:
        """The tools' parameters that are not documented."""
        return list(dict.fromkeys(each for tool in self.tools for each in tool.parameters if each not in self.names))

    @cached_property
    def unknown(self) -> Sequence[TaughtParameter]:
        """The documented parameters that none of the tools has."""
        return [each for each in self.taught.parameters if not _has_parameter(self.tools, each.claim.name)]

    @cached_property
    def missing(self) -> Sequence[Parameter]:
        """The required parameters that a list of all parameters leaves out; those of the tool that lacks the fewest.

        A parameter that is documented under a misspelt name does not count as left out.
        """
        documented = frozenset[str]() if self.taught.nothing else self.names
        if not self.taught.nothing and not (self.taught.whole and documented):
            return []
        if any(depends(tool) for tool in self.tools):
            return []
        best = min((_missing(tool, documented) for tool in self.tools), key=len, default=[])
        meant = {self.intended(each.claim.name)[0] for each in self.unknown} if best else set()
        return [parameter for parameter in best if parameter.name not in meant]

    def intended(self, name: str) -> tuple[str | None, bool]:
        """Return the parameter that an unknown one was meant for, and whether that is certain.

        The only near name is certain. Else a name that contains the other one, as `file_path` contains `path`, is a
        guess.
        """
        near = nearest(name, self.free)
        if near is not None:
            return near, True
        words = _words(name)
        holding = [each for each in self.free if _words(each) <= words or words <= _words(each)]
        return (holding[0], False) if len(holding) == 1 else (None, False)


def documented_tools(snapshot: Snapshot) -> Iterator[Documented]:
    """Yield the tools that a text documents and the registry contains."""
    for taught in teaching_of(snapshot).known(snapshot.registry):
        tools = tools_named(snapshot.registry, taught.name)
        if tools:
            yield Documented(taught, tools)


def _missing(tool: ToolSchema, documented: frozenset[str]) -> list[Parameter]:
    """Return the required parameters of a tool that are documented neither by name nor under an older name."""
    aliases: dict[str, set[str]] = {}
    for parameter in tool.parameters.values():
        if parameter.alias_of is not None:
            aliases.setdefault(parameter.alias_of, set()).add(parameter.name)
    return [
        parameter
        for parameter in tool.parameters.values()
        if parameter.required
        and parameter.name not in documented
        and not documented & aliases.get(parameter.name, set())
    ]


def _has_parameter(tools: Sequence[ToolSchema], name: str) -> bool:
    """Return whether one of the tools has the parameter, or accepts any."""
    return any(name in tool.parameters or _takes_any(tool) for tool in tools) or _is_nested(tools, name)


def allowed_types(tools: Sequence[ToolSchema], name: str) -> frozenset[str] | None:
    """Return the JSON types that a parameter may have in any of the tools, None where it may have any."""
    found: frozenset[str] = frozenset()
    for tool in tools:
        if name not in tool.parameters:
            continue
        types = types_of(tool.parameters[name].schema, tool.input_schema)
        if types is None:
            return None
        found |= types
    return found - {"null"} or None


def fits(stated: frozenset[str], allowed: frozenset[str]) -> bool:
    """Return whether stated and allowed types have one in common; an integer is a number."""
    stated = stated - {"null"}
    numbers = {"integer", "number"}
    return not stated or bool(stated & allowed) or bool(stated & numbers and allowed & numbers)


def required_in(tools: Sequence[ToolSchema], name: str) -> bool | None:
    """Return whether a parameter is required, None where the tools differ or it depends on other arguments."""
    owners = [(tool, tool.parameters[name]) for tool in tools if name in tool.parameters]
    found = {
        tool.parameters[each.alias_of or name].required
        for tool, each in owners
        if (each.alias_of or name) in tool.parameters
    }
    return None if any(depends(tool) for tool in tools) or len(found) != 1 else found.pop()


def depends(tool: ToolSchema) -> bool:
    """Return whether the required parameters of a tool depend on other arguments."""
    return any(keyword in tool.input_schema for keyword in _DEPENDING)


def _takes_any(tool: ToolSchema) -> bool:
    schema = tool.input_schema
    more = schema.get("additionalProperties")
    if more is True or (isinstance(more, Mapping) and more) or schema.get("patternProperties"):
        return True
    return not tool.parameters and more is not False


def _is_nested(tools: Sequence[ToolSchema], name: str) -> bool:
    """Return whether a name with a dot is that of a part of a parameter."""
    root, dot, _ = name.partition(".")
    return bool(dot) and any(root in tool.parameters for tool in tools)


def _words(name: str) -> frozenset[str]:
    words: list[str] = []
    current = ""
    for character in name:
        if character in "_-." or (character.isupper() and current and not current[-1].isupper()):
            words.append(current)
            current = ""
        if character not in "_-.":
            current += character
    words.append(current)
    return frozenset(word.lower() for word in words if word)


def unknown_tools(snapshot: Snapshot) -> Iterator[TaughtTool]:
    """Yield names that are documented in the same way as two tools or more and are unknown."""
    teaching = teaching_of(snapshot)
    groups: dict[tuple[object, ...], list[TaughtTool]] = {}
    for taught in teaching.tools:
        groups.setdefault(taught.group, []).append(taught)
    for members in groups.values():
        known: set[str] = set()
        unknown: list[TaughtTool] = []
        for taught in members:
            yield_point()
            if snapshot.registry.has(taught.name):
                known.add(taught.name)
            else:
                unknown.append(taught)
        if len(known) < 2 or len({taught.name for taught in unknown}) > len(known):
            continue
        for taught in unknown:
            if not taught.dated and _looks_like_tool(taught, snapshot):
                yield taught


def own_tools(registry: ToolRegistry) -> list[str]:
    """Return the names of the author's own tools that are not deprecated, by mark or by description."""
    from callwright.tools.shipped import schemas_folder

    shipped = str(schemas_folder())
    return list(
        dict.fromkeys(
            tool.name
            for tool in registry
            if tool.deprecated is None
            and not tool.description.lstrip(" *[(").lower().startswith("deprecated")
            and not (tool.origin.file is not None and tool.origin.file.startswith(shipped))
        )
    )


def _looks_like_tool(taught: TaughtTool, snapshot: Snapshot) -> bool:
    """Return whether a name is of a form that only tools have, or is documented with parameters as only tools are."""
    name = taught.name
    if "_" in name.strip("_") or any(character.isupper() for character in name[1:] if not name.isupper()):
        return True
    if taught.parameters and (taught.listing or taught.whole):
        return True
    return "." not in name and snapshot.registry.near(name) is not None
