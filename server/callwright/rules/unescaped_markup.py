"""Rule TC104: a value holds `<` or `&` that is not escaped.

Owns: the words and the fixes for what the XML reader calls `unescaped-markup`. Must not know: how it is found.
"""

from collections.abc import Iterator

from callwright.rules.base import Applicability, Diagnostic, ErrorType, Fix, Rule, Scope, SyntaxSubject
from callwright.syntax.xml import cdata, escape_text
from callwright.text.span import Edit

_SHOWN = 40
_NEWLINES = ("\r\n", "\n", "\r")


class UnescapedMarkup(Rule):
    """A value holds `<` or `&` that is neither escaped nor inside CDATA.

    Why is this bad: an XML parser takes it for markup and rejects the whole call, or reads tags that were meant as
    text. A lenient parser may end the value too early.

    Example
        <write_file><path>a.py</path><content>if a < b: pass</content></write_file>
                                                   ^ TC104 "`content` holds an unescaped `<`, which XML takes for markup. Wrap the value in CDATA."

    Use instead
        <write_file><path>a.py</path><content><![CDATA[if a < b: pass]]></content></write_file>

    Example
        <write_file><path>a.ts</path><content>let x: Array<T> = [];</content></write_file>
                                                          ^^^ TC104 "`content` holds `<T>`, which XML takes for markup. Wrap the value in CDATA."

    Use instead
        <write_file><path>a.ts</path><content><![CDATA[let x: Array<T> = [];]]></content></write_file>
    """  # noqa: E501  an annotation stands on one line

    code = "TC104"
    name = "unescaped-markup"
    scope = Scope.SYNTAX
    error_type = ErrorType.MALFORMED_XML
    problems = ("unescaped-markup",)

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Word the problem that the reader met."""
        problem = subject.problem
        found = problem.span.of(subject.text)
        shown = found if len(found) <= _SHOWN else found[: _SHOWN - 1] + "…"
        shown = " ".join(shown.split())
        what = f"an unescaped `{found}`" if len(found) == 1 else f"`{shown}`"
        where = f"`{problem.data['parameter']}` holds {what}, which XML takes for markup."
        if problem.data.get("beside"):
            message = f"{where} Escape it, or remove it."
        else:
            more = len(problem.data["spans"]) - 1
            also = f" (and {more} more place{'s' if more > 1 else ''})" if more > 0 else ""
            message = f"{where[:-1]}{also}. Wrap the value in CDATA."
        yield self.diagnostic(problem.span, message, lambda: _fixes(subject))


def _fixes(subject: SyntaxSubject) -> Iterator[Fix]:
    problem = subject.problem
    if problem.data.get("beside"):
        if problem.repair:
            yield Fix("Escape as an entity", problem.repair, Applicability.SAFE)
        return
    value, text = problem.data["value"], problem.data["text"]
    # The newlines next to the tags belong to the notation: inside CDATA they would belong to the value.
    inner = text
    for newline in _NEWLINES:
        if inner.startswith(newline):
            inner = inner[len(newline) :]
            break
    for newline in _NEWLINES:
        if inner.endswith(newline):
            inner = inner[: -len(newline)]
            break
    yield Fix("Wrap in CDATA", (Edit(value, cdata(inner)),))
    yield Fix("Escape as entities", (Edit(value, escape_text(text)),))
