"""The `execute-tags` dialect: `<execute_bash>` and similar tags around a program, which is the tool's only argument.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from callwright.calls.actions import leads_line
from callwright.calls.bodies import Body
from callwright.calls.fences import fence_limit
from callwright.calls.marker_problems import unclosed_tag
from callwright.calls.protocol import ReadContext, Reading, Refusal, RenderStyle, ToolLike
from callwright.calls.scanning import next_literal, skip_space, trimmed
from callwright.dialects.support.bodies import BodyDialect
from callwright.syntax.prose import COMMENT_OPEN, PLAIN_LANGUAGES
from callwright.text.span import Edit, Span, insert

#: What is between two tags that are only named.
_NAMED_ONLY: Final = re.compile(
    r"\s*+(?:[`'\")\].,:;/\\|&-]*+|\.{3}|…|(?:and|or|und|et|y|和|与)|[`'\"] ?(?:and|or) ?[`'\"])\s*+"
)
_QUOTES: Final = "\"'`“‘«"


class ExecuteTags(BodyDialect):
    """A command is in `<execute_bash>`, a program in `<execute_ipython>`, a task for a browser in `<execute_browse>`.

    The tag names the tool, and its text is the tool's only argument.
    """

    name = "execute-tags"
    title = "Execute tags"
    summary = "`<execute_bash>ls</execute_bash>`: the text is the only argument of the tool that the tag names."
    used_by: Sequence[str] = ("CodeAct", "OpenHands (before it had function calls)")
    openers: Sequence[str] = ("<execute_bash>", "<execute_ipython>", "<execute_browse>")
    bodies: Mapping[str, Body] = {
        "execute_bash": Body(("execute_bash",), "command"),
        "execute_ipython": Body(("execute_ipython", "execute_ipython_cell"), "code"),
        "execute_browse": Body(("execute_browse",), "task"),
    }
    only_tools: Sequence[str] = tuple(name for body in bodies.values() for name in body.tools)
    typed = True
    markup = "raw"
    typing = """
        The text is a string, without the whitespace around it. It is the argument `command` of `execute_bash`, `code`
        of `execute_ipython` and `task` of `execute_browse`, or the tool's only parameter. If a tool
        `execute_ipython_cell` is in force, as in later versions of OpenHands, `<execute_ipython>` calls that one.
    """
    escaping = """
        There are no escapes: entities and CDATA are text. A text that contains its own closing tag cannot be written.
    """
    ambiguity = """
        A pair of tags with text between them is a call wherever calls are allowed. Tags that are only mentioned (`in
        <execute_bash> and </execute_bash> tags`) are not calls, and neither is an unclosed opening tag inside a line.
        An element that contains the tool's parameters as elements is a call of `xml-children`.
    """
    peers = """
        OpenHands' `CodeActResponseParser` (`openhands/agenthub/codeact_agent/action_parser.py` of
        All-Hands-AI/OpenHands, older versions) reads the first `<execute_bash>` of a reply, or else the first
        `<execute_ipython>`, and strips the text. It closes an unclosed tag at the end of the reply, where the model was
        stopped. The command `exit` ends the work.
    """
    asks: Sequence[str] = (
        (
            "Write a command to run as `<execute_bash>COMMAND</execute_bash>`, and a program as"
            " `<execute_ipython>PROGRAM</execute_ipython>`."
        ),
        "Write the text as it is. Escape nothing.",
    )

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the element whose opening tag is at `start`."""
        opener = next((each for each in self.openers if text.startswith(each, start)), None)
        if opener is None or text[start - 1 : start] in tuple(_QUOTES):
            return None
        around = context.fence
        if around is not None and around.language not in PLAIN_LANGUAGES:
            return None
        name = opener[1:-1]
        closer = f"</{name}>"
        begin = start + len(opener)
        limit = fence_limit(text, start, context)
        again = next_literal(text, begin, opener, context, limit)
        closing = next_literal(text, begin, closer, context, limit)
        stop = min((place for place in (again, closing) if place >= 0), default=limit)
        content = trimmed(text, begin, stop)
        parameters = context.tools.parameters(self.bodies[name].tool(context)) or {}
        first = content.start
        if text.startswith(COMMENT_OPEN, first):
            first = skip_space(text, first + len(COMMENT_OPEN))
        if any(text.startswith(f"<{each}>", first) for each in parameters):
            return None
        inner = content.of(text)
        if _NAMED_ONLY.fullmatch(inner[:200]) is not None and inner:
            return None
        if closing >= 0 and stop == closing:
            if not inner:
                return None
            span = Span(start, closing + len(closer))
            names = (Span(start + 1, begin - 1), Span(closing + 2, span.end - 1))
            call = self.bodies[name].call(text, content, names, span, context, self.name)
            return Reading([call], span.end, span.end)
        if again >= 0 or not leads_line(text, start, context) or limit < len(text) or not (inner or context.strict):
            return None
        return self._cut(text, start, content, name, context)

    def _cut(self, text: str, start: int, content: Span, name: str, context: ReadContext) -> Reading:
        """Return a call that the document's end cuts off."""
        closer, begin = f"</{name}>", start + len(name) + 2
        part = next((size for size in range(len(closer) - 1, 0, -1) if text.endswith(closer[:size])), 0)
        part = min(part, content.end - content.start) if content.end == len(text) else 0
        if part:
            content = trimmed(text, begin, content.end - part)
        gap = "\n" if "\n" in text[begin : content.end] else ""
        repair = Edit(Span(content.end, len(text)), gap + closer) if part else insert(content.end, gap + closer)
        opening, certain = Span(start, begin), bool(part)
        problem = unclosed_tag(opening, name, content.end, (repair,), cut=True, certain=certain)
        span, names = Span(start, len(text)), (Span(start + 1, begin - 1),)
        call = self.bodies[name].call(text, content, names, span, context, self.name, (problem,))
        return Reading([call], len(text), len(text))

    def render(
        self, tool: str, arguments: Mapping[str, Any], schema: ToolLike | None, style: RenderStyle
    ) -> str | Refusal:
        """Return the call as an element: on one line where the text has one."""
        outcome = self.text_of(tool, arguments, schema)
        if isinstance(outcome, Refusal):
            return outcome
        name, body = outcome
        if any(marker in body for marker in (f"</{name}>", f"<{name}>")):
            return Refusal(f"the text contains a tag `{name}`, which cannot be escaped here", tuple(arguments))
        if _NAMED_ONLY.fullmatch(body) is not None:
            return Refusal("the text could not be distinguished from words between two tags", tuple(arguments))
        if "\n" not in body:
            return f"<{name}>{body}</{name}>"
        return "\n".join([f"<{name}>", body, f"</{name}>"]) if not style.margin else f"<{name}>{body}</{name}>"


DIALECT = ExecuteTags()
