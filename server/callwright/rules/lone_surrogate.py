"""Rule TC218: a string holds one half of a surrogate pair.

Owns: the words and the fix for what the JSON reader reports as `lone-surrogate`. Must not know: how it is detected.
"""

from callwright.rules.base import ErrorType, ProblemRule, Severity
from callwright.syntax.problem import Problem
from callwright.text.words import quoted


class LoneSurrogate(ProblemRule):
    r"""A string contains half of a surrogate pair.

    Why is this bad: `\ud83d` alone is not a character. Some parsers replace it, some reject it, and it cannot be
    encoded as UTF-8.

    Example
        <debug_launch>{"program": "a\ud83d.py"}</debug_launch>
                                    ^^^^^^ TC218 "`\ud83d` is half of a surrogate pair, which UTF-8 cannot encode. Write both halves."

    Use instead
        <debug_launch>{"program": "a\ud83d\ude00.py"}</debug_launch>
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC218"
    severity = Severity.WARNING
    error_type = ErrorType.MALFORMED_JSON

    def words(self, problem: Problem) -> tuple[str, str]:
        """Return the message, and the title of the repair."""
        found = problem.data["text"]
        message = f"{quoted(found)} is half of a surrogate pair, which UTF-8 cannot encode. Write both halves."
        return message, "Replace it with `\\ufffd`"
