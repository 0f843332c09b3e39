"""Schemas that are written as older drafts of JSON Schema have it, though they do not say so.

Owns: `modernised`, `exclude_bounds`: tuples, bounds and names in the words of draft 2020-12. Must not know:
definitions, validators.

Without `$schema` a schema is of the newest draft; the Model Context Protocol says so, too. Yet generators leave
`$schema` out and go on writing `items: […]`, or `exclusiveMinimum: true`. Such keywords have one meaning, that of the
draft that had them.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any, Final

from callwright.tools.references import schemas_in, with_children
from callwright.tools.schema_check import DEPTH, NODES

_BOUNDS: Final = (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum"))


def modernised(schema: Any) -> Mapping[str, Any] | None:
    """Return a schema with older keywords translated; None where it has none, or says itself which draft it is of."""
    if not isinstance(schema, Mapping) or "$schema" in schema or not _is_older(schema):
        return None
    copy: Mapping[str, Any] = _copied(schema, DEPTH)
    return copy


def _is_older(root: Mapping[str, Any]) -> bool:
    return any(
        isinstance(node.get("items"), list) or any(isinstance(node.get(word), bool) for _, word in _BOUNDS)
        for node in islice(schemas_in(root), NODES)
    )


def _copied(schema: Any, depth: int) -> Any:
    if not isinstance(schema, Mapping) or depth <= 0:
        return schema
    copy = with_children(schema, lambda _, child: _copied(child, depth - 1))
    if isinstance(copy.get("items"), list):
        items = copy.pop("items")
        rest = copy.pop("additionalItems", None)
        if items:
            copy["prefixItems"] = items
        if rest is not None:
            copy["items"] = rest
    exclude_bounds(copy)
    return copy


def exclude_bounds(schema: dict[str, Any]) -> None:
    """Say in the newest words which bounds are excluded, where a schema says so by a boolean beside them."""
    for bound, exclusive in _BOUNDS:
        stated = schema.get(exclusive)
        if isinstance(stated, bool):
            del schema[exclusive]
            if stated and bound in schema:
                schema[exclusive] = schema.pop(bound)
