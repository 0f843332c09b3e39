"""The cursor in markup: which tag, element or JSON stands at a place, however broken the text around it is.

Owns: `TagWalk`, one walk through a text up to the cursor and a bounded stretch behind it. Must not know: the calls that
the reader found (half-typed text has none), dialect modules, protocols.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from callwright.calls.json_objects import LANGUAGES, looks_marked
from callwright.calls.tool_calls import CALL, WRAPPER
from callwright.cursor.cursor_json import json_hit
from callwright.cursor.cursor_places import (
    NAME_CHARACTER,
    Place,
    Role,
    Schemas,
    end_of,
    skip_space,
    word_before,
)
from callwright.syntax.prose import fence_at, fence_closer, line_end, line_start
from callwright.text.holes import HOLE
from callwright.text.line_ends import LINE_START
from callwright.text.span import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callwright.calls.model import Path
    from callwright.syntax.prose import Fence, FenceState
    from callwright.tools.registry import ToolRegistry

#: How much text behind the cursor is looked at, in code points.
BEHIND: Final = 32 * 1024
#: Elements that are open at once, and are kept track of; what is opened deeper is text.
_DEPTH: Final = 128

NAME_ELEMENT: Final = "tool_name"
ARGUMENTS_ELEMENT: Final = "arguments"

_N: Final = NAME_CHARACTER
#: What makes a fence, and a brace that JSON may begin with, of the beginning of a line.
_FENCE: Final = r"[ \t>]*+(?:[-*+][ \t]|\d{1,9}[.)][ \t])*+(?:```|~~~)"
_BRACE: Final = r"[ \t>]*+\{"
_TOKEN = re.compile(
    rf"""
    (?P<cdata><!\[CDATA\[)
    | (?P<comment><!--)
    | (?P<tag></?(?:[^\W\d]{_N}*+|{HOLE}{_N}*+)?)
    | (?P<fence>{LINE_START}{_FENCE})
    | (?P<brace>{LINE_START}{_BRACE})
    | (?P<ticks>`++)
    """,
    re.MULTILINE | re.VERBOSE,
)
#: Where a token begins, or the line ends before it. Each alternative begins with one character and none is a group, so
#: that the search stops at no other.
_BEFORE_TOKEN = re.compile("|".join(("<", "`", *(rf"{end}(?={_FENCE}|{_BRACE})" for end in "\r\n"))))
_REST_OF_TAG = re.compile(r"""(?:[^<>"']++|"[^"<>]*+"|'[^'<>]*+')*+>""")
_NAME_ON = re.compile(rf"{_N}*+")
_TAG = re.compile(rf"<(/?)([^\W\d]{_N}*+)[^<>]*+>|<!\[CDATA\[|<!--")
_LINE_OPENER = re.compile(rf"{LINE_START}[ \t]*+<([^\W\d]{_N}*+)", re.MULTILINE)
_BRACKET = re.compile(r"\s*+([\[{])")
_FIRST_KEY = re.compile(r"\{\s*+[\"']?\w*+")
_WORD = re.compile(r"\s*+([^<\s]++)")


def _next_token(text: str, at: int) -> re.Match[str] | None:
    """Return what `_TOKEN` finds first at or behind `at`, many times faster than a search for all it may begin with."""
    if at == 0 or text[at - 1] in "\r\n":
        token = _TOKEN.match(text, at)
        if token is not None:
            return token
    before = _BEFORE_TOKEN.search(text, at)
    if before is None:
        return None
    return _TOKEN.match(text, before.start() + (before[0] in "\r\n"))


class _Kind(enum.Enum):
    """What an open element is to the call around it."""

    CALL = enum.auto()
    FRAME = enum.auto()
    LIST = enum.auto()
    NAME = enum.auto()
    ARGUMENTS = enum.auto()
    MEMBER = enum.auto()
    OTHER = enum.auto()


@dataclass(slots=True)
class _Open:
    """An element that is open at the place the walk has come to."""

    kind: _Kind
    name: str
    content: int
    tool: str | None = None
    path: Path = ()
    named: str | None = None
    children: list[str] = field(default_factory=list)
    #: Whether its content was a JSON text, which ended before the cursor.
    has_json: bool = False

    @property
    def holds_arguments(self) -> bool:
        return self.kind in (_Kind.CALL, _Kind.ARGUMENTS, _Kind.MEMBER)


class TagWalk:
    """One walk through a text up to the cursor.

    `sound` are calls before the cursor that the reader found without fault, in order: they are stepped over. `fence` is
    open where the text begins.
    """

    def __init__(
        self,
        text: str,
        cursor: int,
        tools: ToolRegistry,
        sound: Sequence[Span] = (),
        fence: FenceState | None = None,
    ) -> None:
        self.text = text
        self.cursor = cursor
        self.tools = tools
        self._sound = iter(sound)
        self._next_sound = next(self._sound, None)
        self.schemas = Schemas(tools)
        self.stack: list[_Open] = []
        self.fence: Fence | FenceState | None = fence
        # What was searched for and where it was found (-1: nowhere), so that nothing is searched for twice.
        self._found: dict[str, int] = {}
        self._line = Span(0, -1)
        self._alone: tuple[int, set[int]] = (-1, set())

    def _find(self, what: str, at: int) -> int:
        """Return where `what` stands next at or behind `at`, -1 where it does not; `at` grows from call to call."""
        found = self._found.get(what, 0)
        if 0 <= found < at or what not in self._found:
            found = self._found[what] = self.text.find(what, at)
        return found

    def _line_end(self, at: int) -> int:
        """Return the end of the line that holds `at`."""
        if not self._line.start <= at <= self._line.end:
            self._line = Span(at, line_end(self.text, at))
        return self._line.end

    # The walk

    def place(self) -> Place:
        """Return what stands at the cursor."""
        text, cursor, at = self.text, self.cursor, 0
        while at < cursor or (at == cursor and cursor < len(text)):
            token = _next_token(text, at)
            if token is None or token.start() >= cursor:
                break
            behind = self._behind_sound(at, token.end())
            if behind is not None:
                at = behind
                continue
            self._prose_between(at, token.start())
            step = self._step(token)
            if isinstance(step, Place):
                return step
            at = step
        return self._in_text(at)

    def _behind_sound(self, at: int, before: int) -> int | None:
        """Return the end of the sound call that begins between two places; in a call that is open there is none."""
        while self._next_sound is not None and self._next_sound.start < at:
            self._next_sound = next(self._sound, None)
        call = self._next_sound
        return call.end if call is not None and call.start < before and not self._in_call else None

    def _step(self, token: re.Match[str]) -> Place | int:
        """Take what begins at a token; return where to go on, or the place of a cursor in it."""
        match token.lastgroup:
            case "cdata":
                return self._past("]]>", token.end())
            case "comment":
                return self._past("-->", token.end())
            case "tag":
                return self._tag(token)
            case "fence":
                return self._fence_line(token)
            case "brace":
                return self._bare_json(token)
            case _:
                return self._back_ticks(token)

    def _past(self, closer: str, start: int) -> Place | int:
        """Return the end of a section; a cursor in it is nowhere of interest."""
        end = self.text.find(closer, start)
        if end < 0 or self.cursor < end + len(closer):
            return self._nothing()
        return end + len(closer)

    def _nothing(self) -> Place:
        return Place(Role.NOTHING, Span(self.cursor, self.cursor), open_names=self._open_names())

    def _open_names(self) -> tuple[str, ...]:
        """Return what is open of a call, the innermost first; what is around it is no part of it."""
        first = next((at for at, element in enumerate(self.stack) if element.kind is not _Kind.OTHER), len(self.stack))
        return tuple(element.name for element in reversed(self.stack[first:]))

    @property
    def _top(self) -> _Open | None:
        return self.stack[-1] if self.stack else None

    @property
    def _language(self) -> str | None:
        return self.fence.language if self.fence is not None else None

    @property
    def _in_call(self) -> bool:
        return any(element.kind is not _Kind.OTHER for element in self.stack)

    def _prose_between(self, start: int, end: int) -> None:
        """Leave a call that its text has left: sentences among its elements belong to the prose around it."""
        top = self._top
        if top is None or top.kind not in (_Kind.CALL, _Kind.ARGUMENTS, _Kind.FRAME, _Kind.LIST):
            return
        stray = self.text[start:end].replace(HOLE, "").strip()
        if stray and end < self.cursor and " " in stray:
            while self.stack and self.stack[-1].kind is not _Kind.OTHER:
                self.stack.pop()

    def _back_ticks(self, token: re.Match[str]) -> Place | int:
        """Step over a code span; a cursor in it sees what the span holds."""
        if self._in_call:
            return token.end()
        run = token[0]
        end = token.end()
        limit = self._line_end(end)
        if self._alone[0] != limit:
            self._alone = (limit, set())
        while True:
            close = self.text.find(run, end, limit) if len(run) not in self._alone[1] else -1
            if close < 0:
                self._alone[1].add(len(run))
                return token.end()
            stop = close + len(run)
            if self.text[stop : stop + 1] != "`" and self.text[close - 1 : close] != "`":
                break
            end = stop
        if not token.end() <= self.cursor <= close:
            return stop
        tag = re.compile(rf"<?{_N}*+").search(self.text, max(token.end(), self._word_start(token.end())))
        start, tag_end = (tag.start() + tag[0].startswith("<"), tag.end()) if tag is not None else (self.cursor,) * 2
        span = Span(min(start, self.cursor), max(tag_end, self.cursor))
        begins = start == token.end() or self.text[start - 1 : start] == "<"
        role = Role.CALL_TAG if begins else Role.NOTHING
        return Place(role, span, self.text[span.start : self.cursor], self.text[span.start : span.end], in_code=True)

    def _word_start(self, least: int) -> int:
        """Return where the name that ends at the cursor begins, with the `<` before it."""
        at = self.cursor
        while at > least and re.match(_N, self.text[at - 1]):
            at -= 1
        return at - 1 if at > least and self.text[at - 1] == "<" else at

    def _fence_line(self, token: re.Match[str]) -> Place | int:
        """Open or close a fenced block; inside a call it is text like any other."""
        start = token.start()
        if self._in_value() or (self._in_call and self.fence is None):
            return token.end()
        if self.fence is not None:
            closing = fence_closer(self.fence.char, self.fence.length).match(self.text, start)
            if closing is not None:
                self.fence = None
                self.stack.clear()
                return max(closing.end(), token.end())
            return token.end()
        fence = fence_at(self.text, start)
        if fence is None:
            return token.end()
        if self.cursor < fence.content:
            return self._nothing()
        self.fence = fence
        self.stack.clear()
        opener = _BRACKET.match(self.text, fence.content)
        if fence.language in LANGUAGES and opener is not None and opener.start(1) < self.cursor:
            closing = fence_closer(fence.char, fence.length).search(self.text, fence.content)
            stop = closing.start() if closing is not None else len(self.text)
            return self._json(opener.start(1), stop)
        return fence.content

    def _bare_json(self, token: re.Match[str]) -> Place | int:
        """Read a JSON object that begins a line, if it is one that holds calls, or its first key is being typed."""
        start = token.end() - 1
        is_begun = end_of(_FIRST_KEY, self.text, start) >= self.cursor
        if self._in_call or not (is_begun or looks_marked(self.text, start)):
            return token.end()
        hit, _ = json_hit(self.text, start, len(self.text), self.cursor) if is_begun else (None, start)
        if hit is None or not hit.is_key or hit.frames[-1].members.keys() - {hit.name}:
            return self._json(start, len(self.text))
        return Place(Role.FRAME_KEY, hit.span, hit.typed, hit.name, json=hit.around)

    def _tag(self, token: re.Match[str]) -> Place | int:
        """Take a tag, whole or half-typed."""
        text, cursor = self.text, self.cursor
        closing = token[0].startswith("</")
        start = token.start() + 1 + closing
        name_end = end_of(_NAME_ON, text, start)
        if start <= cursor <= name_end:
            return self._at_closing(start, name_end) if closing else self._at_opening(start, name_end)
        name = text[start:name_end]
        if not name:
            return token.end()
        rest = _REST_OF_TAG.match(text, name_end)
        if rest is None:
            line = self._line_end(name_end)
            return self._nothing() if cursor <= line and not self._in_value() else name_end
        if cursor < rest.end():
            return self._nothing()
        if closing:
            self._close(name)
            return rest.end()
        if text[rest.end() - 2] == "/":
            self._note_child(name)
            return rest.end()
        return self._open(name, rest.end())

    def _in_value(self) -> bool:
        """Return whether the innermost element holds plain text."""
        top = self._top
        return top is not None and top.kind is _Kind.MEMBER and self.schemas.is_text(top.tool or "", top.path)

    def _note_child(self, name: str) -> None:
        if self.stack:
            self.stack[-1].children.append(name)

    # Opening and closing

    def _open(self, name: str, content: int) -> Place | int:
        """Open an element and step into its content: to the end of it where it is a plain value or JSON."""
        text, cursor = self.text, self.cursor
        top = self._top
        if top is not None and self._in_value():
            # In plain text a tag is text, unless it is the next parameter and the author forgot to close this one.
            parent = self.stack[-2] if len(self.stack) > 1 else None
            if parent is None or not self._is_sibling(parent, name) or self._find(f"</{top.name}", content) >= 0:
                return content
            self.stack.pop()
        self._note_child(name)
        element = self._element(name, content)
        if element.kind is _Kind.CALL and text[content - 2 - len(name) : content] != f"<{name}>":
            # With attributes in its tag, what it holds is text.
            opened = text.rfind(f"<{name}", 0, content)
            element.kind = _Kind.OTHER if "=" in text[opened:content] else element.kind
        if element.kind is _Kind.CALL and self._is_mention(content):
            return content
        if len(self.stack) >= _DEPTH:
            return content
        self.stack.append(element)
        opener = _BRACKET.match(text, content)
        if opener is not None and opener.start(1) < cursor and self._takes_json(element):
            stop = self._find(f"</{name}", content) if element.kind is _Kind.ARGUMENTS else -1
            element.has_json = True
            return self._json(opener.start(1), len(text) if stop < 0 else stop, element)
        if element.kind is _Kind.NAME or (
            element.kind is _Kind.MEMBER and self.schemas.is_text(element.tool or "", element.path)
        ):
            closer = self._find(f"</{name}", content)
            if 0 <= closer < cursor and "<![CDATA[" not in text[content:closer]:
                return closer
        return content

    def _element(self, name: str, content: int) -> _Open:
        """Say what an element is to the call that it lies in."""
        top = self._top
        if top is not None and top.kind is _Kind.FRAME:
            if name == NAME_ELEMENT:
                return _Open(_Kind.NAME, name, content)
            if name == ARGUMENTS_ELEMENT:
                return _Open(_Kind.ARGUMENTS, name, content, top.named or self._named_later(content))
        if top is not None and top.holds_arguments and top.tool is not None:
            known = self.schemas.has(top.tool, top.path, name)
            if known or not self.tools.has(name) or self.schemas.is_array(top.tool, top.path):
                return _Open(_Kind.MEMBER, name, content, top.tool, self.schemas.step(top.tool, top.path, name))
        if name == CALL:
            return _Open(_Kind.FRAME, name, content)
        if name == WRAPPER:
            return _Open(_Kind.LIST, name, content)
        if self.tools.has(name):
            return _Open(_Kind.CALL, name, content, name)
        if top is not None and top.holds_arguments:
            return _Open(_Kind.MEMBER, name, content, None, (*top.path, name))
        return _Open(_Kind.OTHER, name, content)

    def _named_later(self, content: int) -> str | None:
        """Return the tool of a frame whose name stands behind its arguments."""
        end, start = self._find(f"</{CALL}", content), self._find(f"<{NAME_ELEMENT}>", content)
        if start < 0 or 0 <= end < start:
            return None
        found = _WORD.match(self.text, start + len(NAME_ELEMENT) + 2)
        return found[1] if found else None

    def _is_sibling(self, parent: _Open, name: str) -> bool:
        return parent.tool is not None and self.schemas.has(parent.tool, parent.path, name)

    def _is_mention(self, content: int) -> bool:
        """Return whether an opening tag only names a tool: a sentence goes on behind it."""
        line = self._line_end(content)
        end = self.text.find("<", content, line)
        end = line if end < 0 else end
        words = self.text[content:end].replace(HOLE, "").strip()
        return bool(words) and end < self.cursor and words[0] not in "{["

    def _takes_json(self, element: _Open) -> bool:
        if element.kind in (_Kind.CALL, _Kind.ARGUMENTS):
            return True
        return element.kind is _Kind.MEMBER and not self.schemas.is_text(element.tool or "", element.path)

    def _close(self, name: str) -> None:
        """Close the innermost element of that name, and those inside it; a closer of nothing is passed over."""
        for at in range(len(self.stack) - 1, -1, -1):
            element = self.stack[at]
            if element.name == name:
                if element.kind is _Kind.NAME and at > 0:
                    content = self.text[element.content : self.text.find("</", element.content)]
                    self.stack[at - 1].named = content.replace("<![CDATA[", "").replace("]]>", "").strip() or None
                del self.stack[at:]
                return
            if element.kind in (_Kind.CALL, _Kind.FRAME) and name not in {open_.name for open_ in self.stack[:at]}:
                return

    # Places in markup

    def _at_opening(self, start: int, end: int) -> Place:
        """Say what can be written as the name of an opening tag."""
        top = self._top
        if top is not None and self._in_value():
            parent = self.stack[-2] if len(self.stack) > 1 else None
            begins_line = not self.text[line_start(self.text, start) : start - 1].strip()
            open_ended = self.text.find(f"</{top.name}", end, end + BEHIND) < 0
            if parent is None or not begins_line or not open_ended or line_start(self.text, start) <= top.content:
                return Place(Role.NOTHING, Span(start, end), open_names=self._open_names())
            self.stack.pop()
            top = self._top
        span = Span(start, end)
        typed, name = self.text[start : self.cursor], self.text[start:end]
        if top is None or top.kind is _Kind.OTHER:
            return Place(Role.CALL_TAG, span, typed, name, open_names=self._open_names(), fence=self._language)
        present = frozenset(top.children) | self._children_behind(end, top.name)
        if top.kind in (_Kind.FRAME, _Kind.LIST):
            tool = top.named or self._named_later(top.content) if top.kind is _Kind.FRAME else None
            return Place(Role.FRAME_TAG, span, typed, name, tool, (top.name,), present, self._open_names())
        if top.kind is _Kind.NAME:
            return Place(Role.NOTHING, span, open_names=self._open_names())
        return Place(Role.CHILD_TAG, span, typed, name, top.tool, top.path, present, self._open_names())

    def _at_closing(self, start: int, end: int) -> Place:
        """Say what can be written as the name of a closing tag, and what the element is that it closes."""
        name = self.text[start:end]
        closed = next((element for element in reversed(self.stack) if element.name == name), None)
        tool: str | None = None
        path: Path = ()
        closes = Role.NOTHING
        is_call = closed is not None and closed.kind in (_Kind.CALL, _Kind.OTHER) and self.tools.has(name)
        if closed is not None and is_call:
            closes, tool = Role.CALL_TAG, closed.tool or name
        elif closed is not None and closed.kind is _Kind.MEMBER:
            closes, tool, path = Role.CHILD_TAG, closed.tool, closed.path[:-1]
        return Place(
            Role.CLOSING_TAG,
            Span(start, end),
            self.text[start : self.cursor],
            name,
            tool,
            path,
            open_names=self._open_names(),
            closes=closes,
        )

    def _children_behind(self, start: int, parent: str) -> frozenset[str]:
        """Return the names of the elements that follow in the same parent; one that was only begun is none."""
        found: list[str] = []
        open_names: list[str] = []
        at = start
        for _ in range(1_000):
            tag = _TAG.search(self.text, at)
            if tag is None:
                break
            at = tag.end()
            if tag[0].startswith("<!"):
                close = self.text.find("]]>" if tag[0] == "<![CDATA[" else "-->", at)
                if close < 0:
                    break
                at = close + 3
            elif tag[1]:
                if open_names and tag[2] in open_names:
                    while open_names.pop() != tag[2]:
                        pass
                elif tag[2] == parent:
                    break
            else:
                if not open_names:
                    if self.tools.has(tag[2]) and not self._is_known_child(tag[2]):
                        break
                    found.append(tag[2])
                if not tag[0].endswith("/>"):
                    open_names.append(tag[2])
        return frozenset(found)

    def _is_known_child(self, name: str) -> bool:
        top = self._top
        return top is not None and top.tool is not None and self.schemas.has(top.tool, top.path, name)

    def _in_text(self, at: int) -> Place:
        """Say what can be written at a cursor that stands in plain text."""
        top = self._top
        text, cursor = self.text, self.cursor
        if top is None or top.kind is _Kind.OTHER:
            start = word_before(text, cursor)
            end = max(end_of(_NAME_ON, text, cursor), cursor)
            return Place(
                Role.PROSE,
                Span(start, end),
                text[start:cursor],
                text[start:end],
                open_names=self._open_names(),
                fence=self._language,
            )
        if top.has_json:
            return self._nothing()
        if top.kind in (_Kind.NAME, _Kind.MEMBER):
            end = text.find("<", cursor)
            line = line_end(text, cursor)
            end = line if end < 0 or line < end else end
            start = skip_space(text, max(top.content, line_start(text, cursor)), cursor)
            content = text[start:end].rstrip()
            span = Span(start, max(start + len(content), cursor))
            role = Role.TOOL_NAME if top.kind is _Kind.NAME else Role.TEXT
            present = frozenset(top.children) | self._children_behind(cursor, top.name)
            return Place(role, span, text[start:cursor], content, top.tool, top.path, present, self._open_names())
        start = word_before(text, cursor)
        end = max(end_of(_NAME_ON, text, cursor), cursor)
        present = frozenset(top.children) | self._children_behind(cursor, top.name)
        if top.kind in (_Kind.FRAME, _Kind.LIST):
            tool = top.named if top.kind is _Kind.FRAME else None
            return Place(
                Role.BODY,
                Span(start, end),
                text[start:cursor],
                text[start:end],
                tool,
                (top.name,),
                present,
                self._open_names(),
            )
        del at
        return Place(
            Role.BODY, Span(start, end), text[start:cursor], text[start:end], top.tool, (), present, self._open_names()
        )

    # JSON

    def _json(self, start: int, stop: int, element: _Open | None = None) -> Place | int:
        """Return the place of a cursor in the JSON text of an element, where nothing can be written in any other text,
        else where the text ends."""
        hit, end = json_hit(self.text, start, min(stop, max(self._next_call(start), start + 1)), self.cursor)
        if hit is None:
            return end
        if element is None or not hit.frames:
            return self._nothing()
        return hit.argument(element.tool, (*element.path, *hit.steps))

    def _next_call(self, at: int) -> int:
        """Return where the next line begins with the tag of a call: no string that was left open goes on behind it."""
        known = self._found.get("call", -1)
        if known < at:
            lines = _LINE_OPENER.finditer(self.text, at)
            known = next((line.start() for line in lines if self.tools.has(line[1])), len(self.text))
            self._found["call"] = known
        return known
