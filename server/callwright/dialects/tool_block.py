"""The `tool-block` dialect: a `tool` fence with a line for the tool's name and a pair of lines around each argument.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from callwright.calls.protocol import ReadContext, Reading, Refusal, RenderStyle, ToolLike
from callwright.calls.tool_blocks import LANGUAGE, NAME, read_block, render_block
from callwright.dialects.base import Dialect


class ToolBlock(Dialect):
    """A fence `tool` contains one call: `TOOL_NAME: f`, and `BEGIN_ARG: a`, a value and `END_ARG` for each argument."""

    name = "tool-block"
    title = "Tool blocks"
    summary = "A `tool` fence with `TOOL_NAME: f`, and `BEGIN_ARG: a` … `END_ARG` around each value."
    used_by: Sequence[str] = ("Continue (its system message tools)",)
    openers: Sequence[str] = (f"```{LANGUAGE}", NAME)
    typed = True
    placement = "fence"
    typing = """
        A value that is valid JSON has its type; any other value is text, without the whitespace around it. If the
        schema allows only text, a number, a list or an object is text as well.
    """
    escaping = """
        JSON escapes in values that are JSON, which is how Callwright writes them. A text value has no escapes: a line
        `END_ARG` ends it.
    """
    ambiguity = """
        The labels must be at the start of a line. Without `TOOL_NAME:`, the first line of the fence is the name if it
        is a tool's or an argument follows it; other content of such a fence is not a call of this dialect. Without a
        fence, an argument must follow the line `TOOL_NAME:`.

        A value ends at the first line `END_ARG`, so it may contain a fence. If the next `BEGIN_ARG:` comes first, the
        line is missing, and the value ends before it. A value in double quotes that is not JSON, because it contains
        line breaks, gets a diagnostic: the tool receives it with its quotes and backslashes.
    """
    peers = """
        Continue (`core/tools/systemMessageTools/toolCodeblocks` of continuedev/continue) reads labels in any case, and
        finds `END_ARG` anywhere in a line. A line between two arguments that is not part of one, even a blank one, ends
        the call there and drops the rest. Continue repairs line breaks inside strings of a list or an object;
        Callwright accepts them.
    """
    one_call = True
    asks: Sequence[str] = (
        (
            "Write each call in a fenced block `tool` of its own: a line `TOOL_NAME: NAME`, and for each argument a"
            " line `BEGIN_ARG: ARGUMENT`, its value on the next line, and a line `END_ARG`."
        ),
        "Write each value as JSON on one line: text in double quotes, with newlines as `\\n`.",
    )

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the block that begins at `start`."""
        return read_block(text, start, context, self.name)

    def render(
        self, tool: str, arguments: Mapping[str, Any], schema: ToolLike | None, style: RenderStyle
    ) -> str | Refusal:
        """Return the call as a fenced block."""
        del schema
        return render_block(tool, arguments, style)


DIALECT: Dialect = ToolBlock()
