"""Rule TC205: a double quote inside a JSON string has no backslash.

Owns: the words and the fix for what the JSON reader reports as `unescaped-quote`. Must not know: how it is detected.
"""

from collections.abc import Iterator

from callwright.rules.base import Diagnostic, ErrorType, ProblemRule, SyntaxSubject, repair_fix
from callwright.rules.support.holes import with_backslashes
from callwright.text.words import counted


class UnescapedQuote(ProblemRule):
    r"""A double quote inside a JSON string has no backslash.

    Why is this bad: the quote ends the string, and what follows is not valid JSON. It happens most often with code in
    an argument.

    Example
        <debug_launch>{"program": "say "hello" now"}</debug_launch>
                                       ^ TC205 "2 unescaped quotes inside a string: the first one ends the string, and the call is rejected. Write `\"`."

    Use instead
        <debug_launch>{"program": "say \"hello\" now"}</debug_launch>
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC205"
    error_type = ErrorType.MALFORMED_JSON

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Report the problem that the reader met."""
        number = len(subject.problem.data["offsets"])
        quote = subject.problem.data.get("quote", '"')
        first = "it ends" if number == 1 else "the first one ends"
        message = (
            f"{counted(number, 'unescaped quote')} inside a string: {first} the string, and the call is rejected. "
            f"Write `\\{quote}`."
        )
        title = "Escape the quote" if number == 1 else f"Escape {counted(number, 'quote')}"
        yield self.diagnostic(with_backslashes(subject.text, subject.problem.span), message, repair_fix(subject, title))
