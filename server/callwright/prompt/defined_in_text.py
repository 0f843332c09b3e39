"""Definitions of tools in a JSON text, with the places of their names.

Owns: `definitions_in`. Must not know: documents, prose.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from callwright.declarations.documented_lines import Claim
from callwright.text.lru import Kept
from callwright.text.records import NamedTuple
from callwright.text.span import Span

if TYPE_CHECKING:
    pass


#: By the JSON text that they are in.
_defined: Final[Kept[str, tuple[Defined, ...]]] = Kept(64, 1_000_000)


class Defined(NamedTuple):
    """A definition in JSON: the tool, its name's span, and its parameters."""

    name: str
    span: Span
    claims: tuple[Claim, ...]


def definitions_in(text: str) -> tuple[Defined, ...]:
    """Return the definitions of tools in a JSON text; those whose parameters are not a schema are calls and are left
    out."""
    known = _defined.get(text)
    return _defined.keep(text, _definitions_in(text), len(text)) if known is None else known


def _definitions_in(text: str) -> tuple[Defined, ...]:
    # Only a prompt with definitions in it pays for what reads them.
    from callwright.tools.documents import read_tool_document
    from callwright.tools.parameters import types_of

    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return ()
    document = read_tool_document(text, "tools.json")
    found: list[Defined] = []
    for definition in document.definitions:
        schema = definition.input_schema
        if not isinstance(schema, Mapping) or not isinstance(schema.get("properties"), Mapping):
            continue
        if definition.schema_path is None or not definition.tool.checked:
            continue
        claims: list[Claim] = []
        required = schema.get("required")
        for name, parameter in definition.tool.parameters.items():
            path = (*definition.schema_path, "properties", name)
            if name not in schema["properties"]:
                continue
            types = types_of(parameter.schema, definition.tool.input_schema)
            own = schema["properties"][name]
            single = isinstance(own, Mapping) and isinstance(own.get("type"), str)
            claims.append(
                Claim(
                    name,
                    _unquoted(document.places.key(path), text),
                    types,
                    _unquoted(document.places.value((*path, "type")), text) if single else None,
                    parameter.required if isinstance(required, list) or required is None else None,
                    certain=True,
                    quoted=True,
                    again=tuple(
                        _unquoted(document.places.value((*definition.schema_path, "required", index)), text)
                        for index, each in enumerate(required if isinstance(required, list) else ())
                        if each == name
                    ),
                )
            )
        span = (
            document.places.key(definition.name_path)
            if definition.name_is_key
            else document.places.value(definition.name_path)
        )
        found.append(Defined(definition.tool.name, _unquoted(span, text), tuple(claims)))
    return tuple(found)


def _unquoted(span: Span, text: str) -> Span:
    if span.end - span.start >= 2 and text[span.start] == '"' and text[span.end - 1] == '"':
        return Span(span.start + 1, span.end - 1)
    return span
