"""The places of an argument's property inside a tool's JSON Schema.

Owns: the search for every place in a schema that names a property. Must not know: calls, documents, how a definition is
written. Every function is total: a cyclic, broken or enormous schema gives a partial answer.

A property is identified by the names that lead to it: `edits.old_string` is a property of each entry of `edits`.
Entries of arrays, variants and targets of references have no names of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from callwright.tools.references import Schema, SchemaPath, pointed

#: Keys of objects, from the arguments down, without the indexes of arrays.
Names: TypeAlias = tuple[str, ...]

#: How many schemas one lookup may visit.
_BOUND: Final = 2_000
_PARTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_SINGLE: Final = ("if", "then", "else", "items", "additionalItems", "contains")
#: Keywords of an object's schema whose value is a list of names of its properties.
_LISTS: Final = ("required", "propertyOrdering")


def names_of(path: Sequence[str | int]) -> Names:
    """Return a path of keys and indexes as names."""
    return tuple(step for step in path if isinstance(step, str))


def schemas_at(schema: Schema, names: Names) -> list[tuple[SchemaPath, Schema]]:
    """Return every schema for the value that `names` lead to, or for an entry of it, each with its place."""
    current = _facets([((), schema)], schema)
    for name in names:
        following: list[tuple[SchemaPath, Any]] = []
        for place, node in current:
            properties = node.get("properties")
            if isinstance(properties, Mapping) and name in properties:
                following.append(((*place, "properties", name), properties[name]))
        current = _facets(following, schema)
    return current


def property_places(schema: Schema, names: Names) -> frozenset[SchemaPath]:
    """Return the places where the property that `names` lead to is a key; none where the schema does not name it."""
    found = set()
    for place, node in schemas_at(schema, names[:-1]) if names else ():
        properties = node.get("properties")
        if isinstance(properties, Mapping) and names[-1] in properties:
            found.add((*place, "properties", names[-1]))
    return frozenset(found)


def mentions(schema: Schema, names: Names) -> Iterator[tuple[SchemaPath, bool]]:
    """Yield each place where a schema names a property: its path, and whether the name is the last key.

    Beside the property's own key these are `required` and similar keywords, references by other properties, and the
    keys of defaults and examples around it.
    """
    name = names[-1]
    for place, node in schemas_at(schema, names[:-1]):
        for keyword in ("properties", "dependentRequired", "dependentSchemas", "dependencies"):
            members = node.get(keyword)
            if not isinstance(members, Mapping):
                continue
            if name in members:
                yield (*place, keyword, name), True
            for other, value in members.items():
                if isinstance(value, list):
                    yield from (((*place, keyword, other, index), False) for index in _indexes(value, name))
                elif keyword == "properties" and isinstance(value, Mapping) and value.get("x-alias-of") == name:
                    yield (*place, keyword, other, "x-alias-of"), False
        for keyword in _LISTS:
            value = node.get(keyword)
            if isinstance(value, list):
                yield from (((*place, keyword, index), False) for index in _indexes(value, name))
    for depth in range(len(names)):
        for place, node in schemas_at(schema, names[:depth]):
            for keyword in ("default", "const"):
                if keyword in node:
                    yield from (((*place, keyword, *path), True) for path in keys_in(node[keyword], names[depth:]))
            for keyword in ("examples", "enum"):
                values = node.get(keyword)
                for index, value in enumerate(values if isinstance(values, list) else ()):
                    yield from (((*place, keyword, index, *path), True) for path in keys_in(value, names[depth:]))


def keys_in(value: Any, names: Names) -> Iterator[SchemaPath]:
    """Yield the paths of the members of a plain value that `names` lead to, through the entries of arrays."""
    pending: list[tuple[SchemaPath, Any, int]] = [((), value, 0)]
    while pending:
        path, node, depth = pending.pop()
        if isinstance(node, list):
            pending.extend(((*path, index), item, depth) for index, item in reversed(list(enumerate(node))))
        elif isinstance(node, Mapping) and names[depth] in node:
            inner = (*path, names[depth])
            if depth + 1 == len(names):
                yield inner
            else:
                pending.append((inner, node[names[depth]], depth + 1))


def all_properties(schema: Schema) -> Iterator[Names]:
    """Yield the names that lead to each property, the shortest for each place: a recursive schema is visited once."""
    level: list[tuple[Names, list[tuple[SchemaPath, Schema]]]] = [((), _facets([((), schema)], schema))]
    seen: set[SchemaPath] = set()
    while level:
        below: list[tuple[Names, list[tuple[SchemaPath, Schema]]]] = []
        for names, nodes in level:
            children: dict[str, list[tuple[SchemaPath, Any]]] = {}
            for at, node in nodes:
                properties = node.get("properties")
                if at in seen or not isinstance(properties, Mapping):
                    continue
                seen.add(at)
                for name, child in properties.items():
                    children.setdefault(name, []).append(((*at, "properties", name), child))
            yield from ((*names, name) for name in children)
            if len(seen) < _BOUND:
                below += [((*names, name), _facets(found, schema)) for name, found in children.items()]
        level = below


def _facets(nodes: Sequence[tuple[SchemaPath, Any]], root: Schema) -> list[tuple[SchemaPath, Schema]]:
    """Return the schemas with their parts, variants, entries and what they refer to, each once."""
    found: list[tuple[SchemaPath, Schema]] = []
    seen: set[SchemaPath] = set()
    pending: list[tuple[SchemaPath, Any]] = list(reversed(nodes))
    while pending and len(found) < _BOUND:
        place, node = pending.pop()
        if not isinstance(node, Mapping) or place in seen:
            continue
        seen.add(place)
        found.append((place, node))
        following: list[tuple[SchemaPath, Any]] = []
        reference = node.get("$ref")
        if isinstance(reference, str):
            following += _local(reference, root)
        for keyword in (*_SINGLE, *_PARTS):
            value = node.get(keyword)
            if isinstance(value, list):
                following += [((*place, keyword, index), child) for index, child in enumerate(value)]
            elif value is not None:
                following.append(((*place, keyword), value))
        pending.extend(reversed(following))
    return found


def _local(reference: str, root: Schema) -> list[tuple[SchemaPath, Any]]:
    """Return the target of a pointer inside the schema, with its place; nothing for any other reference."""
    if reference == "#":
        return [((), root)]
    if not reference.startswith("#/"):
        return []
    from urllib.parse import unquote

    trail = pointed(unquote(reference[1:]), root)
    place = tuple(int(key) if isinstance(node, list) else key for node, key in trail if key is not None)
    return [(place, trail[-1][0])] if trail else []


def _indexes(values: list[Any], name: str) -> list[int]:
    return [index for index, value in enumerate(values) if value == name]


def outermost(schema: Any, names: Names) -> list[SchemaPath]:
    """Return the places of the schemas that describe a member; for one that refers to another, the other.

    Schemas inside another of these are left out.
    """
    schemas = schemas_at(schema, names)
    final = [place for place, node in schemas if not isinstance(node.get("$ref"), str)]
    final = final or [place for place, _ in schemas]
    return [place for place in final if not any(place != one and place[: len(one)] == one for one in final)]
