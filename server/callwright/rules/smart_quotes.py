"""Rule TC210: a string in JSON is in typographic quotes.

Owns: the words and the fix for what the JSON reader calls `smart-quotes`. Must not know: how it is found.
"""

from collections.abc import Iterator

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, ErrorType, Rule, Scope, SyntaxSubject, repair_fix


class SmartQuotes(Rule):
    """A string in JSON is in typographic quotes.

    Why is this bad: word processors and some models turn `"` into `“` and `”`, which look right and are ordinary
    letters to a JSON parser.

    Example
        <debug_launch>{"program": “a.py”}</debug_launch>
                                  ^^^^^^ TC210 "Typographic quote `“`: JSON strings are in straight double quotes `"`."

    Use instead
        <debug_launch>{"program": "a.py"}</debug_launch>
    """

    code = "TC210"
    name = "smart-quotes"
    scope = Scope.SYNTAX
    fast_path = FastPath.NEEDS_FAULT  # it reports what a reader calls a problem
    error_type = ErrorType.MALFORMED_JSON
    problems = ("smart-quotes",)

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Word the problem that the reader met."""
        found = subject.problem.data["quote"]
        if subject.problem.data.get("notation"):
            message = f"Typographic quote `{found}`: strings are in straight quotes."
            title = "Use straight quotes"
        else:
            message = f'Typographic quote `{found}`: JSON strings are in straight double quotes `"`.'
            title = "Use straight double quotes"
        yield self.diagnostic(subject.problem.span, message, repair_fix(subject, title))
