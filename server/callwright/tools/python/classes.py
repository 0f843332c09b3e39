"""The kinds of a module's classes: models, enumerations, typed dictionaries, dataclasses, or none with a JSON form.

Owns: `Classes`: their kinds, bases, fields and configuration. Must not know: how types become schemas.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from callwright.text.words import quoted
from callwright.tools.parts import LocatedValue
from callwright.tools.python.constraints import Constraints
from callwright.tools.python.module import Module
from callwright.tools.python.nodes import fields_of, name_of, subscripts_of, target_of

MODEL, DICT, DATA, ENUM, ROOT, TUPLE = "model", "typed-dict", "dataclass", "enum", "root-model", "named-tuple"
_BASES: Final = {
    **dict.fromkeys(("BaseModel", "SQLModel", "BaseSettings"), MODEL),
    "RootModel": ROOT,
    "TypedDict": DICT,
    "NamedTuple": TUPLE,
    **dict.fromkeys(("Enum", "StrEnum", "IntEnum", "Flag", "IntFlag", "ReprEnum"), ENUM),
}
_DECORATORS: Final = frozenset(["dataclass", "define", "attrs", "frozen", "mutable"])


class Classes(Constraints):
    """Reads the classes of one module: their kinds, their bases, their fields, their configuration."""

    def __init__(self, module: Module) -> None:
        super().__init__(module)
        self._kinds: dict[str, str | None] = {}

    def kind(self, node: ast.ClassDef) -> str | None:
        """Return the kind of a class, None where its instances have no JSON form."""
        if node.name in self._kinds:
            return self._kinds[node.name]
        self._kinds[node.name] = None
        found = None
        for decorator in node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if self._module.last(called) in _DECORATORS:
                found = DATA
        for base in node.bases:
            named = base.value if isinstance(base, ast.Subscript) else base
            own = self._module.class_of(named)
            known = self.kind(own) if own is not None and own is not node else _BASES.get(self._module.last(named))
            found = found or known
        if found is None and any(self.field_call(each.value) is not None for each in fields_of(node)):
            # The base is from another module: a class with `Field(…)` is a model.
            found = MODEL
        self._kinds[node.name] = found
        return found

    def _described(self, owner: ast.ClassDef) -> LocatedValue | None:
        found = self._module.docstring(owner)
        if found is None:
            return None
        text, node = found
        return LocatedValue(inspect.cleandoc(text), self._module.span(node))

    def _all_fields(self, owner: ast.ClassDef) -> Iterator[tuple[ast.AnnAssign, ast.Constant | None]]:
        """Yield the fields of a class, those of its bases first; a redeclared field keeps its position."""
        found: dict[str | None, tuple[ast.AnnAssign, ast.Constant | None]] = {}
        for name in self._lineage(owner):
            body = self._module.classes[name].body
            for index, statement in enumerate(body):
                if isinstance(statement, ast.AnnAssign):
                    after = body[index + 1] if index + 1 < len(body) else None
                    text = after.value if isinstance(after, ast.Expr) else None
                    remark = text if isinstance(text, ast.Constant) and isinstance(text.value, str) else None
                    found[name_of(statement)] = statement, remark
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
                elif own is None and self.kind(one) == MODEL and not self._is_known_base(named):
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
        return kind == MODEL and (name.startswith("_") or name == "model_config")

    def _config(self, owner: ast.ClassDef) -> dict[str, LocatedValue]:
        """Return the settings of a model: `model_config`, an inner `Config`, or keywords of the class."""
        found: dict[str, LocatedValue] = {}
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
                if value is None or target_of(statement) != "model_config":
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

    def _setting(self, found: dict[str, LocatedValue], key: str | None, value: ast.expr) -> None:
        if key is None:
            return
        if key == "alias_generator":
            found[key] = LocatedValue(self._module.last(value), self._module.span(value))
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

    def _generated(self, name: str, naming: LocatedValue | None) -> str:
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
            annotation = subscripts_of(annotation)[0]
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


def setting_of(config: Mapping[str, LocatedValue], key: str) -> Any:
    """Return a setting of a class, None where it has none of the name."""
    return config[key].value if key in config else None
