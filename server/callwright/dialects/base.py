"""What a dialect is: the contract of one notation's file.

Owns: `Dialect`. Must not know: any single dialect, the registry's class, hosts.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from callwright.calls.plain_form import PlainCalls
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

__all__ = ["Dialect", "ReadContext", "Reading", "Refusal", "RenderStyle", "Rendering", "ToolLike", "ToolNames"]

#: What a prompt asks of calls that are JSON.
JSON_RULE = "The JSON must be complete and valid: double quotes, matching braces, newlines in strings as `\\n`."

_TAG = re.compile(r"<(?:[A-Za-z_]|\Z)")


class Dialect(ABC):
    """One notation of a call. A module in this room has exactly one instance, bound to the name `DIALECT`.

    `openers` are the literal strings with which a call in this notation can begin; the reader looks for nothing else.
    One that begins with `{` or `[` alone counts only behind a line's lead. A longer opener is asked before a shorter
    one, dialects with the same opener in the order of their names, until one of them reads a call. Reading never raises
    (but for an exhausted budget): any text gives a reading, or None where no call of this notation begins at `start`.

    `typed` says whether values carry their type in the notation itself; `cdata` whether CDATA is part of it,
    `markup` is `"xml"` where text in elements is XML whatever the tools say. `typing`,
    `escaping`, `ambiguity` and `peers` are sections of the dialect's page: how values are typed, how the notation
    escapes what would end a value, what can be read in two ways and how it is read here, and where well-known engines
    read it differently. `asks` are the sentences of a prompt that ask for the notation, each complete by itself;
    `asks_raw` are those for tools whose element text is literal, where they differ. `alone` is True where nothing but
    calls may stand in a reply that holds some, `one_call` where a reply can hold a single one,
    `to_line_end` where engines take what stands behind a call on its line for more of its arguments.

    `placement` says where a call can stand: `"inline"` anywhere, `"line"` on lines of its own, `"fence"` in a fenced
    block that it brings with it. `family` names the calls whose frame another call of this dialect can stand in, as
    `ToolCall.details["family"]` does; it is empty where a call brings all its markers. `gathers` is True where several
    calls in a row belong under one pair of markers, which `render_all` then writes.

    `only_tools` names the tools whose calls alone the notation can hold; it is empty where it holds those of any.

    `results` names the notation (one of `calls/result_text.py`) in which a model that writes this dialect is told what
    came of its calls.

    `pairs` are the pairs of an opening and a closing marker around a call, as far as they are literal. `frames` names
    the tags among them: a closing tag of that name behind a call of such a notation is one too many. `markers` are all
    that a call holds, without the names in them: `<invoke name=` for one that goes on with the tool's. Those among them
    that other messages of a chat hold as well are `chat_markers`. Where calls are labelled lines, `arguments_line` is
    what the line below the name begins with, and `result_label` what one begins with that holds what a tool returned.

    `plain` says how a call looks where it is plainly written, for the fast path; None where each call is to be read.
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
        """The literal markers that a call holds."""
        return tuple(marker for pair in self.pairs for marker in pair if marker)

    @property
    def is_xml(self) -> bool:
        """Whether calls stand between tags, `<name>` and `</name>`, as in XML."""
        return any(_TAG.match(opener) for opener in self.openers)

    @abstractmethod
    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the call or calls that begin at `start`, where one of the openers stands."""

    def render(
        self, tool: str, arguments: Mapping[str, Any], schema: ToolLike | None, style: RenderStyle
    ) -> str | Refusal:
        """Return the call as text in this notation, or why a value cannot be written in it.

        A dialect says how one call is written, or with `render_all` how several are.
        """
        return self.render_all([Rendering(tool, arguments, schema, style.call_id)], style)

    def render_all(self, calls: Sequence[Rendering], style: RenderStyle) -> str | Refusal:
        """Return calls that follow each other as text: one below the other, or under one pair of markers."""
        parts = collected(self._rendered(call, style) for call in calls)
        return parts if isinstance(parts, Refusal) else ("\n" + style.margin).join(parts)

    def _rendered(self, call: Rendering, style: RenderStyle) -> str | Refusal:
        return self.render(call.tool, call.arguments, call.schema, replace(style, call_id=call.call_id))
