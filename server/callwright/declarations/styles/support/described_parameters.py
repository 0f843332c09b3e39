"""Parameters in a structure: what a list or a mapping of YAML or JSON says of the arguments of a tool.

Owns: `read_parameters`: the ways in which people write parameters as data. Must not know: any single style, how the
data are written in a text.

The ways are a JSON Schema; a list of mappings, each with a name; a mapping from names to such mappings, to types, or to
remarks; a list of names. Data that give values instead of describing them are none: `{temperature: 0.7}`.
"""

from __future__ import annotations

import re
from typing import Any, Final

from callwright.declarations.named_types import type_parts
from callwright.declarations.styles.support.built_tools import Parameter, add_choices, schema_part
from callwright.declarations.styles.support.stated_words import (
    DESCRIPTIONS,
    flag,
    stated_in_brackets,
    stated_in_remark,
    states_nothing,
)
from callwright.text.patterns import compile_later
from callwright.text.records import NamedTuple
from callwright.text.span import Span
from callwright.tools.parts import LocatedValue, record, sequence
from callwright.tools.schema_check import meant_type

#: How deep parameters of parameters are read.
_DEPTH: Final = 12
_NAME: Final = compile_later(r"[A-Za-z_$][\w$-]{0,99}(?:[.\-]\w{1,100}){0,4}(?:\[\])?")
#: A key or a text that says more than a name: `path (required)`, `path: string`.
_NOTED: Final = compile_later(
    r"([A-Za-z_$][\w$.-]{0,99})(\?)?[ \t]*(?:[(\[]([^()\[\]]{1,100})[)\]])?[ \t]*(?:[:–—-]\s+(.+))?", re.DOTALL
)
#: What follows a type is a remark.
_AFTER_TYPE: Final = compile_later(r"[;(]|,(?![^\[\]<>]*[\]>])")
_NAME_KEYS: Final = ("name", "parameter", "param", "argument", "arg", "field", "key")
_CHOICES: Final = ("enum", "values", "options", "choices", "allowed_values", "allowedValues", "allowed", "one_of")
_TEXTS: Final = ("desc", "help", "summary", "purpose", "details", *DESCRIPTIONS)
_NUMBERS: Final = ("minimum", "maximum")
_COUNTS: Final = ("minLength", "maxLength", "minItems", "maxItems")
_MEMBERS: Final = ("properties", "fields", "parameters")
#: What a mapping has that describes one parameter.
_SIGNS: Final = frozenset(
    {"type", "param_type", "required", "optional", "default", "items", "schema", *_CHOICES, *_TEXTS, *_MEMBERS}
)


class Parameters(NamedTuple):
    """What data state about the arguments of a tool: their schema; `whole` is true if there are no others, `described`
    if at least one of them is described."""

    schema: LocatedValue
    whole: bool
    described: bool


def read_parameters(part: LocatedValue, text: str) -> Parameters | None:
    """Return the parameters that a value describes, None where it describes none; `text` is what its places are in."""
    value = part.value
    if value is None:
        return None
    if value in ({}, [], "") or (isinstance(value, str) and states_nothing(value)):
        return Parameters(schema_part([], part.span), whole=value != "", described=False)
    if _is_schema(value):
        return Parameters(part, whole=True, described=bool(value.get("properties")))
    found = _members(part, text, _DEPTH)
    if found is None:
        return None
    return Parameters(schema_part(found, part.span), whole=True, described=any(each.schema for each in found))


def _is_schema(value: Any) -> bool:
    """Return whether a value is the JSON Schema of an object."""
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("properties"), dict):
        return True
    return value.get("type") in ("object", "dict") and value.keys() <= {"type", "description", "required", "properties"}


def _members(part: LocatedValue, text: str, depth: int) -> list[Parameter] | None:
    """Return the parameters that a list or a mapping describes."""
    found: list[Parameter] = []
    if depth == 0:
        return found
    if isinstance(part.value, dict):
        for key, inner in part.parts.items():
            one = _keyed(str(key), part.keys.get(key, inner.span), inner, text, depth)
            if one is None:
                return None
            found.append(one)
    elif isinstance(part.value, list):
        for item in part.parts.values():
            one = _listed(item, text, depth)
            if one is None:
                return None
            found.append(one)
    else:
        return None
    return found if found and len(part.parts) == len(part.value) else None


