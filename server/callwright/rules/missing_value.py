"""Rule TC219: a member of an object lacks its value or its key, or a parameter's key its value.

Owns: the words and the fix for what readers report as `missing-value`, and the JSON reader `missing-key`. Must not
know: how it is found.
"""

from collections.abc import Iterator

from callwright.rules.base import Diagnostic, ErrorType, ProblemRule, SyntaxSubject, repair_fix
from callwright.rules.support.holes import without_value
from callwright.text.words import quoted


class MissingValue(ProblemRule):
    """A member of an object lacks its value or its key.

    Why is this bad: JSON requires a key, a colon and a value; a parser rejects the whole call where one of them is
    missing.

    Example
        <debug_launch>{"program": "a.py", "mode": }</debug_launch>
                                          ^^^^^^^^ TC219 "The key `mode` has no value."

    Use instead
        <debug_launch>{"program": "a.py", "mode": "pytest"}</debug_launch>
    """

    code = "TC219"
    error_type = ErrorType.MALFORMED_JSON
    problems = ("missing-value", "missing-key")

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Report the problem that the reader met."""
        if subject.problem.kind == "missing-key":
            name = "name:" if subject.problem.data.get("format") else '"name": '
            message = f"Value without a key: every value in an object needs one. Write `{name}` before it."
            yield self.diagnostic(subject.problem.span, message)
            return
        message = f"The key {quoted(subject.problem.data['key'])} has no value."
        markers = subject.problem.data.get("markers")
        if markers:
            message += f" Write one between `{markers[0]}` and `{markers[1]}`, or remove the key."
        span = without_value(subject.text, subject.problem.span)
        found = self.diagnostic(span, message, repair_fix(subject, "Remove the key"))
        if markers:
            found.error_type = ErrorType.MALFORMED_XML
        yield found
