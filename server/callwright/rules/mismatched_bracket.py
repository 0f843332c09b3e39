"""Rule TC203: an array is closed with `}` or an object with `]`.

Owns: the words and the fix for what the JSON reader reports as `mismatched-bracket`. Must not know: how it is detected.
"""

from collections.abc import Iterator

from callwright.rules.base import Diagnostic, ErrorType, ProblemRule, SyntaxSubject, repair_fix


class MismatchedBracket(ProblemRule):
    """An array is closed with `}` or an object with `]`.

    Why is this bad: brackets in JSON must match; a parser rejects the whole call at the wrong one.

    Example
        <debug_launch>{"program": "a.py", "args": ["-v"}}</debug_launch>
                                                       ^ TC203 "Mismatched `}`: close the array with `]`."

    Use instead
        <debug_launch>{"program": "a.py", "args": ["-v"]}</debug_launch>
    """

    code = "TC203"
    error_type = ErrorType.MALFORMED_JSON

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Report the problem that the reader met."""
        data = subject.problem.data
        found, expected, opener = data["found"], data["expected"], data["opener"]
        what = "array" if expected == "]" else "object"
        message = f"Mismatched `{found}`: close the {what} with `{expected}`."
        yield self.diagnostic(
            subject.problem.span,
            message,
            repair_fix(subject, f"Replace `{found}` with `{expected}`"),
            related=((opener, f"the {what} is opened here"),),
        )
