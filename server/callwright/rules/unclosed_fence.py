"""The rule `unclosed-fence`."""

from collections.abc import Iterator

from callwright.rules.base import (
    Applicability,
    Diagnostic,
    ErrorType,
    Fix,
    ProblemRule,
    Severity,
    SyntaxSubject,
)
from callwright.rules.support.holes import at_hole
from callwright.syntax.prose import line_start
from callwright.text.span import insert


class UnclosedFence(ProblemRule):
    """The fenced block that holds a call is never closed.

    Why is this bad: parsers that look for the closing fence find no block and no call, and the rest of the document is
    read as code.

    Example
        ```json
        {"tool": "read_file", "arguments": {"path": "a.py"}}
                                                           ^ TC113 "This fence is never closed. End it with ```` ``` ```` on a line of its own."

    Use instead
        ```json
        {"tool": "read_file", "arguments": {"path": "a.py"}}
        ```
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC113"
    severity = Severity.WARNING
    error_type = ErrorType.MALFORMED_JSON

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Yield the diagnostic for one fence."""
        data = subject.problem.data
        marker, at = str(data["marker"]), int(data["insert_at"])
        last = subject.text[line_start(subject.text, at) : at].strip()
        # A line of fewer fence characters may be the rest of the closer.
        remains = bool(last) and not last.strip(marker[0])
        applicability = Applicability.UNSAFE if remains else Applicability.SAFE
        fix = Fix("Close the fence", (insert(at, f"\n{marker}"),), applicability)
        message = f"This fence is never closed. End it with ```` {marker} ```` on a line of its own."
        span, related = at_hole(subject, "the fence is opened here")
        yield self.diagnostic(span, message, (fix,), related=related)
