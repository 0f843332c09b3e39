"""The rule `wrong-type`."""

from collections.abc import Iterator

from callwright.calls.model import dotted
from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import CallRule, Diagnostic, ErrorType
from callwright.rules.support.schema_words import TYPE_WORDS, expected_types, is_in_single_quotes
from callwright.rules.support.value_fixes import type_fixes
from callwright.schema.binding import Binding
from callwright.tools.parameters import type_name


class WrongType(CallRule):
    """A value does not have the type that the tool's schema requires.

    Why is this bad: the tool rejects the call, or gets a string where it expects a number. `"5"` and `5` look alike to
    a model but not to a program. If the value can mean exactly one value of the right type, the fix offers it.

    Example
        <debug_launch>{"program": "a.py", "args": "--verbose"}</debug_launch>
                                                  ^^^^^^^^^^^ TC304 "`args` must be an array, not a string."

    Use instead
        <debug_launch>{"program": "a.py", "args": ["--verbose"]}</debug_launch>
    """

    code = "TC304"
    fast_path = FastPath.NEEDS_FAULT  # a value of another type never fits
    error_type = ErrorType.SCHEMA_VALIDATION
    needs_whole_call = True

    def check(self, subject: Binding) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each value of a wrong type."""
        for error in subject.errors:
            expected = expected_types(error)
            if expected is None or error.path in subject.broken:
                continue
            where = dotted(error.path)
            value = subject.value_at(error.path)
            got = str(error.data.get("got") or type_name(value))
            wanted = " or ".join(TYPE_WORDS.get(name, name) for name in expected)
            message = f"`{where}` must be {wanted}, not {TYPE_WORDS.get(got, got)}"
            quotes = not {"array", "object"}.isdisjoint(expected) and is_in_single_quotes(value)
            message += ": it is in single quotes, and JSON requires double quotes." if quotes else "."
            yield self.diagnostic(
                subject.span_of(error.path),
                message,
                lambda error=error, expected=expected: type_fixes(subject, error.path, expected),  # type: ignore[misc]
            )
