"""Rule TC207: a comma has nothing behind it or nothing before it.

Owns: the words and the fix for what the JSON reader calls `trailing-comma`, `extra-comma`. Must not know: how it is
found.
"""

from collections.abc import Iterator

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, ErrorType, Rule, Scope, SyntaxSubject, repair_fix


class TrailingComma(Rule):
    """A comma has nothing behind it or nothing before it.

    Why is this bad: JavaScript and Python allow a comma before a closing bracket, JSON does not; the whole call is
    rejected.

    Example
        <debug_launch>{"program": "a.py",}</debug_launch>
                                        ^ TC207 "Trailing comma: JSON allows none before a closing bracket. Remove it."

    Use instead
        <debug_launch>{"program": "a.py"}</debug_launch>
    """

    code = "TC207"
    name = "trailing-comma"
    scope = Scope.SYNTAX
    fast_path = FastPath.NEEDS_FAULT  # it reports what a reader calls a problem
    error_type = ErrorType.MALFORMED_JSON
    problems = ("trailing-comma", "extra-comma")

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Word the problem that the reader met."""
        if subject.problem.kind == "trailing-comma":
            notation = subject.problem.data.get("notation", "JSON")
            message = f"Trailing comma: {notation} allows none before a closing bracket. Remove it."
        else:
            message = "Extra comma: no value stands before it. Remove it."
        yield self.diagnostic(subject.problem.span, message, repair_fix(subject, "Remove the comma"))
