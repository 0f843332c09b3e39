"""What coercion and validation repeatedly need to know of a schema, computed once for each schema.

Owns: `SchemaFacts` and how long they are kept. Must not know: calls, validators; the answers are those of
`callwright.tools.parameters`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

from callwright.text.lru import Kept, weight_of
from callwright.tools.parameters import enum_of, subschema, types_of

Schema = Mapping[str, Any]

#: How many answers about each schema are kept.
_ANSWERS = 4_096


class SchemaFacts:
    """The answers about one schema of an arguments object.

    Invariant: an answer is kept together with the schema that it is about, whose identity is its key.
    """

    __slots__ = ("__dict__", "_children", "_enums", "_types", "root")

    def __init__(self, root: Schema) -> None:
        self.root = root
        self._children: dict[tuple[int, str | int], tuple[Schema, Schema | None]] = {}
        self._types: dict[int, tuple[Schema, frozenset[str] | None]] = {}
        self._enums: dict[int, tuple[Schema, tuple[Any, ...] | None]] = {}

    @cached_property
    def aliases(self) -> dict[str, str]:
        """The deprecated names of parameters, each with the parameter that it means."""
        properties = self.root.get("properties")
        if not isinstance(properties, Mapping):
            return {}
        return {
            name: child["x-alias-of"]
            for name, child in properties.items()
            if isinstance(child, Mapping) and isinstance(child.get("x-alias-of"), str)
        }

    @cached_property
    def plain_texts(self) -> frozenset[str]:
        """The names of the parameters that are any text: strings, of no list of values."""
        properties = self.root.get("properties")
        found = []
        for name in properties if isinstance(properties, Mapping) else ():
            child = self.child(self.root, name) if isinstance(name, str) else None
            if child is not None and self.types(child) == frozenset({"string"}) and self.enum(child) is None:
                found.append(name)
        return frozenset(found)

    def child(self, schema: Schema, step: str | int) -> Schema | None:
        """Return the schema of the member or entry `step` of a value of `schema`; None where it has none."""
        key = (id(schema), step)
        known = self._children.get(key)
        if known is None:
            if len(self._children) >= _ANSWERS:
                self._children.clear()
            known = self._children[key] = (schema, subschema(schema, self.root, (step,)))
        return known[1]

    def types(self, schema: Schema) -> frozenset[str] | None:
        """Return the JSON types that `schema` allows, None where it allows any."""
        known = self._types.get(id(schema))
        if known is None:
            if len(self._types) >= _ANSWERS:
                self._types.clear()
            known = self._types[id(schema)] = (schema, types_of(schema, self.root))
        return known[1]

    def enum(self, schema: Schema) -> tuple[Any, ...] | None:
        """Return the values that `schema` lists, None where it lists none."""
        known = self._enums.get(id(schema))
        if known is None:
            if len(self._enums) >= _ANSWERS:
                self._enums.clear()
            known = self._enums[id(schema)] = (schema, enum_of(schema, self.root))
        return known[1]


_facts: Final[Kept[int, SchemaFacts]] = Kept(512, 200_000)


def facts_of(root: Schema) -> SchemaFacts:
    """Return the facts of the schema of an arguments object."""
    known = _facts.get(id(root))
    if known is None:
        known = _facts.keep(id(root), SchemaFacts(root), weight_of(root))
    return known
