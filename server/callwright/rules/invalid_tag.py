"""Rule TC109: a tag, comment or declaration is not written as XML demands.

Owns: the words and the fixes for what the XML reader reports as `broken-attribute`, `truncated-tag`, `doctype`,
`attribute-argument`, `comment-dashes`. Must not know: how they are detected.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

from callwright.rules.base import (
    Applicability,
    Diagnostic,
    ErrorType,
    Fix,
    ProblemRule,
    SyntaxSubject,
    repair_fix,
)
from callwright.text.span import Edit
from callwright.tools.parameters import types_of

#: The dialect whose tags contain one JSON object.
_JSON_IN_TAG: Final = "xml-json"

_ATTRIBUTE = {
    "missing-quotes": ("The value of attribute `{name}` has no quotes. Write it in quotes.", "Add quotes"),
    "unclosed-quote": ("The value of attribute `{name}` is never closed. Insert the quote.", "Insert the quote"),
    "odd-quotes": (
        'The value of attribute `{name}` is not in quotes that XML allows. Write `"`.',
        "Write quotes",
    ),
    "misnamed": ("Unexpected attribute `{name}`: parsers look for `{found}`.", "Rename to `{found}`"),
    "missing-value": ("Attribute `{name}` has no value. Write one in quotes, or remove the attribute.", ""),
    "missing-equals": ('Attribute `{name}` has no value. Write `{name}="…"`, or remove it.', "Insert `=`"),
    "missing-space": ("Attribute `{name}` follows without a space. Insert one.", "Insert a space"),
    "less-than": ("The value of attribute `{name}` contains an unescaped `<`. Write `&lt;`.", "Escape as entities"),
    "ampersand": ("Unescaped `&` in an attribute. Write `&amp;`.", "Escape as an entity"),
    "duplicate": ("Duplicate attribute `{name}`. Remove one.", "Remove the second"),
    "closing-tag": ("A closing tag cannot have attributes. Remove `{name}`.", ""),
    "unexpected": ("Unexpected `{found}` in a tag. Remove it.", ""),
}


class InvalidTag(ProblemRule):
    """A tag, a comment or a declaration is not valid XML.

    Why is this bad: an XML parser rejects the whole call. Attributes on a tool's tag are worse where its arguments are
    to be child elements or JSON: many parsers silently ignore them, and the tool gets no arguments. A document that
    writes several calls of a tool this way uses its own convention, and is not reported; if attributes are your
    arguments, set `dialect = "xml-attributes"`.

    Settings
        dialect = "xml-children"

    Example
        <read_file path="src/main.py"/>
                   ^^^^^^^^^^^^^^^^^^ TC109 "Attributes on `<read_file>` are not arguments. Write each as a child element."
         ^^^^^^^^^ TC302 "`read_file` requires `path`, which is missing."

    Use instead
        <read_file><path>src/main.py</path></read_file>

    Example
        <read_file><path kind=x>src/main.py</path></read_file>
                         ^^^^^^ TC109 "The value of attribute `kind` has no quotes. Write it in quotes."

    Use instead
        <read_file><path kind="x">src/main.py</path></read_file>
    """  # noqa: E501  an annotation is on one line

    code = "TC109"
    error_type = ErrorType.MALFORMED_XML
    problems = ("broken-attribute", "truncated-tag", "doctype", "attribute-argument", "comment-dashes")

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Report the problem that the reader met."""
        problem = subject.problem
        if problem.kind == "attribute-argument":
            found = self._misplaced(subject)
            # The markup is valid, but parsers of the tool's dialect do not read arguments there.
            found.error_type = ErrorType.SCHEMA_VALIDATION
            yield found
            return
        message, title = _WORDS[problem.kind](problem.data)
        yield self.diagnostic(problem.span, message, repair_fix(subject, title))

    def _misplaced(self, subject: SyntaxSubject) -> Diagnostic:
        problem = subject.problem
        message = f"Attributes on `<{problem.data['name']}>` are not arguments."
        if subject.settings.dialect != _JSON_IN_TAG:
            fixes = repair_fix(subject, "Write the attributes as child elements")
            return self.diagnostic(problem.span, f"{message} Write each as a child element.", fixes)
        message += " Write them as one JSON object between the tags."
        return self.diagnostic(problem.span, message, lambda: _as_json(subject))


def _as_json(subject: SyntaxSubject) -> Iterator[Fix]:
    """Offer to write the attributes as the JSON object of an empty element, where all of them are texts."""
    problem, call = subject.problem, subject.call
    tools = subject.tools.get(call.tool) if call is not None and call.tool is not None else ()
    if not problem.repair or not tools:
        return
    (edit,) = problem.repair
    opener = f"</{problem.data['name']}>"
    closer = opener if edit.text.endswith(opener) else ""
    texts = all(
        name in tools[0].parameters
        and "string" in (types_of(tools[0].parameters[name].schema, tools[0].input_schema) or ("string",))
        for name in problem.data["attributes"]
    )
    if texts and (closer or subject.text.startswith("</", edit.span.end)):
        members = dict(zip(problem.data["attributes"], problem.data["values"], strict=True))
        written = f">{json.dumps(members, ensure_ascii=False)}{closer}"
        yield Fix("Write the attributes as JSON", (Edit(edit.span, written),), Applicability.UNSAFE)


def _attribute(data: Any) -> tuple[str, str]:
    message, title = _ATTRIBUTE[data["reason"]]
    words = {"name": data.get("name", ""), "found": str(data.get("found", ""))[:40]}
    return message.format(**words), title.format(**words)


def _truncated(data: Any) -> tuple[str, str]:
    written = str(data["text"])
    shown = written if len(written) <= 40 else written[:39] + "…"
    if data.get("by_truncation"):
        return f"`{shown}` is an incomplete tag: the text ends inside the call. Complete the tag.", "Complete the call"
    return f"The tag `{shown}` has no `>`. Insert it.", "Insert `>`"


def _doctype(data: Any) -> tuple[str, str]:
    if data["what"] == "doctype":
        return "A DOCTYPE is not allowed in a call: parsers reject it for security. Remove it.", "Remove the DOCTYPE"
    return "An XML declaration is not allowed in a call. Remove it.", "Remove the declaration"


def _dashes(data: Any) -> tuple[str, str]:
    del data
    return "`--` is not allowed inside a comment. Remove the dashes.", "Remove the dashes"


_WORDS = {
    "broken-attribute": _attribute,
    "truncated-tag": _truncated,
    "doctype": _doctype,
    "comment-dashes": _dashes,
}
