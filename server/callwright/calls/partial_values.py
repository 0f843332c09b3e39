"""Values while they arrive: what can be reported of an argument before its call is complete.

Owns: the scanner of a JSON object's members and that of text between markers, both fed piece by piece. Must not know:
calls, dialects, events. A scanner yields a beginning of the value that the full reading returns; at the first
unexpected character it stops yielding.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

from callwright.syntax.xml_tags import CDATA_CLOSE, CDATA_OPEN, decode_references

#: What a JSON scanner yields: a member begins (its name), a piece of its text, the member is complete.
Member: TypeAlias = tuple[Literal["open", "text", "close"], str]

_SPACE: Final = " \t\r\n"
_ESCAPES: Final = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_RUN: Final = re.compile(r'[^"\\]++')
_STRUCTURE: Final = re.compile(r'["{}\[\]]')
_SCALAR_END: Final = re.compile(r"[,}\]\s]")
_HEX: Final = re.compile(r"[0-9a-fA-F]{0,4}")
_UNICODE: Final = 6
#: A number, `true`, `false` or `null` that is longer is not valid.
_MAX_SCALAR_LENGTH: Final = 400


class JsonString:
    """The characters between the quotes of one JSON string, decoded as they come."""

    __slots__ = ("_partial", "closed", "lost")

    def __init__(self) -> None:
        self._partial = ""
        #: The closing quote was found; an invalid character was found.
        self.closed = False
        self.lost = False

    def is_plain(self, text: str) -> bool:
        """Return whether a piece has no escapes and no character before it is pending."""
        return not self._partial and '"' not in text and "\\" not in text

    def feed(self, text: str, at: int) -> tuple[str, int]:
        """Return what `text[at:]` adds to the string, and where it was left: after the closing quote, or at the end.

        An incomplete escape and half a surrogate pair are kept until more text arrives.
        """
        if self._partial:
            text, at, after = self._partial + text[at:], 0, at - len(self._partial)
            self._partial = ""
        else:
            after = 0
        parts: list[str] = []
        while at < len(text):
            run = _RUN.match(text, at)
            if run is not None:
                parts.append(run[0])
                at = run.end()
                continue
            if text[at] == '"':
                self.closed = True
                return "".join(parts), at + 1 + after
            end = self._escape(text, at, parts)
            if end is None:
                self._partial = text[at:]
                break
            if self.lost:
                break
            at = end
        return "".join(parts), len(text) + after

    def _escape(self, text: str, at: int, parts: list[str]) -> int | None:
        """Decode the escape at `at` and return its end, None where it is not complete."""
        if at + 1 >= len(text):
            return None
        char = text[at + 1]
        if char != "u":
            self.lost = char not in _ESCAPES
            parts.append(_ESCAPES.get(char, ""))
            return at + 2
        digits = _HEX.match(text, at + 2)
        length = 0 if digits is None else digits.end() - digits.start()
        end = at + 2 + length
        if length < 4:
            self.lost = end < len(text)
            return None
        code = int(text[at + 2 : end], 16)
        if 0xD800 <= code < 0xDC00:
            low = text[end : end + _UNICODE]
            if len(low) < _UNICODE and "\\u".startswith(low[:2]) and _HEX.fullmatch(low[2:]):
                return None
            pair = re.fullmatch(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})", low)
            if pair is not None:
                parts.append(chr(0x10000 + ((code - 0xD800) << 10) + int(pair[1], 16) - 0xDC00))
                return end + _UNICODE
        parts.append(chr(code))
        return end


class JsonMembers:
    """The members of a JSON object, from the end of its opening brace on.

    Yields the decoded characters of a string, and the source text of other values.
    """

    def __init__(self) -> None:
        self._state: Literal["key", "in key", "colon", "value", "string", "container", "scalar", "after"] = "key"
        self._string = JsonString()
        self._parts: list[str] = []
        self._size = 0
        #: The depth of the open value in arrays and objects.
        self.depth = 0
        self._quoted = False
        self._escaped = False
        #: The object's closing brace was found, or the object is not valid.
        self.done = False

    def is_plain(self, text: str) -> bool:
        """Return whether the next piece is only text of the open string: it need not be fed."""
        return self._state == "string" and self._string.is_plain(text)

    def feed(self, text: str) -> Iterable[Member]:
        """Yield what the next piece of text adds."""
        at = 0
        while at < len(text) and not self.done:
            state = self._state
            if state == "string":
                piece, at = self._string.feed(text, at)
                if piece:
                    yield "text", piece
                if self._string.closed:
                    yield "close", ""
                    self._state = "after"
                self.done = self._string.lost
            elif state == "container":
                end = self._container(text, at)
                yield "text", text[at:end]
                at = end
                if not self.depth:
                    yield "close", ""
                    self._state = "after"
            elif state == "scalar":
                found = _SCALAR_END.search(text, at)
                end = found.start() if found is not None else len(text)
                self._parts.append(text[at:end])
                self._size += end - at
                self.done = self._size > _MAX_SCALAR_LENGTH
                at = end
                if found is not None:
                    yield "text", "".join(self._parts)
                    yield "close", ""
                    self._state = "after"
            elif state == "in key":
                piece, at = self._string.feed(text, at)
                self._parts.append(piece)
                if self._string.closed:
                    self._state = "colon"
                self.done = self._string.lost
            elif text[at] in _SPACE:
                at += 1
            else:
                yield from self._marker(text[at])
                at += self._state not in ("scalar", "container")

    def _marker(self, char: str) -> Iterable[Member]:
        """Read a character between keys and values."""
        state = self._state
        if state == "key" and char == '"':
            self._state, self._string, self._parts = "in key", JsonString(), []
        elif state == "colon" and char == ":":
            self._state = "value"
            yield "open", "".join(self._parts)
        elif state == "value" and char == '"':
            self._state, self._string = "string", JsonString()
        elif state == "value" and char in "{[":
            self._state, self.depth, self._quoted = "container", 0, False
        elif state == "value" and (char.isalnum() or char == "-"):
            self._state, self._parts, self._size = "scalar", [], 0
        elif state == "after" and char == ",":
            self._state = "key"
        else:
            self.done = True

    def _container(self, text: str, at: int) -> int:
        """Return where the array or object that is open ends in `text`, or its length."""
        while at < len(text):
            if self._escaped:
                self._escaped = False
                at += 1
            elif self._quoted:
                run = _RUN.match(text, at)
                at = run.end() if run is not None else at
                if at < len(text):
                    self._escaped = text[at] == "\\"
                    self._quoted = self._escaped
                    at += 1
            else:
                found = _STRUCTURE.search(text, at)
                if found is None:
                    return len(text)
                at = found.end()
                if found[0] == '"':
                    self._quoted = True
                else:
                    self.depth += 1 if found[0] in "{[" else -1
                    if not self.depth:
                        return at
        return at


_STOP: Final = re.compile(r"<|\](?=<|\Z)")
_STOP_IN_XML: Final = re.compile(r"[<&]")
_REFERENCE: Final = re.compile(r"&(?:#x[0-9a-fA-F]{0,8}|#[0-9]{0,8}|[A-Za-z][A-Za-z0-9]{0,31}|)")
_WORD: Final = re.compile(r"[\w:.\-]*+")
_OTHER_MARKERS: Final = "|｜!?"
_MAX_WORD_LENGTH: Final = 80


class MarkedText:
    """Text between markers, from the end of the opening one on.

    `edges` says which whitespace at its ends belongs to the dialect: one newline (`"one"`; `"led"` only if it begins
    with one), all (`"space"`) or nothing (`"none"`). With `xml` references are decoded and every tag is a marker, with
    `cdata` sections are text, with `old_lines` a lone CR is a line end. `words` are the names in markers: a tag with
    another name is text. Whitespace is kept until more text arrives.

    `stalled` says that a possible end of the text was found, which the full reading has to decide. `resume` reads it as
    text. `unended` says that the text cannot end where the scanner is, even in an unfinished text: no end was found, or
    only an opening tag; among elements, any closing tag may close another one.
    """

    def __init__(self, edges: str, words: frozenset[str], *, xml: bool, cdata: bool, old_lines: bool = False) -> None:
        self._edges = edges
        self._words = words
        self._xml = xml
        self._cdata = cdata
        self._old_lines = old_lines
        self._rest: list[str] = []
        self._space: list[str] = []
        self._begun = False
        self._in_section = False
        self._passed = False
        #: A possible end was found, and how much text has followed it.
        self.stalled = False
        self._uncertain = False
        self.after = 0
        self.reported = 0

    def feed(self, chunk: str) -> str:
        """Return what the next piece of text adds for certain."""
        self._rest.append(chunk)
        if self.stalled:
            self.after += len(chunk)
            return ""
        text = "".join(self._rest)
        parts: list[str] = []
        at = self._scan(text, parts)
        self._rest = [text[at:]] if at < len(text) else []
        self.after = len(text) - at
        return self._report(parts)

    @property
    def unended(self) -> bool:
        """Whether the text continues for all that was found."""
        return not self.stalled or self._uncertain

    def resume(self) -> str:
        """Read the marker at which the scanner stalled as text, and continue."""
        self.stalled = False
        self._passed = True
        return self.feed("")

    def _report(self, parts: list[str]) -> str:
        reported = "".join(parts)
        if "\r" in reported:
            reported = reported.replace("\r\n", "\n")
            reported = reported.replace("\r", "\n") if self._old_lines else reported
        self.reported += len(reported)
        return reported

    def _scan(self, text: str, parts: list[str]) -> int:
        """Add the certain part of `text` to `parts` and return where it ends."""
        at = 0
        stop = _STOP_IN_XML if self._xml else _STOP
        while at < len(text):
            if self._in_section:
                end = text.find(CDATA_CLOSE, at)
                until = end if end >= 0 else len(text) - _held(text, at)
                parts.append(text[at:until])
                if end < 0:
                    return until
                at, self._in_section = end + len(CDATA_CLOSE), False
                continue
            found = stop.search(text, at)
            place = found.start() if found is not None else len(text)
            self._plain(text[at:place], parts)
            after = self._marker(text, place, parts) if found is not None else None
            if after is None:
                return place
            at = after
        return at

    def _plain(self, text: str, parts: list[str]) -> None:
        body = text.rstrip(_SPACE)
        if not body:
            self._space.append(text)
            return
        self._space.append(body[: len(body) - len(body.lstrip(_SPACE))])
        self._text(body.lstrip(_SPACE), parts)
        self._space.append(text[len(body) :])

    def _text(self, text: str, parts: list[str]) -> None:
        """Yield text that is not whitespace and the text before it, without whitespace of the dialect."""
        space = "".join(self._space)
        self._space.clear()
        if not self._begun:
            self._begun = True
            if self._edges == "space":
                space = ""
            elif self._edges in ("one", "led"):
                alone = space.startswith("\n") or (self._old_lines and space.startswith("\r"))
                space = space[2 if space.startswith("\r\n") else int(alone) :]
        parts.append(space)
        parts.append(text)

    def _marker(self, text: str, at: int, parts: list[str]) -> int | None:
        """Return the end of the marker at `at` if it is text; None if that is unknown, or it may end the value."""
        if self._passed:
            self._passed = False
            self._text(text[at], parts)
            return at + 1
        if text[at] == "&":
            found = _REFERENCE.match(text, at)
            end = at if found is None else found.end()
            if end >= len(text):
                return None
            end += text[end] == ";"
            self._text(decode_references(text[at:end]), parts)
            return end
        if text[at] == "]":
            if len(text) < at + 3 and "]<]".startswith(text[at:]):
                return None
            if text.startswith("]<]", at):
                self.stalled = True
                return None
            self._text("]", parts)
            return at + 1
        if at + 1 >= len(text):
            return None
        if self._cdata and text[at + 1] == "!":
            head = text[at : at + len(CDATA_OPEN)]
            if head == CDATA_OPEN:
                self._text("", parts)
                self._in_section = True
                return at + len(CDATA_OPEN)
            if CDATA_OPEN.startswith(head):
                return None
        marker = True if self._xml else self._is_marker(text, at)
        if marker is not False:
            self.stalled = marker is True
            opens = text[at + 1] not in "/|｜"
            self._uncertain = opens or (self._xml and self._uncertain)
            return None
        self._text("<", parts)
        return at + 1

    def _is_marker(self, text: str, at: int) -> bool | None:
        """Return whether the `<` at `at` may begin one of the dialect's markers; None if that depends on more text."""
        begin = at + 2 if text[at + 1] == "/" else at + 1
        if begin < len(text) and text[begin] in _OTHER_MARKERS:
            return True
        word = _WORD.match(text, begin, begin + _MAX_WORD_LENGTH)
        end = begin if word is None else word.end()
        if end < len(text):
            return text[begin:end] in self._words
        return None if any(each.startswith(text[begin:end]) for each in self._words) else False


def _held(text: str, at: int) -> int:
    """Return how many characters at the end of `text` may belong to the end of a CDATA section or of a line."""
    tail = text[max(at, len(text) - 2) :]
    return 2 if tail == "]]" else 1 if tail.endswith(("]", "\r")) else 0
