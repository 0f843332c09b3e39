"""How a call is written in a text: one `Format` each, with what shows its parsers where the arguments' JSON begins.

Owns: the dialects of the corpus. Must not know: shapes, faults, how Callwright reads or writes them: its result for
these texts is what is measured.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

#: What kind of text the arguments are in, which decides what can be broken there.
Body = Literal["json", "elements"]


@dataclass(frozen=True)
class Format:
    """A way to write a call; `name` is the dialect's.

    `frame` puts a body between the markers of a call of a tool; `body` writes the arguments; `result` frames what a
    tool returned.
    """

    name: str
    kind: Body
    frame: Callable[[str, str], str]
    body: Callable[[dict[str, Any]], str]
    result: Callable[[str, str], str]

    def write(self, tool: str, arguments: dict[str, Any]) -> str:
        """Return the text of a call."""
        return self.frame(tool, self.body(arguments))


def as_json(value: Any) -> str:
    """Return a value as JSON in one line."""
    return json.dumps(value, ensure_ascii=False)


def escaped(value: Any) -> str:
    """Return a value as the text of an element."""
    text = value if isinstance(value, str) else as_json(value)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _children(arguments: dict[str, Any]) -> str:
    return "".join(f"\n<{name}>{escaped(value)}</{name}>" for name, value in arguments.items()) + "\n"


def _hermes(tool: str, body: str) -> str:
    return f'<tool_call>\n{{"name": "{tool}", "arguments": {body}}}\n</tool_call>'


def _hermes_result(tool: str, text: str) -> str:
    return f"<tool_response>\n{as_json({'name': tool, 'content': text})}\n</tool_response>"


def _plain_result(tool: str, text: str) -> str:
    return f"[{tool}] Result:\n{text}"


FORMATS: Final[dict[str, Format]] = {
    each.name: each
    for each in (
        Format("hermes", "json", _hermes, as_json, _hermes_result),
        Format("xml-json", "json", lambda tool, body: f"<{tool}>{body}</{tool}>", as_json, _plain_result),
        Format("xml-children", "elements", lambda tool, body: f"<{tool}>{body}</{tool}>", _children, _plain_result),
    )
}
