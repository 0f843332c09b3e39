"""Rule TC102: a closing tag has another name than the opening tag.

Owns: the words and the fix for a `mismatched-tag` after which no parameter follows. Must not know: how it is detected.
"""

from collections.abc import Iterator

from callwright.rules.base import Diagnostic, ErrorType, ProblemRule, SyntaxSubject, repair_fix


class MismatchedTag(ProblemRule):
    """A closing tag has a different name from the opening tag.

    Why is this bad: an XML parser rejects the whole call, so the tool gets no arguments. Names are case-sensitive.

    Example
        <read_file><path>src/main.py</paht></read_file>
                                    ^^^^^^^ TC102 "`</paht>` does not close `<path>`. Write `</path>`."

    Use instead
        <read_file><path>src/main.py</path></read_file>
    """

    code = "TC102"
    error_type = ErrorType.MALFORMED_XML

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Report the problem, unless it swallows parameters: `swallowed-parameter` reports that."""
        problem = subject.problem
        if problem.data.get("swallows"):
            return
        written = problem.span.of(subject.text)
        marker = problem.data.get("marker")
        if marker:
            opening = problem.data["open"].of(subject.text).strip()
            opened, closer, title = opening, marker, f"Change to `{marker}`"
        else:
            expected = problem.data["expected"]
            opened, closer, title = f"<{expected}>", f"</{expected}>", f"Rename to `</{expected}>`"
        message = f"`{written}` does not close `{opened}`. Write `{closer}`."
        related = ((problem.data["open"], f"`{opened}` is opened here"),)
        fix = repair_fix(subject, title)
        yield self.diagnostic(problem.span, message, fix, related=related)
