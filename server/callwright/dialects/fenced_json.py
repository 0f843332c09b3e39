"""The `fenced-json` dialect: a JSON object with the tool's name and its arguments, as a rule in a json fence.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from callwright.calls.json_objects import read_bare, read_fenced
from callwright.calls.protocol import ReadContext, Reading, Refusal, RenderStyle, ToolLike
from callwright.calls.render import json_body
from callwright.calls.scanning import line_of
from callwright.dialects.base import JSON_RULE, Dialect
from callwright.syntax.prose import fence_at


class FencedJson(Dialect):
    """A JSON object with `tool` and `arguments`, or a list of them under `tool_calls`, in a fenced block.

    The same object without a fence is read at the start of a line.
    """

    name = "fenced-json"
    title = "Fenced JSON"
    summary = 'A json fence with `{"tool": …, "arguments": …}`, or with such objects under `tool_calls`.'
    used_by: Sequence[str] = ("Windlass", "RagForge (its JSON output)")
    openers: Sequence[str] = ("```", "~~~", "{")
    typed = True
    placement = "fence"
    cdata = False
    typing = "Values have the types of JSON."
    escaping = """
        JSON escapes. A line of backticks inside the JSON ends the fence. Valid JSON contains no such line, because
        strings cannot contain raw newlines.
    """
    ambiguity = """
        An object is a call if it has `tool` or `tool_name` with `arguments`, or a name and no unknown keys. Other JSON
        in a fence is data.
    """
    peers = "Windlass guesses 22 further forms, such as `word({…})`. None of them is read as this dialect."

    asks: Sequence[str] = (
        'Write each call as a JSON object with the keys "tool" and "arguments" in a fenced json block of its own.',
        JSON_RULE,
    )

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the call or calls that begin at `start`."""
        if text[start] == "{":
            return read_bare(text, start, context, self.name)
        fence = fence_at(text, line_of(text, start, context))
        if fence is None or fence.marker != start:
            return None
        return read_fenced(text, fence, context, self.name)

    def render(
        self, tool: str, arguments: Mapping[str, Any], schema: ToolLike | None, style: RenderStyle
    ) -> str | Refusal:
        """Return the call as text: the object in a json fence, or alone where it is written into one."""
        del schema
        call: dict[str, Any] = {"tool": tool, "arguments": arguments}
        if style.call_id is not None:
            call = {"tool": tool, "id": style.call_id, "arguments": arguments}
        body = json_body(call, style, 0)
        if isinstance(body, Refusal) or not style.fenced:
            return body
        line = "\n" + style.margin
        return f"```json{line}{body}{line}```"


DIALECT: Dialect = FencedJson()
