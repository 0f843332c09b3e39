"""Rule TC207: a comma has nothing after it or nothing before it.

Owns: the words and the fix for what the JSON reader reports as `trailing-comma`, `extra-comma`. Must not know: how it
is detected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from callwright.rules.base import ErrorType, ProblemRule

if TYPE_CHECKING:
    from callwright.syntax.problem import Problem


class TrailingComma(ProblemRule):
    """A comma has nothing after it or nothing before it.

    Why is this bad: JavaScript and Python allow a comma before a closing bracket, JSON does not; the whole call is
    rejected.

    Example
        <debug_launch>{"program": "a.py",}</debug_launch>
                                        ^ TC207 "Trailing comma: JSON allows none before a closing bracket. Remove it."

    Use instead
        <debug_launch>{"program": "a.py"}</debug_launch>
    """

    code = "TC207"
    error_type = ErrorType.MALFORMED_JSON
    problems = ("trailing-comma", "extra-comma")

    def words(self, problem: Problem) -> tuple[str, str]:
        """Return the message, and the title of the repair."""
        if problem.kind == "trailing-comma":
            format_ = problem.data.get("format", "JSON")
            message = f"Trailing comma: {format_} allows none before a closing bracket. Remove it."
        else:
            message = "Extra comma: there is no value before it. Remove it."
        return message, "Remove the comma"
