"""Rule TC209: a string in JSON is in single quotes, back quotes or Python's three quotes.

Owns: the words and the fix for what the JSON reader calls `single-quotes`, `triple-quotes`. Must not know: how it is
found.
"""

from collections.abc import Iterator

from callwright.analysis.fast_paths import FastPath
from callwright.rules.base import Diagnostic, ErrorType, Rule, Scope, SyntaxSubject, repair_fix


class SingleQuotes(Rule):
    """A string in JSON is in single quotes, back quotes or Python's three quotes.

    Why is this bad: only double quotes make a string in JSON; a call written like a Python dictionary is rejected
    whole.

    Example
        <debug_launch>{"program": 'a.py'}</debug_launch>
                                  ^^^^^^ TC209 "Single quotes: JSON strings are in double quotes, and parsers reject anything else."

    Use instead
        <debug_launch>{"program": "a.py"}</debug_launch>
    """  # noqa: E501  # a finding is quoted on one line

    code = "TC209"
    name = "single-quotes"
    scope = Scope.SYNTAX
    fast_path = FastPath.NEEDS_FAULT  # it reports what a reader calls a problem
    error_type = ErrorType.MALFORMED_JSON
    problems = ("single-quotes", "triple-quotes")

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Word the problem that the reader met."""
        quote = subject.problem.data["quote"]
        name = {"'": "Single quotes", "`": "Back quotes"}.get(quote, "Three quotes")
        message = f"{name}: JSON strings are in double quotes, and parsers reject anything else."
        yield self.diagnostic(subject.problem.span, message, repair_fix(subject, "Use double quotes"))
