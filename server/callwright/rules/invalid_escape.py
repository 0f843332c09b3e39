"""Rule TC214: a backslash in JSON is before a character that it cannot escape.

Owns: the words and the fix for what the JSON reader reports as `bad-escape`, `escaped-quotes`. Must not know: how it is
detected.
"""

from collections.abc import Iterator

from callwright.rules.base import Diagnostic, ErrorType, ProblemRule, SyntaxSubject, repair_fix
from callwright.rules.support.holes import with_backslashes
from callwright.text.words import quoted


class InvalidEscape(ProblemRule):
    r"""A backslash in JSON precedes a character that it cannot escape.

    Why is this bad: after a backslash JSON allows only `"`, `\`, `/`, `b`, `f`, `n`, `r`, `t` and `u` with four hex
    digits. A Windows path or a regular expression with single backslashes breaks the whole call.

    Example
        <debug_launch>{"program": "it\'s.py"}</debug_launch>
                                     ^^ TC214 "`\'` is not a valid JSON escape. Remove the backslash."

    Use instead
        <debug_launch>{"program": "it's.py"}</debug_launch>
    """

    code = "TC214"
    error_type = ErrorType.MALFORMED_JSON
    problems = ("bad-escape", "escaped-quotes")

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Report the problem that the reader met."""
        data = subject.problem.data
        more = len(data["spans"]) - 1
        if subject.problem.kind == "escaped-quotes":
            others = f" (and those of {more} more)" if more else ""
            message = (
                f"The quotes around the string {quoted(data['text'])} are escaped{others}; JSON requires plain quotes."
            )
            yield self.diagnostic(subject.problem.span, message, repair_fix(subject, "Remove the backslashes"))
            return
        others = f" ({more} more in this string)" if more else ""
        remedy = "Remove the backslash." if data["text"] == "\\'" else "Write `\\\\` for a backslash."
        message = f"{quoted(data['text'])} is not a valid {data.get('format', 'JSON')} escape{others}. {remedy}"
        span = with_backslashes(subject.text, subject.problem.span)
        yield self.diagnostic(span, message, repair_fix(subject, "Fix the escape"))
