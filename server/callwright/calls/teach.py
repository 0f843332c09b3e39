"""What every dialect's instructions have in common: the rules, the list of tools, and one example that obeys them.

Owns: the layout of instructions. Must not know: dialect modules; the one that teaches comes in as a parameter.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from callwright.calls.protocol import Refusal, RenderStyle, ToolLike


class Renders(Protocol):
    """What instructions need of a dialect: to write an example call."""

    def render(
        self, tool: str, arguments: Mapping[str, Any], schema: ToolLike | None, style: RenderStyle
    ) -> str | Refusal:
        """Return the call as text, or why it cannot be written."""


def paragraphs(dialect: Renders, tools: Sequence[ToolLike], *rules: str) -> str:
    """Return instructions: the rules, each tool with its parameters, and an example call of the first tool that can be
    written in the dialect."""
    parts = ["To use a tool, write a call in your reply.", *rules]
    if tools:
        parts.append("Tools:")
        parts.append("\n".join(f"- `{tool.name}`: {tool.description or 'no description'}" for tool in tools))
    for tool in tools:
        text = dialect.render(tool.name, example_arguments(tool), tool, RenderStyle())
        if not isinstance(text, Refusal):
            parts += ["For example:", text]
            break
    return "\n\n".join(parts) + "\n"


def example_arguments(tool: ToolLike) -> Mapping[str, Any]:
    """Return arguments for an example: the tool's own first example, or a value for each required parameter."""
    examples = getattr(tool, "examples", ())
    if examples:
        first: Mapping[str, Any] = examples[0]
        return first
    properties = tool.input_schema.get("properties")
    required = tool.input_schema.get("required")
    if not isinstance(properties, Mapping) or not isinstance(required, list):
        return {}
    return {name: example_value(properties.get(name)) for name in required if isinstance(name, str)}


def example_value(schema: Any) -> Any:
    """Return a value that a simple schema accepts: its constant, default, example or first choice, else by its type."""
    if not isinstance(schema, Mapping):
        return "..."
    if "const" in schema:
        return schema["const"]
    if "default" in schema:
        return schema["default"]
    for key in ("examples", "enum"):
        options = schema.get(key)
        if isinstance(options, list) and options:
            return options[0]
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((entry for entry in kind if entry != "null"), "null")
    if kind == "array":
        item = schema.get("items")
        return [example_value(item)] if schema.get("minItems") else []
    if kind == "object":
        properties, required = schema.get("properties"), schema.get("required")
        if isinstance(properties, Mapping) and isinstance(required, list):
            return {name: example_value(properties.get(name)) for name in required if isinstance(name, str)}
        return {}
    if kind in ("integer", "number"):
        minimum = schema.get("minimum")
        return minimum if isinstance(minimum, int | float) and minimum > 0 else 1 if minimum is not None else 0
    return {"boolean": False, "null": None}.get(str(kind), "...")


__all__ = ["Renders", "example_arguments", "example_value", "paragraphs"]
