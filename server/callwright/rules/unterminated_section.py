"""Rule TC108: a CDATA section or a comment never ends.

Owns: the words and the fix for what the XML reader reports as `unterminated-cdata`, `unterminated-comment`. Must not
know: how it is found.
"""

from collections.abc import Iterator
from typing import Final

from callwright.rules.base import (
    Diagnostic,
    ErrorType,
    ProblemRule,
    SyntaxSubject,
    repair_fix,
)
from callwright.rules.support.holes import at_hole

#: How many characters after a section's opener are searched for the rest of its end.
_NEAR: Final = 8_192


class UnterminatedSection(ProblemRule):
    """A CDATA section or a comment is never closed.

    Why is this bad: everything after it, including closing tags, is part of the section, so the call is never closed.

    Example
        <write_file><path>a.py</path><content><![CDATA[print(1)</content></write_file>
                                              ^^^^^^^^^^^^^^^^^ TC108 "This CDATA section is never closed. Write `]]>` at the end of the value."

    Use instead
        <write_file><path>a.py</path><content><![CDATA[print(1)]]></content></write_file>
    """  # noqa: E501  an annotation is on one line

    code = "TC108"
    error_type = ErrorType.MALFORMED_XML
    problems = ("unterminated-cdata", "unterminated-comment")

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Report the problem that the reader met."""
        problem = subject.problem
        if problem.data.get("by_truncation"):
            closers = "]]>" + "".join(f"</{name}>" for name in problem.data["names"])
            message = f"This CDATA section is never closed: the text ends inside the call. Insert `{closers}`."
            title = f"Insert `{closers}`"
        elif problem.kind == "unterminated-comment":
            message = "This comment is never closed. Write `-->` after it, or remove the `<!--`."
            title = "Remove the `<!--`"
        elif not problem.data.get("names"):
            message = "This CDATA section is never closed and is not in a parameter. Remove the `<![CDATA[`."
            title = "Remove the `<![CDATA[`"
        elif problem.data.get("closer"):
            closers = f"]]></{problem.data['names'][0]}>"
            message = f"This CDATA section is never closed, nor is its element. Insert `{closers}`."
            title = f"Insert `{closers}`"
        else:
            message = "This CDATA section is never closed. Write `]]>` at the end of the value."
            title = "Insert `]]>`"
        what = "comment" if problem.kind == "unterminated-comment" else "section"
        span, related = at_hole(subject, f"the {what} is opened here")
        fixes = repair_fix(subject, title)
        after = subject.text[problem.span.end : problem.span.end + _NEAR].partition("<![CDATA[")[0]
        if "]]" in after:
            # The rest of the section's end may be there.
            fixes = tuple(fix.as_guess() for fix in fixes)
        yield self.diagnostic(span, message, fixes, related=related)
