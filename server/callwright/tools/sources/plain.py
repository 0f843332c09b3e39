"""Tools in a minimal format: a name with a schema, or a map from names to schemas.

Owns: `{"name", "parameters"}`, `{"name", "schema"}`, a titled JSON Schema, `{name: schema}`. Must not know: other
sources, files.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from callwright.tools.sources.base import Definition, Draft, FoundDefinitions, ToolSource, drafted, first_key

_SCHEMAS = ("parameters", "schema", "input", "args_schema")
#: Keys of a JSON Schema or a definition; a map of objects with them is a map of tools.
_SIGNS = frozenset({"type", "properties", "$ref", "anyOf", "allOf", "oneOf", "inputSchema", "input_schema", *_SCHEMAS})


class PlainSource(ToolSource):
    """The least specific shape: any object with a tool's name and, if it takes arguments, its parameters."""

    name = "plain"
    order = 90

    def unwrap(self, document: Definition) -> list[FoundDefinitions] | None:
        """Return the entries of a map from names to schemas or nameless definitions, at the top or under `tools`."""
        tools = document.get("tools")
        if isinstance(tools, Mapping):
            return _entries(tools, ("tools",))
        if "name" in document:
            return None
        return _entries(document, ())

    def matches(self, definition: Definition) -> bool:
        """Return whether the definition has a name, or is an object's JSON Schema with a title to name it by."""
        if first_key(definition, "name", *_SCHEMAS[:2]) is not None:
            return True
        return _is_titled_schema(definition)

    def read(self, definition: Definition) -> Draft:
        """Return the draft of the definition."""
        if "name" not in definition and _is_titled_schema(definition):
            own = {"name": definition["title"], "name_path": ("title",), "input_schema": definition}
            return drafted(definition, None, examples=("examples",), **own)
        more = {"title": definition.get("title"), "aliases": definition.get("aliases", ())}
        return drafted(definition, first_key(definition, *_SCHEMAS), examples=("examples",), **more)


def _entries(tools: Definition, path: tuple[str, ...]) -> list[FoundDefinitions] | None:
    entries = {name: value for name, value in tools.items() if not name.startswith("$")}
    if not entries or entries.keys() <= set(_SCHEMAS) or not all(_is_entry(value) for value in entries.values()):
        return None
    return [
        FoundDefinitions(
            (*path, name), value, name=name, bare=first_key(value, "inputSchema", "input_schema", *_SCHEMAS) is None
        )
        for name, value in entries.items()
    ]


def _is_entry(value: Any) -> bool:
    return isinstance(value, Mapping) and (not value or not _SIGNS.isdisjoint(value))


def _is_titled_schema(definition: Definition) -> bool:
    titled = isinstance(definition.get("title"), str)
    return titled and definition.get("type") == "object" and isinstance(definition.get("properties"), Mapping)


SOURCE = PlainSource()
