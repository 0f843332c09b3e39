"""Tools that are objects of a program: what makes one, and its definition.

Owns: `is_tool`, `tool_schema`, `read_definition`, `what`. Must not know: functions, what runs tools.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from callwright.text.words import quoted
from callwright.tools.model import ToolSchema

#: What an object needs to be a tool.
_NEEDED: Final = ("name", "schema", "validate", "execute")
MEMBERS_NEEDED: Final = "it needs `name`, `schema`, `validate` and `execute`"
#: The members at the schema's top level that only a whole definition has.
_DEFINING: Final = ("inputSchema", "input_schema", "parameters", "function")
#: The member of a definition that corresponds to each attribute of a tool.
_ATTRIBUTES: Final = (
    ("description", "description"),
    ("title", "title"),
    ("outputSchema", "output_schema"),
    ("annotations", "annotations"),
    ("examples", "examples"),
)


def is_tool(thing: Any) -> bool:
    """Return whether an object is a tool: it has a name, a schema, and the methods that validate and execute."""
    return not isinstance(thing, type) and all(hasattr(thing, each) for each in _NEEDED)


def what(thing: Any) -> str:
    """Return the words that name an object in an error: its kind, and its name if it has one."""
    name = getattr(thing, "__name__", None)
    if isinstance(thing, type):
        return f"the class {quoted(thing.__name__)}"
    if callable(thing) and isinstance(name, str):
        return f"the function {quoted(name)}"
    return f"a `{type(thing).__name__}`"


def tool_schema(tool: Any) -> ToolSchema:
    """Return the definition of a tool, as a registry uses it.

    Raises TypeError where the object is not a tool, ValueError where its name or a schema is invalid.
    """
    if not is_tool(tool):
        raise TypeError(f"{what(tool)} is not a tool: {MEMBERS_NEEDED}")
    name: Any = tool.name
    schema: Any = tool.schema
    if not isinstance(name, str) or not isinstance(schema, Mapping):
        raise TypeError(f"{what(tool)} is not a tool: its `name` must be a string and its `schema` an object")
    defined = any(isinstance(schema.get(key), Mapping) for key in _DEFINING)
    stated: dict[str, Any] = {"name": name, "inputSchema": {"type": "object"} if defined else dict(schema)}
    for key, attribute in _ATTRIBUTES:
        value = getattr(tool, attribute, None)
        if value is not None:
            stated[key] = value
    own = read_definition(name, stated)
    if not defined:
        return own
    named = "function" in schema or "name" in schema
    found = read_definition(name, schema if named else {**schema, "name": name})
    if found.name != name:
        raise ValueError(f"the tool `{name}` is defined under the name `{found.name}`")
    return replace(
        found,
        title=found.title or own.title,
        description=found.description or own.description,
        output_schema=own.output_schema if found.output_schema is None else found.output_schema,
        annotations={**own.annotations, **found.annotations},
        examples=found.examples or own.examples,
    )


def read_definition(name: str, definition: Mapping[str, Any]) -> ToolSchema:
    """Return the tool of one definition. Raises ValueError where it defines none, or is invalid."""
    from callwright.tools.definitions import read_definitions

    found, problems = read_definitions(definition)
    if problems or len(found) != 1 or not found[0].checked:
        reason = problems[0].data.get("reason", "") if problems else "its schema does not define one tool"
        raise ValueError(f"the tool `{name}` cannot be used: {reason}")
    return found[0]
