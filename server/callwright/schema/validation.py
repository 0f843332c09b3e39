"""Validation: the errors of a value under a JSON Schema, one for each problem, with its path.

Owns: `validate`, and the choice of the library that does the work. Must not know: calls, spans, the
wording of messages. Nothing is fetched, formats are not asserted, and no schema or value makes it raise or hang.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final, Protocol

from callwright.schema.errors import MAX_BRANCHES, Path, SchemaError, error_data, fits_type, ranked, value_at
from callwright.schema.plain_validity import plainly_valid
from callwright.schema.schema_facts import facts_of
from callwright.text.budget import yield_point
from callwright.text.lru import Kept, weight_of

#: More errors than this are not reported for one value: they would not be read.
MAX_ERRORS = 500
#: Where validation takes more steps than this, only the first error of an invalid value is reported (the slow library
#: gives one error after the other, and needs no such limit).
FEW_STEPS = 10_000
#: How deep a value may nest.
MAX_DEPTH = 250
#: The keyword of the error for a value that was not validated because it would take too long.
UNCHECKED = "unchecked"


class Validator(Protocol):
    """A compiled schema, whichever library compiled it."""

    def errors(self, value: Any, *, only_first: bool = False) -> Iterator[SchemaError]:
        """Yield the errors of a value that is plain JSON; may raise ValueError for any other.

        With `only_first`, no work is done on errors beyond the first.
        """


class _Compiled:
    """All that is kept for one schema; holding the schema keeps its identity from being taken by another."""

    __slots__ = ("costs", "schema", "validator")

    def __init__(self, schema: Mapping[str, Any]) -> None:
        from callwright.schema.validation_cost import CostModel
        from callwright.tools.schema_check import bounded

        self.schema = schema
        self.validator = compile_schema(schema) if bounded(schema) else None
        self.costs = CostModel(schema, slow=not isinstance(self.validator, _FastValidator))


#: Compiled validators, by the identity of their schema.
_cache: Final[Kept[int, _Compiled]] = Kept(512, 200_000)


def validate(schema: Mapping[str, Any], arguments: Any) -> list[SchemaError]:
    """Return the errors of `arguments` under `schema`; empty where they are valid.

    A parameter whose schema has `"x-alias-of": "other"` means the other one where that is absent; paths have the
    written name. A value that cannot be validated within the limits has one error, `UNCHECKED`; for one with very many
    parts only the first error is reported. Never raises.
    """
    value, written = dealiased(facts_of(schema).aliases, arguments)
    if plainly_valid(schema, value):
        return []
    compiled = _cache.get(id(schema))
    if compiled is None or compiled.schema is not schema:
        compiled = _cache.keep(id(schema), _Compiled(schema), weight_of(schema))
    if compiled.validator is None:
        return []
    if _nests_too_deep(value):
        # No validator can go that deep, and a fast one crashes the process. The parser has reported it.
        return []
    steps = compiled.costs.steps(value)
    if steps is None:
        return [SchemaError((), UNCHECKED, ())]
    try:
        few = steps <= FEW_STEPS or not isinstance(compiled.validator, _FastValidator)
        errors = _errors(compiled.validator, value, only_first=not few)
    except RecursionError:
        # Where references follow each other, the slow library recurses deeper than the value.
        return [SchemaError((), UNCHECKED, ())]
    errors = [error for error in errors if not _is_number_after_all(error, value)]
    return [_renamed(error, written) for error in errors] if written else errors


def _nests_too_deep(value: Any) -> bool:
    level = [value] if isinstance(value, dict | list | tuple) else []
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for part in level:
            yield_point()
            children = part.values() if isinstance(part, dict) else part
            below += [child for child in children if isinstance(child, dict | list | tuple)]
        if not below:
            return False
        level = below
    return True


def dealiased(aliases: Mapping[str, str], arguments: Any) -> tuple[Any, dict[str, str]]:
    """Return the arguments with each alias under its proper name, and the alias that was written for that name.

    An alias beside its parameter, or beside another alias of it, is kept.
    """
    if not aliases or not isinstance(arguments, dict) or aliases.keys().isdisjoint(arguments):
        return arguments, {}
    written: dict[str, str] = {}
    result: dict[Any, Any] = {}
    for name, value in arguments.items():
        proper = aliases.get(name) if isinstance(name, str) else None
        if proper is not None and proper not in arguments and proper not in written:
            written[proper] = name
            name = proper  # noqa: PLW2901 - the name under which the value is passed on
        result[name] = value
    return result, written


def compile_schema(schema: Mapping[str, Any]) -> Validator | None:
    """Return a validator for a schema, or None where it is not one that can be used."""
    from callwright.tools.schema_check import fast_validator, known_draft

    schema = known_draft(schema)
    if isinstance(schema.get("$schema"), str) and "/draft-0" in schema["$schema"]:
        schema = _without_content(schema)
    try:
        import jsonschema_rs
    except ImportError:
        # There is no wheel of the fast library for this Python.
        from callwright.schema.slow_validation import SlowValidator

        return SlowValidator.of(schema)
    try:
        return _FastValidator(fast_validator(schema), schema)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError, TypeError, OverflowError):
        return None


def _has_variants(schema: Mapping[str, Any]) -> bool:
    from callwright.tools.references import children

    pending: list[Any] = [schema]
    while pending:
        node = pending.pop()
        if isinstance(node, Mapping):
            if "anyOf" in node or "oneOf" in node:
                return True
            pending.extend(child for _, child in children(node))
    return False


_CONTENT = frozenset({"contentEncoding", "contentMediaType"})


def _without_content(schema: Any) -> Any:
    """Return a schema without the keywords about what a string contains: like formats, they are not asserted."""
    from callwright.tools.references import with_children

    if not isinstance(schema, Mapping):
        return schema
    copy = with_children(schema, lambda _, child: _without_content(child))
    return {key: value for key, value in copy.items() if key not in _CONTENT}


class _FastValidator:
    """A schema compiled by jsonschema-rs."""

    __slots__ = ("_has_variants", "_schema", "_validator")

    def __init__(self, validator: Any, schema: Mapping[str, Any]) -> None:
        self._validator = validator
        self._has_variants = _has_variants(schema)
        self._schema = schema

    def errors(self, value: Any, *, only_first: bool = False) -> Iterator[SchemaError]:
        """Yield the errors of a value; raises ValueError for strings, keys or types that JSON does not have."""
        if not only_first:
            for error in self._validator.iter_errors(value):
                yield from _converted(error, value, self._schema)
            return
        if self._validator.is_valid(value):
            return
        if self._has_variants:
            # An error of variants contains those of each variant, and they may multiply.
            yield SchemaError((), UNCHECKED, (), {"invalid": True})
            return
        import jsonschema_rs

        try:
            # The library collects all errors before it returns the first; this way it stops there.
            self._validator.validate(value)
        except jsonschema_rs.ValidationError as error:
            yield from _converted(error, value, self._schema)


def _converted(error: Any, value: Any, schema: Mapping[str, Any]) -> Iterator[SchemaError]:
    """Yield the library's error as ours: one for each property where it reports several."""
    path: Path = tuple(error.instance_path)
    schema_path: Path = tuple(error.schema_path)
    kind = type(error.kind).__name__
    keyword: str = error.kind.name
    stated: dict[str, Any] = error.kind.as_dict()
    if kind in ("BacktrackLimitExceeded", "RegexEngineFailure"):
        return
    last = _last_keyword(schema_path) if kind == "FalseSchema" else None
    if last in ("additionalProperties", "propertyNames"):
        # Where an object may have no properties at all, the library names none of those that it has.
        members = value_at(value, path)
        for name in members if isinstance(members, Mapping) else ():
            data = {"unexpected": [name]} if last == "additionalProperties" else {"name": name}
            yield SchemaError(path, last, schema_path, data)
        return
    if kind in ("AdditionalProperties", "UnevaluatedProperties"):
        for name in stated["unexpected"]:
            yield SchemaError(path, keyword, schema_path, {"unexpected": [name]})
        return
    if kind in ("AnyOf", "OneOfNotValid"):
        context = [
            [one for inner in islice(branch, MAX_BRANCHES) for one in _converted(inner, value, schema)]
            for branch in stated["context"][:MAX_BRANCHES]
        ]

        def type_fits(inner: SchemaError) -> bool:
            around = value_at(schema, inner.schema_path[:-1])
            return isinstance(around, Mapping) and fits_type(value_at(value, inner.path), around.get("type"))

        matching = {} if kind == "AnyOf" else {"matching": 0}
        yield SchemaError(path, keyword, schema_path, matching, ranked(context, type_fits))
        return
    if kind == "OneOfMultipleValid":
        yield SchemaError(
            path, keyword, schema_path, {"matching": sum(1 for branch in stated["context"] if not branch)}
        )
        return
    if kind == "PropertyNames":
        yield SchemaError(path, keyword, schema_path, {"name": stated["error"].instance})
        return
    if kind == "Required":
        if schema_path and schema_path[-1] in ("dependentRequired", "dependencies"):
            keyword = str(schema_path[-1])
        members = value_at(value, path)
        if isinstance(members, Mapping) and stated["property"] in members:
            # The library also misses the one required property that `additionalProperties: false` forbids.
            return
        yield SchemaError(path, keyword, schema_path, {"missing": stated["property"]})
        return
    if kind == "Contains" and schema_path and schema_path[-1] in ("minContains", "maxContains"):
        keyword = str(schema_path[-1])
    written = value_at(schema, schema_path) if kind == "Type" else None
    named = written if isinstance(written, str | list) else stated_value(kind, stated)
    yield SchemaError(path, keyword, schema_path, error_data(keyword, named, value_at(value, path)))


