"""The JSON Schema of the configuration, for editors that complete and check TOML by one.

Owns: how each kind of value is written in JSON Schema. Must not know: single keys, files. It is generated with the
documentation and published in `schemas/`; nothing at run time needs it. Its keywords are those of draft 4, all of which
Taplo knows (<https://taplo.tamasfe.dev/configuration/developing-schemas.html>), and annotations of draft 7.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from callwright.config.keys import (
    KEYS,
    OVERRIDE_KEYS,
    SEVERITIES,
    Count,
    Either,
    Flag,
    Key,
    Kind,
    ListOf,
    Overrides,
    Selector,
    TableOf,
    Text,
    Word,
    known_rule_names,
)

DRAFT: Final = "http://json-schema.org/draft-07/schema#"
#: Where the schemas are published; editors and SchemaStore load them from there.
PUBLISHED: Final = "https://raw.githubusercontent.com/callwright/callwright/main/schemas"


def configuration_schema(codes: Iterable[str]) -> dict[str, Any]:
    """Return the schema of `callwright.toml`; `codes` are those of the rules."""
    return {
        "$schema": DRAFT,
        "$id": f"{PUBLISHED}/callwright.schema.json",
        "title": "Callwright configuration",
        "description": "Settings of `callwright.toml`, or of the table `tool.callwright` in `pyproject.toml`.",
        **_table(KEYS),
        "definitions": {
            "selector": _selectors(sorted(codes)),
            "severities": _by_rule(sorted(codes)),
            "text": {"type": "string", "pattern": "^[^\\u0000]+$"},
            "override": {
                "title": "Settings for some files",
                **_table(OVERRIDE_KEYS),
                "required": ["files"],
                "x-taplo": {"initKeys": ["files"]},
            },
        },
    }


def pyproject_schema(codes: Iterable[str]) -> dict[str, Any]:
    """Return a schema of `pyproject.toml` that knows our table in it and takes everything else as it is."""
    schema = configuration_schema(codes)
    definitions = schema.pop("definitions")
    own = {key: value for key, value in schema.items() if key not in ("$schema", "$id")}
    return {
        "$schema": DRAFT,
        "$id": f"{PUBLISHED}/pyproject-callwright.schema.json",
        "title": "Callwright configuration in `pyproject.toml`",
        "type": "object",
        "properties": {"tool": {"type": "object", "properties": {"callwright": own}}},
        "definitions": definitions,
    }


def _table(keys: Mapping[str, Key]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: _key(key) for name, key in keys.items()},
        "additionalProperties": False,
    }


def _key(key: Key) -> dict[str, Any]:
    schema = {"description": key.about, **_kind(key.kind)}
    if "$ref" in schema:
        # In this draft nothing beside a reference counts.
        schema["allOf"] = [{"$ref": schema.pop("$ref")}]
    if key.default is not None:
        schema["default"] = key.default
    if key.examples:
        schema["examples"] = list(key.examples)
    return schema


def _kind(kind: Kind) -> dict[str, Any]:
    match kind:
        case Text():
            return {"$ref": "#/definitions/text"}
        case Flag():
            return {"type": "boolean"}
        case Count():
            return {"type": "integer", "minimum": 1}
        case Word():
            return {"type": "string", "enum": list(kind.words())}
        case Selector():
            return {"$ref": "#/definitions/selector"}
        case ListOf():
            return {"type": "array", "items": _kind(kind.item)}
        case TableOf():
            return {"$ref": "#/definitions/severities"}
        case Either():
            return {"anyOf": [_kind(kind.one), _kind(kind.many)]}
        case Overrides():
            return {"type": "array", "items": {"$ref": "#/definitions/override"}, "maxItems": 1000}


def _selectors(codes: list[str]) -> dict[str, Any]:
    """Return the schema of what selects rules: names and codes, which are offered, and beginnings of codes."""
    hundreds = sorted({code[:3] for code in codes})
    return {
        "anyOf": [
            {"type": "string", "enum": ["ALL", *hundreds, *codes, *known_rule_names()]},
            {"type": "string", "pattern": _code_pattern(codes)},
        ]
    }


def _by_rule(codes: list[str]) -> dict[str, Any]:
    """Return the schema of a table that gives rules a severity: names are offered, codes are taken."""
    severity = {"type": "string", "enum": list(SEVERITIES)}
    return {
        "type": "object",
        "properties": dict.fromkeys(known_rule_names(), severity),
        "patternProperties": {_code_pattern(codes): severity},
        "additionalProperties": False,
    }


def _code_pattern(codes: list[str]) -> str:
    return f"^(?:[aA][lL][lL]|{_beginnings(codes)})$"


def _beginnings(words: list[str]) -> str:
    """Return a regular expression of the beginnings of words, in capitals or not, but for the empty one."""
    by_first: dict[str, list[str]] = {}
    for word in words:
        by_first.setdefault(word[0], []).append(word[1:])
    choices = []
    for first, rests in by_first.items():
        letter = f"[{first.lower()}{first.upper()}]" if first.isalpha() else first
        more = _beginnings([rest for rest in rests if rest])
        choices.append(f"{letter}(?:{more})?" if more else letter)
    return "|".join(choices)
