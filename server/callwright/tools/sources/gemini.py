"""Tools in the format of Gemini's APIs: lists of function declarations with schemas in OpenAPI's style.

Owns: `functionDeclarations`, upper-case type names, `nullable`, counts written as strings, and the tools that Google
runs itself. Must not know: other sources, files. The shapes: https://ai.google.dev/api/caching#Schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from callwright.tools.sources.base import (
    Definition,
    Draft,
    FoundDefinitions,
    ToolSource,
    allow_null,
    drafted,
    first_key,
    members,
)

_DECLARATIONS = ("functionDeclarations", "function_declarations")
_JSON_SCHEMA = ("parametersJsonSchema", "parameters_json_schema")
_TYPES = {name.upper(): name for name in ("array", "boolean", "integer", "null", "number", "object", "string")}
#: Deeper schemas are not translated; the check of the schema then reports that they nest too deep.
_DEPTH = 64


#: Whole numbers of 64 bits are strings in the JSON of Google's APIs.
_COUNTS = frozenset(["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"])
_COUNTS_SNAKE = {"".join(f"_{char.lower()}" if char.isupper() else char for char in word): word for word in _COUNTS}
#: Members of definitions in other shapes, which some files have in lists of declarations nevertheless.
_OTHERS = frozenset({"function", "inputSchema", "input_schema", "toolSpec"})
#: Tools that Google runs: calls never name them.
_OWN = frozenset(
    [
        *(
            "googleSearch",
            "google_search",
            "codeExecution",
            "code_execution",
            "urlContext",
            "url_context",
            "googleMaps",
        ),
        *("google_maps", "fileSearch", "file_search", "computerUse", "computer_use", "googleSearchRetrieval"),
        *("google_search_retrieval", "enterpriseWebSearch", "enterprise_web_search", "retrieval"),
    ]
)


class GeminiSource(ToolSource):
    """`{"functionDeclarations": [{"name", "description", "parameters": {"type": "OBJECT", …}}]}`."""

    name = "gemini"
    order = 15

    def unwrap(self, document: Definition) -> list[FoundDefinitions] | None:
        """Return the declarations of one Gemini tool."""
        key = first_key(document, *_DECLARATIONS)
        if key is None and document and document.keys() <= _OWN:
            return []
        found = members(document, key) if key is not None else None
        if found is None:
            return None
        return [
            replace(one, draft=self.read(one.value), source=self.name) if _is_declaration(one.value) else one
            for one in found
        ]

    def matches(self, definition: Definition) -> bool:
        """Return whether the definition has keys or type names that only Gemini's format has."""
        parameters = definition.get("parameters")
        upper = isinstance(parameters, Mapping) and parameters.get("type") == "OBJECT"
        return "name" in definition and (upper or first_key(definition, *_JSON_SCHEMA) is not None)

    def read(self, definition: Definition) -> Draft:
        """Return the draft of the declaration, with its schema as JSON Schema."""
        key = first_key(definition, *_JSON_SCHEMA)
        schema = definition[key] if key else _translated(definition.get("parameters"), _DEPTH)
        response = first_key(definition, "responseJsonSchema", "response_json_schema")
        output = definition[response] if response else _translated(definition.get("response"), _DEPTH)
        return drafted(
            definition,
            key or "parameters",
            output=response or "response",
            input_schema=schema,
            output_schema=output,
        )


def _is_declaration(value: Any) -> bool:
    """Return whether a member of a list of declarations is one, not a definition in another format."""
    return isinstance(value, Mapping) and "name" in value and value.keys().isdisjoint(_OTHERS)


def _translated(schema: Any, depth: int) -> Any:
    """Return an OpenAPI-style schema as JSON Schema: type names in lower case, `nullable` as a type of its own."""
    if not isinstance(schema, Mapping) or depth <= 0:
        return schema
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "properties" and isinstance(value, Mapping):
            result[key] = {name: _translated(child, depth - 1) for name, child in value.items()}
        elif key in ("items", "additionalProperties"):
            result[key] = _translated(value, depth - 1)
        elif key in ("anyOf", "any_of") and isinstance(value, list):
            result["anyOf"] = [_translated(child, depth - 1) for child in value]
        elif key == "type" and isinstance(value, str):
            result[key] = _TYPES.get(value, value)
        elif key in _COUNTS or key in _COUNTS_SNAKE:
            number = isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 19
            result[_COUNTS_SNAKE.get(str(key), str(key))] = int(value) if number else value
        elif key == "example":
            result["examples"] = [value]
        elif key not in ("nullable", "propertyOrdering", "property_ordering", "format"):
            result[key] = value
    if schema.get("nullable") is True:
        allow_null(result)
    return result


SOURCE = GeminiSource()
