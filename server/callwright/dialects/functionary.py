"""The `functionary` dialect: `>>>`, the tool's name on a line of its own, and its arguments below.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from callwright.calls.bare_json import read_arguments, read_named_line
from callwright.calls.protocol import ReadContext, Reading, Refusal, RenderStyle, ToolLike
from callwright.calls.render import json_body
from callwright.dialects.base import JSON_RULE, Dialect
from callwright.syntax.prose import PLAIN_LANGUAGES
from callwright.text.span import Span

_MARKER = ">>>"
#: Names with which text that is for the user begins.
_USER = frozenset({"all"})
_NAME = re.compile(r"[A-Za-z_][\w.:/\-]{0,200}+")
_HEAD = re.compile(r">>>([A-Za-z_][\w.:/\-]{0,200}+)(?:\r\n|\n|\r)(?=\{)")


class Functionary(Dialect):
    """`>>>` and the tool's name on one line, and the arguments as a JSON object on the next.

    The prompt ends with `>>>`, so the first call of a message has none. A line that contains exactly the name of a
    known tool, above a line that begins with an object, is such a call.
    """

    name = "functionary"
    title = "Functionary 3.2"
    summary = "`>>>f` and below it the arguments as a JSON object."
    used_by: Sequence[str] = ("Functionary 3.2",)
    openers: Sequence[str] = (_MARKER, "{")
    typed = True
    placement = "line"
    to_line_end = True
    typing = "Values have the types of JSON: string, number, boolean, list, object or `null`."
    escaping = "Text is in JSON strings, with JSON escapes. A line break in a string cannot end a call."
    ambiguity = """
        `>>>all` begins text for the user. `>>>` followed by anything except a name and an object, such as a Python
        prompt, is prose.

        Without `>>>`, the line above the object must be exactly the name of a tool, and the object must begin its line.
        An ordinary word (`status`) is a name only if the tools are configured.

        The dialect cannot represent the id of a call.
    """
    peers = """
        llama.cpp reads a name only at the very start of a message, and only the names of known tools. The `python` tool
        may have program code there instead of an object; Callwright does not read such a call.
    """
    asks = (
        (
            "Write each call as `>>>` and the tool's name on a line of its own, and below it one JSON object "
            "with the arguments."
        ),
        JSON_RULE,
    )

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the call that begins at `start`, or whose arguments begin there."""
        if text[start] == "{":
            return read_named_line(text, start, context, self.name)
        if context.fence is not None and context.fence.language not in PLAIN_LANGUAGES:
            return None
        head = _HEAD.match(text, start)
        context.look(_reach(text, start))
        if head is None or head[1] in _USER:
            return None
        opening = Span(start, start + len(_MARKER))
        return read_arguments(text, Span(*head.span(1)), opening, head.end(), context, self.name)

    def render(
        self, tool: str, arguments: Mapping[str, Any], schema: ToolLike | None, style: RenderStyle
    ) -> str | Refusal:
        """Return the call as text: a line for the name, and the object below it."""
        del schema
        if style.call_id is not None:
            return Refusal(f"this dialect has no place for the call's id `{style.call_id}`: remove the id first")
        if _NAME.fullmatch(tool) is None or tool in _USER:
            return Refusal("a name on this line may contain only letters, digits and `_.:/-`")
        if style.margin.strip():
            return Refusal("a call of this dialect cannot be in a quotation or a list")
        body = json_body(arguments, style, 0)
        return body if isinstance(body, Refusal) else f"{_MARKER}{tool}\n{style.margin}{body}"


def _reach(text: str, start: int) -> int:
    """Return how far to read to know that no call begins at `start`."""
    line = _REST.match(text, start)
    return start if line is None else line.end() + 1


_REST = re.compile(r">>>[\w.:/\-]{0,201}+(?:\r\n|\n|\r)?+\{?+\s*+")

DIALECT: Dialect = Functionary()
