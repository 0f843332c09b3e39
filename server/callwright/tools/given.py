"""Tools that a program passes: all of them must be valid.

Owns: `Tools`, `tools_given`, and the errors for objects that are not tools. Must not know: what runs tools.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from callwright.text.words import quoted
from callwright.tools.model import ToolSchema
from callwright.tools.objects import is_tool, tool_schema, what
from callwright.tools.registry import EMPTY, ToolRegistry, refuse_path

if TYPE_CHECKING:
    from callwright.syntax.problem import Problem


class ToolObject(Protocol):
    """A tool of a tool manager, as far as its definition needs it."""

    @property
    def name(self) -> str:
        """The name that calls are made by."""

    @property
    def schema(self) -> Mapping[str, Any]:
        """The JSON Schema of the arguments, or a whole definition."""


class HasRegistry(Protocol):
    """What knows a registry, such as a tool manager."""

    @property
    def registry(self) -> ToolRegistry:
        """The current tools."""


#: Definitions in any form that a source reads, functions and the tools of a manager; a registry or a manager; or
#: nothing: None and an empty list mean no tools.
Tools: TypeAlias = (
    "ToolRegistry | HasRegistry | ToolObject | Callable[..., Any] | Mapping[str, Any] "
    "| Iterable[Mapping[str, Any] | Callable[..., Any] | ToolObject] | None"
)


def tools_given(tools: Any) -> ToolRegistry:
    """Return the registry of a caller's tools, or raise: calls could not name a tool that cannot be read.

    Accepts what `ToolRegistry.of` accepts, a tool manager, and functions and tools as a manager accepts them. None and
    an empty list mean no tools.

    Raises TypeError where an entry is not a tool, ValueError where a definition is invalid or an object is empty.
    """
    if tools is None or isinstance(tools, ToolRegistry):
        registry = EMPTY if tools is None else tools
    elif isinstance(getattr(tools, "registry", None), ToolRegistry):
        registry = tools.registry
    elif isinstance(tools, Mapping):
        if not tools:
            raise ValueError("`tools` is an empty object: pass a list of tools, which may be empty")
        registry = ToolRegistry.of(tools)
    else:
        registry = ToolRegistry.of(list(_entries(tools)))
    if registry.problems:
        first = registry.problems[0]
        raise ValueError(_refused(first.file, first.problem))
    return registry


def _entries(tools: Any) -> Iterable[Any]:
    """Yield definitions and tools. Raises TypeError for an entry that is neither."""
    refuse_path(tools)
    alone = _made(tools)
    if alone is not None:
        yield alone
        return
    if isinstance(tools, type) or not isinstance(tools, Iterable):
        raise TypeError(f"`tools` is {what(tools)}: {_advice(tools, 'a list of tools, a `ToolRegistry` or a manager')}")
    for index, entry in enumerate(tools):
        # Some servers return lists in lists.
        if isinstance(entry, Mapping | ToolSchema | list):
            yield entry
            continue
        tool = _made(entry)
        if tool is None:
            raise TypeError(f"`tools[{index}]` is {what(entry)}: {_advice(entry, 'a definition or a function')}")
        yield tool


def _made(thing: Any) -> ToolSchema | None:
    """Return the tool that an object or a function is, None where it is neither."""
    if is_tool(thing):
        return tool_schema(thing)
    if not inspect.isroutine(thing):
        return None
    from callwright.tools.functions import function_schema

    return function_schema(thing)


def _advice(thing: Any, accepted: str) -> str:
    """Return the advice on what to pass in place of an object that is not a tool."""
    if isinstance(thing, type):
        return "pass an object of it" if hasattr(thing, "execute") else f"pass {accepted}"
    if isinstance(getattr(thing, "registry", None), ToolRegistry):
        return "pass the manager itself, not in a list"
    if isinstance(thing, ToolRegistry):
        return "pass the registry itself, not in a list"
    if callable(getattr(thing, "model_dump", None)):
        return "pass its definition, `tool.model_dump(exclude_none=True)`"
    return f"pass {accepted}; a definition must be an object with a `name` and an `inputSchema`"


def _refused(file: str | None, problem: Problem) -> str:
    data = problem.data
    steps = str(data.get("pointer", "")).split("/")[1:]
    index = next((step for step in steps if step.isdigit()), None)
    tool = data.get("tool")
    where = f"the tool `{tool}`" if tool else f"`tools[{index}]`" if index is not None else "`tools`"
    if file is not None:
        where += f" in {quoted(file, 200)}"
    return f"{where} cannot be used: {data['reason']}; {data['remedy']}"
