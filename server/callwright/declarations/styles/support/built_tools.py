"""Definitions that styles put together of what they read: tools and their parameters.

Owns: `Parameter`, and the parts that tools, schemas and choices are made of. Must not know: any single style,
how texts are searched.

The shape is that of MCP (https://modelcontextprotocol.io/specification/2025-11-25/schema). What a text leaves open is
left out: a parameter without a type has a schema without one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from callwright.declarations.styles.base import Body
from callwright.text.records import dataclass, field
from callwright.text.span import Span
from callwright.tools.definitions import Places
from callwright.tools.parts import LocatedValue, PartPlaces, record, sequence
from callwright.tools.sources.base import Path

#: How many values of a structure get places of their own, and how deep they nest.
_MAX_COUNT: Final = 5_000
_DEPTH: Final = 40


@dataclass(slots=True)
class Parameter:
    """One parameter as it was read: its name with its place, the keywords of its schema, and where it is stated to be
    required, None where it is not."""

    name: str
    span: Span
    schema: dict[str, LocatedValue] = field(default_factory=dict)
    required: Span | None = None

    def part(self) -> LocatedValue:
        """Return its schema."""
        return record(self.span, self.schema)


def schema_part(parameters: Sequence[Parameter], around: Span) -> LocatedValue:
    """Return the schema of an object that has these members; of two with one name the first counts."""
    properties = LocatedValue({}, around)
    required: list[LocatedValue] = []
    for parameter in parameters:
        if parameter.name in properties.value:
            continue
        properties.put(parameter.name, parameter.part(), parameter.span)
        if parameter.required is not None:
            required.append(LocatedValue(parameter.name, parameter.required))
    members: dict[str, LocatedValue | Any] = {"type": "object", "properties": properties}
    if required:
        members["required"] = sequence(around, required)
    return record(around, members)


def tool_part(name: LocatedValue, description: LocatedValue | None, schema: LocatedValue, around: Span) -> LocatedValue:
    """Return the definition of a tool, as MCP lists it."""
    members: dict[str, LocatedValue | Any] = {"name": name}
    if description is not None:
        members["description"] = description
    members["inputSchema"] = schema
    return record(around, members)


def body_of(tools: Sequence[LocatedValue], around: Span, *, whole: bool, broken: bool = False) -> Body:
    """Return what a declaration says that defines these tools."""
    top = sequence(around, tools)
    return Body(top.value, PartPlaces(top), whole=whole and not broken, broken=broken)


def in_terms_of(part: LocatedValue, kind: LocatedValue | None) -> LocatedValue | None:
    """Return a value that was written as a text in the terms of its type; None where it is no such value."""
    wanted = kind.value if kind is not None else None
    if not isinstance(wanted, str) or wanted == "string" or not isinstance(part.value, str):
        return part
    raw = {"True": "true", "False": "false", "None": "null"}.get(part.value, part.value)
    try:
        return LocatedValue(json.loads(raw), part.span)
    except (ValueError, RecursionError):
        return None


def add_choices(schema: dict[str, LocatedValue], choices: LocatedValue) -> None:
    """Add the values that a parameter may have; for an array they are those of its items.

    A number is left out where the text does not say whether it is a string.
    """
    kind = schema.get("type")
    items = schema.get("items")
    if kind is not None and kind.value == "array":
        inner = {str(key): part for key, part in items.parts.items()} if items is not None else {}
        add_choices(inner, choices)
        schema["items"] = record(choices.span, inner)
        return
    words = [in_terms_of(each, kind) for each in choices.parts.values()]
    given = [each for each in words if each is not None]
    if kind is None and any(isinstance(each.value, str) and each.value[:1].isdigit() for each in given):
        return
    if given and len(given) == len(words):
        schema["enum"] = sequence(choices.span, given)


def text_part(text: str, span: Span) -> LocatedValue:
    """Return a remark, without the white space around it."""
    own = span.trimmed(text)
    return LocatedValue(own.of(text), own)


def json_part(value: Any, places: Places, by: int = 0) -> LocatedValue:
    """Return a value whose parts have the places that they have in its text, which begins at the offset `by`.

    Parts beyond what any definition has share the place of what is around them.
    """
    return _Copy(places, by).of(value, (), _DEPTH)


class _Copy:
    def __init__(self, places: Places, by: int) -> None:
        self._places = places
        self._by = by
        self._left = _MAX_COUNT

    def of(self, value: Any, path: Path, depth: int) -> LocatedValue:
        self._left -= 1
        span = self._places.value(path).shift(self._by)
        if depth == 0 or self._left <= 0:
            return LocatedValue(value, span)
        if isinstance(value, Mapping):
            part = LocatedValue({}, span)
            for key, inner in value.items():
                own = (*path, key)
                part.put(key, self.of(inner, own, depth - 1), self._places.key(own).shift(self._by))
            return part
        if isinstance(value, list):
            part = LocatedValue([], span)
            for index, inner in enumerate(value):
                part.put(index, self.of(inner, (*path, index), depth - 1))
            return part
        return LocatedValue(value, span)
