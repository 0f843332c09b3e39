"""Tools as programs export them: schemas of TypeScript types and Zod, and the lists of frameworks.

Owns: types under `definitions`, the AI SDK's `jsonSchema`, and lists of parameters without a schema around them. Must
not know: other sources, files.

| Written by | Shape |
|---|---|
| typescript-json-schema, ts-json-schema-generator, zod-to-json-schema with a name | `{"$ref": "#/definitions/T", "definitions": {"T": …}}`, or `definitions` alone |
| the AI SDK | `{"description", "inputSchema": {"jsonSchema": {…}}}`, `parameters` in older versions |
| LangChain (`tool.args`) | `{"name", "description", "args": {parameter: schema}}` |
| smolagents | `{"name", "description", "inputs": {parameter: schema}, "output_type"}` |
| Cohere's first interface | `{"name", "description", "parameter_definitions": {parameter: {"type", "required"}}}` |

The sources: https://github.com/YousefED/typescript-json-schema, https://github.com/vega/ts-json-schema-generator,
https://github.com/StefanTerdell/zod-to-json-schema, https://ai-sdk.dev/docs/reference/ai-sdk-core/json-schema,
https://docs.cohere.com/v1/reference/chat.
"""  # noqa: E501  # a row of a table is one line

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from callwright.tools.references import reached, schemas_in, trails
from callwright.tools.sources.base import Definition, Draft, FoundDefinitions, Path, ToolSource, drafted, first_key

_DEFINITIONS: Final = ("definitions", "$defs")
_WRAPPED: Final = ("inputSchema", "parameters", "input_schema")
_LISTS: Final = ("args", "inputs", "parameter_definitions")
#: Python's names of the JSON types, as in Cohere's API.
_TYPES: Final = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "list": "array",
    "dict": "object",
}
#: How many schemas are searched for references.
_MAX_COUNT: Final = 100_000


class ExportsSource(ToolSource):
    """The shapes above; each is recognized by a member that no other has."""

    name = "exports"
    order = 18

    def unwrap(self, document: Definition) -> list[FoundDefinitions] | None:
        """Return the types of a file of definitions, or the one tool whose parameters are listed."""
        if "name" in document:
            return _listed(document)
        key = first_key(document, *_DEFINITIONS)
        if (
            key is None
            or not isinstance(document[key], Mapping)
            or not document.keys() <= {"$ref", "$schema", "$id", key}
        ):
            return None
        return [*_types(document, key)] or None

    def matches(self, definition: Definition) -> bool:
        """Return whether the definition has its schema in a wrapper."""
        return _wrapped(definition) is not None

    def read(self, definition: Definition) -> Draft:
        """Return the draft of the definition."""
        key = _wrapped(definition)
        output = definition.get("outputSchema")
        inside = isinstance(output, Mapping) and isinstance(output.get("jsonSchema"), Mapping)
        return drafted(
            definition,
            None,
            input_schema=definition[key]["jsonSchema"] if key is not None else None,
            schema_path=(str(key), "jsonSchema"),
            output_schema=output["jsonSchema"] if inside and isinstance(output, Mapping) else output,
            output_path=("outputSchema", "jsonSchema") if inside else ("outputSchema",),
            title=definition.get("title"),
        )


def _wrapped(definition: Definition) -> str | None:
    """Return the key under which a schema is in a wrapper."""
    for key in _WRAPPED:
        inner = definition.get(key)
        if isinstance(inner, Mapping) and isinstance(inner.get("jsonSchema"), Mapping):
            return key
    return None


def _types(document: Definition, key: str) -> Iterator[FoundDefinitions]:
    """Yield a tool for the type that the file is about, or for each type that no other refers to."""
    types: Definition = document[key]
    needs = {name: _needed(schema, document, types) for name, schema in types.items()}
    wanted: Iterable[str]
    if isinstance(document.get("$ref"), str):
        wanted = _named(document, document, types)
    else:
        used = {other for name, others in needs.items() for other in others if other != name}
        wanted = [name for name in types if name not in used]
    for name in wanted:
        schema = types.get(name)
        if not isinstance(schema, Mapping) or not ({"properties", "type", "allOf"} & schema.keys()):
            continue
        if schema.get("type", "object") != "object":
            continue
        whole = dict(schema)
        needed = reached(needs[name], needs)
        if any(other in needed for other in types):
            whole[key] = {other: types[other] for other in types if other in needed}
        if isinstance(document.get("$schema"), str):
            whole.setdefault("$schema", document["$schema"])
        draft = drafted(schema, "inputSchema", examples=("examples",), name=name, input_schema=whole)
        moved: dict[Path, Path] = {("inputSchema",): (key, name), ("inputSchema", key): (key,), ("name",): (key, name)}
        yield FoundDefinitions((key, name), schema, draft=draft, source="exports", moved=moved, name=name)


def _needed(schema: Any, document: Definition, types: Definition) -> set[str]:
    """Return the types that a schema refers to, as a whole or in part."""
    return {name for node in islice(schemas_in(schema), _MAX_COUNT) for name in _named(node, document, types)}


def _named(node: Definition, document: Definition, types: Definition) -> Iterator[str]:
    """Yield the types that the references of one schema name; names of generic types contain punctuation."""
    for trail in trails(node, document):
        for passed, name in trail:
            if passed is types and name is not None:
                yield name


def _listed(document: Definition) -> list[FoundDefinitions] | None:
    """Return the tool whose parameters are listed without a schema around them."""
    key = first_key(document, *_LISTS)
    parameters = document.get(key) if key is not None else None
    if (
        key is None
        or not isinstance(parameters, Mapping)
        or not all(isinstance(one, Mapping) for one in parameters.values())
    ):
        return None
    if any(other in document for other in (*_WRAPPED, "schema", "args_schema")) or "description" not in document:
        return None
    properties: dict[str, Any] = {}
    required: list[str] = []
    for name, stated in parameters.items():
        schema = {
            word: value
            for word, value in stated.items()
            if word not in ("required", "nullable") or isinstance(value, list)
        }
        named = schema.get("type")
        if key == "parameter_definitions" and isinstance(named, str):
            schema["type"] = _TYPES.get(named.partition("[")[0].lower(), named)
        elif named == "any":
            del schema["type"]
        properties[name] = schema
        optional = stated.get("required") is not True if key == "parameter_definitions" else "default" in stated
        if not optional and stated.get("nullable") is not True:
            required.append(name)
    whole: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        whole["required"] = required
    draft = drafted(document, "inputSchema", input_schema=whole)
    moved: dict[Path, Path] = {("inputSchema",): (key,), ("inputSchema", "properties"): (key,)}
    moved |= {("inputSchema", "required", index): (key, name) for index, name in enumerate(required)}
    return [FoundDefinitions((), document, draft=draft, source="exports", moved=moved)]


SOURCE = ExportsSource()
