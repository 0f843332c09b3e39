"""Rule TC218: a string holds one half of a surrogate pair.

Owns: the words and the fix for what the JSON reader calls `lone-surrogate`. Must not know: how it is found.
"""

from collections.abc import Iterator

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, ErrorType, Rule, Scope, Severity, SyntaxSubject, repair_fix
from callwright.text.words import quoted


class LoneSurrogate(Rule):
    r"""A string holds one half of a surrogate pair.

    Why is this bad: `\ud83d` alone is no character. Some parsers replace it, some refuse it, and writing it as
    UTF-8 fails.

    Example
        <debug_launch>{"program": "a\ud83d.py"}</debug_launch>
                                    ^^^^^^ TC218 "`\ud83d` is one half of a character; alone it cannot be written as UTF-8. Write both halves."

    Use instead
        <debug_launch>{"program": "a\ud83d\ude00.py"}</debug_launch>
    """  # noqa: E501  # a finding is quoted on one line

    code = "TC218"
    name = "lone-surrogate"
    scope = Scope.SYNTAX
    fast_path = FastPath.NEEDS_FAULT  # it reports what a reader calls a problem
    severity = Severity.WARNING
    error_type = ErrorType.MALFORMED_JSON
    problems = ("lone-surrogate",)

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Word the problem that the reader met."""
        found = subject.problem.data["text"]
        message = f"{quoted(found)} is one half of a character; alone it cannot be written as UTF-8. Write both halves."
        yield self.diagnostic(subject.problem.span, message, repair_fix(subject, "Replace it by `\\ufffd`"))
