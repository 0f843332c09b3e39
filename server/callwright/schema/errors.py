"""Errors of validation: one error of a value, with its place, and the data for a message.

Owns: `SchemaError`, what its data is, and which variant was most likely meant. Must not know: how a value is validated.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from callwright.text.records import dataclass, field
from callwright.tools.parameters import type_name

Path: TypeAlias = tuple[str | int, ...]

_LENGTHS: Final = frozenset(
    {"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "additionalItems"}
)
#: How many variants of an `anyOf`, and how many errors of each, are kept in an error's `branches`.
MAX_BRANCHES = 50


@dataclass(frozen=True, slots=True)
class SchemaError:
    """One error of a value: where it is, the keyword that it violates, and the data for a message.

    `path` leads to the faulty value (for a missing or an unexpected property: to the object). `schema_path` leads to
    the keyword in the schema, references resolved where the validator does so. `data` by keyword: `required`,
    `dependentRequired`: `missing`. `additionalProperties`, `unevaluatedProperties`: `unexpected` (a list of one name).
    `type`: `expected` (a list), `got`. `enum`, `const`: `options`. `minimum` and similar: `limit`, `got`. `minLength`,
    `maxItems` and similar: `limit`, `got` (the length). `pattern`: `pattern`. `multipleOf`: `limit`, `got`.
    `uniqueItems`: `duplicates` (two indexes). `propertyNames`: `name`. `oneOf`: `matching`, the number of variants that
    accept the value. `branches` contains the errors of each variant of an `anyOf` or `oneOf` that accepts nothing, the
    variant that was most likely meant first.
    """

    path: Path
    keyword: str
    schema_path: Path
    data: Mapping[str, Any] = field(default_factory=dict)
    branches: tuple[tuple[SchemaError, ...], ...] = ()


def error_data(keyword: str, stated: Any, value: Any) -> dict[str, Any]:
    """Return the data of an error from the keyword's value in the schema and the value that violates it."""
    if keyword == "type":
        return {"expected": [stated] if isinstance(stated, str) else list(stated), "got": type_name(value)}
    if keyword == "enum":
        return {"options": list(stated)}
    if keyword == "const":
        return {"options": [stated]}
    if keyword == "pattern":
        return {"pattern": stated}
    if keyword == "uniqueItems":
        return {"duplicates": duplicates(value)}
    if keyword in _LENGTHS:
        return {"limit": stated, "got": len(value) if hasattr(value, "__len__") else 0}
    if keyword in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"):
        return {"limit": stated, "got": value}
    return {}


def value_at(value: Any, path: Path) -> Any:
    """Return the value that a path leads to; None where there is none."""
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def ranked(
    context: Sequence[list[SchemaError]], type_fits: Callable[[SchemaError], bool]
) -> tuple[tuple[SchemaError, ...], ...]:
    """Return the variants' errors, the variant that was most likely meant first.

    A variant with a deeper error matched further, so it comes earlier; then one whose error is in an earlier sibling,
    one whose type matches, and one with fewer errors. Otherwise the order of the schema counts.
    """

    def relevance(error: SchemaError) -> tuple[Any, ...]:
        steps = [str(step).rjust(12) if isinstance(step, int) else step for step in error.path]
        return (-len(error.path), steps, error.keyword not in ("anyOf", "oneOf"), not type_fits(error))

    def rank(branch: Sequence[SchemaError]) -> tuple[Any, ...]:
        return (*min((relevance(error) for error in branch), default=(0, [], True, True)), len(branch))

    return tuple(tuple(branch) for branch in sorted(context, key=rank))


def fits_type(value: Any, types: Any) -> bool:
    """Return whether a value is of one of the types that a schema names; False where it names none."""
    names = [types] if isinstance(types, str) else types
    if not isinstance(names, list):
        return False
    name = type_name(value)
    return name in names or (name == "integer" and "number" in names)


def duplicates(items: Any) -> list[int]:
    """Return the indexes of the first two equal items, as JSON defines equality; empty where none are found."""
    seen: dict[str, int] = {}
    for index, item in enumerate(items if isinstance(items, list | tuple) else ()):
        try:
            key = json.dumps(_unified(item), sort_keys=True)
        except (TypeError, ValueError, RecursionError):
            continue
        if key in seen:
            return [seen[key], index]
        seen[key] = index
    return []


def _unified(value: Any) -> Any:
    """Return a value in which equal numbers are the same: 1.0 as 1."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _unified(child) for key, child in value.items()}
    return [_unified(child) for child in value] if isinstance(value, list | tuple) else value
