"""Rule TC213: a comment is in JSON.

Owns: the words and the fix for what the JSON reader reports as `comment`. Must not know: how it is detected.
"""

from callwright.rules.base import ErrorType, ProblemRule
from callwright.syntax.problem import Problem


class JsonComment(ProblemRule):
    """JSON contains a comment.

    Why is this bad: JSON has no comments; a parser rejects the whole call. Write the remark outside the call.

    Example
        <debug_launch>{"program": "a.py" /* the entry point */}</debug_launch>
                                         ^^^^^^^^^^^^^^^^^^^^^ TC213 "JSON does not allow comments; parsers reject the whole call. Remove it."

    Use instead
        <debug_launch>{"program": "a.py" }</debug_launch>
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC213"
    error_type = ErrorType.MALFORMED_JSON
    problems = ("comment",)

    def words(self, problem: Problem) -> tuple[str, str]:
        """Return the message, and the title of the repair."""
        message = "JSON does not allow comments; parsers reject the whole call. Remove it."
        if not problem.data["closed"]:
            message = "Unclosed comment: JSON does not allow comments, and parsers reject the whole call. Remove it."
        return message, "Remove the comment"
