"""Rule TC208: a comma between two values, or the colon after a key, is missing.

Owns: the words and the fix for what the JSON reader calls `missing-comma`, `missing-colon`. Must not know: how it is
found.
"""

from collections.abc import Iterator

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, ErrorType, Rule, Scope, SyntaxSubject, repair_fix
from callwright.text.words import quoted


class MissingComma(Rule):
    """A comma between two values, or the colon after a key, is missing.

    Why is this bad: a JSON parser stops where the comma or colon should be and rejects the whole call.

    Example
        <debug_launch>{"program": "a.py" "mode": "pytest"}</debug_launch>
                                        ^ TC208 "A comma is missing between two values."

    Use instead
        <debug_launch>{"program": "a.py", "mode": "pytest"}</debug_launch>
    """

    code = "TC208"
    name = "missing-comma"
    scope = Scope.SYNTAX
    fast_path = FastPath.NEEDS_FAULT  # it reports what a reader calls a problem
    error_type = ErrorType.MALFORMED_JSON
    problems = ("missing-comma", "missing-colon")

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Word the problem that the reader met."""
        colon = subject.problem.kind == "missing-colon"
        mark, what = (":", "colon") if colon else (",", "comma")
        place = f"after the key {quoted(subject.problem.data['key'])}" if colon else "between two values"
        found = subject.problem.data["found"]
        if found:
            notation = subject.problem.data.get("notation", "JSON")
            message = f"{quoted(found)} stands where {notation} wants a {what} {place}."
            title = f"Replace {quoted(found)} by `{mark}`"
        else:
            message = f"A {what} is missing {place}."
            title = f"Insert `{mark}`"
        yield self.diagnostic(subject.problem.span, message, repair_fix(subject, title))
