"""References inside one JSON Schema: following `$ref` to its target.

Owns: local pointers and anchors. Must not know: parameters, validation; it never fetches anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

Schema: TypeAlias = Mapping[str, Any]
SchemaPath: TypeAlias = tuple[str | int, ...]

#: How many references one chain may have before it is given up.
LONGEST_CHAIN = 64

_ONE = ("additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "not", "propertyNames")
_ONE_MORE = ("then", "unevaluatedItems", "unevaluatedProperties", "items")
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies")


def children(schema: Schema) -> Iterator[tuple[SchemaPath, Any]]:
    """Yield each place of `schema` that holds a schema, with its path; what stands there may be of any type.

    A place that holds data (`enum`, `const`, `default`, `examples`) is not among them.
    """
    for keyword in (*_ONE, *_ONE_MORE):
        if keyword in schema and not (keyword == "items" and isinstance(schema[keyword], list)):
            yield (keyword,), schema[keyword]
    for keyword in _LISTS:
        value = schema.get(keyword)
        if isinstance(value, list):
            for index, child in enumerate(value):
                yield (keyword, index), child
    for keyword in _MAPS:
        value = schema.get(keyword)
        if isinstance(value, Mapping):
            for name, child in value.items():
                if keyword != "dependencies" or not isinstance(child, list):
                    yield (keyword, name), child


def keywords_of(path: Sequence[str | int]) -> list[tuple[int, str]]:
    """Return the keywords on a schema path with their indexes, without the names and numbers that follow some of them.

    A property may be called `items`: on `("properties", "items", "type")` the keywords are `properties` and `type`.
    """
    found: list[tuple[int, str]] = []
    at = 0
    while at < len(path):
        keyword = str(path[at])
        found.append((at, keyword))
        numbered = at + 1 < len(path) and isinstance(path[at + 1], int)
        at += 2 if keyword in _MAPS or numbered else 1
    return found


def target(reference: str, root: Schema) -> Any:
    """Return what a local reference (`#`, `#/a/pointer`, `#anchor`) points to, or None where it leads nowhere."""
    if not reference.startswith("#"):
        return None
    fragment = reference[1:]
    if "%" in fragment:
        from urllib.parse import unquote

        fragment = unquote(fragment)
    if not fragment:
        return root
    if not fragment.startswith("/"):
        return _anchored(fragment, root)
    node: Any = root
    for step in fragment[1:].split("/"):
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(node, Mapping) and key in node:
            node = node[key]
        elif isinstance(node, list) and key.isascii() and key.isdigit() and len(key) < 9 and int(key) < len(node):
            node = node[int(key)]
        else:
            return None
    return node


def resolve(schema: Any, root: Schema) -> Schema:
    """Return the schema itself, or what it refers to with the keywords beside the reference laid over it.

    `true` and a reference that leads nowhere or in a circle are the empty schema, which anything fits.
    """
    beside: dict[str, Any] = {}
    for _ in range(LONGEST_CHAIN):
        if not isinstance(schema, Mapping):
            return beside if schema is not False else {"not": {}}
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return {**schema, **beside} if beside else schema
        beside = {**{key: value for key, value in schema.items() if key != "$ref"}, **beside}
        schema = target(reference, root)
    return beside


def _anchored(name: str, root: Schema) -> Any:
    """Return the schema inside `root` that carries the anchor `name`, in any draft's spelling."""
    pending: list[Any] = [root]
    for _ in range(100_000):
        if not pending:
            return None
        node = pending.pop()
        if not isinstance(node, Mapping):
            continue
        if name in (node.get("$anchor"), node.get("$dynamicAnchor")) or node.get("$id") == f"#{name}":
            return node
        pending.extend(child for _, child in children(node))
    return None
