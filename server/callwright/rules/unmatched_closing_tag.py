"""Rule TC103: a closing tag closes nothing.

Owns: the words and the fix for what the XML reader reports as `unmatched-closing-tag`. Must not know: how it is
detected.
"""

from callwright.rules.base import ErrorType, ProblemRule
from callwright.syntax.problem import Problem


class UnmatchedClosingTag(ProblemRule):
    """A closing tag has no opening tag.

    Why is this bad: an XML parser rejects the whole call at this tag.

    Example
        <read_file><path>src/main.py</path></parameters></read_file>
                                           ^^^^^^^^^^^^^ TC103 "Unmatched `</parameters>`. Remove it, or insert the opening tag."

    Use instead
        <read_file><path>src/main.py</path></read_file>
    """  # noqa: E501  an annotation is on one line

    code = "TC103"
    error_type = ErrorType.MALFORMED_XML

    def words(self, problem: Problem) -> tuple[str, str]:
        """Return the message, and the title of the repair."""
        marker = problem.data.get("marker")
        closer, opener = (marker, "opening marker") if marker else (f"</{problem.data['name']}>", "opening tag")
        message = f"Unmatched `{closer}`. Remove it, or insert the {opener}."
        if problem.data.get("twice"):
            message = f"Unmatched `{closer}`: the call after it has its own opener. Remove it."
        return message, f"Remove `{closer}`" if marker else "Remove the closing tag"
