"""Tools from plain functions: arguments of the annotated types, and what the function returns as JSON data.

Owns: `tool_from`, `made_tool`. Must not know: what runs tools, command lines, how a function is described. Types are
converted by pydantic, which the caller installs; it is not a dependency of this package. Without it, functions with the
types that JSON has are called as they are.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from callwright.runtime.tools.base import InvalidArgumentsError
from callwright.text.words import quoted
from callwright.tools.functions import has_pydantic, returned_by, tool_definition, typed
from callwright.tools.objects import is_tool

#: How many errors of arguments are reported.
_MAX_FAULTS: Final = 5


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
        self.name: str = definition["name"]
        self.schema = definition
        self.dangerous = dangerous
        self.timeout = timeout
        self._function = function
        self._calls: Any = None
        self._returns: Any = None
        self._types: Mapping[str, Any] = {}
        if not has_pydantic():
            from callwright.tools.plain_functions import argument_types

            self._types = argument_types(function)
            return
        from pydantic import TypeAdapter

        self._calls = TypeAdapter(typed(function))
        returned = returned_by(function)
        self._returns = None if returned is None else TypeAdapter(returned)

    def validate(self, params: Mapping[str, Any]) -> None:
        """Accept what the schema allows; types are converted when the function is called."""

    def execute(self, params: Mapping[str, Any]) -> Any:
        """Call the function and return what it returns, as JSON data."""
        return self._written(self._called(params))

    def _called(self, params: Mapping[str, Any]) -> Any:
        if self._calls is None:
            from callwright.tools.plain_functions import converted

            return self._function(**{name: converted(value, self._types[name]) for name, value in params.items()})
        from pydantic_core import ArgsKwargs, ValidationError

        try:
            return self._calls.validate_python(ArgsKwargs((), dict(params)))
        except ValidationError as error:
            if error.title != f"call[{self._function.__name__}]":
                # The function itself raised it.
                raise
            stated = f"The arguments of `{self.name}` are not valid: {_faults(error.errors())}."
            raise InvalidArgumentsError(stated) from error

    def _written(self, value: Any) -> Any:
        return value if self._returns is None else self._returns.dump_python(value, mode="json")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


def _faults(errors: Sequence[Mapping[str, Any]]) -> str:
    """Return the errors that pydantic reports, each with the argument and its value."""
    stated = []
    for each in errors[:_MAX_FAULTS]:
        place, given = ".".join(str(step) for step in each["loc"]), each["input"]
        value = f" is {quoted(json.dumps(given))}" if isinstance(given, str | int | float) else ""
        message = str(each["msg"])
        stated.append(f"{quoted(place, 200)}{value}: {message[:1].lower()}{message[1:]}")
    return "; ".join(stated)


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

    Raises TypeError where `function` is not callable, ImportError where an annotation needs pydantic, which is not
    installed, ValueError where the function has positional-only or variadic parameters or is a lambda without a `name`,
    and pydantic's own errors where an annotation has no schema.
    """
    if not callable(function):
        raise TypeError(f"a `{type(function).__name__}` cannot be a tool: pass a function")
    made = tool_definition(function, {"name": name, "description": description, "annotations": annotations})
    kind = AwaitedFunctionTool if inspect.iscoroutinefunction(function) else FunctionTool
    return kind(function, made, dangerous=dangerous, timeout=timeout)


def made_tool(thing: Any) -> Any:
    """Return a tool: `thing` if it is one, the result of `tool_from` for a function, else None.

    Raises TypeError where pydantic is needed and not installed, and what `tool_from` raises.
    """
    if is_tool(thing):
        return thing
    if not inspect.isroutine(thing):
        return None
    try:
        return tool_from(thing)
    except ImportError as error:
        raise TypeError(f"the function `{thing.__name__}` cannot be made into a tool: {error}") from None
