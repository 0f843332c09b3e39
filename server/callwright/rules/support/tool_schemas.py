"""The schemas of a definition, part by part, for rules about tool files.

Owns: `SchemaPart`, `parts_of`, `walk`, `is_refused`, and checks of one schema that several rules share: which values
contradict it, whether anything satisfies it. Must not know: any single rule, messages, how edits are written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from callwright.schema.errors import SchemaError, fits_type
from callwright.schema.plain_validity import plainly_valid
from callwright.schema.validation import validate
from callwright.text.facts import Fact, FactFor, derived
from callwright.tools.parameters import facets
from callwright.tools.references import children
from callwright.tools.schema_check import meant_type

if TYPE_CHECKING:
    from callwright.rules.base import ToolSubject

Path = tuple[str | int, ...]

#: Deeper parts of a schema, and more of them, are not checked.
_DEPTH: Final = 200
_MAX_COUNT: Final = 50_000
#: How many schemas are visited for one file in following references and variants.
_MAX_FACETS: Final = 300_000
#: How many schemas are compiled for one file; one that others refer to counts each time.
_MAX_COMPILED: Final = 100_000

#: Keywords whose schemas apply to the same value.
IN_PLACE: Final = frozenset(
    {"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"}
)
#: Keywords whose schemas are conditions, not demands.
_CONDITIONS: Final = frozenset({"not", "if", "contains", "propertyNames"})
_SHARED: Final = frozenset({"$defs", "definitions"})


@dataclass(slots=True, eq=False)
class SchemaPart:
    """One schema object inside a tool's schema.

    `path` leads to it from the top of the file, `base` to `root`, the schema that it is a part of. `via` is the keyword
    that it is under, empty for the root. `around` is the schema that contains it. `whole` is the outermost schema for
    the same value. `asked` says that it is a condition, which demands nothing.
    """

    path: Path
    schema: Mapping[str, Any]
    root: Mapping[str, Any]
    base: Path
    is_input: bool
    via: str = ""
    around: SchemaPart | None = None
    whole: SchemaPart | None = None
    asked: bool = False

    @property
    def value(self) -> SchemaPart:
        """The outermost schema for the same value."""
        return self.whole or self

    @property
    def is_root(self) -> bool:
        """Whether this is the whole input or output schema."""
        return self.around is None

    @property
    def is_parameter(self) -> bool:
        """Whether this is the schema of a parameter of the tool."""
        return self.is_input and self.via == "properties" and self.around is not None and self.around.value.is_root


#: The parts of each definition, the schemas for the value of each part, and how many of those were visited in the file;
#: whether each schema refers to others, and how many schemas were compiled.
_PARTS: Final[FactFor[Path, tuple[SchemaPart, ...]]] = FactFor()
_FACETS: Final[FactFor[Path, Sequence[Mapping[str, Any]]]] = FactFor()
_FACETS_SEEN: Final[Fact[int]] = Fact()
_REFERRING: Final[FactFor[Path, bool]] = FactFor()
_COMPILED: Final[Fact[int]] = Fact()


def parts_of(subject: ToolSubject) -> tuple[SchemaPart, ...]:
    """Return every schema in a definition's input and output schema, outer ones first; computed once for all rules.

    A schema that several definitions of a file share is a part of the first of them alone.
    """
    definition = subject.definition
    known = _PARTS.get(subject, definition.path)
    if known is None:
        found: list[SchemaPart] = []
        shared = _shared_by(subject)
        for path, schema in definition.schemas:
            found += walk(schema, path, is_input=path is definition.schema_path, shared=shared)
        known = _PARTS.keep(subject, definition.path, tuple(found))
    return known


@derived
def _shared_by(_subject: ToolSubject) -> set[int]:
    """Return the schemas, by their `id`, that are a part of some definition already."""
    return set()


def walk(
    root: Mapping[str, Any], base: Path, *, is_input: bool, shared: set[int] | None = None
) -> Iterator[SchemaPart]:
    """Yield every schema in `root`, which is at `base`, outer ones first.

    Its `$defs` that are in `shared` are left out; the others are added to `shared`.
    """
    pending = [SchemaPart(base, root, root, base, is_input)]
    seen = 0
    while pending and seen < _MAX_COUNT:
        part = pending.pop()
        seen += 1
        yield part
        if len(part.path) - len(base) > _DEPTH:
            continue
        inner: list[SchemaPart] = []
        for step, child in children(part.schema):
            if isinstance(child, Mapping):
                via = str(step[0])
                if shared is not None and via in _SHARED and part.around is None:
                    if id(child) in shared:
                        continue
                    shared.add(id(child))
                whole = part.value if via in IN_PLACE else None
                asked = part.asked or via in _CONDITIONS
                inner.append(SchemaPart((*part.path, *step), child, root, base, is_input, via, part, whole, asked))
        pending.extend(reversed(inner))


def is_refused(subject: ToolSubject, path: Path) -> bool:
    """Return whether the reader has already reported the schema as invalid at `path`."""
    refused = _refused_in(subject)
    if not refused:
        return False
    from callwright.tools.definitions import pointer_of

    return pointer_of(path) in refused


@derived
def _refused_in(subject: ToolSubject) -> frozenset[str]:
    return frozenset(str(problem.data.get("pointer", "")) for problem in subject.document.problems)


def type_names(schema: Mapping[str, Any]) -> list[str]:
    """Return the types that a schema names, with `null` where it is `nullable` as in OpenAPI.

    Another language's name for a type counts as that type; the result is empty where one name is not a type.
    """
    named = schema.get("type")
    names = [named] if isinstance(named, str) else named if isinstance(named, list) else []
    meant = [meant_type(name) if isinstance(name, str) else None for name in names]
    if None in meant:
        return []
    names = [name for name in meant if name is not None]
    if names and schema.get("nullable") is True and "null" not in names:
        names = [*names, "null"]
    return names


def contradictions(schema: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the pairs of keywords in one schema that no value satisfies together, the lower limit first."""
    found: list[tuple[str, str]] = []
    for low, high in _LIMITS:
        least, most = schema.get(low), schema.get(high)
        if not _is_number(least) or not _is_number(most):
            continue
        open_ended = low.startswith("exclusive") or high.startswith("exclusive")
        if least > most or (open_ended and least == most):
            found.append((low, high))
    return found


