"""Which values define tools, and which only look so.

Owns: `is_definition` and what belongs to it. Must not know: formats, where values are in a text.

A call has a name and parameters as well, and so have models, steps of workflows and operations of interfaces: a
definition is recognised by a JSON Schema, or by parameters of which each says what it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from callwright.text.holes import HOLE
from callwright.text.patterns import compile_later
from callwright.tools.documents import holds_definitions

#: The keys of schemas, and those of lists of definitions.
SCHEMAS: Final = ("parametersJsonSchema", "parameters_json_schema", "inputSchema", "input_schema", "parameters")
DECLARATIONS: Final = ("functionDeclarations", "function_declarations")
#: What a schema without properties may hold beside its type.
WORDS: Final = frozenset(
    [
        *("type", "properties", "required", "additionalProperties", "$schema", "$id", "$defs", "definitions", "title"),
        *("description", "strict", "nullable", "$comment", "patternProperties", "examples", "default", "anyOf"),
        *("oneOf", "allOf", "minProperties", "maxProperties", "propertyNames", "unevaluatedProperties", "$ref"),
        *("propertyOrdering", "example", "not", "if", "then", "else", "dependentRequired", "dependentSchemas"),
        *("dependencies", "enum", "const", "deprecated", "readOnly", "writeOnly", "format"),
    ]
)
_MISSING: Final = object()
#: A name that a call can use; templates and placeholders have brackets.
_NAME: Final = compile_later(rf"[^\s<>{{}}\[\]()$%{HOLE}]{{1,128}}+(?: [^\s<>{{}}\[\]()$%{HOLE}]{{1,40}}+){{0,3}}+")
_PLACEHOLDER: Final = compile_later(r"(?:the|your|some|example)?[_-]?(?:tool|function)[_-]?name", re.IGNORECASE)


def is_definition(value: Any) -> bool:
    """Return whether a value plainly defines tools: an object, a list of such, or a list that is wrapped."""
    if isinstance(value, list):
        return any(_is_tool(one) for one in value) and all(_is_item(one) for one in value)
    if not isinstance(value, dict):
        return False
    declared = next((value[key] for key in DECLARATIONS if key in value), None)
    return is_definition(declared) if isinstance(declared, list) else _is_tool(value)


def _is_tool(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    inner = inner_of(value)
    if not is_name(inner.get("name")):
        return False
    described = isinstance(inner.get("description"), str)
    if described and is_parameter_map(inner.get("parameters")):
        return True
    for key in SCHEMAS:
        if key in inner:
            schema = inner[key]
            if key == "inputSchema" and isinstance(schema, dict) and len(schema) == 1:
                # As the interfaces of Bedrock and of the AI SDK have it.
                schema = schema.get("json", schema.get("jsonSchema", schema))
            if schema is None or schema == {}:
                # A name with nothing may as well be a call.
                return described and "arguments" not in inner and "role" not in value
            return (described and _is_misshapen(schema)) or (is_schema(schema) and holds_definitions(value))
    return False


def _is_item(value: Any) -> bool:
    """Return whether a value is one of a list of tools: without parameters it has a name and says what it does."""
    if _is_tool(value):
        return True
    if not isinstance(value, dict):
        return False
    inner = inner_of(value)
    if inner.keys() & {"arguments", "role", "content", "input", "args"}:
        return False
    if is_name(inner.get("name")):
        return isinstance(inner.get("description"), str) or "type" in value
    # What a provider runs itself.
    return isinstance(value.get("type"), str)


def inner_of(value: dict[str, Any]) -> dict[str, Any]:
    """Return the object with the name, which may be in a wrapper."""
    return next((value[key] for key in ("function", "toolSpec") if isinstance(value.get(key), dict)), value)


def is_name(value: Any) -> bool:
    """Return whether a value can be the name of a tool: a template's expression and a placeholder are none."""
    if not isinstance(value, str) or _NAME.fullmatch(value) is None:
        return False
    return any(map(str.isalnum, value)) and _PLACEHOLDER.fullmatch(value) is None


def is_schema(value: Any) -> bool:
    """Return whether a value is the schema of a tool's parameters, and not an object that happens to look so."""
    if not isinstance(value, Mapping) or not value:
        return False
    kind = value.get("type")
    named = isinstance(kind, str) and kind.lower() in ("object", "dict")
    if kind is not None and not named and not (isinstance(kind, list) and "object" in kind):
        return False
    properties = value.get("properties")
    if isinstance(properties, Mapping):
        return all(_is_property(one) for one in properties.values())
    if "properties" in value and properties is not None:
        return False
    if not value.keys() <= WORDS:
        return False
    return kind is not None or any(key in value for key in ("$ref", "anyOf", "oneOf", "allOf"))


def is_parameter_map(value: Any) -> bool:
    """Return whether a value lists parameters by their names, without a schema around them."""
    if not isinstance(value, Mapping) or not value or isinstance(value.get("type"), str) or "properties" in value:
        return False
    if not all(isinstance(one, Mapping) and _stated_type(one) is not _MISSING for one in value.values()):
        return False
    return any(isinstance(_stated_type(one), str) for one in value.values()) and all(map(is_name, value))


def _stated_type(parameter: Mapping[str, Any]) -> Any:
    kind = parameter.get("type", parameter.get("param_type"))
    return kind if kind is not None or isinstance(parameter.get("description"), str) else _MISSING


def _is_misshapen(value: Any) -> bool:
    """Return whether a value is meant for a schema, but lists its properties."""
    return isinstance(value, Mapping) and value.get("type") == "object" and isinstance(value.get("properties"), list)


def _is_property(value: Any) -> bool:
    if not isinstance(value, Mapping):
        # Nothing is there yet, or a template's expression.
        return value is None or isinstance(value, bool) or (isinstance(value, str) and HOLE in value)
    kind = value.get("type")
    if isinstance(kind, str):
        return True
    return kind is None or isinstance(kind, list | Mapping)
