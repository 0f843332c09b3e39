"""Rule TC208: a comma between two values, or the colon after a key, is missing.

Owns: the words and the fix for what the JSON reader reports as `missing-comma`, `missing-colon`. Must not know: how it
is detected.
"""

from callwright.rules.base import ErrorType, ProblemRule
from callwright.syntax.problem import Problem
from callwright.text.words import quoted


class MissingComma(ProblemRule):
    """A comma between two values, or the colon after a key, is missing.

    Why is this bad: a JSON parser stops where the comma or colon should be and rejects the whole call.

    Example
        <debug_launch>{"program": "a.py" "mode": "pytest"}</debug_launch>
                                        ^ TC208 "A comma is missing between two values."

    Use instead
        <debug_launch>{"program": "a.py", "mode": "pytest"}</debug_launch>
    """

    code = "TC208"
    error_type = ErrorType.MALFORMED_JSON
    problems = ("missing-comma", "missing-colon")

    def words(self, problem: Problem) -> tuple[str, str]:
        """Return the message, and the title of the repair."""
        colon = problem.kind == "missing-colon"
        marker, what = (":", "colon") if colon else (",", "comma")
        place = f"after the key {quoted(problem.data['key'])}" if colon else "between two values"
        found = problem.data["found"]
        if found:
            format_ = problem.data.get("format", "JSON")
            message = f"Found {quoted(found)} where {format_} requires a {what} {place}."
            title = f"Replace {quoted(found)} with `{marker}`"
        else:
            message = f"A {what} is missing {place}."
            title = f"Insert `{marker}`"
        return message, title
