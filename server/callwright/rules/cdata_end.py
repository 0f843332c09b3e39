"""Rule TC105: `]]>` inside a CDATA section ends it too early.

Owns: the words and the fix for what the XML reader calls `cdata-end`. Must not know: how it is found.
"""

from collections.abc import Iterator

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, ErrorType, Rule, Scope, SyntaxSubject, repair_fix


class CdataEnd(Rule):
    """A `]]>` inside a CDATA section ends the section too early.

    Why is this bad: CDATA has no escapes. The rest of the value is read as markup, and the `]]>` at its end is an
    error. Split the section in two, so that no `]]>` stands in either.

    Example
        <write_file><path>a.js</path><content><![CDATA[if (a[b[0]]>1) f();]]></content></write_file>
                                                                ^^^ TC105 "`]]>` ends the CDATA section here, before the value of `content` ends. Split it: `]]]]><![CDATA[>`."

    Use instead
        <write_file><path>a.js</path><content><![CDATA[if (a[b[0]]]]><![CDATA[>1) f();]]></content></write_file>
    """  # noqa: E501  an annotation stands on one line

    code = "TC105"
    name = "cdata-end"
    scope = Scope.SYNTAX
    fast_path = FastPath.NEEDS_FAULT  # it reports what a reader calls a problem
    error_type = ErrorType.MALFORMED_XML
    problems = ("cdata-end",)

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Word the problem that the reader met."""
        name = subject.problem.data["parameter"]
        message = f"`]]>` ends the CDATA section here, before the value of `{name}` ends. Split it: `]]]]><![CDATA[>`."
        yield self.diagnostic(subject.problem.span, message, repair_fix(subject, "Split the CDATA section"))
