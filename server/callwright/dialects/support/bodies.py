"""The family of dialects whose calls are one text, so that they can only call a few tools.

Owns: `BodyDialect`, which defines the calls that such a dialect can express. Must not know: any single dialect.
"""

from collections.abc import Mapping
from typing import Any

from callwright.calls.bodies import Body
from callwright.calls.protocol import Refusal, ToolLike
from callwright.dialects.base import Dialect


class BodyDialect(Dialect):
    """A dialect whose call is one text, the only argument of the tool that `bodies` names by the kind of text."""

    bodies: Mapping[str, Body] = {}

    def text_of(self, tool: str, arguments: Mapping[str, Any], schema: ToolLike | None) -> tuple[str, str] | Refusal:
        """Return the kind and the text that a call is written as, or why it cannot be written."""
        kind = next((kind for kind, body in self.bodies.items() if tool in body.tools), None)
        if kind is None:
            known = ", ".join(f"`{name}`" for name in self.only_tools)
            return Refusal(f"a call is one text for a tool such as {known}, and `{tool}` is none of them")
        body = self.bodies[kind]
        properties = schema.input_schema.get("properties") if schema is not None else None
        names = list(properties) if isinstance(properties, Mapping) else []
        wanted = names[0] if len(names) == 1 else body.parameter
        if list(arguments) != [wanted]:
            return Refusal(f"a call is one text, the argument `{wanted}`, and holds nothing beside it")
        value = arguments[wanted]
        if not isinstance(value, str):
            return Refusal("the argument is no text", (wanted,))
        if not value.strip() or value != value.strip(" \t\r\n>"):
            return Refusal("whitespace around the text is not part of it", (wanted,))
        if "\r" in value:
            return Refusal("its line ends are CR, which a file may change", (wanted,))
        return kind, value
