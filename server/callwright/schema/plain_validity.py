"""The quick check of validity: most calls are plainly valid, and that is decided without a validator library.

Owns: `plainly_valid`, `plain_check`. Must not know: libraries, errors; it never decides that something is invalid.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, TypeAlias

from callwright.text.lru import Kept, weight_of

_CHECKED = frozenset({"type", "properties", "required", "enum", "items", "additionalProperties", "const", "anyOf"})
_LIMITS = frozenset({"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"})
#: Keywords that allow or forbid nothing by themselves; `format` is not asserted anywhere.
_STATED = frozenset({"description", "title", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"})
_KNOWN = _CHECKED | _LIMITS | _STATED | {"format", "pattern", "$defs", "definitions", "$schema"}
#: A pattern that only gives a text's beginning, and means the same in every regular expression dialect.
_BEGINNING = re.compile(r"\^[A-Za-z0-9_:/ -]*+")
#: Drafts in which the keywords above mean the same.
_DRAFTS = frozenset(
    {
        "https://json-schema.org/draft/2020-12/schema",
        "https://json-schema.org/draft/2019-09/schema",
        "http://json-schema.org/draft-07/schema#",
        "http://json-schema.org/draft-07/schema",
        "http://json-schema.org/draft-06/schema#",
    }
)
_TYPES: dict[str, tuple[type, ...]] = {
    "array": (list, tuple),
    "boolean": (bool,),
    "null": (type(None),),
    "object": (dict,),
    "string": (str,),
}


#: Keywords of a schema that is only a type, only an object's members, only a list of values.
_LEAF_KEYWORDS = _STATED | {"type", "format"}
_OBJECT_KEYWORDS = _STATED | {"type", "properties", "required", "additionalProperties"}
_ENUM_KEYWORDS = _STATED | {"type", "enum"}
_RANGE_KEYWORDS = _LEAF_KEYWORDS | {"minimum", "maximum"}
_LENGTH_KEYWORDS = _LEAF_KEYWORDS | {"minLength", "maxLength"}
_INTEGER_OR_NONE = frozenset({int, type(None)})
Check: TypeAlias = Callable[[Any], bool]
#: By the identity of its schema, which is kept with it.
_checks: Final[Kept[int, tuple[Any, Check]]] = Kept(4_096, 200_000)


def plainly_valid(schema: Any, value: Any) -> Literal[True] | None:
    """Return True where `value` certainly satisfies `schema`, None where a validator is needed.

    True is never wrong for a well-formed schema; None means unknown. Takes time linear in both and never raises.
    """
    try:
        return True if plain_check(schema)(value) else None
    except (AttributeError, TypeError, RecursionError):
        # A schema that is not well-formed, or an infinite value.
        return None


def plain_check(schema: Any) -> Check:
    """Return a function that checks whether a value certainly satisfies `schema`; made once for each schema.

    Where a schema is not well-formed, or a value is infinite, it may raise AttributeError, TypeError or RecursionError.
    """
    known = _checks.get(id(schema))
    if known is not None and known[0] is schema:
        return known[1]
    check = _quick_check(schema) or _full_check(schema)
    _checks.keep(id(schema), (schema, check), weight_of(schema))
    return check


def required_alone(schema: Any) -> frozenset[str] | None:
    """Return the members that an object must have, where a schema has no other demand besides those on each member;
    None where it has another."""
    if type(schema) is not dict or schema.get("type") != "object" or not _OBJECT_KEYWORDS.issuperset(schema):
        return None
    required = schema.get("required", ())
    return frozenset(required) if isinstance(required, list | tuple) and {*map(type, required)} <= {str} else None


def _quick_check(schema: Any) -> Check | None:
    """Return the check of a schema of one of the commonest forms, None for another."""
    if type(schema) is not dict:
        return None
    kind = schema.get("type")
    if kind == "object" and _OBJECT_KEYWORDS.issuperset(schema):
        return _object_check(schema)
    if _LEAF_KEYWORDS.issuperset(schema) and isinstance(kind, str) and kind in _LEAVES:
        return _LEAVES[kind]
    if kind == "string" and _LENGTH_KEYWORDS.issuperset(schema):
        least, most = schema.get("minLength"), schema.get("maxLength")
        if type(least) in _INTEGER_OR_NONE and type(most) in _INTEGER_OR_NONE:
            return lambda value: (
                isinstance(value, str)
                and (least is None or len(value) >= least)
                and (most is None or len(value) <= most)
            )
    if kind == "integer" and _RANGE_KEYWORDS.issuperset(schema):
        least, most = schema.get("minimum"), schema.get("maximum")
        if type(least) in _INTEGER_OR_NONE and type(most) in _INTEGER_OR_NONE:
            return lambda value: (
                type(value) is int and (least is None or value >= least) and (most is None or value <= most)
            )
    if kind in (None, "string") and "enum" in schema and _ENUM_KEYWORDS.issuperset(schema):
        options = frozenset(option for option in schema["enum"] if isinstance(option, str))
        return lambda value: isinstance(value, str) and value in options
    return None


def _is_string(value: Any) -> bool:
    return isinstance(value, str)


def _is_integer(value: Any) -> bool:
    return type(value) is int


def _is_boolean(value: Any) -> bool:
    return type(value) is bool


#: The checks of schemas that are only a type, and the Python type whose values pass.
_LEAVES: Final[dict[str, Check]] = {"string": _is_string, "integer": _is_integer, "boolean": _is_boolean}
_PASSING: Final[dict[Check, type]] = {_is_string: str, _is_integer: int, _is_boolean: bool}


def _object_check(schema: Mapping[str, Any]) -> Check:
    required = tuple(schema.get("required", ()))
    properties = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    checks: dict[str, Check] = {}
    passing: dict[str, type] = {}

    def check(value: Any) -> bool:
        if not isinstance(value, dict):
            return False
        for name in required:
            if name not in value:
                return False
        for key, member in value.items():
            if passing.get(key) is type(member):
                continue
            known = checks.get(key)
            if known is None:
                if not isinstance(key, str):
                    return False
                if others is True and key not in properties:
                    continue
                known = plain_check(properties.get(key, others))
                if key in properties:
                    checks[key] = known
                    if known in _PASSING:
                        passing[key] = _PASSING[known]
            if not known(member):
                return False
        return True

    return check


def _full_check(schema: Any) -> Check:
    if not isinstance(schema, Mapping):
        return lambda _: schema is True
    members = _object_check(schema)
    return lambda value: _fits(schema, value) and (not isinstance(value, dict) or members(value))


def _fits(schema: Mapping[str, Any], value: Any) -> bool:
    """Return whether a value matches a schema, except for the members of an object."""
    for keyword in schema:
        if keyword not in _KNOWN and not keyword.startswith("x-"):
            return False
    if "$schema" in schema and schema["$schema"] not in _DRAFTS:
        return False
    types = schema.get("type")
    if types is not None:
        if isinstance(types, str):
            if not _is(value, types):
                return False
        elif not any(_is(value, name) for name in types):
            return False
    if "enum" in schema and not (isinstance(value, str) and value in schema["enum"]):
        return False
    if "const" in schema and not (isinstance(value, str) and value == schema["const"]):
        return False
    if "anyOf" in schema and not any(plain_check(variant)(value) for variant in schema["anyOf"]):
        return False
    if not _LIMITS.isdisjoint(schema) and not _within(schema, value):
        return False
    if "pattern" in schema and isinstance(value, str) and not _begins(schema["pattern"], value):
        return False
    if isinstance(value, list | tuple):
        items = schema.get("items", True)
        return not isinstance(items, list) and all(map(plain_check(items), value))
    return True


def _is(value: Any, name: Any) -> bool:
    if name == "number" or name == "integer":
        if isinstance(value, bool):
            return False
        return isinstance(value, int) or (name == "number" and isinstance(value, float) and value - value == 0)
    return isinstance(name, str) and isinstance(value, _TYPES.get(name, ()))


def _begins(pattern: str, value: str) -> bool:
    """Return whether a text begins as a pattern demands that demands only that."""
    return _BEGINNING.fullmatch(pattern) is not None and value.startswith(pattern[1:])


def _within(schema: Mapping[str, Any], value: Any) -> bool:
    """Return whether a value keeps the limits that apply to its kind."""
    if isinstance(value, str):
        low, high, size = "minLength", "maxLength", len(value)
    elif isinstance(value, list | tuple):
        low, high, size = "minItems", "maxItems", len(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        low, high, size = "minimum", "maximum", value
    else:
        # A float is left to the validator, where it does not matter which limits there are.
        return not isinstance(value, float)
    least, most = schema.get(low), schema.get(high)
    if isinstance(least, float) or isinstance(most, float):
        return False
    return (least is None or size >= least) and (most is None or size <= most)
