"""Example values for arguments that an author has to fill in.

Owns: `example_value`. Must not know: dialects, the registry's class, how instructions are laid out.
"""

from collections.abc import Mapping
from typing import Any


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


__all__ = ["example_value"]
