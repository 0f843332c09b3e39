"""Rule TC103: a closing tag closes nothing.

Owns: the words and the fix for what the XML reader calls `stray-closing-tag`. Must not know: how it is found.
"""

from collections.abc import Iterator

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, ErrorType, Rule, Scope, SyntaxSubject, repair_fix


class StrayClosingTag(Rule):
    """A closing tag closes nothing that is open.

    Why is this bad: an XML parser rejects the whole call at this tag.

    Example
        <read_file><path>src/main.py</path></parameters></read_file>
                                           ^^^^^^^^^^^^^ TC103 "`</parameters>` closes nothing. Remove it, or write the opening tag."

    Use instead
        <read_file><path>src/main.py</path></read_file>
    """  # noqa: E501  an annotation stands on one line

    code = "TC103"
    name = "stray-closing-tag"
    scope = Scope.SYNTAX
    fast_path = FastPath.NEEDS_FAULT  # it reports what a reader calls a problem
    error_type = ErrorType.MALFORMED_XML
    problems = ("stray-closing-tag",)

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Word the problem that the reader met."""
        marker = subject.problem.data.get("marker")
        closer, opener = (marker, "opening marker") if marker else (f"</{subject.problem.data['name']}>", "opening tag")
        message = f"`{closer}` closes nothing. Remove it, or write the {opener}."
        if subject.problem.data.get("twice"):
            message = f"`{closer}` opens nothing: the call behind it begins with another. Remove it."
        yield self.diagnostic(
            subject.problem.span,
            message,
            repair_fix(subject, f"Remove `{closer}`" if marker else "Remove the closing tag"),
        )
