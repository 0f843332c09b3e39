"""Rule TC201: a closing brace or bracket closes nothing.

Owns: the words and the fix for what the JSON reader reports as `extra-closers`. Must not know: how it is detected.
"""

from collections.abc import Iterator

from callwright.rules.base import Diagnostic, ErrorType, ProblemRule, SyntaxSubject, repair_fix
from callwright.rules.support.holes import with_doubled
from callwright.text.words import counted, listed, quoted


class ExtraCloser(ProblemRule):
    """A closing brace or bracket closes nothing.

    Why is this bad: the JSON is complete before it, or it ends an object too early. `JSON.parse` and `json.loads` stop
    with "Extra data" and reject the whole call, so the tool never runs.

    Example
        <debug_launch>{"program": "a.py"}}</debug_launch>
                                         ^ TC201 "1 extra closing brace `}`: the JSON is complete before it, and parsers reject the whole call. Remove it."

    Use instead
        <debug_launch>{"program": "a.py"}</debug_launch>
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC201"
    error_type = ErrorType.MALFORMED_JSON
    problems = ("extra-closers",)

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Report the problem that the reader met."""
        data = subject.problem.data
        braces, brackets = data["braces"], data["brackets"]
        kinds = [
            counted(n, noun) for n, noun in ((braces, "extra closing brace"), (brackets, "extra closing bracket")) if n
        ]
        them = "it" if braces + brackets == 1 else "them"
        if subject.problem.certain or data.get("complete"):
            what = "arguments are" if data.get("format") else "JSON is"
            why = f"the {what} complete before {them}, and parsers reject the whole call"
        else:
            why = "an object or array ends too early, and parsers reject what follows"
        message = f"{listed(kinds)} {quoted(data['text'], 12)}: {why}. Remove {them}."
        span = with_doubled(subject.text, subject.problem.span)
        yield self.diagnostic(span, message, repair_fix(subject, f"Remove {quoted(data['text'], 12)}"))
