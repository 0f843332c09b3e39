"""Schemas that are written as older drafts of JSON Schema have it, though they do not say so.

Owns: `modernised`: tuples, bounds and names in the words of draft 2020-12. Must not know: definitions, validators.

Without `$schema` a schema is of the newest draft; the Model Context Protocol says so, too. Yet generators leave
`$schema` out and go on writing `items: […]`, or `exclusiveMinimum: true`. Such keywords have one meaning, that of the
draft that had them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from callwright.tools.references import children
from callwright.tools.schema_check import DEPTH, NODES

_BOUNDS: Final = (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum"))


def modernised(schema: Any) -> Mapping[str, Any] | None:
    """Return a schema with older keywords translated; None where it has none, or says itself which draft it is of."""
    if not isinstance(schema, Mapping) or "$schema" in schema or not _is_older(schema):
        return None
    copy: Mapping[str, Any] = _copied(schema, DEPTH)
    return copy


def _is_older(root: Mapping[str, Any]) -> bool:
    pending: list[Any] = [root]
    for _ in range(NODES):
        if not pending:
            return False
        node = pending.pop()
        if not isinstance(node, Mapping):
            continue
        if isinstance(node.get("items"), list) or any(isinstance(node.get(word), bool) for _, word in _BOUNDS):
            return True
        pending.extend(child for _, child in children(node))
    return False


def _copied(schema: Any, depth: int) -> Any:
    if not isinstance(schema, Mapping) or depth <= 0:
        return schema
    copy: dict[str, Any] = dict(schema)
    for path, child in children(schema):
        keyword = str(path[0])
        if len(path) == 1:
            copy[keyword] = _copied(child, depth - 1)
            continue
        if copy[keyword] is schema[keyword]:
            copy[keyword] = dict(copy[keyword]) if isinstance(copy[keyword], Mapping) else list(copy[keyword])
        copy[keyword][path[1]] = _copied(child, depth - 1)
    if isinstance(copy.get("items"), list):
        items = copy.pop("items")
        rest = copy.pop("additionalItems", None)
        if items:
            copy["prefixItems"] = items
        if rest is not None:
            copy["items"] = rest
    for bound, exclusive in _BOUNDS:
        said = copy.get(exclusive)
        if isinstance(said, bool):
            del copy[exclusive]
            if said and bound in copy:
                copy[exclusive] = copy.pop(bound)
    return copy
