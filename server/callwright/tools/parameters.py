"""Reading a JSON Schema without validating: its parameters, and the schemas that apply at a place in a value.

Owns: `Parameter`, `parameters_of`, `subschemas`, `types_of`, `enum_of`, `required_of`. Coercion, completion and hover
use it. Must not know: tools, calls, validators. Every function is total: a cyclic, broken or enormous schema gives a
partial answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from callwright.text.records import dataclass
from callwright.tools.references import Schema, resolve, schemas_in, target

#: How many schemas one lookup may visit; beyond that the result is partial.
BOUND = 2_000
#: How deep `allOf`, `anyOf`, `oneOf` and references in one place are followed.
DEPTH = 32

_VARIANTS = ("anyOf", "oneOf")
_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})


@dataclass(frozen=True)
class Parameter:
    """One parameter of a tool: its schema, whether it is required, and its description."""

    name: str
    schema: Schema
    required: bool
    description: str
    deprecated: bool
    alias_of: str | None


def parameters_of(schema: Schema) -> Mapping[str, Parameter]:
    """Return the parameters of an arguments object by name: the schema's own first, then those it refers to.

    Properties reached through `$ref`, `allOf`, and the variants of `anyOf` and `oneOf` are included; the first
    definition of a name wins. A parameter's schema has its own reference resolved; those inside it still refer to
    `schema`.
    """
    required = required_of(schema, schema)
    found: dict[str, Parameter] = {}
    for facet in facets(schema, schema):
        properties = facet.get("properties")
        if not isinstance(properties, Mapping):
            continue
        for name, raw in properties.items():
            if name in found or raw is False:
                continue
            own = resolve(raw, schema)
            description = own.get("description")
            alias_of = own.get("x-alias-of")
            found[name] = Parameter(
                name=name,
                schema=own,
                required=name in required,
                description=description if isinstance(description, str) else "",
                deprecated=own.get("deprecated") is True,
                alias_of=alias_of if isinstance(alias_of, str) else None,
            )
    return found


def mentions_deprecation(schema: Schema) -> bool:
    """Return whether a schema, or one inside it, is marked as deprecated."""
    # A schema of this size may contain a deprecation.
    return any(node.get("deprecated") or number == BOUND for number, node in enumerate(schemas_in(schema), 1))


def required_of(schema: Any, root: Schema) -> frozenset[str]:
    """Return the properties that every value of `schema` must have: in all of `allOf`, or in each variant."""
    return _Reader(root).required(schema, DEPTH)


def facets(schema: Any, root: Schema) -> list[Schema]:
    """Return the schemas for one value: the schema, what it refers to, its parts and its variants.

    Each is returned once, in reading order, and still has its own `allOf`, `anyOf`, `oneOf`, `$ref`.
    """
    found: list[Schema] = []
    seen: set[int] = set()
    pending: list[Any] = [schema]
    while pending and len(found) < BOUND:
        node = pending.pop()
        if not isinstance(node, Mapping) or id(node) in seen:
            continue
        seen.add(id(node))
        found.append(node)
        reference = node.get("$ref")
        following: list[Any] = [target(reference, root, node)] if isinstance(reference, str) else []
        for keyword in ("allOf", *_VARIANTS):
            parts = node.get(keyword)
            if isinstance(parts, list):
                following.extend(parts)
        following.extend(node.get(keyword) for keyword in ("then", "else"))
        pending.extend(reversed(following))
    return found


def subschemas(schema: Any, root: Schema, path: Sequence[str | int]) -> list[Schema]:
    """Return every schema that may apply to the value at `path` inside a value of `schema`.

    A schema that refers to another is followed by the other. Steps are keys of objects and indexes of arrays. The list
    is empty for an unknown place, and has every variant of a place with several.
    """
    current: list[Schema] = facets(schema, root)
    for step in path:
        following: list[Schema] = []
        seen: set[int] = set()
        for facet in current:
            for child in _step(facet, step):
                for node in facets(child, root):
                    if id(node) not in seen and len(following) < BOUND:
                        seen.add(id(node))
                        following.append(node)
        current = following
    return current


def subschema(schema: Any, root: Schema, path: Sequence[str | int]) -> Schema | None:
    """Return one schema for the value at `path`: the only one that applies, or an `anyOf` of them; None where unknown.

    References in the result are relative to `root`.
    """
    parents = facets(schema, root) if not path else subschemas(schema, root, path[:-1])
    if not path:
        return resolve(schema, root)
    found: list[Schema] = []
    for facet in parents:
        for child in _step(facet, path[-1]):
            node = resolve(child, root)
            if node not in found and len(found) < 64:
                found.append(node)
    if not found:
        return None
    return found[0] if len(found) == 1 else {"anyOf": found}


def types_of(schema: Any, root: Schema) -> frozenset[str] | None:
    """Return the JSON types that `schema` allows, or None where it allows any.

    `integer` is returned beside or instead of `number` as in the schema.
    """
    return _Reader(root).types(schema, DEPTH)


def enum_of(schema: Any, root: Schema) -> tuple[Any, ...] | None:
    """Return the values that `schema` lists (`enum`, `const`, or variants that all do), or None where it lists none."""
    return _Reader(root).enum(schema, DEPTH)


class _Reader:
    """One lookup in a schema: counts the visited schemas, so that a hostile one ends at the limit."""

    __slots__ = ("_left", "_root")

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._left = BOUND

    def required(self, schema: Any, depth: int) -> frozenset[str]:
        node = self._open(schema, depth)
        if node is None:
            return frozenset()
        names = node.get("required")
        required = (
            frozenset(name for name in names if isinstance(name, str)) if isinstance(names, list) else frozenset()
        )
        for part in self._parts(node):
            required |= self.required(part, depth - 1)
        for variants in self._variants(node):
            each = [self.required(variant, depth - 1) for variant in variants]
            required |= frozenset.intersection(*each)
        return required

    def types(self, schema: Any, depth: int) -> frozenset[str] | None:
        node = self._open(schema, depth)
        if node is None:
            return None
        types = _named_types(node.get("type"))
        if "const" in node:
            types = _both(types, frozenset({type_name(node["const"])}))
        elif isinstance(node.get("enum"), list):
            types = _both(types, frozenset(type_name(value) for value in node["enum"]))
        for part in self._parts(node):
            types = _both(types, self.types(part, depth - 1))
        for variants in self._variants(node):
            each = [self.types(variant, depth - 1) for variant in variants]
            named = [one for one in each if one is not None]
            if len(named) == len(each):
                types = _both(types, frozenset().union(*named))
        return types

    def enum(self, schema: Any, depth: int) -> tuple[Any, ...] | None:
        node = self._open(schema, depth)
        if node is None:
            return None
        if "const" in node:
            return (node["const"],)
        values = node.get("enum")
        if isinstance(values, list):
            return tuple(values)
        for part in self._parts(node):
            inner = self.enum(part, depth - 1)
            if inner is not None:
                return inner
        for variants in self._variants(node):
            found: list[Any] = []
            for variant in variants:
                inner = self.enum(variant, depth - 1)
                if inner is None and self.types(variant, depth - 1) == frozenset({"null"}):
                    inner = (None,)
                if inner is None:
                    break
                found.extend(value for value in inner if not _among(value, found))
            else:
                return tuple(found)
        return None

    def _open(self, schema: Any, depth: int) -> Schema | None:
        self._left -= 1
        if self._left < 0 or depth <= 0 or not isinstance(schema, Mapping):
            return None
        return schema

    def _parts(self, node: Schema) -> Iterable[Any]:
        reference = node.get("$ref")
        if isinstance(reference, str):
            yield target(reference, self._root, node)
        parts = node.get("allOf")
        if isinstance(parts, list):
            yield from parts

    def _variants(self, node: Schema) -> Iterable[list[Any]]:
        for keyword in _VARIANTS:
            variants = node.get(keyword)
            if isinstance(variants, list) and variants:
                yield variants


def type_name(value: Any) -> str:
    """Return the JSON type of a Python value; a float without a fraction is a `number`."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "object" if isinstance(value, Mapping) else "array"


