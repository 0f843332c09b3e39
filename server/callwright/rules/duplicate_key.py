"""Rule TC215: an object has the same key twice.

Owns: the words and the fix for what the JSON reader reports as `duplicate-key`. Must not know: how it is detected.
"""

from collections.abc import Iterator

from callwright.rules.base import Diagnostic, ErrorType, ProblemRule, Severity, SyntaxSubject, repair_fix
from callwright.text.words import quoted


class DuplicateKey(ProblemRule):
    """An object has the same key twice.

    Why is this bad: most parsers silently keep the last value, some keep the first, and some reject the object. What
    the tool gets is not what you see.

    Example
        <debug_launch>{"program": "a.py", "program": "b.py"}</debug_launch>
                                          ^^^^^^^^^ TC215 "Duplicate key `program`; most parsers silently keep the last value. Remove one."

    Use instead
        <debug_launch>{"program": "b.py"}</debug_launch>
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC215"
    severity = Severity.WARNING
    error_type = ErrorType.MALFORMED_JSON

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Report the problem that the reader met."""
        key, first = subject.problem.data["key"], subject.problem.data["first"]
        message = f"Duplicate key {quoted(key)}; most parsers silently keep the last value. Remove one."
        yield self.diagnostic(
            subject.problem.span,
            message,
            repair_fix(subject, "Remove the first one"),
            related=((first, f"{quoted(key)} first appears here"),),
        )
