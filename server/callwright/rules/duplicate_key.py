"""Rule TC215: an object has the same key twice.

Owns: the words and the fix for what the JSON reader calls `duplicate-key`. Must not know: how it is found.
"""

from collections.abc import Iterator

from callwright.rules.base import Diagnostic, ErrorType, ProblemRule, Severity, SyntaxSubject, repair_fix
from callwright.text.words import quoted


class DuplicateKey(ProblemRule):
    """An object has the same key twice.

    Why is this bad: most parsers take the last value without a word, some take the first, some refuse. What the
    tool gets is not what a reader sees.

    Example
        <debug_launch>{"program": "a.py", "program": "b.py"}</debug_launch>
                                          ^^^^^^^^^ TC215 "The key `program` is there twice; most parsers silently take the last value. Keep one."

    Use instead
        <debug_launch>{"program": "b.py"}</debug_launch>
    """  # noqa: E501  # a finding is quoted on one line

    code = "TC215"
    severity = Severity.WARNING
    error_type = ErrorType.MALFORMED_JSON

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Word the problem that the reader met."""
        key, first = subject.problem.data["key"], subject.problem.data["first"]
        message = f"The key {quoted(key)} is there twice; most parsers silently take the last value. Keep one."
        yield self.diagnostic(
            subject.problem.span,
            message,
            repair_fix(subject, "Remove the earlier one"),
            related=((first, f"{quoted(key)} is first written here"),),
        )
