"""Rule TC210: a string in JSON is in typographic quotes.

Owns: the words and the fix for what the JSON reader reports as `smart-quotes`. Must not know: how it is detected.
"""

from callwright.rules.base import ErrorType, ProblemRule
from callwright.syntax.problem import Problem


class SmartQuotes(ProblemRule):
    """A string in JSON is in typographic quotes.

    Why is this bad: word processors and some models turn `"` into `“` and `”`, which look right but are ordinary
    characters to a JSON parser.

    Example
        <debug_launch>{"program": “a.py”}</debug_launch>
                                  ^^^^^^ TC210 "Typographic quote `“`; JSON requires straight double quotes `"`."

    Use instead
        <debug_launch>{"program": "a.py"}</debug_launch>
    """

    code = "TC210"
    error_type = ErrorType.MALFORMED_JSON

    def words(self, problem: Problem) -> tuple[str, str]:
        """Return the message, and the title of the repair."""
        found = problem.data["quote"]
        if problem.data.get("format"):
            message = f"Typographic quote `{found}`; use straight quotes."
            title = "Use straight quotes"
        else:
            message = f'Typographic quote `{found}`; JSON requires straight double quotes `"`.'
            title = "Use straight double quotes"
        return message, title
