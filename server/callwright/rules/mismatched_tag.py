"""Rule TC102: a closing tag bears another name than the opening tag.

Owns: the words and the fix for a `mismatched-tag` behind which no parameter follows. Must not know: how it is found.
"""

from collections.abc import Iterator

from callwright.rules.base import Diagnostic, ErrorType, Rule, Scope, SyntaxSubject, repair_fix


class MismatchedTag(Rule):
    """A closing tag bears another name than the opening tag.

    Why is this bad: an XML parser rejects the whole call, so the tool gets no arguments. Names are case-sensitive.

    Example
        <read_file><path>src/main.py</paht></read_file>
                                    ^^^^^^^ TC102 "`</paht>` does not close `<path>`. Write `</path>`."

    Use instead
        <read_file><path>src/main.py</path></read_file>
    """

    code = "TC102"
    name = "mismatched-tag"
    scope = Scope.SYNTAX
    error_type = ErrorType.MALFORMED_XML
    problems = ("mismatched-tag",)

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Word the problem that the reader met, unless it swallows parameters: another rule says so then."""
        problem = subject.problem
        if problem.data.get("swallows"):
            return
        written, expected = problem.span.of(subject.text), problem.data["expected"]
        message = f"`{written}` does not close `<{expected}>`. Write `</{expected}>`."
        related = ((problem.data["open"], f"`<{expected}>` is opened here"),)
        fix = repair_fix(subject, f"Rename to `</{expected}>`")
        yield self.diagnostic(problem.span, message, fix, related=related)
