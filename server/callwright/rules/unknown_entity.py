"""Rule TC110: an entity that XML does not know.

Owns: the words and the fixes for what the XML reader reports as `unknown-entity`. Must not know: how it is detected.
"""

from collections.abc import Iterator
from html.entities import html5

from callwright.rules.base import Applicability, Diagnostic, ErrorType, Fix, ProblemRule, SyntaxSubject
from callwright.text.span import Edit


class UnknownEntity(ProblemRule):
    """An entity is not defined in XML.

    Why is this bad: XML has five entities, `&lt;` `&gt;` `&amp;` `&quot;` `&apos;`. HTML entities are errors, and the
    whole call is rejected. The rule applies only where values are known to be XML, like
    [unescaped-markup](unescaped-markup.md).

    Settings
        markup = "xml"

    Example
        <write_file><path>a.html</path><content>one&nbsp;two</content></write_file>
                                                   ^^^^^^ TC110 "`&nbsp;` is not an XML entity. Write `&amp;nbsp;` for the text, or the character itself."

    Use instead
        <write_file><path>a.html</path><content>one&amp;nbsp;two</content></write_file>
    """  # noqa: E501  an annotation is on one line

    code = "TC110"
    error_type = ErrorType.MALFORMED_XML

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Report the problem that the reader met."""
        name = subject.problem.data["name"]
        known = f"{name};" in html5
        instead = ", or the character itself." if known else "."
        message = f"`&{name};` is not an XML entity. Write `&amp;{name};` for the text{instead}"
        yield self.diagnostic(subject.problem.span, message, lambda: _fixes(subject))


def _fixes(subject: SyntaxSubject) -> Iterator[Fix]:
    """Which of the two was meant is a guess: the text of the entity, or its character."""
    problem = subject.problem
    name = problem.data["name"]
    yield Fix(f"Write `&amp;{name};`", problem.repair, Applicability.UNSAFE)
    character = html5.get(f"{name};")
    if character is not None and character not in "<&":
        yield Fix("Write the character", (Edit(problem.span, character),), Applicability.UNSAFE)
