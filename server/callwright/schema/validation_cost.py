"""The cost of validating a value, counted before a validator runs on it.

Owns: `CostModel`. Must not know: how validators work, calls. No clock is used: the same value gives the same answer on
every machine. The count itself is bounded for any schema and value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from callwright.tools.patterns import read_pattern
from callwright.tools.references import children, is_published, targets

#: How many steps a validator may take: what the fast library does in a few tenths of a second, and what the slow one.
FAST_STEPS: Final = 200_000
SLOW_STEPS: Final = 7_000
#: The limit of the cost of a pattern that is tried many times on one text.
_FANCY: Final = 2_000
#: The cost of a part of a value that is checked against a published meta-schema.
_META: Final = 60

_IN_PLACE: Final = frozenset(
    {"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"}
)
_OF_MEMBERS: Final = frozenset({"patternProperties", "additionalProperties", "unevaluatedProperties"})
_OF_ITEMS: Final = frozenset({"prefixItems", "items", "contains", "additionalItems", "unevaluatedItems"})


class _Plan:
    """One schema, taken apart: which schemas apply to the same value, its members, their names and its items."""

    __slots__ = ("in_place", "items", "members", "names", "pattern", "properties", "unevaluated", "weight")

    def __init__(self, schema: Mapping[str, Any], root: Mapping[str, Any]) -> None:
        self.in_place: list[Any] = targets(schema, root)
        self.properties: dict[str, Any] = {}
        self.members: list[Any] = []
        self.names: list[Any] = []
        self.items: list[Any] = []
        self.weight = 1
        if is_published(schema):
            self.weight = _META
            self.members = self.items = [schema]
        self.unevaluated = "unevaluatedProperties" in schema or "unevaluatedItems" in schema
        for keyword in ("enum", "required"):
            listed = schema.get(keyword)
            self.weight += len(listed) if isinstance(listed, list) else 0
        for keyword in ("dependentRequired", "dependencies"):
            demanded = schema.get(keyword)
            if isinstance(demanded, Mapping):
                self.weight += sum(len(names) for names in demanded.values() if isinstance(names, list))
        written = schema.get("pattern")
        known = read_pattern(written) if isinstance(written, str) else None
        self.pattern = (known.degree, known.fancy) if known is not None else None
        for step, child in children(schema):
            keyword = str(step[0])
            if keyword in _IN_PLACE:
                self.in_place.append(child)
            elif keyword == "properties":
                self.properties[str(step[1])] = child
            elif keyword in _OF_MEMBERS:
                self.members.append(child)
            elif keyword == "propertyNames":
                self.names.append(child)
            elif keyword in _OF_ITEMS:
                self.items.append(child)


class _Group:
    """The schemas that apply to one value, each with the number of ways that lead to it.

    `weight` is what they cost on any value, `patterns` is how many patterns of each kind a text is matched against.
    """

    __slots__ = ("by_name", "items", "names", "parts", "patterns", "rest", "unevaluated", "weight")

    def __init__(self, parts: list[tuple[_Plan, int]]) -> None:
        self.parts = parts
        self.weight = sum(plan.weight * ways for plan, ways in parts)
        self.unevaluated = any(plan.unevaluated for plan, _ in parts)
        self.patterns: dict[tuple[int | None, bool], int] = {}
        for plan, ways in parts:
            if plan.pattern is not None:
                self.patterns[plan.pattern] = self.patterns.get(plan.pattern, 0) + ways
        #: The groups of members by name, of other members, of their names, and of items; made on first use.
        self.by_name: dict[str, _Group] = {}
        self.rest: _Group | None = None
        self.names: _Group | None = None
        self.items: _Group | None = None


class CostModel:
    """Counts how often a validator of one schema would check the parts of a value.

    A schema may be applied to one value in many ways, and each way multiplies the cost of the parts below. So the
    schemas of a value are grouped, with the number of their ways, and each part of the value is counted once.
    """

    def __init__(self, root: Mapping[str, Any], *, slow: bool) -> None:
        self._root = root
        self._slow = slow
        self._most = SLOW_STEPS if slow else FAST_STEPS
        self._plans: dict[int, tuple[Any, _Plan]] = {}
        self._groups: dict[frozenset[tuple[int, int]], _Group] = {}
        self._work = 0

    def steps(self, value: Any) -> int | None:
        """Return how many steps validation takes, None where these are too many."""
        self._work = 0
        total = 0
        pending: list[tuple[_Group, Any]] = [(self._group([(self._root, 1)]), value)]
        while pending:
            group, part = pending.pop()
            # The cost of what waits is at least this.
            total += group.weight
            if total + len(pending) + self._work // 4 > self._most:
                # What was made for this value is too large to be kept.
                self._groups.clear()
                return None
            if isinstance(part, str):
                total += self._in_text(group, len(part))
            elif isinstance(part, dict):
                total += self._of_object(group, part, pending)
            elif isinstance(part, list | tuple):
                total += len(part) // (4 if self._slow else 8) + (len(part) * group.weight if group.unevaluated else 0)
                if group.items is None:
                    group.items = self._group((child, ways) for plan, ways in group.parts for child in plan.items)
                inner = group.items
                if len(part) * inner.weight > self._most:
                    return None
                if inner.parts:
                    pending.extend((inner, item) for item in part)
        return total if total <= self._most else None

    def _of_object(self, group: _Group, value: Mapping[Any, Any], pending: list[tuple[_Group, Any]]) -> int:
        if group.rest is None:
            group.rest = self._group((child, ways) for plan, ways in group.parts for child in plan.members)
            group.names = self._group((child, ways) for plan, ways in group.parts for child in plan.names)
        total = len(value) * (1 + (group.weight if group.unevaluated else 0))
        for name, member in value.items():
            inner = group.by_name.get(name)
            if inner is None:
                own = [(plan.properties[name], ways) for plan, ways in group.parts if name in plan.properties]
                self._work += len(group.parts)
                if own:
                    others = ((child, ways) for plan, ways in group.parts for child in plan.members)
                    inner = group.by_name[name] = self._group([*own, *others])
                else:
                    inner = group.rest
            if inner.parts:
                pending.append((inner, member))
            if group.names is not None and group.names.parts:
                pending.append((group.names, str(name)))
        return total

    def _in_text(self, group: _Group, length: int) -> int:
        total = 0
        for (degree, fancy), count in group.patterns.items():
            if self._slow and degree is not None and degree > 1:
                total += count * min((length + 1) ** min(degree, 4) // 200, self._most)
            elif fancy and degree != 0 and length > 8:
                total += count * _FANCY
            else:
                total += count * (length // 256)
        return total

    def _plan(self, schema: Mapping[str, Any]) -> _Plan:
        known = self._plans.get(id(schema))
        if known is None:
            known = self._plans[id(schema)] = (schema, _Plan(schema, self._root))
        return known[1]

    def _group(self, schemas: Iterable[tuple[Any, int]]) -> _Group:
        """Return the group of the given schemas and of all that apply to the same value with them."""
        ways: dict[int, int] = {}
        given: list[Any] = []
        for schema, count in schemas:
            if isinstance(schema, Mapping):
                if id(schema) not in ways:
                    given.append(schema)
                ways[id(schema)] = min(ways.get(id(schema), 0) + count, self._most + 1)
        key = frozenset(ways.items())
        known = self._groups.get(key)
        if known is not None:
            return known
        # Each schema comes before those that it passes the value on to.
        order: list[Any] = []
        done: set[int] = set()
        pending: list[tuple[Any, bool]] = [(schema, False) for schema in given]
        while pending:
            schema, leaving = pending.pop()
            if leaving:
                order.append(schema)
            elif isinstance(schema, Mapping) and id(schema) not in done:
                done.add(id(schema))
                pending.append((schema, True))
                pending.extend((child, False) for child in self._plan(schema).in_place)
        parts: list[tuple[_Plan, int]] = []
        for schema in reversed(order):
            plan, count = self._plan(schema), ways[id(schema)]
            parts.append((plan, count))
            for child in plan.in_place:
                if isinstance(child, Mapping):
                    ways[id(child)] = min(ways.get(id(child), 0) + count, self._most + 1)
        self._work += len(parts)
        found = self._groups[key] = _Group(parts)
        return found
