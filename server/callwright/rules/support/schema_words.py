"""The wording of a schema's constraints, and what a value of the wrong type could mean.

Owns: `is_type_choice`, `choice_of_required`, `constraint_words`, `expected_types`, `TYPE_WORDS`, `other_types`. Must
not know: any single rule, where the value is.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from callwright.schema.coercion import PYTHON_KINDS, number_of
from callwright.syntax.json import read_json

if TYPE_CHECKING:
    from callwright.schema.errors import SchemaError

#: Keywords that other rules report.
WORDED_ELSEWHERE: Final = frozenset(
    {"required", "type", "enum", "const", "additionalProperties", "unevaluatedProperties", "unchecked"}
)

TYPE_WORDS: Final = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "`true` or `false`",
    "array": "an array",
    "object": "an object",
    "null": "`null`",
}
_TRUE = frozenset({"true", "yes", "on", "1"})
_FALSE = frozenset({"false", "no", "off", "0"})
_KINDS: Final[dict[str, tuple[type, ...]]] = {
    "string": (str,),
    "object": (dict,),
    "null": (type(None),),
    "integer": (int,),
    "number": (int, float),
}
#: What may separate the entries of a list that is written as one text, or be the rest of such a list.
_SEPARATORS = re.compile(r"[\s,;|\[\]{}]")


def is_type_choice(error: SchemaError) -> bool:
    """Return whether every variant fails by the type of the value itself, which makes it a wrong type."""
    return bool(error.branches) and all(
        any(inner.path == error.path and inner.keyword == "type" for inner in branch) for branch in error.branches
    )


def choice_of_required(error: SchemaError) -> frozenset[str]:
    """Return the members of which one is required, where every variant fails because one is missing; else nothing."""
    missing = [inner for branch in error.branches for inner in branch]
    if error.keyword not in ("anyOf", "oneOf") or not missing:
        return frozenset()
    if any(inner.keyword != "required" or inner.path != error.path for inner in missing):
        return frozenset()
    return frozenset(str(inner.data["missing"]) for inner in missing)


def _number(value: Any) -> str:
    return json.dumps(value) if not isinstance(value, float) or value == value else "NaN"


def constraint_words(error: SchemaError) -> str:
    """Return what a constraint demands and what the value is."""
    data = error.data
    limit, got = data.get("limit"), data.get("got")
    if error.keyword == "unchecked":
        return "was not checked: that would take too many steps"
    compared = {
        "minimum": "at least",
        "maximum": "at most",
        "exclusiveMinimum": "greater than",
        "exclusiveMaximum": "less than",
        "multipleOf": "a multiple of",
    }
    counted = {
        "minLength": ("at least", "character"),
        "maxLength": ("at most", "character"),
        "minItems": ("at least", "entry"),
        "maxItems": ("at most", "entry"),
        "minProperties": ("at least", "member"),
        "maxProperties": ("at most", "member"),
    }
    keyword = error.keyword
    if keyword in compared:
        return f"must be {compared[keyword]} {_number(limit)}, not {_number(got)}"
    if keyword in counted:
        word, unit = counted[keyword]
        plural = unit if limit == 1 else unit[:-1] + "ies" if unit.endswith("y") else unit + "s"
        return f"must have {word} {limit} {plural}, not {got}"
    if keyword == "pattern":
        return f"must match the pattern `{data.get('pattern')}`"
    if keyword == "format":
        return f"must have the format `{data.get('format')}`"
    if keyword == "uniqueItems":
        return "must not contain duplicates"
    if keyword in ("dependentRequired", "dependencies"):
        return f"must also have `{data.get('missing')}`"
    if keyword == "propertyNames":
        return f"must not have a member named `{data.get('name')}`"
    if keyword == "oneOf" and data.get("matching"):
        return f"must match exactly one of the schema's variants, but matches {data['matching']}"
    choice = choice_of_required(error)
    if choice:
        return "must have " + " or ".join(f"`{name}`" for name in sorted(choice))
    if keyword in ("anyOf", "oneOf"):
        return f"matches none of the schema's variants{_nearest_branch(error)}"
    if keyword == "not":
        return "has a form that the schema forbids"
    if keyword in ("false schema", "falseSchema"):
        return "must not be given"
    return f"violates the schema's `{keyword}`"


def _nearest_branch(error: SchemaError) -> str:
    """Return what is wrong for the variant that was most likely meant."""
    if not error.branches or not error.branches[0]:
        return ""
    inner = error.branches[0][0]
    if inner.keyword == "required":
        return f"; the nearest lacks `{inner.data.get('missing')}`"
    if inner.keyword == "additionalProperties":
        names = ", ".join(f"`{name}`" for name in inner.data.get("unexpected", ()))
        return f"; the nearest does not accept {names}"
    if inner.keyword == "type":
        expected = " or ".join(str(name) for name in inner.data.get("expected", ()))
        where = ".".join(map(str, inner.path[len(error.path) :]))
        return (
            f"; the nearest requires `{where}` to be of type {expected}"
            if where
            else f"; the nearest requires type {expected}"
        )
    return ""


def expected_types(error: SchemaError) -> list[str] | None:
    """Return the types that an error expects: those of a `type`, or of variants that all fail by their type."""
    if error.keyword == "type":
        return [str(name) for name in error.data["expected"]]
    if error.keyword not in ("anyOf", "oneOf") or not error.branches:
        return None
    names: list[str] = []
    for branch in error.branches:
        own = [inner for inner in branch if inner.path == error.path and inner.keyword == "type"]
        if not own:
            return None
        names += [str(name) for name in own[0].data["expected"] if str(name) not in names]
    return names


def other_types(name: str, value: Any, written: str) -> Iterator[tuple[Any, bool]]:
    """Yield each value of the type `name` that `value`, in the text `written`, could mean, and whether it can mean
    nothing else.

    A number becomes the string that was written: `007` and `1.50` are not `7` and `1.5`. `null` means no value, and a
    text with separators may mean several entries.
    """
    if value is None:
        return
    if isinstance(value, list):
        if name != "array" and len(value) == 1 and _is_of(name, value[0]):
            yield value[0], True
        return
    if isinstance(value, str):
        yield from _text_as(name, value)
    elif name == "string":
        if isinstance(value, bool):
            yield json.dumps(value), True
        elif isinstance(value, int | float):
            yield written, math.isfinite(value)
    elif name == "integer" and isinstance(value, float) and value.is_integer():
        yield int(value), True
    elif name == "boolean" and isinstance(value, int) and value in (0, 1):
        yield bool(value), True
    if name == "array" and not (isinstance(value, str) and _holds_list(value)):
        yield [value], not (isinstance(value, str) and _SEPARATORS.search(value))


def _is_of(name: str, value: Any) -> bool:
    """Return whether a value is of a type as JSON Schema defines it."""
    if isinstance(value, bool) or name not in _KINDS:
        return isinstance(value, bool) and name == "boolean"
    return isinstance(value, _KINDS[name])


def _holds_list(text: str) -> bool:
    return any(isinstance(inner, list) for inner, _ in _text_as("array", text))


def _text_as(name: str, text: str) -> Iterator[tuple[Any, bool]]:
    trimmed = text.strip()
    if name in ("integer", "number"):
        number = number_of(trimmed)
        if number is None:
            number = number_of(trimmed.lstrip("+").lstrip("0") or "0") if trimmed.lstrip("+").isdigit() else None
        if number is not None and (name == "number" or isinstance(number, int) or float(number).is_integer()):
            yield (int(number) if name == "integer" else number), True
    elif name == "boolean":
        if trimmed.lower() in _TRUE:
            yield True, trimmed.lower() == "true"
        elif trimmed.lower() in _FALSE:
            yield False, trimmed.lower() == "false"
    elif name == "null" and trimmed in ("null", "None", "nil", ""):
        yield None, trimmed in ("null", "None")
    elif name in ("object", "array") and trimmed[:1] in ("{", "["):
        inner, certain = _container_in(trimmed)
        if isinstance(inner, dict if name == "object" else list):
            yield inner, certain


def is_in_single_quotes(value: Any) -> bool:
    """Return whether a text is an object or array of JSON but for its single quotes."""
    if not isinstance(value, str) or value.strip()[:1] not in ("{", "["):
        return False
    read = read_json(value.strip())
    return {problem.kind for problem in read.problems} == {"single-quotes"}


def _container_in(text: str) -> tuple[Any, bool]:
    """Return the value that a text is as JSON, or as a Python literal, and whether it can be nothing else."""
    try:
        return json.loads(text), True
    except (ValueError, RecursionError):
        read = read_json(text)
        kinds = {problem.kind for problem in read.problems}
        return (read.value, kinds == {"single-quotes"}) if kinds and kinds <= PYTHON_KINDS else (None, False)