def _named_types(value: Any) -> frozenset[str] | None:
    if isinstance(value, str):
        return frozenset({value}) if value in _TYPES else None
    if isinstance(value, list) and value and all(isinstance(name, str) and name in _TYPES for name in value):
        return frozenset(value)
    return None


def _both(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    """Return the types that two schemas both allow; an integer is a number."""
    if one is None or other is None:
        return other if one is None else one
    both = one & other
    if ("integer" in one and "number" in other) or ("number" in one and "integer" in other):
        both |= {"integer"}
    return both


def _among(value: Any, values: list[Any]) -> bool:
    """Return whether `value` equals one of `values` in JSON: in Python `True` equals 1, in JSON it does not."""
    return any(value == other and isinstance(value, bool) == isinstance(other, bool) for other in values)


def _step(facet: Schema, step: str | int) -> Iterable[Any]:
    """Yield the schemas that a single facet applies to one member or item of its value."""
    if isinstance(step, int):
        prefix = facet.get("prefixItems")
        items = facet.get("items")
        if isinstance(items, list):
            prefix, items = items, facet.get("additionalItems")
        if isinstance(prefix, list) and 0 <= step < len(prefix):
            yield prefix[step]
        elif items is not None:
            yield items
        return
    properties = facet.get("properties")
    known = isinstance(properties, Mapping) and step in properties
    if isinstance(properties, Mapping) and known:
        yield properties[step]
    patterns = facet.get("patternProperties")
    if isinstance(patterns, Mapping):
        for pattern, child in patterns.items():
            if _matches(pattern, step):
                known = True
                yield child
    if not known and facet.get("additionalProperties") is not None:
        yield facet["additionalProperties"]


def _matches(pattern: str, name: str) -> bool:
    """Return whether a property name matches a plain pattern (`^x-`); any other pattern counts as a match."""
    plain = re.fullmatch(r"(\^?)([\w\- ]*+)(\$?)", pattern)
    if plain is None:
        return True
    start, text, end = plain.groups()
    if start and end:
        return name == text
    if start:
        return name.startswith(text)
    return name.endswith(text) if end else text in name
