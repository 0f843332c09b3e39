"""The `xml-children` dialect: a tag named after the tool, one child element for each parameter.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from callwright.calls.markup_body import read_markup_call
from callwright.calls.plain_form import PlainCalls
from callwright.calls.protocol import ReadContext, Reading, Refusal, RenderStyle, ToolLike
from callwright.calls.render import xml_children
from callwright.dialects.base import Dialect


class XmlChildren(Dialect):
    """A tag named after the tool contains one child element for each parameter.

    Values carry no type: the schema decides how their text is read. With `xml` markup, `<` and `&` in a value are
    written as entities or inside CDATA. With `raw` markup a value is literal text up to its closing tag.
    """

    name = "xml-children"
    title = "XML children"
    summary = "A tag named after the tool, with a child element for each parameter."
    used_by: Sequence[str] = (
        "Cline",
        "Roo Code and its forks",
        "AccessLint (also)",
        "Zentara Code (before JSON bodies)",
    )
    openers: Sequence[str] = ("<",)
    plain = PlainCalls("<{tool}>", "</{tool}>", elements=True)
    typed = False
    cdata = True
    typing = """
        Text carries no type: the tool's schema decides it. A `string` keeps its text, `007` included. Numbers, booleans
        and values of an enum are trimmed. An array is a sequence of elements with one name or of `<item>` elements, an
        object is child elements. Without a schema, only booleans and numbers that print back to the same text are read
        as such.

        One newline directly after an opening tag and one directly before a closing tag are not part of the value; every
        other character is.
    """
    escaping = """
        With `xml` markup, `<` and `&` are written as `&lt;` and `&amp;`, or the value is in a CDATA section. With `raw`
        markup, as Cline and Roo Code write it, nothing is escaped: a value is literal text up to its closing tag.
    """
    ambiguity = """
        A value that contains its own closing tag ends at the first one with `xml` markup. With `raw` markup it ends at
        the last one before another parameter or the end of the call, as Cline reads a file's `content`, with a
        diagnostic. A tag is a call if it has the name of a tool; another one only on evidence, see [what is a
        call](../documents.md#what-is-a-call).
    """
    peers = """
        Cline and Roo Code decode entities only in the command of `execute_command`. AccessLint reads every paired tag
        that is not a tool as an unknown tool, including `<thinking>`.
    """

    # Cline, https://github.com/cline/cline
    results = "label"
    asks: Sequence[str] = (
        "Write each call as an XML element named after the tool, with one child element for each argument.",
        "Put text that holds `<` or `&` into a CDATA section: `<content><![CDATA[…]]></content>`.",
        "Write each entry of an array as an `<item>`, and each member of an object as an element of its own.",
    )
    asks_raw: Sequence[str] = (
        "Write each call as an XML element named after the tool, with one child element for each argument.",
        "Write text as it is, up to its closing tag: no entities, no CDATA, nothing escaped.",
        "Write each entry of an array as an `<item>`, and each member of an object as an element of its own.",
    )

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the call that begins at `start`."""
        return read_markup_call(text, start, context, self.name)

    def render(
        self, tool: str, arguments: Mapping[str, Any], schema: ToolLike | None, style: RenderStyle
    ) -> str | Refusal:
        """Return the call as text: one line for each parameter, or one line in all."""
        markup = schema.markup if schema is not None else "xml"
        body = xml_children(arguments, style, markup=markup)
        if isinstance(body, Refusal):
            return body
        end = "" if style.compact or not arguments else "\n" + style.margin
        return f"<{tool}>{body}{end}</{tool}>"


DIALECT: Dialect = XmlChildren()
