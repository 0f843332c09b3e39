"""The `tool-call-xml` dialect: `<tool_call>` with `<tool_name>` and the arguments as elements in `<arguments>`.

Owns: this dialect, and the `<tool_calls>` wrapper, which calls with JSON arguments share. Must not know: other
dialects, the registry's class.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from callwright.calls.protocol import ReadContext, Reading, Refusal, RenderStyle, ToolLike
from callwright.calls.render import id_element, xml_children
from callwright.calls.sketch import is_placeholder_name
from callwright.calls.tool_calls import read_tool_call, read_wrapper
from callwright.dialects.base import Dialect


class ToolCallXml(Dialect):
    """`<tool_call>` contains `<tool_name>` and `<arguments>`, and each argument is an element.

    Long text and text with `<` or `&` is written in CDATA. An array is a parent with one child for each entry. Without
    a schema, several children of one name are an array and other children an object.
    """

    name = "tool-call-xml"
    title = "Tool call with XML arguments"
    summary = "`<tool_call>` with `<tool_name>` and an element for each argument in `<arguments>`; CDATA for text."
    used_by: Sequence[str] = ("RagForge",)
    openers: Sequence[str] = ("<tool_call",)
    markers = ("<tool_call>", "</tool_call>", "<tool_calls>", "</tool_calls>", "<arguments>", "</arguments>")
    typed = False
    family = "tool_call"
    frames: Sequence[str] = ("tool_call", "tool_calls")
    cdata = True
    markup = "xml"
    typing = """
        Text carries no type: the tool's schema decides it, as in `xml-children`. Without one, booleans and numbers that
        print back to the same text are read as such.
    """
    escaping = "XML escapes: entities, or CDATA sections, several of them if a value contains `]]>`."
    ambiguity = """
        A value ends at its first closing tag outside CDATA. Other dialects also use `<tool_call>`; `<tool_name>` inside
        it identifies this one.
    """
    peers = "RagForge guesses types from the text even if a schema requires `string`, so `007` becomes 7 there."

    asks: Sequence[str] = (
        (
            "Write each call as a `<tool_call>` element with the tool's name in `<tool_name>` and an element for each"
            " argument in `<arguments>`."
        ),
        "Put text that holds `<` or `&` into a CDATA section: `<content><![CDATA[…]]></content>`.",
        "Write each entry of an array as an `<item>`, and each member of an object as an element of its own.",
    )
    asks_raw: Sequence[str] = (
        (
            "Write each call as a `<tool_call>` element with the tool's name in `<tool_name>` and an element for each"
            " argument in `<arguments>`."
        ),
        "Write text as it is, up to its closing tag: no entities, no CDATA, nothing escaped.",
        "Write each entry of an array as an `<item>`, and each member of an object as an element of its own.",
    )

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the call, or the wrapped calls, that begin at `start`."""
        names = {"json": "tool-call-json", "xml": self.name}
        if text.startswith("<tool_calls", start):
            return read_wrapper(text, start, context, names)
        return read_tool_call(text, start, context, names)

    def render(
        self, tool: str, arguments: Mapping[str, Any], schema: ToolLike | None, style: RenderStyle
    ) -> str | Refusal:
        """Return the call as text, one line for each argument."""
        markup = schema.markup if schema is not None else "xml"
        if not is_placeholder_name(tool) and any(char in tool for char in "<&"):
            return Refusal(f"`{tool}` is no name that this dialect can hold")
        body = xml_children(arguments, style, markup=markup, depth=2)
        if isinstance(body, Refusal):
            return body
        identified = id_element(style.call_id)
        if isinstance(identified, Refusal):
            return identified
        inner = "" if style.compact else "\n" + style.margin + style.indent
        named = inner.join([*identified, f"<tool_name>{tool}</tool_name>"])
        if style.compact:
            return f"<tool_call>{named}<arguments>{body}</arguments></tool_call>"
        line = "\n" + style.margin
        edge = line + style.indent if arguments else ""
        return f"<tool_call>{inner}{named}{inner}<arguments>{body}{edge}</arguments>{line}</tool_call>"


DIALECT: Dialect = ToolCallXml()
