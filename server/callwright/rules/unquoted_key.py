"""Rule TC212: a key or a text is in JSON without quotes.

Owns: the words and the fix for what the JSON reader reports as `unquoted-key`, `unquoted-string`. Must not know: how it
is detected.
"""

import re
from collections.abc import Iterator
from typing import Final

from callwright.rules.base import Diagnostic, ErrorType, ProblemRule, SyntaxSubject, repair_fix
from callwright.text.words import quoted

_MARKERS: Final = re.compile(r"[\"'{}\[\]:,]")


class UnquotedKey(ProblemRule):
    """A key or a string in JSON has no quotes.

    Why is this bad: JavaScript allows bare keys, JSON does not; a parser rejects the call at the first bare word.

    Example
        <debug_launch>{program: "a.py"}</debug_launch>
                       ^^^^^^^ TC212 "The key `program` has no quotes; JSON requires double quotes around it."

    Use instead
        <debug_launch>{"program": "a.py"}</debug_launch>
    """

    code = "TC212"
    error_type = ErrorType.MALFORMED_JSON
    problems = ("unquoted-key", "unquoted-string")

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Report the problem that the reader met."""
        format_ = subject.problem.data.get("format", "JSON")
        quotes = "double quotes" if format_ == "JSON" else "quotes"
        if subject.problem.kind == "unquoted-key":
            key = quoted(subject.problem.data["key"])
            message = f"The key {key} has no quotes; {format_} requires {quotes} around it."
        else:
            text = quoted(subject.problem.data["text"])
            message = f"The text {text} has no quotes; {format_} strings require {quotes}."
        fixes = repair_fix(subject, f"Write it in {quotes}")
        if _MARKERS.search(str(subject.problem.data.get("key", ""))):
            # The character does not belong to a key: what is missing may be elsewhere.
            fixes = tuple(fix.as_guess() for fix in fixes)
        yield self.diagnostic(subject.problem.span, message, fixes)