_STATED = {
    "Type": "types", "Enum": "options", "Constant": "expected_value", "Pattern": "pattern", "MultipleOf": "multiple_of",
    "Not": "schema",
}  # fmt: skip


def stated_value(kind: str, stated: Mapping[str, Any]) -> Any:
    """Return the value of the keyword in the schema, taken from the library's record."""
    return stated.get(_STATED.get(kind, "limit"))


def _last_keyword(schema_path: Path) -> str | None:
    """Return the keyword that a schema path ends with, None where it ends with a name or number."""
    from callwright.tools.references import keywords_of

    steps = keywords_of(schema_path)
    return steps[-1][1] if steps and steps[-1][0] == len(schema_path) - 1 else None


def _errors(validator: Validator, value: Any, *, only_first: bool) -> list[SchemaError]:
    most = 1 if only_first else MAX_ERRORS
    try:
        return list(islice(validator.errors(value, only_first=only_first), most))
    except (UnicodeEncodeError, ValueError, TypeError, OverflowError):
        # The value contains what JSON cannot: a lone surrogate, a key that is not a string, a foreign object.
        plain = _Plain()
        fixed = plain.of(value)
    try:
        return [plain.restored(error) for error in islice(validator.errors(fixed, only_first=only_first), most)]
    except (ValueError, TypeError, OverflowError):
        return []


