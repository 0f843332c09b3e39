"""The cursor in JSON: which key or value stands at a place of an object, however broken the text around it is.

Owns: `JsonWalk`, `Hit`, `Frame`. Must not know: calls, tools, dialects.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from callwright.cursor.cursor_places import JsonSurroundings, end_of, skip_space
from callwright.syntax.prose import line_end
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.calls.model import Path

#: How far a string that its line does not close is searched for its end.
_STRING_REACH: Final = 8 * 1024

_JSON_TOKEN = re.compile(
    r"""(?P<space>\s++)|(?P<mark>[{}\[\]:,])|(?P<quote>["'])|(?P<word>[^\s{}\[\]:,"'<]++)|(?P<other>.)""", re.DOTALL
)
_QUOTED = {
    '"': re.compile(r'(?:[^"\\\r\n]++|\\[^\r\n])*+'),
    "'": re.compile(r"(?:[^'\\\r\n]++|\\[^\r\n])*+"),
}
_QUOTED_ON = {
    '"': re.compile(r'(?:[^"\\]++|\\.)*+', re.DOTALL),
    "'": re.compile(r"(?:[^'\\]++|\\.)*+", re.DOTALL),
}
_ENDS_STRING = re.compile(r"\s*+(?:[,:}\]]|\Z|</)")
_BROKEN_STRING = re.compile(r"[^,:}\]\s\"'<]*+")

#: What stands around a place of which nothing is said.
_NOTHING_AROUND: Final = JsonSurroundings()


@dataclass(slots=True)
class Frame:
    """An object or array that is open; `members` grows on behind the cursor."""

    mark: str
    key: str | None = None
    index: int = 0
    members: dict[str, str | None] = field(default_factory=dict)

    @property
    def step(self) -> str | int:
        """The step that leads to what is open in it: a key or an index."""
        return self.index if self.mark == "[" else (self.key or "")


class _Token(NamedTuple):
    """A JSON token: a mark, a string or a word."""

    kind: str
    span: Span
    text: str
    closed: bool = True


@dataclass(slots=True)
class Hit:
    """What the cursor is at: the frames that are open there, and the steps through them."""

    frames: list[Frame]
    steps: Path
    is_key: bool
    span: Span
    typed: str
    name: str
    around: JsonSurroundings = _NOTHING_AROUND


class JsonWalk:
    """One walk through a JSON text, from its first bracket to its last or to where it breaks off."""

    def __init__(self, text: str, start: int, stop: int, cursor: int, barrier: int) -> None:
        self.text = text
        self.barrier = barrier
        # Up to where it is known that no string ends which is still open: on its line, and beyond it.
        self._endless = 0
        self._endless_lines = 0
        self.at = start
        self.stop = stop
        self.cursor = cursor
        self.frames: list[Frame] = []
        self.expect = "value"
        self.hit: Hit | None = None
        self._last_end = start
        self._after_hit = 0

    def run(self) -> int:
        """Walk; `hit` is set where the cursor was passed. Return the offset behind the text."""
        begun = False
        while self.at < self.stop:
            token = self._next()
            if token is None:
                break
            self._look(token)
            if self.hit is not None:
                self._after_hit += 1
                if self._after_hit > 4_000:
                    break
            if not self._take(token):
                break
            begun = True
            if begun and not self.frames:
                return self.at
        if self.hit is None and self.frames and self.cursor <= max(self.at, self.stop):
            # The text breaks off where the cursor is, or before it.
            end = min(self.at, self.stop)
            if not self.text[end : self.cursor].strip():
                self._gap(None)
        return self.at

    def _next(self) -> _Token | None:
        """Return the next token, None where the JSON text is over."""
        match = _JSON_TOKEN.match(self.text, self.at, self.stop)
        if match is None:
            return None
        if match.lastgroup == "space":
            self.at = match.end()
            match = _JSON_TOKEN.match(self.text, self.at, self.stop)
            if match is None:
                return None
        kind = match.lastgroup or "other"
        if kind == "quote":
            return self._string(match.start(), match[0])
        if kind == "other":
            follows = self.text[match.end() : match.end() + 1]
            if match[0] == "<" and (follows == "/" or follows.isalpha()):
                return None
            return _Token("word", Span(match.start(), match.end()), match[0])
        return _Token(kind, Span(match.start(), match.end()), match[0])

    def _string(self, start: int, quote: str) -> _Token:
        """Return the string at `start`: to the first quote that can end it, else to the end of its line or word."""
        text = self.text
        at = start + 1
        is_key = bool(self.frames) and self.frames[-1].mark == "{" and self.expect in ("key", "comma")
        fallback: int | None = None
        while True:
            end = end_of(_QUOTED[quote], text, at, self.stop)
            if end >= self.stop or text[end] != quote:
                line = end
                break
            if _ENDS_STRING.match(text, end + 1, self.stop):
                return self._closed(start, end)
            # No string ends here, if the author knows what follows one: a quote that was not escaped, or no comma yet.
            if fallback is None:
                fallback = end
            if is_key:
                line = end
                break
            if start < self._endless:
                line = self._endless
                break
            at = end + 1
        if not is_key:
            self._endless = max(self._endless, line)
        typing = start < self.cursor <= line
        if fallback is not None and (not typing or self._ends_line(fallback + 1)):
            return self._closed(start, fallback)
        if typing:
            end = max(end_of(_BROKEN_STRING, text, start + 1), min(self.cursor, line))
            return _Token("string", Span(start, end), text[start + 1 : end], closed=False)
        reach = min(self.stop, start + _STRING_REACH, self.barrier)
        at = line if start >= self._endless_lines else reach
        while at < reach:
            end = end_of(_QUOTED_ON[quote], text, at, reach)
            if end >= reach or text[end] != quote:
                break
            if _ENDS_STRING.match(text, end + 1, self.stop):
                return self._closed(start, end)
            at = end + 1
        self._endless_lines = max(self._endless_lines, reach)
        return _Token("string", Span(start, line), text[start + 1 : line], closed=False)

    def _ends_line(self, at: int) -> bool:
        """Return whether nothing but space follows on the line."""
        return not self.text[at : line_end(self.text, at)].strip()

    def _closed(self, start: int, end: int) -> _Token:
        return _Token("string", Span(start, end + 1), self.text[start + 1 : end])

    def _look(self, token: _Token) -> None:
        """Note what the cursor is at, if it lies before this token or in it."""
        if self.hit is not None or (not self.frames and token.span.start >= self.cursor):
            return
        start, end = token.span
        cursor = self.cursor
        inside = start < cursor < end or (cursor == end and (token.kind == "word" or not token.closed))
        inside = inside or (token.kind == "word" and cursor == start)
        if token.kind in ("string", "word") and inside and self.expect in ("key", "value"):
            lead = 1 if token.kind == "string" else 0
            typed = self.text[start + lead : cursor]
            self._note(token.span, typed, token.text, self._around(end))
        elif token.kind in ("string", "word") and inside:
            self._note(Span(cursor, cursor), "", "", self._around(end), nowhere=True)
        elif cursor <= start:
            self._gap(token)

    def _gap(self, token: _Token | None) -> None:
        """Note a cursor between two tokens."""
        at = self.cursor
        around = self._around(at) if token is not None else JsonSurroundings()
        if self.expect == "comma" and self.frames:
            after = self._last_end
            around = JsonSurroundings(around.colon, around.comma, around.value_follows, after)
            # Directly behind a value there is nothing to write; on a new line there is.
            nowhere = not any(character in "\r\n" for character in self.text[after:at])
            self._note(Span(at, at), "", "", around, nowhere=nowhere)
            return
        self._note(Span(at, at), "", "", around, nowhere=self.expect == "colon")

    def _note(self, span: Span, typed: str, name: str, around: JsonSurroundings, *, nowhere: bool = False) -> None:
        frames = list(self.frames)
        if nowhere or not frames:
            self.hit = Hit([], (), False, span, typed, name, around)
            self.hit.frames = []
            return
        is_key = frames[-1].mark == "{" and self.expect in ("key", "comma")
        steps = tuple(frame.step for frame in frames)
        if frames[-1].mark == "[" and self.expect == "comma":
            steps = (*steps[:-1], frames[-1].index + 1)
        self.hit = Hit(frames, steps, is_key, span, typed, name, around)

    def _around(self, end: int) -> JsonSurroundings:
        """Return what follows at `end`."""
        at = skip_space(self.text, end, self.stop)
        mark = self.text[at : at + 1] if at < self.stop else ""
        follows = mark not in ("", ",", ":", "}", "]", "<", "`")
        return JsonSurroundings(colon=mark == ":", comma=mark == ",", value_follows=follows)

    def _take(self, token: _Token) -> bool:
        """Go on by one token; False where the JSON text is over."""
        self.at = token.span.end
        top = self.frames[-1] if self.frames else None
        mark = token.text if token.kind == "mark" else ""
        if mark in ("{", "["):
            self.frames.append(Frame(mark))
            self.expect = "key" if mark == "{" else "value"
        elif mark in ("}", "]"):
            if self.frames:
                self.frames.pop()
            self.expect = "comma"
            self._last_end = self.at
        elif mark == ",":
            if top is not None and top.mark == "[":
                top.index += 1
            self.expect = "key" if top is not None and top.mark == "{" else "value"
        elif mark == ":":
            self.expect = "value"
        elif top is None:
            return False
        elif top.mark == "{" and self.expect in ("key", "comma") and self._is_key(token):
            if self.hit is None or self.hit.span != token.span:
                top.members.setdefault(token.text, None)
            top.key = token.text
            self.expect = "colon"
        else:
            if top.mark == "{" and token.kind == "string" and top.key is not None:
                top.members[top.key] = token.text
            self.expect = "comma"
            self._last_end = self.at
        return True

    def _is_key(self, token: _Token) -> bool:
        return token.kind in ("string", "word")
