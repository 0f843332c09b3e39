"""Schemas with keywords of older drafts of JSON Schema and without `$schema`.

Owns: `modernised`, `exclude_bounds`: tuples, bounds and names in the keywords of draft 2020-12. Must not know:
definitions, validators.

Without `$schema` a schema is of the newest draft, also in the Model Context Protocol. Yet generators leave `$schema`
out and still write `items: […]`, or `exclusiveMinimum: true`. Such keywords have only the meaning of the draft that
defined them.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any, Final

from callwright.tools.references import schemas_in, with_children
from callwright.tools.schema_check import DEPTH, NODES

_BOUNDS: Final = (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum"))


def modernised(schema: Any) -> Mapping[str, Any] | None:
    """Return a schema with older keywords translated; None where it has none, or states its draft."""
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
    """Rewrite exclusive bounds that a schema states by a boolean beside them, in the newest draft's keywords."""
    for bound, exclusive in _BOUNDS:
        stated = schema.get(exclusive)
        if isinstance(stated, bool):
            del schema[exclusive]
            if stated and bound in schema:
                schema[exclusive] = schema.pop(bound)
