"""Rule TC112: a literal value holds its own closing tag.

Owns: the words for what the XML reader reports as `ambiguous-closer`. Must not know: how it is detected.
"""

from collections.abc import Iterator

from callwright.rules.base import Diagnostic, ErrorType, ProblemRule, Severity, SyntaxSubject, repair_fix
from callwright.rules.support.damage import with_truncated_marker


class AmbiguousCloser(ProblemRule):
    """A literal value holds its own closing tag.

    Why is this bad: some parsers end the value at the first closing tag, some at the last one, so the same call has
    different arguments in different systems. In `raw` markup nothing can be escaped; a JSON string can write the tag
    with an escape.

    Settings
        markup = "raw"

    Example
        <write_file><path>a.md</path><content>Write </content> last.</content></write_file>
                                                    ^^^^^^^^^^ TC112 "This `</content>` is read as part of the value; other parsers end the value here. Write the text without it."

    Use instead
        <write_file><path>a.md</path><content>Write the closing tag last.</content></write_file>
    """  # noqa: E501  an annotation is on one line

    code = "TC112"
    severity = Severity.WARNING
    error_type = ErrorType.MALFORMED_XML

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Report the problem that the reader met."""
        problem = subject.problem
        closer = problem.data.get("marker") or f"</{problem.data['name']}>"
        escaped = problem.data.get("escaped")
        message = (
            f"This `{closer}` is read as part of the value; other parsers end the value here."
            f" Write {f'it as `{escaped}`' if escaped else 'the text without it'}."
        )
        fix = repair_fix(subject, f"Write it as `{escaped}`") if escaped else ()
        related = ((problem.data["used"], "the value ends here"),)
        span = with_truncated_marker(subject.text, problem.span, problem.data["used"])
        yield self.diagnostic(span, message, fix, related=related)
