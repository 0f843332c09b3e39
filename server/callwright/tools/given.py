"""Tools as a program gives them to what judges strictly: all of them can be read, or none is taken.

Owns: `tools_given`, and the words for what is no tool. Must not know: who runs tools, functions of Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from callwright.text.words import quoted
from callwright.tools.model import ToolSchema
from callwright.tools.registry import EMPTY, ToolRegistry, refuse_path

if TYPE_CHECKING:
    from callwright.syntax.problem import Problem


def tools_given(tools: Any, made: Callable[[Any], ToolSchema | None] = lambda _: None) -> ToolRegistry:
    """Return the registry of what a caller has, or raise: a tool that cannot be read is none that calls could name.

    Taken is what `ToolRegistry.of` takes, and a tool manager. `made` makes a tool of what is neither a definition nor
    a tool, and returns None where it cannot.

    Raises TypeError where an entry is no definition, ValueError where a definition cannot be worked with.
    """
    own = getattr(tools, "registry", None)
    registry = own if isinstance(own, ToolRegistry) else tools
    if not isinstance(registry, ToolRegistry):
        if registry is None:
            return EMPTY
        registry = ToolRegistry.of(registry if isinstance(registry, Mapping) else list(_entries(registry, made)))
    if registry.problems:
        first = registry.problems[0]
        raise ValueError(_refused(first.file, first.problem))
    return registry


def _entries(tools: Any, made: Callable[[Any], ToolSchema | None]) -> Iterable[Any]:
    """Yield definitions and tools. Raises TypeError for an entry that is neither."""
    refuse_path(tools)
    alone = made(tools)
    if alone is not None:
        yield alone
        return
    if callable(tools):
        raise TypeError(f"`tools` is {_what(tools)}: {_wrapped(tools)}")
    if not isinstance(tools, Iterable):
        raise TypeError(f"`tools` is {_what(tools)}: pass a list of definitions, a `ToolRegistry` or a tool manager")
    for index, entry in enumerate(tools):
        # Lists in lists are what some servers give.
        if isinstance(entry, Mapping | ToolSchema | list):
            yield entry
            continue
        tool = made(entry)
        if tool is None:
            raise TypeError(f"`tools[{index}]` is {_what(entry)}: {_wrapped(entry)}")
        yield tool


def _what(thing: Any) -> str:
    name = getattr(thing, "__name__", None)
    if callable(thing) and isinstance(name, str):
        return f"the function {quoted(name)}"
    return f"a `{type(thing).__name__}`"


def _wrapped(thing: Any) -> str:
    """Return what to give in place of a thing that is no definition."""
    if callable(thing):
        return "wrap it, as in `StrictToolManager([tool_from(function)])`, and pass the manager"
    if hasattr(thing, "execute"):
        return "register it, as in `StrictToolManager([tool])`, and pass the manager"
    return "a definition must be an object with a `name` and an `inputSchema`"


def _refused(file: str | None, problem: Problem) -> str:
    data = problem.data
    steps = str(data.get("pointer", "")).split("/")[1:]
    index = next((step for step in steps if step.isdigit()), None)
    tool = data.get("tool")
    where = f"the tool `{tool}`" if tool else f"`tools[{index}]`" if index is not None else "`tools`"
    if file is not None:
        where += f" in {quoted(file, 200)}"
    return f"{where} cannot be used: {data['reason']}; {data['remedy']}"
