"""Rule TC211: a literal is written as another language writes it.

Owns: the words and the fix for what the readers of JSON and of Python report as `python-literal`. Must not know: how it
is detected.
"""

from callwright.rules.base import ErrorType, ProblemRule
from callwright.syntax.problem import Problem
from callwright.text.words import quoted


class PythonLiteral(ProblemRule):
    """A literal is written in Python or JavaScript syntax.

    Why is this bad: JSON has only `true`, `false` and `null`; `True` or `None` is a syntax error, and parsers reject
    the whole call.

    Example
        <debug_launch>{"program": "a.py", "stopOnEntry": True}</debug_launch>
                                                         ^^^^ TC211 "`True` is not JSON; write `true`."

    Use instead
        <debug_launch>{"program": "a.py", "stopOnEntry": true}</debug_launch>
    """

    code = "TC211"
    error_type = ErrorType.MALFORMED_JSON

    def words(self, problem: Problem) -> tuple[str, str]:
        """Return the message, and the title of the repair."""
        data = problem.data
        found, written = data["text"], data["json"]
        message = f"{quoted(found)} is not {data.get('format', 'JSON')}; write `{written}`."
        return message, f"Replace {quoted(found)} with `{written}`"
