"""The fast path for tool files in JSON: definitions that are plainly in order are found by a compiled validator.

Owns: `suspect_tools`, `fault_alone`, and the plain form of a definition, for which no rule about tools has a
diagnostic. Must not know: where anything is in a text, what any rule says.

Most definitions have the same form. They are clean if the whole file matches one schema of definitions and the names
are distinct; no spans are needed for that. Definitions of another form, or with a possible fault, are left to the full
check.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from callwright.document.suppressions import WORD
from callwright.fastpath.codec import FallbackNeeded, fast_json
from callwright.fastpath.fast_paths import IN_TOOL_FILES, may_answer
from callwright.rules.support.tool_words import PLACEHOLDER_WORDS
from callwright.syntax.json_commas import with_commas
from callwright.syntax.problem import Problem
from callwright.text.span import Span
from callwright.tools.formats.catalogue import format_of
from callwright.tools.formats.json import first_fault

if TYPE_CHECKING:
    from callwright.document.settings import Settings
    from callwright.tools.registry import ToolRegistry

#: How many schemas one definition may contain, and how deep they may nest.
_SCHEMAS: Final = 2_000
_DEPTH: Final = 16
_NONE: Final[dict[str, Any]] = {}
#: The types of schemas that may contain others.
_NESTING: Final = ("array", "object")
#: Parsers differ about numbers from here on.
_LARGE: Final = 10**15
#: Where the one list of definitions is, if not at the top.
_LIST: Final = "tools"
#: White space as Python defines it, and what may be around a placeholder.
_SPACE: Final = r"[\s\x1c-\x1f\x85]"
_AROUND: Final = r"[\s\x1c-\x1f\x85<>\[\](){}.…\-_*#!]*"


def suspect_tools(text: str, file: str, registry: ToolRegistry, settings: Settings) -> list[int] | None:
    """Return which definitions of a tool file may have a diagnostic, as indexes of its one list; the others certainly
    have none, alone or together.

    None where the file is not plainly one list of definitions with distinct names.
    """
    if not may_answer(settings, IN_TOOL_FILES):
        return None
    if settings.provider is not None or WORD in text or format_of(file, text).name != "json":
        return None
    is_plain = _validator()
    codec = fast_json()
    if is_plain is None or codec.dumps is None:
        return None
    try:
        data = text.removeprefix("\ufeff").encode()
        value = codec.loads(data)
        if not codec.keeps_all(data, value):
            return None
    except (ValueError, FallbackNeeded, RecursionError):
        return None
    definitions = value.get(_LIST) if type(value) is dict and len(value) == 1 else value
    if type(definitions) is not list or not definitions:
        return None
    try:
        names = [one["name"] if "name" in one else one["function"]["name"] for one in definitions]
        # Names that differ only in case or in these characters count as equal.
        if len({name.replace("-", "_").lower() for name in names}) < len(names):
            return None
    except (TypeError, LookupError, AttributeError):
        return None
    elsewhere = {
        name
        for name in {*names}.intersection(registry.names)
        for tool in registry.get(name)
        if tool.origin.file is not None and tool.origin.file != file
    }
    whole = is_plain(definitions)
    uncertain: list[int] = []
    for number, one in enumerate(definitions):
        if names[number] in elsewhere or not (whole or is_plain([one])):
            uncertain.append(number)
            continue
        inner = one.get("function", one)
        schema = inner.get("inputSchema") or inner.get("input_schema") or inner["parameters"]
        if not _declared(schema):
            uncertain.append(number)
    return uncertain


def fault_alone(text: str, file: str, registry: ToolRegistry, settings: Settings) -> Problem | None:
    """Return the first fault of a tool file that lacks commas, where there is certainly no other diagnostic.

    None means that the file has to be checked in full.
    """
    if format_of(file, text).name != "json":
        return None
    found = with_commas(text, 1 if text.startswith("\ufeff") else 0)
    if found is None or suspect_tools(found.text, file, registry, settings) != []:
        return None
    return first_fault(found.problems, Span(0, len(text)))


def _declared(schema: dict[str, Any], depth: int = 0) -> int:
    """Return how many schemas a schema of the plain form contains; 0 where it requires an undeclared property, or
    exceeds a limit of size.
    """
    properties = schema.get("properties", _NONE)
    for name in schema.get("required", ()):
        if name not in properties:
            return 0
    count = 1 + len(properties)
    inside = [one for one in properties.values() if one["type"] in _NESTING]
    if "items" in schema:
        inside.append(schema["items"])
    for one in inside:
        inner = _declared(one, depth + 1)
        if not inner:
            return 0
        count += inner
    return count if count <= _SCHEMAS and depth <= _DEPTH else 0


@cache
def _validator() -> Callable[[Any], bool] | None:
    """Return the function that checks whether a list has only definitions of the plain form; None where the library is
    missing.
    """
    try:
        library = import_module("jsonschema_rs")
    except ImportError:
        return None
    options = library.RegexOptions()
    found: Callable[[Any], bool] = library.validator_for(_plain_form(), offline=True, pattern_options=options).is_valid
    return found


def _object(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": [*required],
        "additionalProperties": False,
    }


def _plain_form() -> dict[str, Any]:
    """Return the schema of a list of definitions that have no diagnostic, except for what `_declared` checks."""
    words = "|".join(
        re.escape(word).replace(r"\ ", r"[\s\x1c-\x1f\x85]+") for word in sorted(PLACEHOLDER_WORDS) if word
    )
    silent = rf"(?i)^{_AROUND}(?:{words})?{_AROUND}$|^[\s\x1c-\x1f\x85]*(?:todo|tbd|fixme|xxx)"
    text = {"type": "string"}
    stated = {"type": "string", "not": {"pattern": silent}}
    number = {"type": "number", "exclusiveMinimum": -_LARGE, "exclusiveMaximum": _LARGE}
    whole = {**number, "type": "integer"}
    count = {"type": "integer", "minimum": 0, "exclusiveMaximum": _LARGE}
    common = {"description": text, "title": text}
    choices = {"type": "array", "minItems": 1, "uniqueItems": True, "items": text}
    names = {"type": "array", "uniqueItems": True, "items": text}
    # One limit is allowed, so that no two limits exclude each other.
    kinds = [
        _object({**common, "type": {"const": "string"}, "default": text}),
        _object({**common, "type": {"const": "integer"}, "default": whole}),
        _object({**common, "type": {"const": "boolean"}, "default": {"type": "boolean"}}),
        _object({**common, "type": {"const": "number"}, "default": number}),
        _object({**common, "type": {"const": "string"}, "enum": choices}),
        _object({**common, "type": {"enum": ["integer", "number"]}, "minimum": number}),
        _object({**common, "type": {"enum": ["integer", "number"]}, "maximum": number}),
        _object({**common, "type": {"const": "string"}, "minLength": count}),
        _object({**common, "type": {"const": "string"}, "maxLength": count}),
        _object({**common, "type": {"const": "array"}, "items": {"$ref": "#/$defs/schema"}}, "items"),
        _object(
            {
                **common,
                "type": {"const": "object"},
                "properties": {"type": "object", "additionalProperties": {"$ref": "#/$defs/schema"}},
                "required": names,
                "additionalProperties": {"type": "boolean"},
            }
        ),
    ]
    parameter = {"$ref": "#/$defs/schema", "required": ["description"], "properties": {"description": stated}}
    drafts = ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"]
    arguments = _object(
        {
            **common,
            "$schema": {"enum": drafts},
            "type": {"const": "object"},
            "properties": {"type": "object", "additionalProperties": parameter},
            "required": names,
            "additionalProperties": {"type": "boolean"},
        },
        "type",
        "properties",
    )
    # Clients cut longer names, and two cut names may be equal.
    name = {"type": "string", "pattern": "^[a-zA-Z0-9_-]{1,63}$"}
    tool = {"name": name, "description": stated}
    hint = {"type": "boolean"}
    hints = {
        "readOnlyHint": hint,
        "destructiveHint": hint,
        "idempotentHint": hint,
        "openWorldHint": hint,
        "title": text,
    }
    function = _object({**tool, "parameters": arguments}, "name", "description", "parameters")
    forms = [
        _object(
            {**tool, "inputSchema": arguments, "title": text, "annotations": _object({**hints, "title": text})},
            *("name", "description", "inputSchema"),
        ),
        _object({**tool, "input_schema": arguments}, "name", "description", "input_schema"),
        _object({"type": {"const": "function"}, "function": function}, "type", "function"),
    ]
    schema = {"type": "object", "required": ["type"], "anyOf": kinds}
    return {"type": "array", "items": {"anyOf": forms}, "$defs": {"schema": schema}}
