"""Rule TC202: closing braces or brackets are missing.

Owns: the words and the fix for what the JSON reader reports as `missing-closers`. Must not know: how it is detected.
"""

from collections.abc import Iterator
from typing import Final

from callwright.rules.base import Diagnostic, ErrorType, ProblemRule, SyntaxSubject, repair_fix
from callwright.rules.support.holes import among_closers
from callwright.text.holes import HOLE
from callwright.text.words import counted, quoted

#: As much text before the place is asked whether it ends with a template's expression.
_NEAR: Final = 40


class MissingCloser(ProblemRule):
    """Closing braces or brackets are missing.

    Why is this bad: the JSON never ends, so a parser rejects it and the tool gets no arguments. It happens when a model
    is cut off inside a call, or when `}}}` is miscounted.

    Example
        <debug_launch>{"program": "a.py", "args": ["-v"]</debug_launch>
                                                       ^ TC202 "1 closing brace is missing: `}`. The JSON never ends without, and parsers reject the whole call."

    Use instead
        <debug_launch>{"program": "a.py", "args": ["-v"]}</debug_launch>
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC202"
    error_type = ErrorType.MALFORMED_JSON
    problems = ("missing-closers",)

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Report the problem that the reader met."""
        data = subject.problem.data
        braces, brackets, closers = data["braces"], data["brackets"], data["text"]
        noun = "closing brace" if not brackets else "closing bracket"
        verb = "is" if braces + brackets == 1 else "are"
        message = f"{counted(braces + brackets, noun)} {verb} missing: {quoted(closers, 12)}."
        title = f"Insert {quoted(closers, 12)}"
        if data.get("dangling"):
            title = "Close it where it is complete"
            message += " The text ends in the middle of a value."
        else:
            what = "arguments never end" if data.get("format") else "JSON never ends"
            message += f" The {what} without, and parsers reject the whole call."
        span = subject.problem.span
        if span.start == span.end:
            span = among_closers(subject.text, span.start)
        fixes = repair_fix(subject, title)
        at = subject.problem.span.start
        if subject.text[max(at - _NEAR, 0) : at].rstrip().endswith(HOLE):
            # The template's expression may have the closers: `{{ name }, "more": 1}}` is one.
            fixes = tuple(fix.as_guess() for fix in fixes)
        yield self.diagnostic(span, message, fixes)
