"""Annotations as JSON Schemas: what pydantic would say of them, read off the source.

Owns: `Schemas`: types, constraints, models, enumerations, typed dictionaries and dataclasses of one module. Must not
know: functions that are tools, how definitions are written.

What is written agrees with `pydantic.TypeAdapter(…).json_schema()`, without the titles that pydantic makes of names.
What only running the source would tell is left open (`{}`), and noted with its place.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from callwright.text.span import Span
from callwright.text.words import quoted
from callwright.tools.parts import Part, record, sequence
from callwright.tools.python.module import Module, UnknownError
from callwright.tools.python.plain_types import (
    ANNOTATED,
    BOUNDS,
    CONSTRAINED,
    LISTS,
    MAPS,
    PLAIN,
    SETS,
    SIZES,
    TUPLES,
    WRAPPERS,
)

#: How deep annotations are followed.
_DEPTH: Final = 40
#: How many annotations of one module are followed.
_MOST: Final = 50_000

_SUFFIX: Final = {"string": "Length", "array": "Items", "object": "Properties"}

_MODEL, _DICT, _DATA, _ENUM, _ROOT, _TUPLE = "model", "typed-dict", "dataclass", "enum", "root-model", "named-tuple"
_BASES: Final = {
    **dict.fromkeys(("BaseModel", "SQLModel", "BaseSettings"), _MODEL),
    "RootModel": _ROOT,
    "TypedDict": _DICT,
    "NamedTuple": _TUPLE,
    **dict.fromkeys(("Enum", "StrEnum", "IntEnum", "Flag", "IntFlag", "ReprEnum"), _ENUM),
}
_DECORATORS: Final = frozenset(["dataclass", "define", "attrs", "frozen", "mutable"])


@dataclass(frozen=True, slots=True)
class Note:
    """Something that only running the source would tell: where, and what is meant."""

    span: Span
    reason: str


@dataclass(slots=True)
class FieldFacts:
    """What is said of a parameter or field beside its type."""

    name: str | None = None
    alias_span: Span | None = None
    default: ast.expr | None = None
    required: bool = True
    discriminator: str | None = None


class Schemas:
    """Writes the schemas of one module's annotations; classes that are referred to are kept for `$defs`."""

    def __init__(self, module: Module) -> None:
        self.notes: list[Note] = []
        self._module = module
        self._made: dict[str, Part] = {}
        self._needs: dict[str, list[str]] = {}
        self._open: list[str] = []
        self._kinds: dict[str, str | None] = {}
        self._left = _MOST

    # -- what others ask -----------------------------------------------------------------------------------------------

    def of(self, node: ast.expr, *, metadata: Sequence[ast.expr] = (), remarks: bool = False) -> Part:
        """Return the schema of an annotation, with the definitions that it refers to under `$defs`.

        `remarks` says that a bare string beside a type describes it, as it does for functions.
        """
        part, needs = self.fragment(node, metadata=metadata, remarks=remarks)
        return self.complete(part, needs)

    def fragment(
        self, node: ast.expr, *, metadata: Sequence[ast.expr] = (), remarks: bool = False
    ) -> tuple[Part, list[str]]:
        """Return the schema of an annotation, and the classes that it refers to."""
        self._open.append("")
        self._needs[""] = []
        part = self._annotated(node, [*metadata], _DEPTH, remarks=remarks)
        self._open.pop()
        return part, self._needs.pop("")

    def complete(self, part: Part, needs: Sequence[str]) -> Part:
        """Return a schema with the classes that it refers to, directly or not, under `$defs`."""
        names: dict[str, None] = {}
        waiting = [*needs]
        while waiting:
            name = waiting.pop()
            if name not in names:
                names[name] = None
                waiting += self._needs.get(name, ())
        if not names:
            return part
        definitions = record(part.span, {name: self._made[name] for name in sorted(names) if name in self._made})
        whole = record(part.span, {})
        for step, inner in part.parts.items():
            whole.put(step, inner, part.keys.get(step))
        whole.put("$defs", definitions)
        return whole

    def of_class(self, node: ast.ClassDef) -> Part:
        """Return the schema of a class of the module, whole."""
        part = self._made_of(node)
        needs = self._needs.get(node.name, [])
        if node.name in self._reached(needs):
            return self.complete(record(self._module.name_span(node), {"$ref": f"#/$defs/{node.name}"}), [node.name])
        return self.complete(part, needs)

    def kind(self, node: ast.ClassDef) -> str | None:
        """Return what sort of class it is, None where its instances are nothing that JSON knows."""
        if node.name in self._kinds:
            return self._kinds[node.name]
        self._kinds[node.name] = None
        found = None
        for decorator in node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if self._module.last(called) in _DECORATORS:
                found = _DATA
        for base in node.bases:
            named = base.value if isinstance(base, ast.Subscript) else base
            own = self._module.class_of(named)
            known = self.kind(own) if own is not None and own is not node else _BASES.get(self._module.last(named))
            found = found or known
        if found is None and any(self._field_call(each.value) is not None for each in _fields(node)):
            # A base of elsewhere: whoever writes `Field(…)` writes a model.
            found = _MODEL
        self._kinds[node.name] = found
        return found

    def note(self, span: Span, reason: str) -> None:
        """Remember something that only running the source would tell."""
        self.notes.append(Note(span, reason))

    def literal(self, node: ast.expr) -> Part | None:
        """Return the value of an expression, None where it is not known."""
        try:
            return self._module.literal(node)
        except UnknownError:
            return None

    # -- annotations ---------------------------------------------------------------------------------------------------

    def _annotated(self, node: ast.expr, metadata: list[ast.expr], depth: int, *, remarks: bool = False) -> Part:
        """Return the schema of an annotation under what stands beside it."""
        self._left -= 1
        if depth <= 0 or self._left <= 0:
            self.note(self._module.span(node), "the annotation nests too deep, or goes on without end")
            return record(self._module.span(node), {})
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self._quoted(node, metadata, depth, remarks=remarks)
        if isinstance(node, ast.Subscript):
            name = self._module.last(node.value)
            arguments = _arguments(node)
            if name == "Annotated" and arguments:
                return self._annotated(arguments[0], [*arguments[1:], *metadata], depth - 1, remarks=remarks)
            if name in WRAPPERS and arguments:
                return self._annotated(arguments[-1], metadata, depth - 1, remarks=remarks)
        alias = self._alias(node)
        if alias is not None:
            return self._annotated(alias, metadata, depth - 1, remarks=remarks)
        variants = self._variants(node, depth)
        if len(variants) == 1 and variants[0] is not node:
            # A union of one type is that type, with what stands beside it there.
            return self._annotated(variants[0], metadata, depth - 1, remarks=remarks)
        return self._decorated(node, variants, metadata, depth, remarks=remarks)

    def _quoted(self, node: ast.Constant, metadata: list[ast.expr], depth: int, *, remarks: bool) -> Part:
        span = self._module.span(node)
        parsed = self._module.parsed(node)
        if parsed is None:
            self.note(span, "the text is no annotation")
            return record(span, {})
        # What stands beside it has places of its own, which must not be taken for the string's.
        self._module.moved(span)
        inner = self._annotated(parsed, [], depth - 1)
        self._module.moved(None)
        return self._with_metadata(inner, metadata, remarks=remarks) if metadata else inner

    def _alias(self, node: ast.expr) -> ast.expr | None:
        """Return the annotation that a name of the module stands for."""
        if not isinstance(node, ast.Name) or node.id in self._module.classes:
            return None
        value = self._module.constants.get(node.id)
        if isinstance(value, ast.Call):
            called = self._module.last(value.func)
            if called == "NewType" and len(value.args) == 2:
                return value.args[1]
            if called == "TypeVar":
                bound = next((each.value for each in value.keywords if each.arg == "bound"), None)
                return bound or ast.copy_location(ast.Name("Any"), node)
            return None
        return value if isinstance(value, ast.Subscript | ast.BinOp | ast.Name | ast.Attribute) else None

    def _variants(self, node: ast.expr, depth: int) -> list[ast.expr]:
        """Return the types of a union, each once, the null type last; the annotation itself where it is no union."""
        flat: list[ast.expr] = []
        waiting = [node]
        while waiting and len(flat) < 500:
            one = waiting.pop()
            alias = self._alias(one) if len(flat) < 100 and len(waiting) < 500 else None
            name = self._module.last(one.value) if isinstance(one, ast.Subscript) else ""
            if alias is not None and depth > 1 and _is_union(alias):
                depth -= 1
                waiting.append(alias)
            elif isinstance(one, ast.BinOp) and isinstance(one.op, ast.BitOr):
                waiting += [one.right, one.left]
            elif isinstance(one, ast.Subscript) and name == "Union":
                waiting += reversed(_arguments(one))
            elif isinstance(one, ast.Subscript) and name == "Optional":
                waiting += [ast.copy_location(ast.Constant(None), one.slice), *reversed(_arguments(one))]
            else:
                flat.append(one)
        seen: dict[str, ast.expr] = {}
        for one in flat:
            text = isinstance(one, ast.Constant) and isinstance(one.value, str)
            parsed = self._module.parsed(one) if isinstance(one, ast.Constant) and text else one
            seen.setdefault(ast.dump(parsed or one), one)
        return sorted(seen.values(), key=self._is_null)

    def _is_null(self, node: ast.expr) -> bool:
        return (isinstance(node, ast.Constant) and node.value is None) or self._module.last(node) == "NoneType"

    def _decorated(
        self, node: ast.expr, variants: list[ast.expr], metadata: list[ast.expr], depth: int, *, remarks: bool
    ) -> Part:
        """Return the schema of a union or of a single type, with what stands beside it."""
        span = self._module.span(node)
        if len(variants) == 1:
            return self._with_metadata(self._type(variants[0], depth), metadata, remarks=remarks)
        facts = FieldFacts()
        outer, inner = self._metadata(metadata, facts, remarks=remarks)
        parts = [self._annotated(one, [], depth - 1, remarks=remarks) for one in variants]
        null = parts.pop() if self._is_null(variants[-1]) else None
        if facts.discriminator is not None and len(parts) > 1:
            parts = [self._discriminated(parts, variants, facts.discriminator, span)]
        elif len(parts) == 1:
            parts = [self._constrained(parts[0], inner)]
        if null is not None:
            parts.append(null)
        # Two types of one schema, as `list` and `tuple` are, are one variant; `true` and 1 are equal, and are two.
        different: dict[str, Part] = {}
        for part in parts:
            different.setdefault(repr(part.value), part)
        parts = list(different.values())
        whole = parts[0] if len(parts) == 1 else record(span, {"anyOf": sequence(span, parts)})
        return _with(whole, outer)

    def _discriminated(self, parts: list[Part], variants: list[ast.expr], key: str, span: Span) -> Part:
        mapping: dict[str, Any] = {}
        for part, variant in zip(parts, variants, strict=False):
            owner = self._module.class_of(variant)
            if owner is None:
                continue
            properties = self._made_of(owner).value.get("properties") if owner.name not in self._open else None
            said = properties.get(key) if isinstance(properties, dict) else None
            if isinstance(said, dict):
                for value in [said["const"]] if "const" in said else said.get("enum", ()):
                    mapping[str(value)] = part.value.get("$ref")
        choice = record(span, {"mapping": mapping, "propertyName": key})
        return record(span, {"oneOf": sequence(span, parts), "discriminator": choice})

    def _type(self, node: ast.expr, depth: int) -> Part:
        """Return the schema of an annotation that is no union."""
        module, span = self._module, self._module.span(node)
        if isinstance(node, ast.Constant):
            if node.value is None:
                return record(span, {"type": "null"})
            if isinstance(node.value, str):
                return self._annotated(node, [], depth - 1)
        if isinstance(node, ast.Subscript):
            return self._generic(node, span, depth)
        if isinstance(node, ast.Call):
            return self._constrained_type(node, span, depth)
        owner = module.class_of(node)
        if owner is not None:
            return self._reference(owner, span)
        name = module.last(node)
        if name in PLAIN:
            return record(span, PLAIN[name])
        if name in LISTS or name in TUPLES:
            return record(span, {"type": "array", "items": {}})
        if name in SETS:
            return record(span, {"type": "array", "items": {}, "uniqueItems": True})
        if name in MAPS:
            return record(span, {"type": "object", "additionalProperties": True})
        if name == "Counter":
            return record(span, {"type": "object", "additionalProperties": {"type": "integer"}})
        if name not in ("TypeVar", "Self"):
            written = " ".join(span.of(module.text).split())
            self.note(span, f"what {quoted(written[:80])} takes is not known without running the file")
        return record(span, {})

    def _generic(self, node: ast.Subscript, span: Span, depth: int) -> Part:
        module, arguments = self._module, _arguments(node)
        name = module.last(node.value)
        if name == "Literal":
            return self._choices(arguments, span)
        if name in TUPLES:
            return self._tuple(arguments, span, depth)
        if name in LISTS and arguments:
            return record(span, {"type": "array", "items": self._annotated(arguments[0], [], depth - 1)})
        if name in SETS and arguments:
            items = self._annotated(arguments[0], [], depth - 1)
            return record(span, {"type": "array", "items": items, "uniqueItems": True})
        if name in MAPS and len(arguments) == 2:
            return self._map(arguments, span, depth)
        if name == "Counter":
            return record(span, {"type": "object", "additionalProperties": {"type": "integer"}})
        if name == "Json" and arguments:
            content = self._annotated(arguments[0], [], depth - 1)
            return record(span, {**PLAIN["Json"], "contentSchema": content})
        return self._type(node.value, depth - 1)

    def _choices(self, arguments: list[ast.expr], span: Span) -> Part:
        values: list[Part] = []
        waiting = [*reversed(arguments)]
        while waiting and len(values) < 10_000:
            one = waiting.pop()
            inner = self._module.constants.get(one.id) if isinstance(one, ast.Name) else one
            if (
                isinstance(inner, ast.Subscript)
                and self._module.last(inner.value) == "Literal"
                and len(waiting) < 10_000
            ):
                # A choice within a choice is of the same values; one that holds itself has too many.
                waiting += reversed(_arguments(inner))
                self._left -= 1
                if self._left <= 0:
                    break
                continue
            part = self.literal(one)
            if part is None:
                self.note(self._module.span(one), "this value is not known without running the file")
                return record(span, {})
            values.append(part)
        if not values:
            self.note(span, "the choices have no value")
            return record(span, {})
        plain = [part.value for part in values]
        whole = record(span, {"const": values[0]} if len(values) == 1 else {"enum": sequence(span, values)})
        return _typed(whole, plain)

    def _tuple(self, arguments: list[ast.expr], span: Span, depth: int) -> Part:
        if len(arguments) == 2 and isinstance(arguments[1], ast.Constant) and arguments[1].value is ...:
            return record(span, {"type": "array", "items": self._annotated(arguments[0], [], depth - 1)})
        items = [self._annotated(one, [], depth - 1) for one in arguments]
        said: dict[str, Any] = {"type": "array", "minItems": len(items), "maxItems": len(items)}
        if items:
            said["prefixItems"] = sequence(span, items)
        return record(span, said)

    def _map(self, arguments: list[ast.expr], span: Span, depth: int) -> Part:
        values = self._annotated(arguments[1], [], depth - 1)
        said: dict[str, Any] = {"type": "object", "additionalProperties": values if values.value else True}
        names = self._annotated(arguments[0], [], depth - 1)
        if "$ref" in names.value or "enum" in names.value or "const" in names.value:
            said["propertyNames"] = _without(names, "type") if "$ref" not in names.value else names
        elif "pattern" in names.value:
            said["patternProperties"] = record(span, {names.value["pattern"]: values})
            del said["additionalProperties"]
        return record(span, said)

    def _constrained_type(self, node: ast.Call, span: Span, depth: int) -> Part:
        """Return the schema of `conint(ge=1)` and its kin."""
        name = CONSTRAINED.get(self._module.last(node.func))
        if name is None:
            self.note(span, "what this call returns is not known without running the file")
            return record(span, {})
        inner = _arguments_of(node, "item_type")
        if inner is not None and name in ("list", "set", "frozenset"):
            part = record(span, {"type": "array", "items": self._annotated(inner, [], depth - 1)})
            if name != "list":
                part.put("uniqueItems", Part(True, span))
        else:
            part = record(span, PLAIN.get(name, {}))
        _, constraints = self._metadata([node], FieldFacts(), remarks=False, bare=True)
        return self._constrained(part, constraints)

    # -- what stands beside a type -------------------------------------------------------------------------------------

    def _with_metadata(self, part: Part, metadata: list[ast.expr], *, remarks: bool) -> Part:
        if not metadata:
            return part
        outer, inner = self._metadata(metadata, FieldFacts(), remarks=remarks)
        return _with(self._constrained(part, inner), outer)

    def _metadata(
        self, metadata: Sequence[ast.expr], facts: FieldFacts, *, remarks: bool, bare: bool = False
    ) -> tuple[dict[str, tuple[Part, Span]], dict[str, tuple[Part, Span]]]:
        """Return what is said of a value as a whole, and its constraints; each with its value's and its key's place."""
        outer: dict[str, tuple[Part, Span]] = {}
        inner: dict[str, tuple[Part, Span]] = {}
        for one in metadata:
            if remarks and isinstance(one, ast.Constant) and isinstance(one.value, str):
                outer["description"] = Part(one.value, self._module.span(one)), self._module.span(one)
                continue
            if not isinstance(one, ast.Call):
                continue
            name = self._module.last(one.func)
            if remarks and name == "Doc" and one.args:
                said = self.literal(one.args[0])
                if said is not None:
                    outer["description"] = said, said.span
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
        outer: dict[str, tuple[Part, Span]],
        inner: dict[str, tuple[Part, Span]],
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
                said = self.literal(value)
                if said is not None and said.value not in (None, False):
                    outer[key] = (Part(True, said.span) if key == "deprecated" else said), at
                elif said is None:
                    self.note(self._module.span(value), f"`{key}` is not known without running the file")
            elif key in ("alias", "validation_alias"):
                self._alias_of(key, value, facts)
            elif key == "discriminator":
                said = self.literal(value)
                facts.discriminator = said.value if said is not None and isinstance(said.value, str) else None
            elif key == "json_schema_extra":
                said = self.literal(value)
                if said is not None and isinstance(said.value, dict):
                    for step, part in said.parts.items():
                        outer[str(step)] = part, said.keys.get(step, part.span)
            else:
                self._constraint(key, value, at, inner)

    def _alias_of(self, key: str, value: ast.expr, facts: FieldFacts) -> None:
        if isinstance(value, ast.Call) and self._module.last(value.func) == "AliasChoices" and value.args:
            value = value.args[0]
        said = self.literal(value)
        if said is not None and isinstance(said.value, str) and (facts.name is None or key == "validation_alias"):
            facts.name, facts.alias_span = said.value, said.span
        elif said is None:
            self.note(self._module.span(value), "the name is not known without running the file")

    def _constraint(self, key: str, value: ast.expr, at: Span, inner: dict[str, tuple[Part, Span]]) -> None:
        if key not in BOUNDS and key not in SIZES and key not in ("pattern", "regex"):
            return
        said = self.literal(value)
        if said is None:
            if not (
                isinstance(value, ast.Call)
                and self._module.last(value.func) in ("date", "datetime", "timedelta", "Decimal")
            ):
                self.note(self._module.span(value), f"`{key}` is not known without running the file")
        elif said.value is not None:
            inner["pattern" if key == "regex" else key] = said, at

    def _constrained(self, part: Part, constraints: Mapping[str, tuple[Part, Span]]) -> Part:
        """Return a schema with the constraints that mean something for its type."""
        if not constraints:
            return part
        variants = part.value.get("anyOf")
        if isinstance(variants, list):
            # The number of a decimal, or the one variant beside null.
            others = [one for one in range(len(variants)) if variants[one] != {"type": "null"}]
            if len(others) > 1 and variants != PLAIN["Decimal"]["anyOf"]:
                return part
            choices = [inner for _, inner in sorted(part.parts["anyOf"].parts.items(), key=lambda each: int(each[0]))]
            choices[others[0]] = self._constrained(choices[others[0]], constraints)
            return _with(part, {"anyOf": (sequence(part.span, choices), part.span)})
        kind = part.value.get("type")
        said: dict[str, tuple[Part, Span]] = {}
        for key, (value, at) in constraints.items():
            number = isinstance(value.value, int | float) and not isinstance(value.value, bool)
            if key in BOUNDS and number and kind in ("integer", "number"):
                said[BOUNDS[key]] = value, at
            elif key in SIZES and number and kind in _SUFFIX and "format" not in part.value:
                said[f"{key[:3]}{_SUFFIX[kind]}"] = value, at
            elif key == "pattern" and isinstance(value.value, str) and kind == "string":
                said["pattern"] = value, at
        return _with(part, said)

    def _field_call(self, node: ast.expr | None) -> ast.Call | None:
        if isinstance(node, ast.Call) and self._module.last(node.func) in ("Field", "field"):
            return node
        return None

    # -- classes -------------------------------------------------------------------------------------------------------

    def _reference(self, owner: ast.ClassDef, span: Span) -> Part:
        kind = self.kind(owner)
        if kind is None:
            self.note(span, f"{quoted(owner.name)} is no class that JSON Schema has words for")
            return record(span, {})
        if kind == _TUPLE:
            return self._named_tuple(owner, span)
        self._needs.setdefault(self._open[-1] if self._open else "", []).append(owner.name)
        if owner.name not in self._open:
            self._made_of(owner)
        return record(span, {"$ref": f"#/$defs/{owner.name}"})

    def _made_of(self, owner: ast.ClassDef) -> Part:
        known = self._made.get(owner.name)
        if known is not None:
            return known
        span = self._module.name_span(owner)
        if len(self._open) > _DEPTH or owner.name in self._open:
            return record(span, {})
        self._open.append(owner.name)
        self._needs.setdefault(owner.name, [])
        kind = self.kind(owner)
        # Its places are its own, also where a string refers to it.
        moved = self._module.stay()
        if kind == _ENUM:
            part = self._enumeration(owner, span)
        elif kind == _ROOT:
            part = self._root_model(owner, span)
        else:
            part = self._object(owner, kind, span)
        self._module.back(moved)
        self._open.pop()
        self._made[owner.name] = part
        return part

    def _reached(self, needs: Sequence[str]) -> set[str]:
        reached: set[str] = set()
        waiting = [*needs]
        while waiting:
            name = waiting.pop()
            if name not in reached:
                reached.add(name)
                waiting += self._needs.get(name, ())
        return reached

    def _described(self, owner: ast.ClassDef) -> Part | None:
        found = self._module.docstring(owner)
        if found is None:
            return None
        text, node = found
        return Part(inspect.cleandoc(text), self._module.span(node))

    def _enumeration(self, owner: ast.ClassDef, span: Span) -> Part:
        values: list[Part] = []
        number = 0
        texts = any(self._module.last(base) in ("StrEnum", "str") for base in owner.bases)
        for statement in owner.body:
            if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
                continue
            name, value = statement.targets[0].id, statement.value
            if name.startswith("_"):
                continue
            if isinstance(value, ast.Call) and self._module.last(value.func) == "auto":
                number += 1
                values.append(Part(name.lower() if texts else number, self._module.span(value)))
                continue
            part = self.literal(value)
            if part is None:
                self.note(self._module.span(value), "this value is not known without running the file")
                return record(span, {})
            number = part.value if isinstance(part.value, int) else number
            if all(part.value != other.value or type(part.value) is not type(other.value) for other in values):
                values.append(part)
        if not values:
            return record(span, {"enum": sequence(span, [])})
        whole = _typed(record(span, {"enum": sequence(span, values)}), [part.value for part in values])
        described = self._described(owner)
        if described is not None:
            whole.put("description", described)
        return whole

    def _root_model(self, owner: ast.ClassDef, span: Span) -> Part:
        inner = next((_arguments(base)[0] for base in owner.bases if isinstance(base, ast.Subscript)), None)
        inner = next((each.annotation for each in _fields(owner) if _name_of(each) == "root"), inner)
        whole = record(span, {}) if inner is None else self._annotated(inner, [], _DEPTH)
        described = self._described(owner)
        return whole if described is None else _with(whole, {"description": (described, described.span)})

    def _named_tuple(self, owner: ast.ClassDef, span: Span) -> Part:
        items = [self._annotated(each.annotation, [], _DEPTH // 2) for each in _fields(owner)]
        needed = sum(1 for each in _fields(owner) if each.value is None)
        said: dict[str, Any] = {"type": "array", "minItems": needed, "maxItems": len(items)}
        return record(span, {**said, "prefixItems": sequence(span, items)} if items else said)

    def _object(self, owner: ast.ClassDef, kind: str | None, span: Span) -> Part:
        whole = record(span, {"type": "object"})
        described = self._described(owner)
        if described is not None:
            whole.put("description", described)
        config = self._config(owner) if kind in (_MODEL, _DATA) else {}
        properties, required = record(span, {}), sequence(span, [])
        total = kind != _DICT or self._is_total(owner)
        documented = bool(_said(config, "use_attribute_docstrings"))
        naming = config.get("alias_generator")
        for statement, following in self._all_fields(owner):
            name = _name_of(statement)
            if name is None or self._is_no_field(statement, name, kind):
                continue
            facts = FieldFacts()
            part = self._field_schema(statement, kind, facts)
            if documented and "description" not in part.value and following is not None:
                text = Part(inspect.cleandoc(str(following.value)), self._module.span(following))
                part = _with(part, {"description": (text, text.span)})
            shown = facts.name or self._generated(name, naming)
            at = self._module.span(statement.target)
            properties.put(shown, part, at)
            if kind == _DICT:
                facts.required = self._is_required(statement.annotation, total)
            if facts.required:
                required.put(len(required.value), Part(shown, at))
        whole.put("properties", properties)
        if required.value:
            whole.put("required", required)
        extra = _said(config, "extra")
        if extra in ("forbid", "allow"):
            whole.put("additionalProperties", Part(extra == "allow", config["extra"].span))
        for key in ("title",):
            if isinstance(_said(config, key), str):
                whole.put(key, config[key])
        more = config.get("json_schema_extra")
        if more is not None and isinstance(more.value, dict):
            for step, part in more.parts.items():
                whole.put(step, part, more.keys.get(step))
        return whole

    def _all_fields(self, owner: ast.ClassDef) -> Iterator[tuple[ast.AnnAssign, ast.Constant | None]]:
        """Yield the fields of a class, those of its bases first; one that is declared again stands where it was."""
        found: dict[str | None, tuple[ast.AnnAssign, ast.Constant | None]] = {}
        for name in self._lineage(owner):
            body = self._module.classes[name].body
            for index, statement in enumerate(body):
                if isinstance(statement, ast.AnnAssign):
                    after = body[index + 1] if index + 1 < len(body) else None
                    text = after.value if isinstance(after, ast.Expr) else None
                    remark = text if isinstance(text, ast.Constant) and isinstance(text.value, str) else None
                    found[_name_of(statement)] = statement, remark
        yield from found.values()

    def _lineage(self, owner: ast.ClassDef) -> list[str]:
        """Return a class and its bases in this module, the farthest first, each once."""
        order: dict[str, None] = {}
        waiting = [owner]
        while waiting and len(order) < 200:
            one = waiting.pop()
            order.pop(one.name, None)
            order[one.name] = None
            for base in one.bases:
                named = base.value if isinstance(base, ast.Subscript) else base
                own = self._module.class_of(named)
                if own is not None and own.name not in order:
                    waiting.append(own)
                elif own is None and self.kind(one) == _MODEL and not self._is_known_base(named):
                    written = self._module.span(base)
                    self.note(
                        written,
                        f"the fields of {quoted(written.of(self._module.text)[:80])} are defined elsewhere",
                    )
        return list(reversed(order))

    def _is_known_base(self, node: ast.expr) -> bool:
        name = self._module.last(node)
        return name in _BASES or name in ("Generic", "ABC", "Protocol", "object", "str", "int")

    def _is_no_field(self, statement: ast.AnnAssign, name: str, kind: str | None) -> bool:
        annotation = statement.annotation
        outer = annotation.value if isinstance(annotation, ast.Subscript) else annotation
        if self._module.last(outer) == "ClassVar":
            return True
        return kind == _MODEL and (name.startswith("_") or name == "model_config")

    def _field_schema(self, statement: ast.AnnAssign, kind: str | None, facts: FieldFacts) -> Part:
        """Return the schema of a field with all that is said of it, and fill in the facts."""
        value = statement.value
        call = self._field_call(value)
        metadata = [call] if call is not None else []
        part = self._annotated(statement.annotation, [*metadata], _DEPTH)
        for one in [*_beside(self._module, statement.annotation), *metadata]:
            if isinstance(one, ast.Call) and self._field_call(one) is not None:
                self._field_facts(one, facts)
        if call is None and value is not None:
            facts.default, facts.required = value, False
        if kind == _DICT:
            return part
        return self._with_default(part, facts)

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

    def _with_default(self, part: Part, facts: FieldFacts) -> Part:
        if facts.default is None:
            return part
        default = self.literal(facts.default)
        # What is no literal is a default all the same, which nobody sees.
        return part if default is None else _with(part, {"default": (default, default.span)})

    def with_default(self, part: Part, default: ast.expr) -> Part:
        """Return a schema with a default, where its value is known."""
        return self._with_default(part, FieldFacts(default=default))

    def field_facts(self, annotation: ast.expr | None, call: ast.Call | None) -> FieldFacts:
        """Return what is said of a parameter in `Field(…)`, beside its type or in place of its default."""
        facts = FieldFacts()
        beside = _beside(self._module, annotation) if annotation is not None else []
        for one in [*beside, *([call] if call is not None else [])]:
            if isinstance(one, ast.Call) and self._field_call(one) is not None:
                self._field_facts(one, facts)
        return facts

    def field_call(self, node: ast.expr | None) -> ast.Call | None:
        """Return the expression where it is `Field(…)`."""
        return self._field_call(node)

    def _config(self, owner: ast.ClassDef) -> dict[str, Part]:
        """Return the settings of a model: `model_config`, an inner `Config`, or keywords of the class."""
        found: dict[str, Part] = {}
        for name in self._lineage(owner):
            node = self._module.classes[name]
            settings: list[tuple[str | None, ast.expr]] = [(each.arg, each.value) for each in node.keywords]
            for statement in node.body:
                if isinstance(statement, ast.ClassDef) and statement.name == "Config":
                    settings += [
                        (target.id, inner.value)
                        for inner in statement.body
                        if isinstance(inner, ast.Assign)
                        for target in inner.targets
                        if isinstance(target, ast.Name)
                    ]
                value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
                if value is None or _target_of(statement) != "model_config":
                    continue
                if isinstance(value, ast.Call):
                    settings += [(each.arg, each.value) for each in value.keywords]
                elif isinstance(value, ast.Dict):
                    settings += [
                        (str(key.value) if isinstance(key, ast.Constant) else None, each)
                        for key, each in zip(value.keys, value.values, strict=True)
                    ]
            for key, value in settings:
                self._setting(found, key, value)
        return found

    def _setting(self, found: dict[str, Part], key: str | None, value: ast.expr) -> None:
        if key is None:
            return
        if key == "alias_generator":
            found[key] = Part(self._module.last(value), self._module.span(value))
            if found[key].value not in _NAMINGS:
                self.note(
                    self._module.span(value), "the names of the parameters are not known without running the file"
                )
            return
        part = self.literal(value)
        if part is not None:
            found[key] = part
        elif key in ("extra", "json_schema_extra", "title"):
            self.note(self._module.span(value), f"`{key}` is not known without running the file")

    def _generated(self, name: str, naming: Part | None) -> str:
        convert = _NAMINGS.get(str(naming.value)) if naming is not None else None
        return name if convert is None else convert(name)

    def _is_total(self, owner: ast.ClassDef) -> bool:
        return not any(
            each.arg == "total" and isinstance(each.value, ast.Constant) and each.value.value is False
            for each in owner.keywords
        )

    def _is_required(self, annotation: ast.expr, total: bool) -> bool:
        while isinstance(annotation, ast.Subscript):
            name = self._module.last(annotation.value)
            if name in ("Required", "NotRequired"):
                return name == "Required"
            if name not in ("Annotated", "ReadOnly"):
                break
            annotation = _arguments(annotation)[0]
        return total


def _camel(name: str) -> str:
    pascal = _pascal(name)
    return pascal[:1].lower() + pascal[1:]


def _pascal(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


_NAMINGS: Final[Mapping[str, Callable[[str], str]]] = {
    "to_camel": _camel,
    "to_pascal": _pascal,
    "to_snake": lambda name: name,
}


def _fields(owner: ast.ClassDef) -> list[ast.AnnAssign]:
    return [statement for statement in owner.body if isinstance(statement, ast.AnnAssign)]


def _name_of(statement: ast.AnnAssign) -> str | None:
    return statement.target.id if isinstance(statement.target, ast.Name) else None


def _target_of(statement: ast.stmt) -> str | None:
    if isinstance(statement, ast.AnnAssign):
        return _name_of(statement)
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    return None


def _arguments(node: ast.Subscript) -> list[ast.expr]:
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def _arguments_of(call: ast.Call, name: str) -> ast.expr | None:
    if call.args:
        return call.args[0]
    return next((each.value for each in call.keywords if each.arg == name), None)


def _is_union(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp | ast.Subscript | ast.Name)


def _beside(module: Module, annotation: ast.expr | None) -> list[ast.expr]:
    """Return what stands beside the type in `Annotated[…]`, aliases followed."""
    for _ in range(_DEPTH):
        if isinstance(annotation, ast.Name) and annotation.id in module.constants:
            annotation = module.constants[annotation.id]
        elif isinstance(annotation, ast.Subscript) and module.last(annotation.value) in WRAPPERS:
            annotation = _arguments(annotation)[-1]
        elif isinstance(annotation, ast.Subscript) and module.last(annotation.value) == "Annotated":
            return _arguments(annotation)[1:]
        else:
            break
    return []


def _said(config: Mapping[str, Part], key: str) -> Any:
    return config[key].value if key in config else None


def _with(part: Part, members: Mapping[str, tuple[Part, Span]]) -> Part:
    """Return a copy of an object with other members over its own."""
    if not members:
        return part
    whole = Part({}, part.span)
    for step, inner in part.parts.items():
        if step not in members:
            whole.put(step, inner, part.keys.get(step))
    for key, (value, at) in members.items():
        whole.put(key, value, at)
    return whole


def _without(part: Part, key: str) -> Part:
    whole = Part({}, part.span)
    for step, inner in part.parts.items():
        if step != key:
            whole.put(step, inner, part.keys.get(step))
    return whole


def _typed(part: Part, values: list[Any]) -> Part:
    """Return the schema of a list of values with their type, where all have one."""
    types = {type(value) for value in values}
    name = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array"}.get(next(iter(types)))
    if len(types) == 1 and name is not None:
        part.put("type", Part(name, part.span))
    return part
