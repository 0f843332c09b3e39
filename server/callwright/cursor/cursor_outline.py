"""The outline of the text before a cursor: what is known from tags and fences alone, before any of it is read.

Owns: `Outline`, `outline_of`. Must not know: what a tag or a JSON text means to a call, documents, dialect modules.

No more is read for a cursor than may belong together, however many calls are before it.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from callwright.calls.tool_calls import CALL, WRAPPER
from callwright.cursor.cursor_json import json_over
from callwright.cursor.cursor_places import NAME_CHARACTER
from callwright.syntax.prose import Fence, FenceState, fence_at, fence_closer, line_end, line_start, next_line
from callwright.text.holes import HOLE
from callwright.text.records import NamedTuple

if TYPE_CHECKING:
    from callwright.tools.registry import ToolRegistry

NAME_ELEMENT: Final = "tool_name"
ARGUMENTS_ELEMENT: Final = "arguments"
#: What may hold a tool's name and its arguments, whatever the tools are called.
_FRAMES: Final = frozenset({CALL, WRAPPER})

#: How many elements that are open around a cursor may belong together; those around them were never closed.
_MAX_OPEN: Final = 8
#: How much of a line before an open element is read.
_MAX_LEAD: Final = 4 * 1024
_DECODER: Final = json.JSONDecoder(strict=False)
_MARKER: Final = re.compile(rf"<!\[CDATA\[|<!--|<(?P<closing>/?)(?P<name>[^\W\d]{NAME_CHARACTER}*+)|```|~~~")
_SECTIONS: Final = {"<![CDATA[": "]]>", "<!--": "-->"}
#: The rest of a tag after its name.
REST_OF_TAG: Final = re.compile(r"""(?:[^<>"']++|"[^"<>]*+"|'[^'<>]*+')*+>""")
#: What follows an opening tag that is no mention: an element, JSON, the line's end, or what is being typed.
_GOES_ON: Final = re.compile(rf"[\s{HOLE}]*+(?:[<{{\[]|\Z)|[ \t]*+[\r\n]|[^<\r\n]*+\Z")
_LINE_OPENER: Final = re.compile(rf"[\r\n][ \t]*+<([^\W\d]{NAME_CHARACTER}*+)")
#: What JSON begins with, after white space.
BRACKET: Final = re.compile(r"\s*+([\[{])")


class Outline(NamedTuple):
    """Where to begin reading, and the fence that is open there.

    `is_open` is true where a tag there may begin a call that is not over. `json` is where a JSON text begins that is
    all of an element so far, and is not over. `is_hidden` is true where the cursor is in a comment or a CDATA section.
    `open_names` are the elements that are open, innermost first, and `fenced` is where the fence opens, or the last one
    before the cursor is over.
    """

    begin: int
    fence: FenceState | None
    is_open: bool
    json: int | None
    is_hidden: bool
    open_names: tuple[str, ...]
    fenced: int


def _sound_end(text: str, at: int) -> int | None:
    """Return where a valid JSON text ends, by the decoder, which is many times faster; None for any other."""
    try:
        return int(_DECODER.raw_decode(text, at)[1])
    except (ValueError, RecursionError):
        return None


def outline_of(text: str, cursor: int, tools: ToolRegistry, fence: FenceState | None) -> Outline:
    """Return the outline of a text before a cursor; `fence` is open where the text begins."""
    walk = _Walk(text, cursor, tools, fence)
    walk.run()
    return walk.outline()


class _Walk:
    """One pass over the marks before a cursor; what is closed before it is passed over where that is known."""

    def __init__(self, text: str, cursor: int, tools: ToolRegistry, fence: FenceState | None) -> None:
        self.text = text
        self.cursor = cursor
        self.tools = tools
        self.fence = fence
        # Where the fence opens or the last one is over, and where the last thing ends that is over.
        self.fenced = self.over = 0
        self.stack: list[tuple[str, int]] = []
        self.json: int | None = None
        self._has_open_json = self._is_hidden = False

    def run(self) -> None:
        """Go through the marks up to the cursor, or up to what is open there for certain."""
        at = 0
        if self.fence is not None and (end := self._fence_end(0, self.fence)) is not None:
            self.fence, self.over, self.fenced, at = None, end, end, end
        while self.json is None and (marker := _MARKER.search(self.text, at, self.cursor)) is not None:
            if marker["name"] is None:
                section = _SECTIONS.get(marker[0])
                at = self._fence_line(marker.start()) if section is None else self._section(marker, section)
            elif marker["closing"]:
                at = self._close(marker)
            else:
                at = self._open(marker)

    def outline(self) -> Outline:
        """Return what was found."""
        blanks = (self.text.rfind(blank, 0, self.cursor) for blank in ("\n\n", "\r\n\r\n"))
        begin = self.stack[-_MAX_OPEN:][0][1] if self.stack else max(self.over, *blanks)
        line = line_start(self.text, begin)
        begin = line if begin - line < _MAX_LEAD else begin
        fence = self.fence if begin >= self.fenced else None
        names = tuple(name for name, _ in reversed(self.stack[-_MAX_OPEN:]))
        return Outline(begin, fence, bool(self.stack), self.json, self._is_hidden, names, self.fenced)

    def _section(self, marker: re.Match[str], closer: str) -> int:
        end = self.text.find(closer, marker.end(), self.cursor)
        if end >= 0:
            return end + len(closer)
        self._is_hidden = True
        return self.cursor

    def _fence_line(self, at: int) -> int:
        """Take a line with the marks of a fence, which in a call, or in another fence, is text."""
        begun = fence_at(self.text, line_start(self.text, at)) if not self.stack and self.fence is None else None
        if begun is None:
            return line_end(self.text, at)
        end = self._fence_end(begun.content, begun)
        if end is None:
            self.fence = FenceState(begun.char, begun.length, begun.language)
        self.fenced = begun.content if end is None else end
        self.over = begun.start if end is None else end
        return end or begun.content

    def _fence_end(self, at: int, fence: Fence | FenceState) -> int | None:
        """Return where a fence is over that is open at a place, None where not before the cursor."""
        markers = fence.char * fence.length
        closer = next_line(self.text, at, self.cursor, fence_closer(fence.char, fence.length), markers)
        return closer.end() if closer is not None else None

    def _close(self, marker: re.Match[str]) -> int:
        """Close the innermost element of a name, and those in it; a closer of nothing is passed over."""
        depth = next((i for i in range(len(self.stack) - 1, -1, -1) if self.stack[i][0] == marker["name"]), None)
        if depth is not None:
            del self.stack[depth:]
            self.over = marker.end()
        return marker.end()

    def _open(self, marker: re.Match[str]) -> int:
        """Open an element that may begin a call, and pass over its JSON text."""
        text, cursor, name = self.text, self.cursor, marker["name"]
        if name not in _FRAMES and not self.tools.has(name) and (name != ARGUMENTS_ELEMENT or not self.stack):
            return marker.end()
        rest = REST_OF_TAG.match(text, marker.end(), cursor)
        if rest is None or text[rest.end() - 2] == "/" or _GOES_ON.match(text, rest.end(), cursor) is None:
            return marker.end()
        bracket = BRACKET.match(text, rest.end(), cursor) if name not in _FRAMES else None
        if bracket is None:
            self.stack.append((name, marker.start()))
            return rest.end()
        at = bracket.start(1)
        # Of several that are not over, each is looked into no further than to the next.
        stop = self._next_call(at) if self._has_open_json else cursor
        end = _sound_end(text, at)
        end = json_over(text, at, stop) if end is None else end if end <= stop else None
        if end is not None and text.startswith(f"</{name}>", end):
            self.over = end + len(name) + 3
            return self.over
        self.stack.append((name, marker.start()))
        if end is not None:
            return end
        self._has_open_json, stop = True, self._next_call(at)
        self.json = at if stop == cursor else None
        return stop

    def _next_call(self, at: int) -> int:
        """Return where the next line begins with the tag of a call: no string that was left open continues after it."""
        lines = _LINE_OPENER.finditer(self.text, at, self.cursor)
        return next((line.start() + 1 for line in lines if self.tools.has(line[1])), self.cursor)
