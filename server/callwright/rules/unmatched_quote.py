"""Rule TC204: a string in JSON has only one of its two quotes.

Owns: the words and the fix for what the JSON reader reports as `unmatched-quote`. Must not know: how it is detected.
"""

from collections.abc import Iterator

from callwright.rules.base import Diagnostic, ErrorType, ProblemRule, SyntaxSubject, repair_fix
from callwright.rules.support.holes import Related, at_hole


class UnmatchedQuote(ProblemRule):
    """A string in JSON has only one of its two quotes.

    Why is this bad: everything up to the next quote is read as the string, including keys and brackets, and the call is
    rejected with an error at another place.

    Example
        <debug_launch>{"program": "a.py}</debug_launch>
                                  ^^^^^ TC204 "Unmatched quote: this string is never closed. Add a `"` at its end."

    Use instead
        <debug_launch>{"program": "a.py"}</debug_launch>
    """

    code = "TC204"
    error_type = ErrorType.MALFORMED_JSON

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Report the problem that the reader met."""
        related: Related = ()
        quote = subject.problem.data.get("marker", '"')
        if subject.problem.data["missing"] == "opening":
            message = f"Unmatched quote: the `{quote}` that opens this string is missing."
            title = "Insert the opening quote"
            span = subject.problem.span
        else:
            message = f"Unmatched quote: this string is never closed. Add a `{quote}` at its end."
            title = "Insert the closing quote"
            span, related = at_hole(subject, "the string is opened here")
        yield self.diagnostic(span, message, repair_fix(subject, title), related=related)
