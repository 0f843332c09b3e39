"""What a dialect is: the contract of a dialect's file.

Owns: `Dialect`. Must not know: any single dialect, the registry's class, hosts.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from callwright.calls.protocol import (
    ReadContext,
    Reading,
    Refusal,
    Rendering,
    RenderStyle,
    ToolLike,
    ToolNames,
    collected,
)
from callwright.calls.result_text import DEFAULT
from callwright.text.records import replace

if TYPE_CHECKING:
    from callwright.calls.plain_form import PlainCalls

__all__ = ["Dialect", "ReadContext", "Reading", "Refusal", "RenderStyle", "Rendering", "ToolLike", "ToolNames"]

#: What a prompt asks for in calls that are JSON.
JSON_RULE = "The JSON must be complete and valid: double quotes, matching braces, newlines in strings as `\\n`."

_TAG = re.compile(r"<(?:[A-Za-z_]|\Z)")


class Dialect(ABC):
    """One dialect of a call. A module in this room has exactly one instance, bound to the name `DIALECT`.

    `openers` are the literal strings with which a call in this dialect can begin; the parser searches for nothing else.
    One that begins with `{` or `[` alone counts only after a line's lead. A longer opener is tried before a shorter
    one, dialects with the same opener in the order of their names, until one of them reads a call. Reading never raises
    (except for an exhausted budget): any text gives a result, or None where no call of this dialect begins at `start`.

    `typed` is whether values have their type in the dialect itself, `cdata` whether CDATA is part of it; `markup` is
    `"xml"` where text in elements is XML for all tools. `typing`, `escaping`, `ambiguity` and `peers` are sections of
    the dialect's page: how values are typed, how the dialect escapes what would end a value, what can be read in two
    ways and how it is read here, and where well-known engines read it differently. `asks` are the sentences of a prompt
    that ask for the dialect, each complete by itself; `asks_raw` are those for tools whose element text is literal,
    where they differ. `alone` is True where a reply with calls may contain nothing else, `one_call` where a reply can
    contain only one, `to_line_end` where engines read what is after a call on its line as more of its arguments.

    `placement` is where a call can be: `"inline"` anywhere, `"line"` on lines of its own, `"fence"` in a fenced block
    that belongs to it. `family` names the calls whose frame another call of this dialect can be in, as
    `ToolCall.details["family"]` does; it is empty where a call has all its markers. `gathers` is True where several
    calls in a row belong in one pair of markers, which `render_all` then writes.

    `only_tools` names the tools whose calls the dialect can express; it is empty where it can express any call.

    `results` names the format (one of `calls/result_text.py`) in which a model that writes this dialect gets the
    results of its calls.

    `pairs` are the pairs of an opening and a closing marker around a call, as far as they are literal. `frames` names
    the tags among them: a closing tag of that name after a call of such a dialect is one too many. `markers` are all
    that a call contains, without the names in them: `<invoke name=` for one that continues with the tool's. Those that
    other messages of a chat contain as well are `chat_markers`. Where calls are labelled lines, `arguments_line` is the
    beginning of the line below the name, and `result_label` that of a line with a result.

    `plain` is the plain form of a call, for the fast path; None where each call is to be read in full.
    """

    name: str
    title: str
    summary: str
    used_by: Sequence[str]
    openers: Sequence[str]
    typed: bool
    cdata: bool = False
    markup: str | None = None
    typing: str = ""
    escaping: str = ""
    ambiguity: str = ""
    peers: str = ""
    asks: Sequence[str] = ()
    asks_raw: Sequence[str] = ()
    alone: bool = False
    one_call: bool = False
    to_line_end: bool = False
    placement: Literal["inline", "line", "fence"] = "inline"
    family: str = ""
    gathers: bool = False
    only_tools: Sequence[str] = ()
    results: str = DEFAULT
    frames: Sequence[str] = ()
    plain: PlainCalls | None = None
    chat_markers: Sequence[str] = ()
    arguments_line: str = ""
    result_label: str = ""

    @property
    def pairs(self) -> Sequence[tuple[str, str]]:
        """The literal pairs of markers around a call; a closing one may be empty."""
        return tuple((f"<{name}>", f"</{name}>") for name in self.frames)

    @property
    def markers(self) -> Sequence[str]:
        """The literal markers that a call contains."""
        return tuple(marker for pair in self.pairs for marker in pair if marker)

    @property
    def is_xml(self) -> bool:
        """Whether calls are between tags, `<name>` and `</name>`, as in XML."""
        return any(_TAG.match(opener) for opener in self.openers)

    @abstractmethod
    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the call or calls that begin at `start`, where one of the openers is."""

    def render(
        self, tool: str, arguments: Mapping[str, Any], schema: ToolLike | None, style: RenderStyle
    ) -> str | Refusal:
        """Return the call as text in this dialect, or why a value cannot be written in it.

        A dialect defines how one call is written, or with `render_all` how several are.
        """
        return self.render_all([Rendering(tool, arguments, schema, style.call_id)], style)

    def render_all(self, calls: Sequence[Rendering], style: RenderStyle) -> str | Refusal:
        """Return calls that follow each other as text: one below the other, or under one pair of markers."""
        parts = collected(self._rendered(call, style) for call in calls)
        return parts if isinstance(parts, Refusal) else ("\n" + style.margin).join(parts)

    def _rendered(self, call: Rendering, style: RenderStyle) -> str | Refusal:
        return self.render(call.tool, call.arguments, call.schema, replace(style, call_id=call.call_id))
