"""Validation where the fast library has no wheel: the same errors from `jsonschema`, with its pitfalls avoided.

Owns: `SlowValidator`. Must not know: calls, spans, wording. Nothing is fetched; a pattern that could take exponential
time counts as matched; equal items are found in linear time.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from callwright.schema.errors import MAX_BRANCHES, Path, SchemaError, duplicates, error_data, fits_type, ranked
from callwright.tools.patterns import read_pattern
from callwright.tools.references import keywords_of, with_children
from callwright.tools.schema_check import is_large, is_plain

#: The most steps that a backtracking search may be expected to take; beyond it the pattern is not tried.
_MAX_STEPS = 1_000_000


class SlowValidator:
    """A schema compiled by `jsonschema`."""

    __slots__ = ("_names", "_validator")

    def __init__(self, validator: Any, names: Mapping[str, str]) -> None:
        self._validator = validator
        self._names = names

    @classmethod
    def of(cls, schema: Mapping[str, Any]) -> SlowValidator | None:
        """Return a validator for a schema, or None where its meta-schema rejects it."""
        import jsonschema  # type: ignore[import-untyped] # it ships no types
        from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped] # it ships no types

        draft = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
        try:
            if not is_large(schema) and not is_plain(schema):
                draft.check_schema(schema, format_checker=jsonschema.FormatChecker(()))
        except (jsonschema.SchemaError, RecursionError, re.error):
            return None
        guarded = jsonschema.validators.extend(
            draft,
            {
                "pattern": _pattern,
                "uniqueItems": _unique_items,
                "multipleOf": _multiple_of,
                # The newer drafts split it in two, and let a validator support the old one.
                "dependencies": draft.VALIDATORS.get("dependencies")
                or jsonschema.Draft7Validator.VALIDATORS["dependencies"],
            },
        )
        # This registry contains the published meta-schemas; every other remote reference gives an error.
        names: dict[str, str] = {}
        return cls(guarded(_spelled_out(schema, names), registry=REGISTRY), names)

    def errors(self, value: Any, *, only_first: bool = False) -> Iterator[SchemaError]:  # noqa: ARG002 - it is lazy
        """Yield the errors of a value; raises ValueError where a reference cannot be resolved."""
        import jsonschema

        try:
            for error in self._validator.iter_errors(value):
                for one in _converted(error):
                    yield _named(one, self._names) if self._names else one
        except jsonschema.exceptions._WrappedReferencingError as error:  # noqa: SLF001 - the only name of what is raised
            raise ValueError("a reference leads nowhere") from error
        except (AttributeError, KeyError, ZeroDivisionError, re.error) as error:
            # The schema was too large to be checked against its meta-schema, and is invalid.
            raise ValueError("the schema is not valid") from error


#: Keywords that mean something of their own where they are `false`, and have a clear error of their own.
_OWN_FALSE = frozenset({"additionalProperties", "unevaluatedProperties", "additionalItems", "unevaluatedItems"})
_NOTHING: dict[str, Any] = {"not": {}}


def _spelled_out(schema: Any, names: dict[str, str]) -> Any:
    """Return a schema in which what `jsonschema` handles badly is rewritten; `names` collects the rewritten patterns.

    `{"not": {}}` replaces every `false` inside: the library loses the place of the latter. Patterns of property names
    are converted to Python's syntax; one that Python does not have, or that could take exponential time, matches any
    name.
    """
    if schema is False:
        return _NOTHING
    if not isinstance(schema, Mapping):
        return schema

    def changed(step: Path, child: Any) -> Any:
        if child is True and step == ("items",):
            # In the drafts before 2020-12 the library expects a list or an object here.
            return {}
        kept = child is False and len(step) == 1 and step[0] in _OWN_FALSE
        return child if kept else _spelled_out(child, names)

    copy = with_children(schema, changed)
    patterns = copy.get("patternProperties")
    if isinstance(patterns, Mapping):
        copy["patternProperties"] = written = {}
        for pattern, child in patterns.items():
            compiled, degree = _compiled(pattern)
            if compiled is None or degree is None or degree > 2:
                written[_ANY_NAME] = True
                continue
            own = compiled.pattern
            while own in written:
                own += "(?:)"
            names[own] = pattern
            written[own] = child
    return copy


#: A pattern that is found in every name, and that no author writes.
_ANY_NAME = "(?:)"


def _named(error: SchemaError, names: Mapping[str, str]) -> SchemaError:
    """Return an error with the patterns on its schema path as their author wrote them."""
    path = tuple(
        names.get(step, step)
        if isinstance(step, str) and index and error.schema_path[index - 1] == "patternProperties"
        else step
        for index, step in enumerate(error.schema_path)
    )
    branches = tuple(tuple(_named(inner, names) for inner in branch) for branch in error.branches)
    return SchemaError(error.path, error.keyword, path, error.data, branches)


def _converted(error: Any) -> Iterator[SchemaError]:
    path = tuple(error.absolute_path)
    schema_path = tuple(error.absolute_schema_path)
    keyword: str = error.validator
    instance, stated, schema = error.instance, error.validator_value, error.schema
    if any(word == "propertyNames" for _, word in keywords_of(tuple(error.relative_schema_path))):
        yield SchemaError(path, "propertyNames", schema_path, {"name": instance})
    elif keyword == "not" and schema is _NOTHING:
        yield SchemaError(path, "falseSchema", schema_path[:-1])
    elif keyword == "additionalProperties":
        for name in _unexpected(instance, schema):
            yield SchemaError(path, keyword, schema_path, {"unexpected": [name]})
    elif keyword == "unevaluatedProperties":
        for name in [name for name in instance if repr(name) in error.message]:
            yield SchemaError(path, keyword, schema_path, {"unexpected": [name]})
    elif keyword in ("required", "dependentRequired", "dependencies"):
        name = _missing(error.message)
        yield SchemaError(path, keyword, schema_path, {"missing": name})
    elif keyword in ("anyOf", "oneOf"):
        yield _variants_error(error, keyword, path, schema_path)
    else:
        yield SchemaError(path, keyword, schema_path, error_data(keyword, stated, instance))


def _variants_error(error: Any, keyword: str, path: Path, schema_path: Path) -> SchemaError:
    if not error.context:
        # Only `oneOf` has no errors of variants to show: several variants accept the value.
        matching = sum(1 for variant in error.validator_value if _accepts(error, variant))
        return SchemaError(path, keyword, schema_path, {"matching": matching})
    branches: dict[int, list[SchemaError]] = {}
    fitting: set[int] = set()
    for inner in islice(error.context, MAX_BRANCHES * MAX_BRANCHES):
        for one in _converted(inner):
            branches.setdefault(inner.schema_path[0], []).append(one)
            if isinstance(inner.schema, Mapping) and fits_type(inner.instance, inner.schema.get("type")):
                fitting.add(id(one))
    data = {} if keyword == "anyOf" else {"matching": 0}
    order = ranked(list(branches.values()), lambda one: id(one) in fitting)
    return SchemaError(path, keyword, schema_path, data, order)


def _accepts(error: Any, variant: Any) -> bool:
    validator = getattr(error, "_validator", None)
    return validator is None or bool(validator.evolve(schema=variant).is_valid(error.instance))


def _missing(message: str) -> str:
    """Return the property that a message of `jsonschema` reports as missing; the library gives it nowhere else."""
    import ast

    quoted = message.removesuffix(" is a required property").rsplit(" is a dependency of ", 1)[0]
    try:
        return str(ast.literal_eval(quoted))
    except (ValueError, SyntaxError):
        return quoted.strip("'\"")


def _unexpected(instance: Mapping[str, Any], schema: Mapping[str, Any]) -> list[str]:
    known = schema.get("properties", {})
    patterns = list(schema.get("patternProperties", {}))
    return [
        name for name in instance if name not in known and not any(re.search(pattern, name) for pattern in patterns)
    ]


def _pattern(validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if validator.is_type(instance, "string") and not _found(pattern, instance):
        yield ValidationError(f"the value does not match {pattern!r}")


def _unique_items(validator: Any, unique: bool, instance: Any, _schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if unique and validator.is_type(instance, "array") and duplicates(instance):
        yield ValidationError("the items are not unique")


def _multiple_of(validator: Any, divisor: Any, instance: Any, _schema: Any) -> Iterator[Any]:
    """Numbers mean what is written: 0.3 is a multiple of 0.1, though their binary fractions are not."""
    from fractions import Fraction

    from jsonschema import ValidationError

    if not validator.is_type(instance, "number") or (isinstance(instance, float) and not math.isfinite(instance)):
        return
    if Fraction(_exact(instance)) % Fraction(_exact(divisor)):
        yield ValidationError("the number is no multiple")


def _exact(number: Any) -> Any:
    return number if isinstance(number, int) else repr(number)


def _found(pattern: str, text: str) -> bool:
    """Return whether a pattern is found in a text; True where Python lacks its syntax, or the search could take too
    long."""
    compiled, degree = _compiled(pattern)
    if compiled is None or degree is None or (len(text) + 1) ** min(degree, 8) > _MAX_STEPS:
        return True
    return compiled.search(text) is not None


@lru_cache(maxsize=1_024)
def _compiled(pattern: str) -> tuple[re.Pattern[str] | None, int | None]:
    """Return a pattern compiled for Python, and the power of a text's length with which a search may grow."""
    known = read_pattern(pattern)
    if known.python is None:
        return None, None
    try:
        return re.compile(known.python), known.degree
    except (re.error, RecursionError, OverflowError):
        return None, None
