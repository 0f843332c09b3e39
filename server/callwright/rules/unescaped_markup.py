"""Rule TC104: a value holds `<` or `&` that is not escaped.

Owns: the words and the fixes for what the XML reader reports as `unescaped-markup`. Must not know: how it is detected.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from callwright.dialects.catalogue import find_dialect
from callwright.rules.base import Applicability, Diagnostic, ErrorType, Fix, ProblemRule, SyntaxSubject
from callwright.syntax.xml import cdata, escape_text
from callwright.syntax.xml_recover import kind_of
from callwright.text.span import Edit, Span

_SHOWN = 40
#: How many parts of a tool's schema are searched for names of elements.
_MAX_SCHEMAS = 2000
_REFERENCE = re.compile(r"&(?:lt|gt|amp|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});")
_HALF_REFERENCE = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#\d{1,7}+|#x[0-9a-fA-F]{1,6}+)(?!;)")
_TAG = re.compile(r"</?([A-Za-z_][\w.\-]*+)")
_NEWLINES = ("\r\n", "\n", "\r")


class UnescapedMarkup(ProblemRule):
    """A value contains `<` or `&` that is neither escaped nor inside CDATA.

    Why is this bad: an XML parser reads it as markup and rejects the whole call, or reads text as tags. A lenient
    parser may end the value too early.

    Some products read values literally, up to the closing tag: then nothing may be escaped. So the rule applies only
    where values are known to be XML: by the setting `markup`, by the tool set, by the dialect (`tool-call-xml`), or by
    a document that writes or teaches CDATA sections or entities. If your values are literal, set `markup = "raw"` in
    `callwright.toml` or in the tool set; then `<` and `&` are not reported.

    Settings
        markup = "xml"

    Example
        <write_file><path>a.py</path><content>if a < b: pass</content></write_file>
                                                   ^ TC104 "`content` contains an unescaped `<`, which XML reads as markup. Wrap the value in CDATA."

    Use instead
        <write_file><path>a.py</path><content><![CDATA[if a < b: pass]]></content></write_file>

    Example
        <write_file><path>a.ts</path><content>let x: Array<T> = [];</content></write_file>
                                                          ^^^ TC104 "`content` contains `<T>`, which XML reads as markup. Wrap the value in CDATA."

    Use instead
        <write_file><path>a.ts</path><content><![CDATA[let x: Array<T> = [];]]></content></write_file>
    """  # noqa: E501  an annotation is on one line

    code = "TC104"
    error_type = ErrorType.MALFORMED_XML

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Report the problem that the reader met."""
        problem = subject.problem
        found = problem.span.of(subject.text)
        shown = found if len(found) <= _SHOWN else found[: _SHOWN - 1] + "…"
        shown = " ".join(shown.split())
        what = f"an unescaped `{found}`" if len(found) == 1 else f"`{shown}`"
        where = f"`{problem.data['parameter']}` contains {what}, which XML reads as markup."
        # The remedy is left out where the markup is configured already.
        known = subject.settings.strict or _is_stated(subject)
        if problem.data.get("beside"):
            message = f"{where} Escape it, or remove it."
        else:
            more = len(problem.data["spans"]) - 1
            also = f" (and {more} more place{'s' if more > 1 else ''})" if more > 0 else ""
            literal = "" if known else ', or set `markup = "raw"` if values are literal'
            message = f"{where[:-1]}{also}. Wrap the value in CDATA{literal}."
        # The `&` may begin a reference without its end.
        half = _HALF_REFERENCE.match(subject.text, problem.span.start) if found == "&" else None
        span = problem.span if half is None else Span(*half.span())
        yield self.diagnostic(span, message, lambda: _fixes(subject))


def _is_stated(subject: SyntaxSubject) -> bool:
    """Return whether a setting, a tool set or the dialect defines how values are written."""
    call = subject.call
    if subject.settings.markup is not None or call is None:
        return subject.settings.markup is not None
    dialect = find_dialect(call.dialect)
    by_tool = call.tool is not None and subject.tools.markup(call.tool) is not None
    return by_tool or (dialect is not None and dialect.markup is not None)


def _fixes(subject: SyntaxSubject) -> Iterator[Fix]:
    problem = subject.problem
    if problem.data.get("beside"):
        if problem.repair:
            yield Fix("Escape as an entity", problem.repair, Applicability.SAFE)
        return
    value, text = problem.data["value"], problem.data["text"]
    # The newlines next to the tags belong to the markup: inside CDATA they would belong to the value.
    inner = text
    for newline in _NEWLINES:
        if inner.startswith(newline):
            inner = inner[len(newline) :]
            break
    for newline in _NEWLINES:
        if inner.endswith(newline):
            inner = inner[: -len(newline)]
            break
    written = value.of(subject.text)
    single = len(problem.data["spans"]) == 1 and problem.data["chars"] in ("<", "&")
    if single and problem.repair and _REFERENCE.search(written) and "<![CDATA[" not in written:
        # The author writes entities elsewhere in the value: this one character was forgotten.
        applicability = Applicability.UNSAFE if _HALF_REFERENCE.search(written) else Applicability.SAFE
        yield Fix("Escape as an entity", problem.repair, applicability)
        applicability = Applicability.UNSAFE
    else:
        applicability = Applicability.SAFE if _is_text(subject, written) else Applicability.UNSAFE
    yield Fix("Wrap in CDATA", (Edit(value, cdata(inner)),), applicability)
    yield Fix("Escape as entities", (Edit(value, escape_text(text)),), applicability)


def _is_text(subject: SyntaxSubject, written: str) -> bool:
    """Return whether what looks like markup in a value can be nothing but text.

    The end of a section without its opener, an entity without its end, tags of the call's own elements and a repeated
    opener of the parameter may be damaged markup.
    """
    if written.lstrip().startswith(f"<{subject.problem.data['parameter']}>"):
        return False
    if written.rstrip().endswith("]]>") and "<![CDATA[" not in written:
        return False
    if written.count("CDATA") > written.count("<![CDATA[") or _HALF_REFERENCE.search(written):
        return False
    tool = subject.call.tool if subject.call is not None else None
    parameters = subject.tools.parameters(tool) if tool is not None else None
    if "<" in written and _REFERENCE.search(written):
        return False  # in a section the entities would be text
    if parameters is None:
        return "</" not in written
    name = subject.problem.data["parameter"]
    own = {name, "item", *_members(parameters)}
    if any(tag[1] in own for tag in _TAG.finditer(written)):
        return False
    return kind_of(parameters.get(name)) == "text" or "</" not in written


def _members(schema: Any) -> Iterator[str]:
    """Yield the names of members anywhere in schemas: those are names of elements."""
    open_schemas: list[Any] = [{"properties": schema}]
    for _ in range(_MAX_SCHEMAS):
        if not open_schemas:
            return
        one = open_schemas.pop()
        if isinstance(one, list):
            open_schemas += one
        elif isinstance(one, Mapping):
            named = one.get("properties")
            if isinstance(named, Mapping):
                yield from map(str, named)
                open_schemas += named.values()
            open_schemas += [value for key, value in one.items() if key != "properties"]
