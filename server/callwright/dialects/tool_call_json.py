"""The `tool-call-json` dialect: `<tool_call>` with `<tool_name>` and the arguments as JSON in `<arguments>`.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from callwright.calls.protocol import ReadContext, Reading, Refusal, RenderStyle, ToolLike
from callwright.calls.render import guard_closer, id_element, json_body
from callwright.calls.tool_calls import read_tool_call
from callwright.dialects.base import Dialect


class ToolCallJson(Dialect):
    """`<tool_call>` contains `<tool_name>` and `<arguments>`, and the arguments are one JSON object.

    Calls may be in a `<tool_calls>` wrapper. Text with line breaks must be escaped inside the JSON strings.
    """

    name = "tool-call-json"
    title = "Tool call with JSON arguments"
    summary = "`<tool_call>` with `<tool_name>` and the arguments as one JSON object in `<arguments>`."
    used_by: Sequence[str] = ("RagForge (before CDATA)",)
    openers: Sequence[str] = ("<tool_call",)
    markers = ("<tool_call>", "</tool_call>", "<tool_calls>", "</tool_calls>", "<arguments>", "</arguments>")
    typed = True
    family = "tool_call"
    frames: Sequence[str] = ("tool_call", "tool_calls")
    cdata = False
    typing = "Values have the types of JSON."
    escaping = "JSON escapes. CDATA around the whole object is read, because an XML parser reads the same text."
    ambiguity = """
        A closing tag inside a JSON string does not end the arguments if the JSON is valid. Other dialects also use
        `<tool_call>`; `<tool_name>` inside it identifies this one.
    """
    peers = "RagForge drops a call without `tool_name` or `arguments`."

    asks: Sequence[str] = (
        (
            "Write each call as a `<tool_call>` element with the tool's name in `<tool_name>` and one JSON object with"
            " the arguments in `<arguments>`."
        ),
        "The JSON must be complete and valid: double quotes, no trailing comma, newlines in strings as `\\n`.",
    )

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the call that begins at `start`."""
        reading = read_tool_call(text, start, context, {"json": self.name, "xml": ""})
        return reading if reading is not None and reading.calls[0].dialect else None

    def render(
        self, tool: str, arguments: Mapping[str, Any], schema: ToolLike | None, style: RenderStyle
    ) -> str | Refusal:
        """Return the call as text: a line for the name, a line or a block for the arguments."""
        del schema
        body = json_body(arguments, style, len("  <arguments></arguments>"))
        if isinstance(body, Refusal):
            return body
        identified = id_element(style.call_id)
        if isinstance(identified, Refusal):
            return identified
        body = guard_closer(guard_closer(body, "arguments"), "tool_call")
        parts = [*identified, f"<tool_name>{tool}</tool_name>", f"<arguments>{body}</arguments>"]
        if style.compact:
            return f"<tool_call>{''.join(parts)}</tool_call>"
        line = "\n" + style.margin
        return "<tool_call>" + "".join(line + style.indent + part for part in parts) + f"{line}</tool_call>"


DIALECT: Dialect = ToolCallJson()
