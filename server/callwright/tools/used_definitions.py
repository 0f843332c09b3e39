"""A tool and its schemas for output: with the definitions that they refer to, and no others.

Owns: `without_unused`, `written_definition`. Must not know: where a schema or a tool is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from callwright.tools.model import ToolSchema
from callwright.tools.references import Passed, Schema, SchemaPath, children, trails

_DEFINITIONS: Final = ("$defs", "definitions")


def written_definition(tool: ToolSchema) -> dict[str, Any]:
    """Return a tool as a definition in the format of Callwright's tool sets, without empty members."""
    stated: dict[str, Any] = {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "aliases": list(tool.aliases),
        "deprecated": tool.deprecated if tool.deprecated != "" else True,
        "annotations": dict(tool.annotations),
        "markup": tool.markup,
        "dialect": tool.dialect,
        "inputSchema": dict(without_unused(tool.input_schema)),
        "outputSchema": dict(without_unused(tool.output_schema)) if tool.output_schema is not None else None,
        "examples": list(tool.examples),
    }
    return {key: value for key, value in stated.items() if value or key == "inputSchema"}


def without_unused(schema: Schema) -> Schema:
    """Return a schema without the definitions that nothing in it refers to, directly or not.

    The same object is returned where there are none to remove. The result accepts the same values. A definition is kept
    whole where a reference leads into it. Time is linear in the schema, which may refer to itself.
    """
    plan = _Plan(schema)
    return plan.pruned() if plan.definitions else schema


class _Plan:
    """The definitions in one schema, at any depth, and which of them are kept.

    Schemas are compared by identity. Where one object is at several places, too many may be kept, never too few.
    """

    def __init__(self, root: Schema) -> None:
        self._root = root
        #: For each definition the schema that contains it, and its keyword and name there.
        self.definitions: list[tuple[Schema, str, str | int]] = []
        #: The definitions in each map of them, those that a schema is itself, and the one that contains it.
        self._maps: dict[int, dict[str | int, list[int]]] = {}
        self._numbers: dict[int, list[int]] = {}
        self._around: dict[int, int] = {}
        #: The parent of each schema, and its path in the parent.
        self._places: dict[int, tuple[Schema, SchemaPath]] = {}
        pending = [root]
        while pending:
            node = pending.pop()
            for step, child in children(node):
                inside = self._around.get(id(node))
                if step[0] in _DEFINITIONS:
                    keyword, inside = str(step[0]), len(self.definitions)
                    self.definitions.append((node, keyword, step[1]))
                    self._numbers.setdefault(id(child), []).append(inside)
                    self._maps.setdefault(id(node[keyword]), {}).setdefault(step[1], []).append(inside)
                if isinstance(child, Mapping) and child is not root and id(child) not in self._places:
                    self._places[id(child)] = (node, step)
                    if inside is not None:
                        self._around[id(child)] = inside
                    pending.append(child)

    def pruned(self) -> Schema:
        """Return the schema with only the kept definitions."""
        kept = self._kept()
        copies = _Copies(self._root, self._places)
        for number, (holder, keyword, name) in enumerate(self.definitions):
            around = self._around.get(id(holder))
            if number not in kept and (around is None or around in kept):
                copies.drop(holder, keyword, name)
        return copies.root

    def _kept(self) -> set[int]:
        """Return the numbers of the definitions that the schema refers to."""
        kept: set[int] = set()
        pending: list[Any] = [self._root]
        seen: set[int] = set()
        asked: set[int] = set()
        while pending:
            node = pending.pop()
            if not isinstance(node, Mapping) or id(node) in seen:
                continue
            seen.add(id(node))
            pending += [child for step, child in children(node) if step[0] not in _DEFINITIONS]
            for trail in trails(node, self._root):
                pending.append(trail[-1][0])
                needed = [*self._owners(trail[0][0], asked), *self._named(trail)]
                while needed:
                    number = needed.pop()
                    if number not in kept:
                        kept.add(number)
                        holder, keyword, name = self.definitions[number]
                        pending += (holder[keyword][name], holder)
                        needed += self._owners(holder, asked)
        return kept

    def _named(self, trail: list[Passed]) -> Iterator[int]:
        """Yield the definitions that a reference passes through, and all of a map of definitions that it ends at."""
        for node, key in trail:
            names = self._maps.get(id(node))
            if names is not None:
                for found in names.values() if key is None else (names.get(key, ()),):
                    yield from found

    def _owners(self, node: Any, asked: set[int]) -> Iterator[int]:
        """Yield the definitions that a schema is or is inside of, once for each schema."""
        if id(node) not in asked:
            asked.add(id(node))
            yield from self._numbers.get(id(node), ())
            if id(node) in self._around:
                yield self._around[id(node)]


class _Copies:
    """A copy of a schema without some definitions; parts that contain none of them are shared with the original."""

    def __init__(self, root: Schema, places: Mapping[int, tuple[Schema, SchemaPath]]) -> None:
        self.root = root
        self._places = places
        self._copies: dict[int, dict[str, Any]] = {}
        self._inner: dict[tuple[int, str], Any] = {}

    def drop(self, holder: Schema, keyword: str, name: str | int) -> None:
        """Remove one definition, and the keyword with the last of them."""
        copy = self._copy(holder)
        left = self._own(holder, keyword)
        del left[name]
        if not left:
            del copy[keyword]

    def _copy(self, node: Schema) -> dict[str, Any]:
        """Return the copy of a schema, inside the copies of those around it."""
        way = [node]
        while id(way[-1]) not in self._copies and id(way[-1]) in self._places:
            way.append(self._places[id(way[-1])][0])
        for each in reversed(way):
            if id(each) in self._copies:
                continue
            copy = self._copies[id(each)] = dict(each)
            if id(each) not in self._places:
                self.root = copy
                continue
            parent, step = self._places[id(each)]
            if len(step) == 1:
                self._copies[id(parent)][str(step[0])] = copy
            else:
                self._own(parent, str(step[0]))[step[1]] = copy
        return self._copies[id(node)]

    def _own(self, node: Schema, keyword: str) -> Any:
        """Return the map or list of schemas below a keyword of a copy, which is a copy itself."""
        key = (id(node), keyword)
        if key not in self._inner:
            whole = node[keyword]
            self._inner[key] = dict(whole) if isinstance(whole, Mapping) else list(whole)
            self._copies[id(node)][keyword] = self._inner[key]
        return self._inner[key]
