"""Rule TC212: a key or a text stands in JSON without quotes.

Owns: the words and the fix for what the JSON reader calls `unquoted-key`, `unquoted-string`. Must not know: how it is
found.
"""

from collections.abc import Iterator

from callwright.rules.base import Diagnostic, ErrorType, Rule, Scope, SyntaxSubject, repair_fix
from callwright.text.words import quoted


class UnquotedKey(Rule):
    """A key or a text stands in JSON without quotes.

    Why is this bad: JavaScript allows bare keys, JSON does not; a parser rejects the call at the first bare word.

    Example
        <debug_launch>{program: "a.py"}</debug_launch>
                       ^^^^^^^ TC212 "The key `program` has no quotes; JSON wants double quotes around it."

    Use instead
        <debug_launch>{"program": "a.py"}</debug_launch>
    """

    code = "TC212"
    name = "unquoted-key"
    scope = Scope.SYNTAX
    error_type = ErrorType.MALFORMED_JSON
    problems = ("unquoted-key", "unquoted-string")

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Word the problem that the reader met."""
        if subject.problem.kind == "unquoted-key":
            message = (
                f"The key {quoted(subject.problem.data['key'])} has no quotes; JSON wants double quotes around it."
            )
        else:
            message = (
                f"The text {quoted(subject.problem.data['text'])} has no quotes; JSON strings are in double quotes."
            )
        yield self.diagnostic(subject.problem.span, message, repair_fix(subject, "Put it in double quotes"))
