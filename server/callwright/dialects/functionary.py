"""The `functionary` dialect: `>>>`, the tool's name on a line of its own, and its arguments below.

Owns: this notation. Must not know: other dialects, the registry's class.
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
    """`>>>` and the tool's name on one line, the arguments as a JSON object on the next.

    The first call of a message is written without `>>>`, since the prompt ends with it: a line that holds exactly a
    known tool's name, above a line that begins with an object, is such a call.
    """

    name = "functionary"
    title = "Functionary 3.2"
    summary = "`>>>f` and below it the arguments as a JSON object."
    used_by: Sequence[str] = ("Functionary 3.2",)
    openers: Sequence[str] = (_MARKER, "{")
    typed = True
    placement = "line"
    to_line_end = True
    typing = "JSON says of each value whether it is a string, a number, a boolean, a list, an object or `null`."
    escaping = (
        "Text stands in JSON strings, with JSON's own escapes; a line break in a string cannot be mistaken for one."
    )
    ambiguity = """
        `>>>all` begins text for the user. `>>>` with anything else than a name and an object, such as a Python prompt,
        is prose.

        Without `>>>`, the line above the object must be the name of a tool and nothing else, and the object must lead
        its line. A plain word (`status`) counts only where the tools are said to be in force.

        The dialect has no place for a call's id.
    """
    peers = """
        llama.cpp takes the name at the very start of a message only, and known tools only. The `python` tool may have
        program text instead of an object there; such a call is not read here.
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
    """Return how far one has to look to know that no call begins at `start`."""
    line = _REST.match(text, start)
    return start if line is None else line.end() + 1


_REST = re.compile(r">>>[\w.:/\-]{0,201}+(?:\r\n|\n|\r)?+\{?+\s*+")

DIALECT: Dialect = Functionary()