def _listed(item: LocatedValue, text: str, depth: int) -> Parameter | None:
    """Return the parameter that an item of a list describes."""
    if isinstance(item.value, str):
        noted = _noted(bare(item, text), text)
        return noted if noted is not None and (noted.schema or _NAME.fullmatch(item.value)) else None
    if not isinstance(item.value, dict) or len(item.parts) != len(item.value):
        return None
    named = next((key for key in _NAME_KEYS if isinstance(item.value.get(key), str)), None)
    if named is not None and (named == "name" or not _SIGNS.isdisjoint(item.value)):
        name = bare(item.parts[named], text)
        parameter = _noted(name, text)
        if parameter is None:
            return None
        _describe(parameter, item, text, depth)
        return parameter
    if len(item.parts) == 1:
        key, inner = next(iter(item.parts.items()))
        return _keyed(str(key), item.keys.get(key, inner.span), inner, text, depth)
    return None


def _keyed(key: str, span: Span, inner: LocatedValue, text: str, depth: int) -> Parameter | None:
    """Return the parameter that a key and its value describe."""
    parameter = _noted(bare(LocatedValue(key, span), text), text)
    if parameter is None:
        return None
    if isinstance(inner.value, dict):
        if _SIGNS.isdisjoint(inner.value):
            return None
        _describe(parameter, inner, text, depth)
        return parameter
    if not isinstance(inner.value, str):
        return None
    stated = bare(inner, text)
    types = _types(stated, text)
    if types:
        parameter.schema.update(types)
        word = stated_in_brackets(text, stated.span)
        if word is not None and word[0]:
            parameter.required = word[1]
        return parameter
    if len(inner.value.split()) < 2 and (inner.value.isascii() or not parameter.schema.get("type")):
        # One word alone is as well a value that is given.
        return parameter if flag(inner.value) is not None and _require(parameter, stated, text) else None
    parameter.schema["description"] = inner
    first = _NOTED.fullmatch(inner.value)
    if first is not None and first[4] and (leading := _types(_within(stated, *first.span(1)), text)):
        parameter.schema.update(leading)
    _remark(parameter, inner, text)
    return parameter


def _noted(name: LocatedValue, text: str) -> Parameter | None:
    """Return the parameter of a name that may have a note: `path (string, required)`."""
    found = _NOTED.fullmatch(name.value)
    if found is None:
        return None
    exact = name.span.end - name.span.start == len(name.value)
    span = _within(name, *found.span(1)).span if exact else name.span
    parameter = Parameter(found[1], span)
    if found[3] is not None and exact:
        inside = _within(name, *found.span(3)).span
        _bracketed(parameter, inside, text)
    if found[4] is not None and exact:
        rest = _within(name, *found.span(4))
        types = _types(rest, text)
        parameter.schema.update(types or {"description": rest})
    return parameter


def _bracketed(parameter: Parameter, inside: Span, text: str) -> None:
    """Add what is in brackets after a name."""
    stated = stated_in_brackets(text, inside)
    if stated is not None and stated[0]:
        parameter.required = stated[1]
    end = stated[1].start if stated is not None else inside.end
    start = stated[1].end if stated is not None and stated[1].start == inside.start else inside.start
    end = inside.end if start != inside.start else end
    parameter.schema.update(type_parts(text, Span(start, end).trimmed(text, ", ;/|")))


def _describe(parameter: Parameter, part: LocatedValue, text: str, depth: int) -> None:
    """Add what a mapping says of a parameter."""
    schema = parameter.schema
    parts = {str(key).lower() if isinstance(key, str) else "": inner for key, inner in part.parts.items()}
    schema.update(_schema(part, text, depth))
    description = schema.get("description")
    required, optional = parts.get("required"), parts.get("optional")
    if required is not None and not isinstance(required.value, list):
        _require(parameter, required, text)
    elif optional is not None:
        if _stated(optional) is False:
            parameter.required = optional.span
    elif description is not None and parameter.required is None:
        _remark(parameter, description, text)
    kind = part.parts.get("type")
    if kind is not None and isinstance(kind.value, str) and parameter.required is None and required is None:
        stated = stated_in_brackets(text, kind.span)
        if stated is not None and stated[0]:
            parameter.required = stated[1]


