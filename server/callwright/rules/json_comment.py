"""Rule TC213: a comment stands in JSON.

Owns: the words and the fix for what the JSON reader calls `comment`. Must not know: how it is found.
"""

from collections.abc import Iterator

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, ErrorType, Rule, Scope, SyntaxSubject, repair_fix


class JsonComment(Rule):
    """A comment stands in JSON.

    Why is this bad: JSON has no comments; a parser rejects the whole call. Say it in the text around the call.

    Example
        <debug_launch>{"program": "a.py" /* the entry point */}</debug_launch>
                                         ^^^^^^^^^^^^^^^^^^^^^ TC213 "A comment: JSON has none, and parsers reject the whole call. Remove it."

    Use instead
        <debug_launch>{"program": "a.py" }</debug_launch>
    """  # noqa: E501  # a finding is quoted on one line

    code = "TC213"
    name = "json-comment"
    scope = Scope.SYNTAX
    fast_path = FastPath.NEEDS_FAULT  # it reports what a reader calls a problem
    error_type = ErrorType.MALFORMED_JSON
    problems = ("comment",)

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Word the problem that the reader met."""
        message = "A comment: JSON has none, and parsers reject the whole call. Remove it."
        if not subject.problem.data["closed"]:
            message = "A comment that never ends: JSON has no comments, and parsers reject the whole call. Remove it."
        yield self.diagnostic(subject.problem.span, message, repair_fix(subject, "Remove the comment"))
