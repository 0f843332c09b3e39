"""Rule TC105: `]]>` inside a CDATA section ends it too early.

Owns: the words and the fix for what the XML reader reports as `cdata-end`. Must not know: how it is detected.
"""

from callwright.rules.base import ErrorType, ProblemRule
from callwright.syntax.problem import Problem


class CdataEnd(ProblemRule):
    """A `]]>` inside a CDATA section ends the section too early.

    Why is this bad: CDATA has no escapes. The rest of the value is read as markup, and the `]]>` at its end is an
    error. Split the section in two, so that neither part contains `]]>`.

    Example
        <write_file><path>a.js</path><content><![CDATA[if (a[b[0]]>1) f();]]></content></write_file>
                                                                ^^^ TC105 "`]]>` ends the CDATA section here, before the value of `content` ends. Split it: `]]]]><![CDATA[>`."

    Use instead
        <write_file><path>a.js</path><content><![CDATA[if (a[b[0]]]]><![CDATA[>1) f();]]></content></write_file>
    """  # noqa: E501  an annotation is on one line

    code = "TC105"
    error_type = ErrorType.MALFORMED_XML

    def words(self, problem: Problem) -> tuple[str, str]:
        """Return the message, and the title of the repair."""
        name = problem.data["parameter"]
        message = f"`]]>` ends the CDATA section here, before the value of `{name}` ends. Split it: `]]]]><![CDATA[>`."
        return message, "Split the CDATA section"
