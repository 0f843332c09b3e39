"""The metadata of types: `Annotated` arguments, `Field(…)`, constraints, defaults.

Owns: `Constraints`, `Note`, `FieldFacts`. Must not know: what a class is, how types become schemas.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from callwright.text.span import Span
from callwright.tools.parts import LocatedValue, sequence, with_members
from callwright.tools.python.module import Module, UnknownError
from callwright.tools.python.nodes import beside_type
from callwright.tools.python.plain_types import ANNOTATED, BOUNDS, PLAIN, SIZES

_SUFFIX: Final = {"string": "Length", "array": "Items", "object": "Properties"}


@dataclass(frozen=True, slots=True)
class Note:
    """A value that is known only at run time: its place, and what it is."""

    span: Span
    reason: str


@dataclass(slots=True)
class FieldFacts:
    """The metadata of a parameter or field beside its type."""

    name: str | None = None
    default: ast.expr | None = None
    required: bool = True
    discriminator: str | None = None


class Constraints:
    """Reads the metadata of the types of one module: `Annotated` arguments, `Field(…)`, constraints, defaults."""

    def __init__(self, module: Module) -> None:
        self.notes: list[Note] = []
        self._module = module

    def note(self, span: Span, reason: str) -> None:
        """Record a value that is known only at run time."""
        self.notes.append(Note(span, reason))

    def literal(self, node: ast.expr) -> LocatedValue | None:
        """Return the value of an expression, None where it is not known."""
        try:
            return self._module.literal(node)
        except UnknownError:
            return None

    def _with_metadata(self, part: LocatedValue, metadata: list[ast.expr], *, remarks: bool) -> LocatedValue:
        if not metadata:
            return part
        outer, inner = self._metadata(metadata, FieldFacts(), remarks=remarks)
        return with_members(self._constrained(part, inner), outer)

    def _metadata(
        self, metadata: Sequence[ast.expr], facts: FieldFacts, *, remarks: bool, bare: bool = False
    ) -> tuple[dict[str, tuple[LocatedValue, Span]], dict[str, tuple[LocatedValue, Span]]]:
        """Return the metadata of a value as a whole, and its constraints, each with the places of its value and key."""
        outer: dict[str, tuple[LocatedValue, Span]] = {}
        inner: dict[str, tuple[LocatedValue, Span]] = {}
        for one in metadata:
            if remarks and isinstance(one, ast.Constant) and isinstance(one.value, str):
                outer["description"] = LocatedValue(one.value, self._module.span(one)), self._module.span(one)
                continue
            if not isinstance(one, ast.Call):
                continue
            name = self._module.last(one.func)
            if remarks and name == "Doc" and one.args:
                stated = self.literal(one.args[0])
                if stated is not None:
                    outer["description"] = stated, stated.span
            elif name in ("Field", "Query", "Path", "Body", "Param") or bare:
                self._field(one, facts, outer, inner)
            elif name in ANNOTATED:
                given = dict(zip(ANNOTATED[name], one.args, strict=False))
                given |= {each.arg: each.value for each in one.keywords if each.arg is not None}
                for key, value in given.items():
                    self._constraint(key, value, self._module.span(value), inner)
        return outer, inner

    def _field(
        self,
        call: ast.Call,
        facts: FieldFacts,
        outer: dict[str, tuple[LocatedValue, Span]],
        inner: dict[str, tuple[LocatedValue, Span]],
    ) -> None:
        for keyword in call.keywords:
            key, value = keyword.arg, keyword.value
            if key is None:
                self.note(self._module.span(value), "these settings are not known without running the file")
                continue
            start = self._module.span(keyword).start
            at = (
                Span(start, start + len(key))
                if self._module.span(keyword) != self._module.span(call)
                else self._module.span(value)
            )
            if key in ("description", "title", "examples", "deprecated"):
                stated = self.literal(value)
                if stated is not None and stated.value not in (None, False):
                    outer[key] = (LocatedValue(True, stated.span) if key == "deprecated" else stated), at
                elif stated is None:
                    self.note(self._module.span(value), f"`{key}` is not known without running the file")
            elif key in ("alias", "validation_alias"):
                self._alias_of(key, value, facts)
            elif key == "discriminator":
                stated = self.literal(value)
                facts.discriminator = stated.value if stated is not None and isinstance(stated.value, str) else None
            elif key == "json_schema_extra":
                stated = self.literal(value)
                if stated is not None and isinstance(stated.value, dict):
                    for step, part in stated.parts.items():
                        outer[str(step)] = part, stated.keys.get(step, part.span)
            else:
                self._constraint(key, value, at, inner)

    def _alias_of(self, key: str, value: ast.expr, facts: FieldFacts) -> None:
        if isinstance(value, ast.Call) and self._module.last(value.func) == "AliasChoices" and value.args:
            value = value.args[0]
        stated = self.literal(value)
        if stated is not None and isinstance(stated.value, str) and (facts.name is None or key == "validation_alias"):
            facts.name = stated.value
        elif stated is None:
            self.note(self._module.span(value), "the name is not known without running the file")

    def _constraint(self, key: str, value: ast.expr, at: Span, inner: dict[str, tuple[LocatedValue, Span]]) -> None:
        if key not in BOUNDS and key not in SIZES and key not in ("pattern", "regex"):
            return
        stated = self.literal(value)
        if stated is None:
            if not (
                isinstance(value, ast.Call)
                and self._module.last(value.func) in ("date", "datetime", "timedelta", "Decimal")
            ):
                self.note(self._module.span(value), f"`{key}` is not known without running the file")
        elif stated.value is not None:
            inner["pattern" if key == "regex" else key] = stated, at

    def _constrained(self, part: LocatedValue, constraints: Mapping[str, tuple[LocatedValue, Span]]) -> LocatedValue:
        """Return a schema with the constraints that apply to its type."""
        if not constraints:
            return part
        variants = part.value.get("anyOf")
        if isinstance(variants, list):
            # The number of a decimal, or the only variant beside null.
            others = [one for one in range(len(variants)) if variants[one] != {"type": "null"}]
            if len(others) > 1 and variants != PLAIN["Decimal"]["anyOf"]:
                return part
            choices = [inner for _, inner in sorted(part.parts["anyOf"].parts.items(), key=lambda each: int(each[0]))]
            choices[others[0]] = self._constrained(choices[others[0]], constraints)
            return with_members(part, {"anyOf": (sequence(part.span, choices), part.span)})
        kind = part.value.get("type")
        stated: dict[str, tuple[LocatedValue, Span]] = {}
        for key, (value, at) in constraints.items():
            number = isinstance(value.value, int | float) and not isinstance(value.value, bool)
            if key in BOUNDS and number and kind in ("integer", "number"):
                stated[BOUNDS[key]] = value, at
            elif key in SIZES and number and kind in _SUFFIX and "format" not in part.value:
                stated[f"{key[:3]}{_SUFFIX[kind]}"] = value, at
            elif key == "pattern" and isinstance(value.value, str) and kind == "string":
                stated["pattern"] = value, at
        return with_members(part, stated)

    def field_call(self, node: ast.expr | None) -> ast.Call | None:
        """Return the expression if it is a `Field(…)` call."""
        if isinstance(node, ast.Call) and self._module.last(node.func) in ("Field", "field"):
            return node
        return None

    def _field_facts(self, call: ast.Call, facts: FieldFacts) -> None:
        if call.args:
            facts.default = call.args[0]
        for keyword in call.keywords:
            if keyword.arg == "default":
                facts.default = keyword.value
            elif keyword.arg in ("default_factory", "factory"):
                facts.default, facts.required = None, False
            elif keyword.arg in ("alias", "validation_alias"):
                self._alias_of(keyword.arg, keyword.value, facts)
        if isinstance(facts.default, ast.Constant) and facts.default.value is ...:
            facts.default = None
        if facts.default is not None:
            facts.required = False

    def with_default(self, part: LocatedValue, facts: FieldFacts) -> LocatedValue:
        """Return a schema with its default, where its value is known."""
        default = self.literal(facts.default) if facts.default is not None else None
        # An expression that is not a literal is still a default, of unknown value.
        return part if default is None else with_members(part, {"default": (default, default.span)})

    def field_facts(self, annotation: ast.expr | None, call: ast.Call | None) -> FieldFacts:
        """Return the facts about a parameter in `Field(…)`, beside its type or as its default."""
        facts = FieldFacts()
        beside = beside_type(self._module, annotation) if annotation is not None else []
        for one in [*beside, *([call] if call is not None else [])]:
            if isinstance(one, ast.Call) and self.field_call(one) is not None:
                self._field_facts(one, facts)
        return facts
