"""Which of a tool's parameters the text between its tags is.

Owns: `BODY_KEY`, `body_name`, `body_of_tool`. Must not know: how a call is read or written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from callwright.calls.protocol import ToolLike

#: The key of a property's schema that says that its value is the text between the tags of a call.
BODY_KEY: Final = "x-body"


def body_name(parameters: Mapping[str, Any] | None) -> str | None:
    """Return which of a tool's parameters the text between its tags is; None if the tool names none.

    `parameters` are their schemas by their names.
    """
    for name, schema in (parameters or {}).items():
        if isinstance(schema, Mapping) and schema.get(BODY_KEY) is True:
            return name
    return None


def body_of_tool(tool: ToolLike | None) -> str | None:
    """Return which of a tool's parameters the text between its tags is; None where it names none."""
    properties = tool.input_schema.get("properties") if tool is not None else None
    return body_name(properties) if isinstance(properties, Mapping) else None
