"""Tools from plain functions: the schema from annotations, the descriptions from the docstring.

Owns: `tool_from`, `definition_of`, `made_tool`, `registry_given`. Must not know: what runs tools, command lines.
Annotations are read by pydantic, which the caller installs; it is not a dependency of this package.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, get_type_hints

from callwright.runtime.tools.base import StrictTool, tool_schema
from callwright.tools.given import tools_given
from callwright.tools.model import ToolSchema
from callwright.tools.registry import ToolRegistry

#: Return annotations that do not describe a value.
_NOTHING = (None, type(None), Any, inspect.Signature.empty)


class FunctionTool:
    """A tool that calls a function with the arguments by name; a `StrictTool`.

    Arguments are converted to the annotated types, and the return value is written as JSON by its annotation, so that
    models, data classes, dates and paths may be used.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        definition: Mapping[str, Any],
        *,
        dangerous: bool | None,
        timeout: float | None,
    ) -> None:
        from pydantic import TypeAdapter

        self.name: str = definition["name"]
        self.schema = definition
        self.dangerous = dangerous
        self.timeout = timeout
        self._calls: Any = TypeAdapter(_typed(function))
        returned = _returned(function)
        self._returns: Any = None if returned in _NOTHING else TypeAdapter(returned)

    def validate(self, params: Mapping[str, Any]) -> None:
        """Accept what the schema allows; types are converted when the function is called."""

    def execute(self, params: Mapping[str, Any]) -> Any:
        """Call the function and return what it returns, as JSON data."""
        return self._written(self._called(params))

    def _called(self, params: Mapping[str, Any]) -> Any:
        from pydantic_core import ArgsKwargs

        return self._calls.validate_python(ArgsKwargs((), dict(params)))

    def _written(self, value: Any) -> Any:
        return value if self._returns is None else self._returns.dump_python(value, mode="json")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class AwaitedFunctionTool(FunctionTool):
    """The same for a coroutine function."""

    async def execute(self, params: Mapping[str, Any]) -> Any:
        """Await the function and return what it returns, as JSON data."""
        return self._written(await self._called(params))


def tool_from(
    function: Callable[..., Any],
    *,
    name: str | None = None,
    description: str | None = None,
    dangerous: bool | None = None,
    timeout: float | None = None,
    annotations: Mapping[str, Any] | None = None,
) -> FunctionTool:
    """Return a tool that calls a function, plain or asynchronous.

    Its arguments are those of the function, with their annotations, defaults and descriptions in the docstring; a
    return annotation of an object gives the output schema. `name` and `description` replace the function's own; the
    rest is as in `StrictTool`.

    Raises ImportError where pydantic is not installed, ValueError where the function has positional-only or variadic
    parameters or is a lambda without a `name`, and pydantic's own errors where an annotation has no schema.
    """
    if function.__name__ == "<lambda>" and name is None:
        raise ValueError("a lambda has no name that calls could use: pass one, as in `tool_from(function, name=…)`")
    kinds = {parameter.kind for parameter in inspect.signature(function).parameters.values()}
    if kinds & {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}:
        raise ValueError(f"`{function.__name__}` cannot be a tool: it must accept each of its arguments by name")
    definition = definition_of(function)
    # An argument that the function does not have would make the call fail.
    definition["inputSchema"]["additionalProperties"] = False
    output = _output_schema(function)
    given = {"name": name, "description": description, "annotations": annotations, "outputSchema": output}
    made = {**definition, **{key: value for key, value in given.items() if value is not None}}
    kind = AwaitedFunctionTool if inspect.iscoroutinefunction(function) else FunctionTool
    return kind(function, made, dangerous=dangerous, timeout=timeout)


def made_tool(thing: Any) -> Any:
    """Return a tool: `thing` if it is one, the result of `tool_from` for a function, else None.

    Raises TypeError where pydantic is needed and not installed, and what `tool_from` raises.
    """
    if isinstance(thing, StrictTool) and not isinstance(thing, type):
        return thing
    if not inspect.isroutine(thing):
        return None
    try:
        return tool_from(thing)
    except ImportError as error:
        raise TypeError(f"the function `{thing.__name__}` cannot be made into a tool: {error}") from None


def registry_given(tools: Any) -> ToolRegistry:
    """Return the registry of definitions, functions, tools or a manager, as `tools_given` does.

    Raises TypeError and ValueError where one of them cannot be used.
    """

    def made(thing: Any) -> ToolSchema | None:
        tool = made_tool(thing)
        return None if tool is None else tool_schema(tool)

    return tools_given(tools, made)


def definition_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the definition of a function: name, description, `inputSchema`. Annotations are read by pydantic.

    Raises ImportError where pydantic is not installed.
    """
    try:
        from pydantic import TypeAdapter
    except ImportError:
        raise ImportError(
            "this annotation needs pydantic, which is not installed: run `pip install pydantic`"
        ) from None
    from callwright.tools.python.docstrings import read_docstring

    documented = read_docstring(inspect.cleandoc(getattr(function, "__doc__", None) or ""))
    schema = TypeAdapter(_typed(function)).json_schema()
    for name, one in schema.get("properties", {}).items():
        if name in documented.parameters:
            one.setdefault("description", documented.parameters[name].text)
    schema.pop("additionalProperties", None)
    description = documented.description.text if documented.description is not None else ""
    return {"name": function.__name__, "description": description, "inputSchema": schema}


def _typed(function: Callable[..., Any]) -> Any:
    """Return a function typed as pydantic's parameter, which accepts functions although its signature does not
    say so.
    """
    return function


def _returned(function: Callable[..., Any]) -> Any:
    """Return the return annotation of a function; one that cannot be resolved counts as missing."""
    try:
        return get_type_hints(function, include_extras=True).get("return")
    except (NameError, TypeError, AttributeError):
        return None


def _output_schema(function: Callable[..., Any]) -> dict[str, Any] | None:
    """Return the schema of a function's return value, None where that is not an object."""
    from pydantic import TypeAdapter

    returned = _returned(function)
    if returned in _NOTHING:
        return None
    schema: dict[str, Any] = TypeAdapter(returned).json_schema(mode="serialization")
    from callwright.tools.parameters import types_of

    return schema if types_of(schema, schema) == frozenset({"object"}) else None