_LIMITS: Final = (
    ("minimum", "maximum"),
    ("minimum", "exclusiveMaximum"),
    ("exclusiveMinimum", "maximum"),
    ("exclusiveMinimum", "exclusiveMaximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
    ("minContains", "maxContains"),
)


def _is_number(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_impossible(schema: Mapping[str, Any]) -> bool:
    """Return whether plainly nothing satisfies a schema."""
    return schema.get("enum") == [] or bool(contradictions(schema))


def misfits(schema: Mapping[str, Any]) -> list[Path]:
    """Return where the values in a schema's `enum` and `const` are of none of its own types."""
    names = type_names(schema)
    if not names:
        return []
    found: list[Path] = []
    if "const" in schema and not _fits(schema["const"], names):
        found.append(("const",))
    values = schema.get("enum")
    if isinstance(values, list):
        found += [("enum", index) for index, value in enumerate(values) if not _fits(value, names)]
    return found


def _fits(value: Any, names: list[str]) -> bool:
    # 1.0 is an integer in every draft since draft 6.
    return fits_type(value, names) or ("integer" in names and isinstance(value, float) and value.is_integer())


def errors_of(subject: ToolSubject, part: SchemaPart, value: Any) -> list[SchemaError]:
    """Return the errors of a value against a part of a schema; none where that would exceed the limit of cost."""
    schema = part.schema
    if not part.is_root:
        if _is_referring(subject, part):
            shared = {key: part.root[key] for key in _SHARED if key in part.root and key not in schema}
            schema = {**schema, **shared}
        if "$schema" in part.root and "$schema" not in schema:
            schema = {**schema, "$schema": part.root["$schema"]}
    if schema.get("nullable") is True:
        schema = {**{key: each for key, each in schema.items() if key != "nullable"}, "type": type_names(schema)}
        if value is None:
            return []
    if plainly_valid(schema, value):
        return []
    done = _COMPILED.keep(subject, (_COMPILED.get(subject) or 0) + _size_of(subject, part))
    return validate(schema, value) if done <= _MAX_COMPILED else []


def _is_referring(subject: ToolSubject, part: SchemaPart) -> bool:
    """Return whether there are references in the schema that a part belongs to."""
    known = _REFERRING.get(subject, part.base)
    if known is None:
        referring = any("$ref" in one.schema for one in parts_of(subject) if one.base == part.base)
        known = _REFERRING.keep(subject, part.base, referring)
    return known


def _size_of(subject: ToolSubject, part: SchemaPart) -> int:
    """Return how many schemas are compiled with a part: all of its tool where it may refer to them."""
    if part.is_root or _is_referring(subject, part):
        return len(parts_of(subject))
    size = 0
    pending: list[Any] = [part.schema]
    while pending and size < _MAX_COUNT:
        node = pending.pop()
        size += 1
        if isinstance(node, Mapping):
            pending.extend(child for _, child in children(node))
    return size


def facets_of(subject: ToolSubject, part: SchemaPart) -> Sequence[Mapping[str, Any]] | None:
    """Return every schema for the same value as a part: itself, what it refers to, its variants.

    None where the limit of this file is reached: nothing can be reported then.
    """
    if "$ref" not in part.schema and IN_PLACE.isdisjoint(part.schema):
        return (part.schema,)
    known = _FACETS.get(subject, part.path)
    if known is None:
        seen = _FACETS_SEEN.get(subject) or 0
        if seen > _MAX_FACETS:
            return None
        known = _FACETS.keep(subject, part.path, facets(part.schema, part.root))
        _FACETS_SEEN.keep(subject, seen + len(known))
    return known


def states(subject: ToolSubject, part: SchemaPart, *keywords: str) -> bool:
    """Return whether a schema, or one that it refers to or is composed of, has one of the keywords.

    Where the limit is reached, the result is true.
    """
    together = facets_of(subject, part)
    return together is None or any(keyword in facet for facet in together for keyword in keywords)
