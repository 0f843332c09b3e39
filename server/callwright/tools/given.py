"""Tools that a program passes to a strict parser or manager: all of them must be valid.

Owns: `tools_given`, and the errors for objects that are not tools. Must not know: what runs tools, Python functions.
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
    """Return the registry of a caller's tools, or raise: calls could not name a tool that cannot be read.

    Accepts what `ToolRegistry.of` accepts, and a tool manager. `made` converts an object that is neither a definition
    nor a tool to a tool, or returns None.

    Raises TypeError where an entry is not a definition, ValueError where a definition is invalid.
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
        # Some servers return lists in lists.
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
    """Return the advice on what to pass in place of an object that is not a definition."""
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
