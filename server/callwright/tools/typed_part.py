"""The usable part of an invalid schema: its types.

Owns: `typed_part`. Must not know: how definitions are written, validators, files.

A schema that validators reject still names parameters and most of their types. That is enough to read the text of a
call into values, but not to validate them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from callwright.tools.schema_check import DEPTH, NODES, meant_type

if TYPE_CHECKING:
    from callwright.tools.references import Schema

_MAPS: Final = ("properties", "$defs", "definitions")
_LISTS: Final = ("anyOf", "oneOf", "allOf", "prefixItems")
_TEXTS: Final = ("description", "title", "$anchor", "x-alias-of")


def typed_part(schema: Schema) -> Schema | None:
    """Return the valid part of an invalid schema: its names, types, lists of values, and local references.

    A type of another language counts as the JSON type that it means; any other invalid type is ignored. None where the
    schema is too large or nested too deep. Never raises.
    """
    try:
        return _Copy().of(schema, DEPTH)
    except _TooLargeError:
        return None


class _TooLargeError(Exception):
    """The schema has too many parts, or contains itself."""


class _Copy:
    def __init__(self) -> None:
        self._left = NODES

    def of(self, schema: Any, depth: int) -> dict[str, Any]:
        self._left -= 1
        if self._left < 0 or depth <= 0:
            raise _TooLargeError
        if not isinstance(schema, Mapping):
            return {}
        copy: dict[str, Any] = {}
        types = _types(schema.get("type"))
        if types:
            copy["type"] = types[0] if len(types) == 1 else types
        for keyword in _TEXTS:
            if isinstance(schema.get(keyword), str):
                copy[keyword] = schema[keyword]
        if schema.get("deprecated") is True:
            copy["deprecated"] = True
        for keyword in ("const", "default"):
            if keyword in schema:
                copy[keyword] = schema[keyword]
        if isinstance(schema.get("enum"), list) and schema["enum"]:
            copy["enum"] = schema["enum"]
        if isinstance(schema.get("required"), list):
            copy["required"] = list(dict.fromkeys(name for name in schema["required"] if isinstance(name, str)))
        if isinstance(schema.get("$ref"), str) and schema["$ref"].startswith("#"):
            copy["$ref"] = schema["$ref"]
        self._parts(schema, copy, depth - 1)
        return copy

    def _parts(self, schema: Schema, copy: dict[str, Any], depth: int) -> None:
        """Copy the schemas inside a schema."""
        for keyword in _MAPS:
            value = schema.get(keyword)
            if isinstance(value, Mapping):
                copy[keyword] = {str(name): self._child(child, depth) for name, child in value.items()}
        for keyword in _LISTS:
            value = schema.get(keyword)
            if isinstance(value, list) and value:
                copy[keyword] = [self._child(child, depth) for child in value]
        items = schema.get("items")
        if isinstance(items, list) and items:
            copy.setdefault("prefixItems", [self._child(child, depth) for child in items])
        elif isinstance(items, Mapping | bool):
            copy["items"] = self._child(items, depth)
        others = schema.get("additionalProperties")
        if isinstance(others, Mapping | bool):
            copy["additionalProperties"] = self._child(others, depth)

    def _child(self, child: Any, depth: int) -> Any:
        return child if isinstance(child, bool) else self.of(child, depth)


def _types(named: Any) -> list[str]:
    """Return the JSON types that a `type` means; none where one of the names has no meaning."""
    names = named if isinstance(named, list) else [named]
    meant = [meant_type(name) if isinstance(name, str) else None for name in names]
    if None in meant:
        return []
    return list(dict.fromkeys(name for name in meant if name is not None))
