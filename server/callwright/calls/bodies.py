"""Calls that are one text: a command or a program between markers, which is the tool's only argument.

Owns: which tool such a text calls, and the call. Must not know: where the text is, dialect modules.
"""

from collections.abc import Sequence

from callwright.calls.model import JsonValue, ToolCall
from callwright.calls.protocol import ReadContext
from callwright.calls.whole_text import LINES, named_node, only_parameter, tree
from callwright.syntax.json import JsonNode
from callwright.syntax.problem import Problem
from callwright.text.records import dataclass
from callwright.text.span import Span

FAMILY = "body"


@dataclass(frozen=True, slots=True)
class Body:
    """The tool that one kind of text calls: the first of `tools` that is in force, or else the first.

    The text is the argument `parameter`, unless the tool's only parameter has another name.
    """

    tools: tuple[str, ...]
    parameter: str

    def tool(self, context: ReadContext) -> str:
        """Return the name of the tool that a text calls."""
        return next(filter(context.tools.has, self.tools), self.tools[0])

    def argument(self, tool: str, context: ReadContext) -> str:
        """Return the name of the text's argument."""
        parameters = context.tools.parameters(tool)
        if parameters is None or self.parameter in parameters:
            return self.parameter
        return only_parameter(parameters) or self.parameter

    def call(
        self,
        text: str,
        content: Span,
        names: Sequence[Span],
        span: Span,
        context: ReadContext,
        dialect: str,
        problems: Sequence[Problem] = (),
    ) -> ToolCall:
        """Return the call whose argument is the text at `content`; `names` is the span that names the kind of text."""
        tool = self.tool(context)
        value = content.of(text).replace("\r\n", "\n").replace("\r", "\n")
        root = named_node(self.argument(tool, context), JsonNode("string", content, value))
        return ToolCall(
            dialect=dialect,
            span=span,
            tool=tool,
            tool_span=names[0],
            arguments=JsonValue(tree(root, content.end, LINES)),
            body=content,
            name_spans=tuple(place for place in names if place.of(text) == tool),
            problems=list(problems),
            complete=not problems,
            details={"family": FAMILY},
        )
