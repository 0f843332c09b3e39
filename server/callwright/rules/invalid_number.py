"""Rule TC217: a number is written in a way that JSON does not allow.

Owns: the words and the fix for what the JSON reader reports as `bad-number`. Must not know: how it is detected.
"""

from callwright.rules.base import ErrorType, ProblemRule
from callwright.syntax.problem import Problem
from callwright.text.words import quoted


class InvalidNumber(ProblemRule):
    """A number is written in a way that JSON does not allow.

    Why is this bad: JSON numbers have no plus sign, no leading zero, no hex digits, and digits on both sides of the
    point.

    Example
        <debug_launch>{"program": "a.py", "ratio": .5}</debug_launch>
                                                   ^^ TC217 "`.5` is not a valid JSON number; write `0.5`."

    Use instead
        <debug_launch>{"program": "a.py", "ratio": 0.5}</debug_launch>
    """

    code = "TC217"
    error_type = ErrorType.MALFORMED_JSON
    problems = ("bad-number",)

    def words(self, problem: Problem) -> tuple[str, str]:
        """Return the message, and the title of the repair."""
        data = problem.data
        if data["reason"] == "too-long":
            message = f"The number {quoted(data['text'], 12)} has too many digits. Write it as a string."
        elif data["reason"] == "incomplete":
            message = f"{quoted(data['text'])} is an incomplete number."
        else:
            format_ = data.get("format", "JSON")
            message = f"{quoted(data['text'])} is not a valid {format_} number; write {quoted(data['json'])}."
        return message, f"Write {quoted(data.get('json', ''))}"