def _schema(part: LocatedValue, text: str, depth: int) -> dict[str, LocatedValue]:
    """Return the keywords of the schema that a mapping describes."""
    found: dict[str, LocatedValue] = {}
    parts = part.parts
    inner = parts.get("schema")
    if inner is not None and isinstance(inner.value, dict) and depth > 0:
        found.update(_schema(inner, text, depth - 1))
    kind = parts.get("type", parts.get("param_type"))
    if kind is not None:
        found.update(_kind(kind, text))
    for key in _TEXTS:
        if key in parts and isinstance(parts[key].value, str):
            found["description"] = parts[key]
            break
    choices: LocatedValue | None = None
    for key in _CHOICES:
        if key in parts and isinstance(parts[key].value, list) and parts[key].value and _are_plain(parts[key].value):
            choices = _words(parts[key], text)
            break
    if "default" in parts and parts["default"].value is not None:
        found["default"] = parts["default"]
    for key in _NUMBERS:
        if key in parts and isinstance(parts[key].value, int | float) and not isinstance(parts[key].value, bool):
            found[key] = parts[key]
    for key in _COUNTS:
        if key in parts and isinstance(parts[key].value, int) and not isinstance(parts[key].value, bool):
            found[key] = parts[key]
    items = parts.get("items")
    if items is not None and depth > 0:
        own = _schema(items, text, depth - 1) if isinstance(items.value, dict) else _kind(items, text)
        if own:
            found["items"] = record(items.span, own)
    if choices is not None:
        add_choices(found, choices)
    for key in _MEMBERS:
        if key in parts and isinstance(parts[key].value, dict | list) and depth > 0:
            members = _members(parts[key], text, depth - 1)
            if members is not None:
                for word, stated in schema_part(members, parts[key].span).parts.items():
                    found.setdefault(str(word), stated)
                _listed_as_required(part, found)
                break
    return found


def _listed_as_required(part: LocatedValue, found: dict[str, LocatedValue]) -> None:
    """Take over the names of required members where they are in a list of their own."""
    names = part.parts.get("required")
    if names is not None and isinstance(names.value, list) and all(isinstance(each, str) for each in names.value):
        found["required"] = names


def _kind(part: LocatedValue, text: str) -> dict[str, LocatedValue]:
    """Return the keywords for a type, which may be a list of types."""
    if isinstance(part.value, list):
        meant = [
            (meant_type(each), own)
            for each, own in zip(part.value, part.parts.values(), strict=False)
            if isinstance(each, str)
        ]
        if len(meant) == len(part.value) and all(name is not None for name, _ in meant):
            return {"type": sequence(part.span, [LocatedValue(name, own.span) for name, own in meant])}
        return {}
    return _types(bare(part, text), text) if isinstance(part.value, str) else {}


def _types(part: LocatedValue, text: str) -> dict[str, LocatedValue]:
    """Return the keywords for a type in words, which may say `required` after a comma."""
    if part.span.end - part.span.start != len(part.value):
        return {}
    found = _AFTER_TYPE.search(text, *part.span)
    return type_parts(text, Span(part.span.start, found.start() if found is not None else part.span.end))


def _require(parameter: Parameter, part: LocatedValue, text: str) -> bool:
    """Note what a flag says; returns whether it says anything."""
    stated = _stated(part)
    parameter.required = bare(part, text).span if stated else None
    return stated is not None


def _stated(part: LocatedValue) -> bool | None:
    if isinstance(part.value, bool):
        return part.value
    return flag(part.value) if isinstance(part.value, str) else None


def _remark(parameter: Parameter, description: LocatedValue, text: str) -> None:
    """Note what a description says of being required."""
    stated = stated_in_remark(text, bare(description, text).span)
    if stated is not None and stated[0]:
        parameter.required = stated[1]


def _are_plain(values: list[Any]) -> bool:
    return all(isinstance(each, str | int | float | bool) or each is None for each in values)


def _words(part: LocatedValue, text: str) -> LocatedValue:
    return sequence(part.span, [bare(each, text) for each in part.parts.values()])


def _within(part: LocatedValue, start: int, end: int) -> LocatedValue:
    """Return a segment of a text's part."""
    return LocatedValue(part.value[start:end], Span(part.span.start + start, part.span.start + end))


def bare(part: LocatedValue, text: str) -> LocatedValue:
    """Return a text without the quotes around it."""
    start, end = part.span
    if end - start >= 2 and text[start] in "\"'" and text[end - 1] == text[start]:
        return part.at(Span(start + 1, end - 1))
    return part
