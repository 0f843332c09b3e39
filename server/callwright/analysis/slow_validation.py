"""Validation where the fast library has no wheel: the same errors from `jsonschema`, with its traps closed.

Owns: `SlowValidator`. Must not know: calls, spans, wording. Nothing is fetched; a pattern that could run away is
taken as satisfied; equal items are found in linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any

from callwright.analysis.validation import (
    MOST_BRANCHES,
    Path,
    SchemaError,
    duplicates,
    error_data,
    fits_type,
    ranked,
)
from callwright.tools.references import keywords_of, with_children

#: The most steps that a backtracking search may be expected to take; beyond it the pattern is not tried.
_MOST_STEPS = 5_000_000


class SlowValidator:
    """A schema compiled by `jsonschema`."""

    __slots__ = ("_validator",)

    def __init__(self, validator: Any) -> None:
        self._validator = validator

    @classmethod
    def of(cls, schema: Mapping[str, Any]) -> SlowValidator | None:
        """Return a validator for a schema, or None where its meta-schema refuses it."""
        import jsonschema  # type: ignore[import-untyped] # it ships no types
        from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped] # it ships no types

        draft = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
        try:
            draft.check_schema(schema, format_checker=jsonschema.FormatChecker(()))
        except (jsonschema.SchemaError, RecursionError, re.error):
            return None
        guarded = jsonschema.validators.extend(
            draft,
            {
                "pattern": _pattern,
                "uniqueItems": _unique_items,
                "patternProperties": _pattern_properties(draft),
                # The newer drafts split it in two, and let a validator heed the old one.
                "dependencies": draft.VALIDATORS.get("dependencies")
                or jsonschema.Draft7Validator.VALIDATORS["dependencies"],
            },
        )
        # This registry holds the published meta-schemas; every other remote reference is answered with an error.
        return cls(guarded(_spelled_out(schema), registry=REGISTRY))

    def errors(self, value: Any) -> Iterator[SchemaError]:
        """Yield the errors of a value; raises ValueError where a reference leads nowhere."""
        import jsonschema

        try:
            for error in self._validator.iter_errors(value):
                yield from _converted(error)
        except jsonschema.exceptions._WrappedReferencingError as error:  # noqa: SLF001 - the only name of what is raised
            raise ValueError("a reference leads nowhere") from error


#: Keywords that mean something of their own where they are `false`, and say so well.
_OWN_FALSE = frozenset(
    {"additionalProperties", "unevaluatedProperties", "items", "additionalItems", "unevaluatedItems"}
)
_NOTHING: dict[str, Any] = {"not": {}}


def _spelled_out(schema: Any) -> Any:
    """Return a schema with `{"not": {}}` for every `false` inside it: `jsonschema` forgets the place of the latter."""
    if schema is False:
        return _NOTHING
    if not isinstance(schema, Mapping):
        return schema
    return with_children(
        schema,
        lambda step, child: (
            child if child is False and step[0] in _OWN_FALSE and len(step) == 1 else _spelled_out(child)
        ),
    )


def _converted(error: Any) -> Iterator[SchemaError]:
    path = tuple(error.absolute_path)
    schema_path = tuple(error.absolute_schema_path)
    keyword: str = error.validator
    instance, said, schema = error.instance, error.validator_value, error.schema
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
    elif keyword == "items" and said is False:
        for index in range(len(schema.get("prefixItems", ())), len(instance)):
            yield SchemaError((*path, index), "falseSchema", schema_path)
    elif keyword in ("anyOf", "oneOf"):
        yield _variants_error(error, keyword, path, schema_path)
    else:
        yield SchemaError(path, keyword, schema_path, error_data(keyword, said, instance))


def _variants_error(error: Any, keyword: str, path: Path, schema_path: Path) -> SchemaError:
    if not error.context:
        # Only `oneOf` has no variant's errors to show: several variants accept the value.
        matching = sum(1 for variant in error.validator_value if _accepts(error, variant))
        return SchemaError(path, keyword, schema_path, {"matching": matching})
    branches: dict[int, list[SchemaError]] = {}
    fitting: set[int] = set()
    for inner in islice(error.context, MOST_BRANCHES * MOST_BRANCHES):
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
    """Return the property that a message of `jsonschema` says is missing; it gives the name nowhere else."""
    import ast

    quoted = message.removesuffix(" is a required property").rsplit(" is a dependency of ", 1)[0]
    try:
        return str(ast.literal_eval(quoted))
    except (ValueError, SyntaxError):
        return quoted.strip("'\"")


def _unexpected(instance: Mapping[str, Any], schema: Mapping[str, Any]) -> list[str]:
    known = schema.get("properties", {})
    patterns = list(schema.get("patternProperties", {}))
    return [name for name in instance if name not in known and not any(_found(pattern, name) for pattern in patterns)]


def _pattern(validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if validator.is_type(instance, "string") and not _found(pattern, instance):
        yield ValidationError(f"the value does not match {pattern!r}")


def _unique_items(validator: Any, unique: bool, instance: Any, _schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if unique and validator.is_type(instance, "array") and duplicates(instance):
        yield ValidationError("the items are not unique")


def _pattern_properties(draft: Any) -> Any:
    """Return the draft's own keyword, handed only the patterns that are sure to end."""
    own = draft.VALIDATORS["patternProperties"]

    def pattern_properties(validator: Any, patterns: Mapping[str, Any], instance: Any, schema: Any) -> Iterator[Any]:
        longest = max((len(name) for name in instance), default=0) if isinstance(instance, dict) else 0
        safe = {key: value for key, value in patterns.items() if _is_safe(key, longest)}
        yield from own(validator, safe, instance, schema) or ()

    return pattern_properties


def _found(pattern: str, text: str) -> bool:
    """Tell whether a pattern is found in a text; True where finding out could take too long."""
    if not _is_safe(pattern, len(text)):
        return True
    return _compiled(pattern).search(text) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _is_safe(pattern: str, length: int) -> bool:
    """Tell whether a search in a text of this length is sure to end soon: the steps grow with each open repetition."""
    repetitions = _repetitions(pattern)
    if repetitions is None:
        return False
    power = repetitions + (0 if pattern.startswith("^") else 1)
    return bool((length + 1) ** min(power, 8) <= _MOST_STEPS)


@cache
def _repetitions(pattern: str) -> int | None:
    """Return how many variable repetitions a pattern has, or None where one is nested in another or it is unusable."""
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return None
    bare = re.sub(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*+\]", "a", pattern, flags=re.DOTALL)
    if re.search(r"\\[1-9]|\(\?P=", pattern):
        return None
    depth, count = 0, 0
    repeated_within: list[bool] = [False]
    at = 0
    while at < len(bare):
        character = bare[at]
        if character == "(":
            depth += 1
            repeated_within.append(False)
            at += 2 if bare[at + 1 : at + 2] == "?" else 1
            continue
        if character == ")":
            inner = repeated_within.pop()
            depth -= 1
            quantified = bare[at + 1 : at + 2] in ("*", "+", "{", "?")
            if inner and quantified and bare[at + 1] != "?":
                return None
            if quantified and "|" in bare:
                # Alternatives inside a repetition can overlap, and then backtrack like a nested one.
                return None
            repeated_within[-1] = repeated_within[-1] or inner
        elif character in "*+?{":
            count += 1
            repeated_within[-1] = True
            closing = bare.find("}", at) if character == "{" else at
            at = closing if closing >= 0 else at
            at += 1 if bare[at + 1 : at + 2] in ("?", "+") else 0
        at += 1
    return count