class _Plain:
    """Makes a value plain JSON of the same shape, and puts the original names back into errors."""

    def __init__(self) -> None:
        self._original: dict[str, Any] = {}

    def of(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, Mapping):
            return {self._key(key): self.of(child) for key, child in value.items()}
        if isinstance(value, list | tuple):
            return [self.of(child) for child in value]
        return value if value is None or isinstance(value, bool | int | float) else str(type(value).__name__)

    def restored(self, error: SchemaError) -> SchemaError:
        original = self._original
        if not original:
            return error
        data = dict(error.data)
        if "unexpected" in data:
            data["unexpected"] = [original.get(name, name) for name in data["unexpected"]]
        path = tuple(original.get(step, step) if isinstance(step, str) else step for step in error.path)
        branches = tuple(tuple(self.restored(inner) for inner in branch) for branch in error.branches)
        return SchemaError(path, error.keyword, error.schema_path, data, branches)

    def _key(self, key: Any) -> str:
        text = self._text(key) if isinstance(key, str) else str(key)
        if text != key:
            self._original[text] = key
        return text

    def _text(self, text: str) -> str:
        return text.encode("utf-8", "replace").decode("utf-8") if not text.isascii() else text


def _renamed(error: SchemaError, written: Mapping[str, str]) -> SchemaError:
    """Return an error with the aliases that were written in place of the names that the schema prefers."""
    path = error.path
    if path and path[0] in written:
        path = (written[str(path[0])], *path[1:])
    branches = tuple(tuple(_renamed(inner, written) for inner in branch) for branch in error.branches)
    return SchemaError(path, error.keyword, error.schema_path, error.data, branches)


def _is_number_after_all(error: SchemaError, value: Any) -> bool:
    """Return whether an error only comes from infinity and NaN, which a library may read as `null`.

    That JSON has no such numbers is reported by the parser.
    """
    if error.keyword != "type" or "number" not in error.data.get("expected", ()):
        return False
    found = value_at(value, error.path)
    return isinstance(found, float) and not math.isfinite(found)
