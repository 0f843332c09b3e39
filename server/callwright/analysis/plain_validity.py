"""The quick yes: most calls are plainly valid, and saying so needs no validator library.

Owns: `plainly_valid`. Must not know: libraries, errors; it never says that something is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

_CHECKED = frozenset({"type", "properties", "required", "enum", "items", "additionalProperties", "const", "anyOf"})
_LIMITS = frozenset({"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"})
#: Keywords that allow or forbid nothing by themselves; `format` is not asserted anywhere.
_SAID = frozenset({"description", "title", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"})
_KNOWN = _CHECKED | _LIMITS | _SAID | {"format", "$defs", "definitions", "$schema"}
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


#: Schemas that say no more than one such type, each with the Python types of its values; they are asked most often.
_LEAF_TYPES: dict[str, frozenset[type]] = {
    "string": frozenset({str}),
    "integer": frozenset({int}),
    "boolean": frozenset({bool}),
}
_LEAF_KEYWORDS = _SAID | {"type", "format"}
_KEPT = 4_096
_leaves: dict[int, tuple[Any, frozenset[type]]] = {}


def plainly_valid(schema: Any, value: Any) -> Literal[True] | None:
    """Return True where `value` certainly satisfies `schema`, None where a validator has to be asked.

    True is never wrong for a schema that is well-formed; None says nothing. Takes time linear in both and never raises.
    """
    try:
        return True if _fits(schema, value) else None
    except (AttributeError, TypeError, RecursionError):
        # A schema that is not well-formed, or a value without end.
        return None


def _fits(schema: Any, value: Any) -> bool:
    leaf = _leaves.get(id(schema))
    if leaf is not None and leaf[0] is schema and type(value) in leaf[1]:
        return True
    if schema is True:
        return True
    # Asking for the very type first is much faster than asking for the protocol.
    if type(schema) is not dict and not isinstance(schema, Mapping):
        return False
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
            if types in _LEAF_TYPES and _LEAF_KEYWORDS.issuperset(schema):
                if len(_leaves) >= _KEPT:
                    _leaves.clear()
                _leaves[id(schema)] = (schema, _LEAF_TYPES[types])
        elif not any(_is(value, name) for name in types):
            return False
    if "enum" in schema and not (isinstance(value, str) and value in schema["enum"]):
        return False
    if "const" in schema and not (isinstance(value, str) and value == schema["const"]):
        return False
    if "anyOf" in schema and not any(_fits(variant, value) for variant in schema["anyOf"]):
        return False
    if not _LIMITS.isdisjoint(schema) and not _within(schema, value):
        return False
    if isinstance(value, dict):
        return _object_fits(schema, value)
    if isinstance(value, list | tuple):
        items = schema.get("items", True)
        return not isinstance(items, list) and all(_fits(items, item) for item in value)
    return True


def _object_fits(schema: Mapping[str, Any], value: dict[Any, Any]) -> bool:
    for name in schema.get("required", ()):
        if name not in value:
            return False
    properties = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    for key, member in value.items():
        if not isinstance(key, str) or not _fits(properties.get(key, others), member):
            return False
    return True


def _is(value: Any, name: Any) -> bool:
    if name == "number" or name == "integer":
        if isinstance(value, bool):
            return False
        return isinstance(value, int) or (name == "number" and isinstance(value, float) and value - value == 0)
    return isinstance(name, str) and isinstance(value, _TYPES.get(name, ()))


def _within(schema: Mapping[str, Any], value: Any) -> bool:
    """Tell whether a value keeps the limits that apply to its kind."""
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
