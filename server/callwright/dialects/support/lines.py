"""The family of dialects that write a call on labelled lines.

Owns: `LineDialect`, which makes a dialect of a line grammar. Must not know: any single dialect.
"""

from collections.abc import Mapping
from typing import Any

from callwright.calls.line_calls import LineGrammar, read_lines, render_lines
from callwright.calls.protocol import ReadContext, Reading, Refusal, RenderStyle, ToolLike
from callwright.dialects.base import Dialect


class LineDialect(Dialect):
    """A dialect that is data: `grammar` contains the labels of its lines."""

    grammar: LineGrammar

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the call whose first line begins at `start`."""
        return read_lines(text, start, context, self.name, self.grammar)

    def render(
        self, tool: str, arguments: Mapping[str, Any], schema: ToolLike | None, style: RenderStyle
    ) -> str | Refusal:
        """Return the call as text on two lines; long JSON continues below them."""
        return render_lines(self.grammar, tool, arguments, style, known=schema is not None)
