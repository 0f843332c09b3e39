"""The rule `schema-constraint`."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from callwright.calls.model import dotted
from callwright.rules.base import Diagnostic, ErrorType, Rule, Scope, Severity

if TYPE_CHECKING:
    from callwright.analysis.binding import Binding
    from callwright.analysis.validation import SchemaError

_OTHERS = frozenset({"required", "type", "enum", "const", "additionalProperties", "unevaluatedProperties"})


class SchemaConstraint(Rule):
    """A value breaks a constraint of the tool's schema: a length, a range, a pattern, a choice of shapes.

    Why is this bad: the tool refuses the call, though every name and every type in it is right.

    Example
        <read_file><path>a.py</path><limit>0</limit></read_file>
                                           ^ TC306 "`limit` must be at least 1, not 0."

    Use instead
        <read_file><path>a.py</path><limit>20</limit></read_file>
    """

    code = "TC306"
    name = "schema-constraint"
    scope = Scope.CALL
    needs_faults = True
    severity = Severity.ERROR
    error_type = ErrorType.SCHEMA_VALIDATION
    needs_whole_call = True

    def check(self, subject: "Binding") -> Iterator[Diagnostic]:
        """Yield a finding for each schema error that no other rule words."""
        for error in subject.errors:
            if error.keyword in _OTHERS or _is_type_choice(error):
                continue
            choice = _choice_of_required(error)
            if choice and not choice.isdisjoint(subject.misspelt(error.path)):
                continue  # `unknown-argument` says it, and its fix supplies the name
            where = dotted(error.path)
            span = subject.span_of(error.path) if error.path else subject.call.tool_span
            yield self.diagnostic(span, f"`{where}` {_words(error)}.")


def _is_type_choice(error: "SchemaError") -> bool:
    """Tell whether every variant fails by the type of the value itself: that is a wrong type."""
    return bool(error.branches) and all(
        any(inner.path == error.path and inner.keyword == "type" for inner in branch) for branch in error.branches
    )


def _choice_of_required(error: "SchemaError") -> frozenset[str]:
    """Return the members of which one must be there, where every variant fails for want of one; else nothing."""
    missing = [inner for branch in error.branches for inner in branch]
    if error.keyword not in ("anyOf", "oneOf") or not missing:
        return frozenset()
    if any(inner.keyword != "required" or inner.path != error.path for inner in missing):
        return frozenset()
    return frozenset(str(inner.data["missing"]) for inner in missing)


def _number(value: Any) -> str:
    return json.dumps(value) if not isinstance(value, float) or value == value else "NaN"


def _words(error: "SchemaError") -> str:
    """Say what a constraint demands and what stands there."""
    data = error.data
    limit, got = data.get("limit"), data.get("got")
    compared = {
        "minimum": "at least",
        "maximum": "at most",
        "exclusiveMinimum": "greater than",
        "exclusiveMaximum": "less than",
        "multipleOf": "a multiple of",
    }
    counted = {
        "minLength": ("at least", "character"),
        "maxLength": ("at most", "character"),
        "minItems": ("at least", "entry"),
        "maxItems": ("at most", "entry"),
        "minProperties": ("at least", "member"),
        "maxProperties": ("at most", "member"),
    }
    keyword = error.keyword
    if keyword in compared:
        return f"must be {compared[keyword]} {_number(limit)}, not {_number(got)}"
    if keyword in counted:
        word, unit = counted[keyword]
        plural = unit if limit == 1 else unit[:-1] + "ies" if unit.endswith("y") else unit + "s"
        return f"must have {word} {limit} {plural}, not {got}"
    if keyword == "pattern":
        return f"must match the pattern `{data.get('pattern')}`"
    if keyword == "format":
        return f"must have the format `{data.get('format')}`"
    if keyword == "uniqueItems":
        return "must not hold the same entry twice"
    if keyword in ("dependentRequired", "dependencies"):
        return f"must also have `{data.get('missing')}`"
    if keyword == "propertyNames":
        return f"must not have a member of the name `{data.get('name')}`"
    if keyword == "oneOf" and data.get("matching"):
        return f"must fit exactly one of the schema's variants, and fits {data['matching']}"
    choice = _choice_of_required(error)
    if choice:
        return "must have " + " or ".join(f"`{name}`" for name in sorted(choice))
    if keyword in ("anyOf", "oneOf"):
        return f"fits none of the schema's variants{_nearest_branch(error)}"
    if keyword == "not":
        return "is of a shape that the schema forbids"
    if keyword in ("false schema", "falseSchema"):
        return "must not be given"
    return f"breaks the schema's `{keyword}`"


def _nearest_branch(error: "SchemaError") -> str:
    """Say what is wrong with the variant that was most likely meant."""
    if not error.branches or not error.branches[0]:
        return ""
    inner = error.branches[0][0]
    if inner.keyword == "required":
        return f"; the nearest lacks `{inner.data.get('missing')}`"
    if inner.keyword == "additionalProperties":
        names = ", ".join(f"`{name}`" for name in inner.data.get("unexpected", ()))
        return f"; the nearest does not take {names}"
    if inner.keyword == "type":
        expected = " or ".join(str(name) for name in inner.data.get("expected", ()))
        where = ".".join(map(str, inner.path[len(error.path) :]))
        return (
            f"; the nearest wants `{where}` to be of type {expected}"
            if where
            else f"; the nearest wants type {expected}"
        )
    return ""
