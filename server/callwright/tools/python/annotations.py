"""Annotations as JSON Schemas: the schemas of pydantic, derived from the source.

Owns: `Schemas`: types, models, enumerations, typed dictionaries and dataclasses of one module. Must not
know: functions that are tools, how definitions are written.

The result agrees with `pydantic.TypeAdapter(…).json_schema()`, without the titles that pydantic derives from names.
What is known only at run time is left open (`{}`), and noted with its place.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Sequence
from typing import Any, Final

from callwright.text.span import Span
from callwright.text.words import quoted
from callwright.tools.parts import LocatedValue, record, sequence, with_members
from callwright.tools.python.classes import DATA, DICT, ENUM, MODEL, ROOT, TUPLE, Classes, setting_of
from callwright.tools.python.constraints import FieldFacts
from callwright.tools.python.module import Module
from callwright.tools.python.nodes import DEPTH, argument_of, beside_type, fields_of, name_of, subscripts_of
from callwright.tools.python.plain_types import CONSTRAINED, LISTS, MAPS, PLAIN, SETS, TUPLES, WRAPPERS
from callwright.tools.references import reached

#: How many annotations of one module are followed.
_MAX_COUNT: Final = 50_000


class Schemas(Classes):
    """Writes the schemas of one module's annotations; classes that are referred to are kept for `$defs`."""

    def __init__(self, module: Module) -> None:
        super().__init__(module)
        self._made: dict[str, LocatedValue] = {}
        self._needs: dict[str, list[str]] = {}
        self._open: list[str] = []
        self._left = _MAX_COUNT

    # -- public methods ------------------------------------------------------------------------------------------------

    def of(self, node: ast.expr) -> LocatedValue:
        """Return the schema of an annotation, with the definitions that it refers to under `$defs`."""
        return self.complete(*self.fragment(node))

    def fragment(
        self, node: ast.expr, *, metadata: Sequence[ast.expr] = (), remarks: bool = False
    ) -> tuple[LocatedValue, list[str]]:
        """Return the schema of an annotation, and the classes that it refers to.

        `remarks` says that a bare string beside a type is its description, as for functions.
        """
        self._open.append("")
        self._needs[""] = []
        part = self._annotated(node, [*metadata], DEPTH, remarks=remarks)
        self._open.pop()
        return part, self._needs.pop("")

    def complete(self, part: LocatedValue, needs: Sequence[str]) -> LocatedValue:
        """Return a schema with the classes that it refers to, directly or not, under `$defs`."""
        names = reached(needs, self._needs)
        if not names:
            return part
        definitions = record(part.span, {name: self._made[name] for name in sorted(names) if name in self._made})
        return with_members(part, {"$defs": (definitions, None)})

    def of_class(self, node: ast.ClassDef) -> LocatedValue:
        """Return the complete schema of a class of the module."""
        part = self._made_of(node)
        needs = self._needs.get(node.name, [])
        if node.name in reached(needs, self._needs):
            return self.complete(record(self._module.name_span(node), {"$ref": f"#/$defs/{node.name}"}), [node.name])
        return self.complete(part, needs)

    # -- annotations ---------------------------------------------------------------------------------------------------

    def _annotated(
        self, node: ast.expr, metadata: list[ast.expr], depth: int, *, remarks: bool = False
    ) -> LocatedValue:
        """Return the schema of an annotation with its metadata."""
        self._left -= 1
        if depth <= 0 or self._left <= 0:
            self.note(self._module.span(node), "the annotation is nested too deep, or is recursive")
            return record(self._module.span(node), {})
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self._quoted(node, metadata, depth, remarks=remarks)
        if isinstance(node, ast.Subscript):
            name = self._module.last(node.value)
            arguments = subscripts_of(node)
            if name == "Annotated" and arguments:
                return self._annotated(arguments[0], [*arguments[1:], *metadata], depth - 1, remarks=remarks)
            if name in WRAPPERS and arguments:
                return self._annotated(arguments[-1], metadata, depth - 1, remarks=remarks)
        alias = self._alias(node)
        if alias is not None:
            return self._annotated(alias, metadata, depth - 1, remarks=remarks)
        variants = self._variants(node, depth)
        if len(variants) == 1 and variants[0] is not node:
            # A union of one type is that type, with its metadata.
            return self._annotated(variants[0], metadata, depth - 1, remarks=remarks)
        return self._decorated(node, variants, metadata, depth, remarks=remarks)

    def _quoted(self, node: ast.Constant, metadata: list[ast.expr], depth: int, *, remarks: bool) -> LocatedValue:
        span = self._module.span(node)
        parsed = self._module.parsed(node)
        if parsed is None:
            self.note(span, "the text is not an annotation")
            return record(span, {})
        # The metadata has its own places, which must not be mistaken for the string's.
        self._module.moved(span)
        inner = self._annotated(parsed, [], depth - 1)
        self._module.moved(None)
        return self._with_metadata(inner, metadata, remarks=remarks) if metadata else inner

    def _alias(self, node: ast.expr) -> ast.expr | None:
        """Return the annotation that a name of the module is an alias of."""
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
        """Return the types of a union, each once, the null type last; the annotation itself where it is not a union."""
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
                waiting += reversed(subscripts_of(one))
            elif isinstance(one, ast.Subscript) and name == "Optional":
                waiting += [ast.copy_location(ast.Constant(None), one.slice), *reversed(subscripts_of(one))]
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
    ) -> LocatedValue:
        """Return the schema of a union or of a single type, with its metadata."""
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
        # Two types of one schema, such as `list` and `tuple`, are one variant; `true` and 1 are equal in Python but are
        # two.
        different: dict[str, LocatedValue] = {}
        for part in parts:
            different.setdefault(repr(part.value), part)
        parts = list(different.values())
        whole = parts[0] if len(parts) == 1 else record(span, {"anyOf": sequence(span, parts)})
        return with_members(whole, outer)

    def _discriminated(self, parts: list[LocatedValue], variants: list[ast.expr], key: str, span: Span) -> LocatedValue:
        mapping: dict[str, Any] = {}
        for part, variant in zip(parts, variants, strict=False):
            owner = self._module.class_of(variant)
            if owner is None:
                continue
            properties = self._made_of(owner).value.get("properties") if owner.name not in self._open else None
            stated = properties.get(key) if isinstance(properties, dict) else None
            if isinstance(stated, dict):
                for value in [stated["const"]] if "const" in stated else stated.get("enum", ()):
                    mapping[str(value)] = part.value.get("$ref")
        choice = record(span, {"mapping": mapping, "propertyName": key})
        return record(span, {"oneOf": sequence(span, parts), "discriminator": choice})

    def _type(self, node: ast.expr, depth: int) -> LocatedValue:
        """Return the schema of an annotation that is not a union."""
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
            self.note(span, f"what {quoted(written[:80])} accepts is not known without running the file")
        return record(span, {})

    def _generic(self, node: ast.Subscript, span: Span, depth: int) -> LocatedValue:
        module, arguments = self._module, subscripts_of(node)
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
        if name == "Json" and arguments:
            content = self._annotated(arguments[0], [], depth - 1)
            return record(span, {**PLAIN["Json"], "contentSchema": content})
        return self._type(node.value, depth - 1)

    def _choices(self, arguments: list[ast.expr], span: Span) -> LocatedValue:
        values: list[LocatedValue] = []
        waiting = [*reversed(arguments)]
        while waiting and len(values) < 10_000:
            one = waiting.pop()
            inner = self._module.constants.get(one.id) if isinstance(one, ast.Name) else one
            if (
                isinstance(inner, ast.Subscript)
                and self._module.last(inner.value) == "Literal"
                and len(waiting) < 10_000
            ):
                # A `Literal` inside another adds its values; one that contains itself exceeds the limit.
                waiting += reversed(subscripts_of(inner))
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
            self.note(span, "the choices have no values")
            return record(span, {})
        plain = [part.value for part in values]
        whole = record(span, {"const": values[0]} if len(values) == 1 else {"enum": sequence(span, values)})
        return _typed(whole, plain)

    def _tuple(self, arguments: list[ast.expr], span: Span, depth: int) -> LocatedValue:
        if len(arguments) == 2 and isinstance(arguments[1], ast.Constant) and arguments[1].value is ...:
            return record(span, {"type": "array", "items": self._annotated(arguments[0], [], depth - 1)})
        items = [self._annotated(one, [], depth - 1) for one in arguments]
        stated: dict[str, Any] = {"type": "array", "minItems": len(items), "maxItems": len(items)}
        if items:
            stated["prefixItems"] = sequence(span, items)
        return record(span, stated)

    def _map(self, arguments: list[ast.expr], span: Span, depth: int) -> LocatedValue:
        values = self._annotated(arguments[1], [], depth - 1)
        stated: dict[str, Any] = {"type": "object", "additionalProperties": values if values.value else True}
        names = self._annotated(arguments[0], [], depth - 1)
        if "$ref" in names.value or "enum" in names.value or "const" in names.value:
            stated["propertyNames"] = _without(names, "type") if "$ref" not in names.value else names
        elif "pattern" in names.value:
            stated["patternProperties"] = record(span, {names.value["pattern"]: values})
            del stated["additionalProperties"]
        return record(span, stated)

    def _constrained_type(self, node: ast.Call, span: Span, depth: int) -> LocatedValue:
        """Return the schema of `conint(ge=1)` and similar types."""
        name = CONSTRAINED.get(self._module.last(node.func))
        if name is None:
            self.note(span, "what this call returns is not known without running the file")
            return record(span, {})
        inner = argument_of(node, "item_type")
        if inner is not None and name in ("list", "set", "frozenset"):
            part = record(span, {"type": "array", "items": self._annotated(inner, [], depth - 1)})
            if name != "list":
                part.put("uniqueItems", LocatedValue(True, span))
        else:
            part = record(span, PLAIN.get(name, {}))
        _, constraints = self._metadata([node], FieldFacts(), remarks=False, bare=True)
        return self._constrained(part, constraints)

    # -- classes -------------------------------------------------------------------------------------------------------

    def _reference(self, owner: ast.ClassDef, span: Span) -> LocatedValue:
        kind = self.kind(owner)
        if kind is None:
            self.note(span, f"{quoted(owner.name)} is a class that JSON Schema cannot describe")
            return record(span, {})
        if kind == TUPLE:
            return self._named_tuple(owner, span)
        self._needs.setdefault(self._open[-1] if self._open else "", []).append(owner.name)
        if owner.name not in self._open:
            self._made_of(owner)
        return record(span, {"$ref": f"#/$defs/{owner.name}"})

    def _made_of(self, owner: ast.ClassDef) -> LocatedValue:
        known = self._made.get(owner.name)
        if known is not None:
            return known
        span = self._module.name_span(owner)
        if len(self._open) > DEPTH or owner.name in self._open:
            return record(span, {})
        self._open.append(owner.name)
        self._needs.setdefault(owner.name, [])
        kind = self.kind(owner)
        # The class has its own places, also where a string refers to it.
        moved = self._module.stay()
        if kind == ENUM:
            part = self._enumeration(owner, span)
        elif kind == ROOT:
            part = self._root_model(owner, span)
        else:
            part = self._object(owner, kind, span)
        self._module.back(moved)
        self._open.pop()
        self._made[owner.name] = part
        return part

    def _enumeration(self, owner: ast.ClassDef, span: Span) -> LocatedValue:
        values: list[LocatedValue] = []
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
                values.append(LocatedValue(name.lower() if texts else number, self._module.span(value)))
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

    def _root_model(self, owner: ast.ClassDef, span: Span) -> LocatedValue:
        inner = next((subscripts_of(base)[0] for base in owner.bases if isinstance(base, ast.Subscript)), None)
        inner = next((each.annotation for each in fields_of(owner) if name_of(each) == "root"), inner)
        whole = record(span, {}) if inner is None else self._annotated(inner, [], DEPTH)
        described = self._described(owner)
        return whole if described is None else with_members(whole, {"description": (described, described.span)})

    def _named_tuple(self, owner: ast.ClassDef, span: Span) -> LocatedValue:
        items = [self._annotated(each.annotation, [], DEPTH // 2) for each in fields_of(owner)]
        needed = sum(1 for each in fields_of(owner) if each.value is None)
        stated: dict[str, Any] = {"type": "array", "minItems": needed, "maxItems": len(items)}
        return record(span, {**stated, "prefixItems": sequence(span, items)} if items else stated)

    def _object(self, owner: ast.ClassDef, kind: str | None, span: Span) -> LocatedValue:
        whole = record(span, {"type": "object"})
        described = self._described(owner)
        if described is not None:
            whole.put("description", described)
        config = self._config(owner) if kind in (MODEL, DATA) else {}
        properties, required = record(span, {}), sequence(span, [])
        total = kind != DICT or self._is_total(owner)
        documented = bool(setting_of(config, "use_attribute_docstrings"))
        naming = config.get("alias_generator")
        for statement, following in self._all_fields(owner):
            name = name_of(statement)
            if name is None or self._is_no_field(statement, name, kind):
                continue
            facts = FieldFacts()
            part = self._field_schema(statement, kind, facts)
            if documented and "description" not in part.value and following is not None:
                text = LocatedValue(inspect.cleandoc(str(following.value)), self._module.span(following))
                part = with_members(part, {"description": (text, text.span)})
            shown = facts.name or self._generated(name, naming)
            at = self._module.span(statement.target)
            properties.put(shown, part, at)
            if kind == DICT:
                facts.required = self._is_required(statement.annotation, total)
            if facts.required:
                required.put(len(required.value), LocatedValue(shown, at))
        whole.put("properties", properties)
        if required.value:
            whole.put("required", required)
        extra = setting_of(config, "extra")
        if extra in ("forbid", "allow"):
            whole.put("additionalProperties", LocatedValue(extra == "allow", config["extra"].span))
        if isinstance(setting_of(config, "title"), str):
            whole.put("title", config["title"])
        more = config.get("json_schema_extra")
        if more is not None and isinstance(more.value, dict):
            for step, part in more.parts.items():
                whole.put(step, part, more.keys.get(step))
        return whole

    def _field_schema(self, statement: ast.AnnAssign, kind: str | None, facts: FieldFacts) -> LocatedValue:
        """Return the schema of a field with all of its metadata, and fill in the facts."""
        value = statement.value
        call = self.field_call(value)
        metadata = [call] if call is not None else []
        part = self._annotated(statement.annotation, [*metadata], DEPTH)
        for one in [*beside_type(self._module, statement.annotation), *metadata]:
            if isinstance(one, ast.Call) and self.field_call(one) is not None:
                self._field_facts(one, facts)
        if call is None and value is not None:
            facts.default, facts.required = value, False
        if kind == DICT:
            return part
        return self.with_default(part, facts)


def _is_union(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp | ast.Subscript | ast.Name)


def _without(part: LocatedValue, key: str) -> LocatedValue:
    whole = LocatedValue({}, part.span)
    for step, inner in part.parts.items():
        if step != key:
            whole.put(step, inner, part.keys.get(step))
    return whole


def _typed(part: LocatedValue, values: list[Any]) -> LocatedValue:
    """Return the schema of a list of values, with their type where all have one type."""
    types = {type(value) for value in values}
    name = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array"}.get(next(iter(types)))
    if len(types) == 1 and name is not None:
        part.put("type", LocatedValue(name, part.span))
    return part
