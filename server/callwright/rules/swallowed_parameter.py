"""Rule TC106: a wrong closing tag makes a value swallow the parameters after it.

Owns: the words and the fix for a `mismatched-tag` after which parameters follow. Must not know: how it is detected.
"""

from collections.abc import Iterator

from callwright.rules.base import Diagnostic, ErrorType, ProblemRule, SyntaxSubject, repair_fix


class SwallowedParameter(ProblemRule):
    """A wrong closing tag makes a value swallow the parameters after it.

    Why is this bad: a parser that looks for the right closing tag reads everything up to it, or up to the end of the
    call, as the value. The later parameters disappear without an error, or the error says that they are missing, which
    misleads the model.

    Example
        <write_file><content>print(1)</contnt><path>a.py</path></write_file>
                                     ^^^^^^^^^ TC106 "`</contnt>` does not close `<content>`, so the value swallows `path`. Write `</content>`."

    Use instead
        <write_file><content>print(1)</content><path>a.py</path></write_file>
    """  # noqa: E501  an annotation is on one line

    code = "TC106"
    error_type = ErrorType.MALFORMED_XML
    problems = ("mismatched-tag",)

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Report the problem that the reader met, if parameters follow."""
        problem = subject.problem
        swallowed = problem.data.get("swallows")
        if not swallowed:
            return
        written, expected = problem.span.of(subject.text), problem.data["expected"]
        shown = ", ".join(f"`{name}`" for name in swallowed[:5]) + (" and more" if len(swallowed) > 5 else "")
        message = f"`{written}` does not close `<{expected}>`, so the value swallows {shown}. Write `</{expected}>`."
        related = ((problem.data["open"], f"`<{expected}>` is opened here"),)
        fix = repair_fix(subject, f"Rename to `</{expected}>`")
        yield self.diagnostic(problem.span, message, fix, related=related)
