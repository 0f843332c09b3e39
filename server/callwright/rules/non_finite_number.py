"""Rule TC216: a number in JSON is not finite.

Owns: the words and the fix for what the JSON reader calls `non-finite-number`. Must not know: how it is found.
"""

from collections.abc import Iterator

from callwright.rules.base import Diagnostic, ErrorType, Rule, Scope, SyntaxSubject, repair_fix
from callwright.text.words import quoted


class NonFiniteNumber(Rule):
    """A number in JSON is not finite.

    Why is this bad: JSON has no `NaN` and no infinity. Python's parser takes them, `JSON.parse` does not, and a
    number too large for a double becomes infinity without a word.

    Example
        <debug_launch>{"program": "a.py", "timeout": Infinity}</debug_launch>
                                                     ^^^^^^^^ TC216 "`Infinity` is no JSON number; write a finite number or `null`."

    Use instead
        <debug_launch>{"program": "a.py", "timeout": 3600}</debug_launch>
    """  # noqa: E501  # a finding is quoted on one line

    code = "TC216"
    name = "non-finite-number"
    scope = Scope.SYNTAX
    error_type = ErrorType.MALFORMED_JSON
    problems = ("non-finite-number",)

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Word the problem that the reader met."""
        found = subject.problem.data["text"]
        if any(char.isdigit() for char in found):
            message = f"{quoted(found)} is too large for a number and becomes infinity."
        else:
            message = f"{quoted(found)} is no JSON number; write a finite number or `null`."
        yield self.diagnostic(subject.problem.span, message, repair_fix(subject, f"Replace {quoted(found)} by `null`"))
