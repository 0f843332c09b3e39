"""The rule `wrong-type`."""

import json
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from callwright.analysis.coercion import number_of
from callwright.analysis.editing import replace_value
from callwright.analysis.validation import validate
from callwright.calls.model import dotted
from callwright.rules.base import Applicability, Diagnostic, ErrorType, Fix, Rule, Scope, Severity
from callwright.tools.parameters import type_name

if TYPE_CHECKING:
    from callwright.analysis.binding import Binding
    from callwright.analysis.validation import SchemaError
    from callwright.calls.model import Path

_WORDS = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "`true` or `false`",
    "array": "an array",
    "object": "an object",
    "null": "`null`",
}
_TRUE = frozenset({"true", "yes", "on", "1"})
_FALSE = frozenset({"false", "no", "off", "0"})


class WrongType(Rule):
    """A value is of another type than the tool's schema says.

    Why is this bad: the tool refuses the call, or works with a string where it expected a number. `"5"` and `5` look
    alike to a model and are not alike to a program. Where the value means exactly one value of the right type, that
    is offered.

    Example
        <debug_launch>{"program": "a.py", "args": "--verbose"}</debug_launch>
                                                  ^^^^^^^^^^^ TC304 "`args` must be an array, not a string."

    Use instead
        <debug_launch>{"program": "a.py", "args": ["--verbose"]}</debug_launch>
    """

    code = "TC304"
    name = "wrong-type"
    scope = Scope.CALL
    needs_faults = True
    severity = Severity.ERROR
    error_type = ErrorType.SCHEMA_VALIDATION
    needs_whole_call = True

    def check(self, subject: "Binding") -> Iterator[Diagnostic]:
        """Yield a finding for each value of a wrong type."""
        for error in subject.errors:
            expected = _expected(error)
            if expected is None:
                continue
            where = dotted(error.path)
            got = str(error.data.get("got") or type_name(subject.value_at(error.path)))
            wanted = " or ".join(_WORDS.get(name, name) for name in expected)
            message = f"`{where}` must be {wanted}, not {_WORDS.get(got, got)}."
            yield self.diagnostic(
                subject.span_of(error.path),
                message,
                lambda error=error, expected=expected: _fixes(subject, error.path, expected),  # type: ignore[misc]
            )


def _expected(error: "SchemaError") -> list[str] | None:
    """Return the types that an error asks for: those of a `type`, or of variants that all fail by their type."""
    if error.keyword == "type":
        return [str(name) for name in error.data["expected"]]
    if error.keyword not in ("anyOf", "oneOf") or not error.branches:
        return None
    names: list[str] = []
    for branch in error.branches:
        own = [inner for inner in branch if inner.path == error.path and inner.keyword == "type"]
        if not own:
            return None
        names += [str(name) for name in own[0].data["expected"] if str(name) not in names]
    return names


def _fixes(binding: "Binding", path: "Path", expected: list[str]) -> Iterator[Fix]:
    value = binding.value_at(path)
    candidates: list[tuple[Any, bool]] = []
    for name in expected:
        candidates += _as(name, value, _written(binding, path))
    accepted = []
    schema = binding.schema_at(path)
    for candidate, certain in candidates:
        if schema is None or not validate(_rooted(schema, binding), candidate):
            accepted.append((candidate, certain))
    certain_alone = len(accepted) == 1
    for candidate, certain in accepted:
        edits = replace_value(binding, path, candidate)
        if edits:
            shown = json.dumps(candidate, ensure_ascii=True)
            shown = shown if len(shown) <= 60 else shown[:57] + "…"
            applicability = Applicability.SAFE if certain and certain_alone else Applicability.UNSAFE
            yield Fix(f"Change to `{shown}`", edits, applicability)


def _rooted(schema: Any, binding: "Binding") -> Any:
    """Return a subschema that can be validated alone: with the definitions that its references lead to."""
    root = binding.schema or {}
    definitions = {key: root[key] for key in ("$defs", "definitions") if key in root and key not in schema}
    return {**schema, **definitions}


def _written(binding: "Binding", path: "Path") -> str:
    return binding.span_of(path).of(binding.text)


def _as(name: str, value: Any, written: str) -> Iterator[tuple[Any, bool]]:
    """Yield what `value`, in the text `written`, could be as one of the type `name`; and if it can mean nothing else.

    A number becomes the string that was written: `007` and `1.50` are not `7` and `1.5`. No string is meant by `null`.
    """
    if isinstance(value, str):
        yield from _text_as(name, value)
    elif name == "string":
        if isinstance(value, bool):
            yield json.dumps(value), True
        elif isinstance(value, int | float):
            yield written, math.isfinite(value)
        elif value is None:
            yield "null", False
    elif name == "integer" and isinstance(value, float) and value.is_integer():
        yield int(value), True
    if name == "array" and not isinstance(value, list):
        yield [value], True


def _text_as(name: str, text: str) -> Iterator[tuple[Any, bool]]:
    trimmed = text.strip()
    if name in ("integer", "number"):
        number = number_of(trimmed)
        if number is None:
            number = number_of(trimmed.lstrip("+").lstrip("0") or "0") if trimmed.lstrip("+").isdigit() else None
        if number is not None and (name == "number" or isinstance(number, int) or float(number).is_integer()):
            yield (int(number) if name == "integer" else number), True
    elif name == "boolean":
        if trimmed.lower() in _TRUE:
            yield True, trimmed.lower() == "true"
        elif trimmed.lower() in _FALSE:
            yield False, trimmed.lower() == "false"
    elif name == "null" and trimmed in ("null", "None", "nil", ""):
        yield None, trimmed in ("null", "None")
    elif name in ("object", "array") and trimmed[:1] in ("{", "["):
        try:
            inner = json.loads(trimmed)
        except (ValueError, RecursionError):
            return
        if isinstance(inner, dict if name == "object" else list):
            yield inner, True
