"""Functions as tools: the schema from the annotations, the descriptions from the docstring.

Owns: `definition_of`, `function_schema`, which functions can be tools. Must not know: what calls a function, command
lines. Annotations are read by pydantic, which the caller installs; it is not a dependency of this package. Without it,
the types that JSON has are read.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final, get_type_hints

from callwright.tools.model import ToolSchema

_BY_POSITION: Final = frozenset(
    [inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD]
)
#: Return annotations that do not describe a value.
_NOTHING: Final = (None, type(None), Any, inspect.Signature.empty)


def has_pydantic() -> bool:
    """Return whether pydantic is installed."""
    try:
        import pydantic  # noqa: F401 - whether it can be imported is the answer
    except ImportError:
        return False
    return True


def definition_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the definition of a function: name, description, `inputSchema`.

    Raises ImportError where an annotation needs pydantic, which is not installed.
    """
    if not has_pydantic():
        from callwright.tools.plain_functions import plain_definition

        return plain_definition(function)
    from pydantic import TypeAdapter

    from callwright.tools.python.docstrings import read_docstring

    documented = read_docstring(inspect.cleandoc(getattr(function, "__doc__", None) or ""))
    schema = TypeAdapter(typed(function)).json_schema()
    for name, one in schema.get("properties", {}).items():
        if name in documented.parameters:
            one.setdefault("description", documented.parameters[name].text)
    schema.pop("additionalProperties", None)
    description = documented.description.text if documented.description is not None else ""
    return {"name": function.__name__, "description": description, "inputSchema": schema}


def tool_definition(function: Callable[..., Any], given: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the whole definition of a function that is a tool; members in `given` that are not None replace its own.

    Raises ValueError where calls cannot name the function or one of its parameters, and as `definition_of` does.
    """
    stated = {key: value for key, value in (given or {}).items() if value is not None}
    if function.__name__ == "<lambda>" and "name" not in stated:
        raise ValueError("a lambda has no name that calls could use: pass one, as in `tool_from(function, name=…)`")
    kinds = {parameter.kind for parameter in inspect.signature(function).parameters.values()}
    if kinds & _BY_POSITION:
        raise ValueError(f"`{function.__name__}` cannot be a tool: it must accept each of its arguments by name")
    definition = definition_of(function)
    # An argument that the function does not have would make the call fail.
    definition["inputSchema"]["additionalProperties"] = False
    output = _output_schema(function)
    return {**definition, **({} if output is None else {"outputSchema": output}), **stated}


def function_schema(function: Callable[..., Any]) -> ToolSchema:
    """Return a function as a registry uses it. Raises TypeError where pydantic is needed and not installed."""
    from callwright.tools.objects import read_definition

    try:
        return read_definition(function.__name__, tool_definition(function))
    except ImportError as error:
        raise TypeError(f"the function `{function.__name__}` cannot be made into a tool: {error}") from None


def typed(function: Callable[..., Any]) -> Any:
    """Return a function typed as pydantic's parameter, which accepts functions although its signature does not
    say so.
    """
    return function


def returned_by(function: Callable[..., Any]) -> Any:
    """Return the return annotation of a function, None where it does not describe a value or cannot be resolved."""
    try:
        returned = get_type_hints(function, include_extras=True).get("return")
    except (NameError, TypeError, AttributeError):
        return None
    return None if returned in _NOTHING else returned


def _output_schema(function: Callable[..., Any]) -> dict[str, Any] | None:
    """Return the schema of a function's return value, None where that is not an object, or pydantic is missing."""
    returned = returned_by(function)
    if returned is None or not has_pydantic():
        return None
    from pydantic import TypeAdapter

    from callwright.tools.parameters import types_of

    schema: dict[str, Any] = TypeAdapter(returned).json_schema(mode="serialization")
    return schema if types_of(schema, schema) == frozenset({"object"}) else None
