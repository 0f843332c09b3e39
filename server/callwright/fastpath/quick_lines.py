"""Lines as values, at the speed of the C parser, and whether everything in a line reached the value.

Owns: `LineReader`, which reads lines of JSON whose beginnings and ends recur, and `fast_json`. Must not know: shapes of
transcripts, tools, what is asked of a value.

A name that is given twice is in the text and not in the value, and with it at least its two quotes. So the quotes that
the value needs, beside those in the text, tell that nothing was lost, however a text is laid out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final, NamedTuple

from callwright.syntax.json_fast import NotCleanError, scan_clean
from callwright.text.holes import HOLE

#: How many beginnings and ends are remembered, and how many were met once.
_KEPT: Final = 8
_SEEN: Final = 64
#: What is longer is not remembered.
_LONG: Final = 65_536
_HOLE: Final = HOLE.encode()
#: A list of objects at the beginning of a line, and where one object ends in it and the next begins.
_FIRST: Final = re.compile(rb'\{"(messages|conversations)": ?+\[\{')
_NEXT: Final = re.compile(rb'"(?<!\\")\}, ?+\{"')
_SYSTEM: Final = b'"system"'
#: The member in front of a trajectory's steps that holds definitions, and how far into a line it may begin.
_AGENT: Final = re.compile(rb'"agent": ?+\{')
_STEPS: Final = re.compile(rb'\}, ?+(?="steps": ?+\[)')
_NEAR: Final = 512
_OBJECT: Final = ord("{")


def was_met(part: bytes, seen: dict[bytes, None]) -> bool:
    """Return whether a part of a line was met before, and remember it among so many others."""
    if part in seen:
        return True
    if len(seen) >= _SEEN:
        seen.clear()
    seen[part] = None
    return False


class UnsureError(Exception):
    """Somebody has to look closely."""


class Codec(NamedTuple):
    """A reader of JSON, which does not mind names that are given twice, and the writer of as few bytes as can be.

    The reader raises ValueError or `UnsureError` where there is anything else to be said about the text. `dumps` is
    None where there is no fast one.
    """

    loads: Callable[[bytes | str], Any]
    dumps: Callable[[Any], bytes] | None


def fast_json() -> Codec:
    """Return the fastest codec that is to be had here."""
    try:
        library = import_module("orjson")
    except ImportError:
        return Codec(_slow_value, None)
    return Codec(library.loads, library.dumps)


def _slow_value(data: bytes | str) -> Any:
    text = data if isinstance(data, str) else data.decode()
    try:
        value, end = scan_clean(text, 0, len(text))
    except NotCleanError:
        raise UnsureError from None
    if text[end:].strip(" \t\r\n"):
        raise UnsureError
    return value


def keeps_all(data: bytes, compact: bytes) -> bool:
    """Return whether every name in a JSON text is in its value, which is `compact` where nothing is written but it."""
    # A writer puts a backslash in front of a quote, never its number.
    return data == compact or (data.count(b'"') == compact.count(b'"') and b"\\u0022" not in data)


class _Part(NamedTuple):
    """The beginning or the end of lines.

    `text` is what is written. `value` is the first item of a list, or the members that stand last; `before` is what the
    text of the rest begins with, `key` the list's name.
    """

    text: bytes
    value: Any
    before: bytes = b""
    key: str = ""


class LineReader:
    """Reads lines that are objects, and tells of the last one whether all of it is in the value.

    What lines begin or end with again and again is read once: the first of a list of messages, and definitions of
    tools, which may also stand in a member in front of the messages.
    Invariant: a remembered part and what is left of a line are whole values that are put together as the line does.
    """

    def __init__(self, codec: Codec) -> None:
        self._loads, self._dumps = codec
        self._starts: list[_Part] = []
        self._ends: list[_Part] = []
        self._middles: list[_Part] = []
        self._seen: dict[bytes, None] = {}
        self._data = b""
        self._compact: bytes | None = None

    def read(self, line: bytes) -> dict[str, Any]:
        """Return the object that a line is. Raises `UnsureError` or ValueError where there is more to say.

        Parts of it may be shared with other lines, and must not be changed.
        """
        if b"\xef" in line and _HOLE in line:
            raise UnsureError
        start = end = None
        for part in self._starts:
            if line.startswith(part.text):
                start = part
                break
        for part in self._ends:
            if line.endswith(part.text):
                end = part
                break
        data = line
        if start is not None:
            at, stop = len(start.text), len(line) - (0 if end is None else len(end.text))
            if at >= stop or line[at] != _OBJECT:
                raise UnsureError
            data = start.before + line[at:stop] + (b"" if end is None else b"}")
        elif end is not None:
            data = line[: -len(end.text)] + b"}"
        at = -1 if start is not None or end is not None else _member_at(line)
        middle = None if at < 0 else next((each for each in self._middles if line.startswith(each.text, at)), None)
        if middle is not None:
            # Where the next member can stand, this one can.
            data = line[:at] + line[at + len(middle.text) :]
        value = self._loads(data)
        if type(value) is not dict:
            raise UnsureError
        self._data = data
        self._compact = None if self._dumps is None else self._dumps(value)
        if start is None:
            self._remember_start(line)
        else:
            value[start.key].insert(0, start.value)
        if middle is not None:
            if not value.keys().isdisjoint(middle.value):
                raise UnsureError
            value.update(middle.value)
        elif at >= 0:
            self._remember_middle(line, at)
        if end is not None:
            if not value or not value.keys().isdisjoint(end.value):
                raise UnsureError
            value.update(end.value)
        elif next(reversed(value), None) == "tools":
            self._remember_end(line)
        return value

    def is_whole(self) -> bool:
        """Return whether no name is given twice in the line that was read last."""
        # Where there is no fast writer, the reader minds them.
        return self._compact is None or keeps_all(self._data, self._compact)

    def _remember_start(self, line: bytes) -> None:
        """Keep the beginning of a line, where it holds a system prompt that was met before."""
        first = _FIRST.match(line)
        if first is None or _SYSTEM not in line[first.end() : first.end() + 24]:
            return
        border = _NEXT.search(line, first.end(), _LONG)
        if border is None:
            return
        second = border.end() - 2
        if not self._met(line[:second]):
            return
        text = line[first.end() - 1 : border.start() + 2]
        element = self._object(text)
        if element:
            part = _Part(line[:second], element, line[: first.end() - 1], first[1].decode())
            self._starts = [part, *self._starts[: _KEPT - 1]]

    def _remember_end(self, line: bytes) -> None:
        """Keep the end of a line that holds definitions, where it was met before."""
        at = max(line.rfind(b', "tools":'), line.rfind(b',"tools":'))
        if at <= 0 or len(line) - at > _LONG or not self._met(line[at:]):
            return
        last = self._object(b"{" + line[at + 1 :])
        # Both halves are whole objects, so the line is one behind the other.
        if last.keys() == {"tools"} and self._object(line[:at] + b"}"):
            self._ends = [_Part(line[at:], last), *self._ends[: _KEPT - 1]]

    def _remember_middle(self, line: bytes, at: int) -> None:
        """Keep the member that begins at a place, up to the next one, where it was met before."""
        border = _STEPS.search(line, at, at + _LONG)
        if border is None or not self._met(line[at : border.end()]):
            return
        member = self._object(b"{" + line[at : border.start() + 1] + b"}")
        if len(member) == 1:
            self._middles = [_Part(line[at : border.end()], member), *self._middles[: _KEPT - 1]]

    def _met(self, part: bytes) -> bool:
        """Return whether a part of a line was met before."""
        return was_met(part, self._seen)

    def _object(self, data: bytes) -> dict[str, Any]:
        """Return the object that a text is, with every name given once; an empty one where it is no such object."""
        try:
            value = self._loads(data)
        except (UnsureError, ValueError):
            return {}
        whole = self._dumps is None or keeps_all(data, self._dumps(value))
        return value if whole and type(value) is dict else {}


def _member_at(line: bytes) -> int:
    """Return where the member that holds definitions begins, if it is surely one of the line's own object; else -1."""
    found = _AGENT.search(line, 0, _NEAR)
    if found is None:
        return -1
    before = line[: found.start()]
    return found.start() if before.count(b"{") == 1 and b"[" not in before else -1


def strict_reader(codec: Codec) -> Callable[[bytes], Any]:
    """Return a reader that raises `UnsureError` where a name is given twice, too."""
    loads = codec.loads

    def strict_value(data: bytes) -> Any:
        value = loads(data)
        # Where a name is given twice, a member with its quotes is lost. Nothing else changes how many quotes there
        # are, but for those that are written as numbers.
        if _quotes(value) != data.count(b'"') or b"\\u0022" in data or (b"\xef" in data and _HOLE in data):
            raise UnsureError
        return value

    return strict_value


def _quotes(value: Any) -> int:
    """Return how many quotes JSON needs for a value, or fewer where a name holds one."""
    kind = type(value)
    if kind is dict:
        count = 2 * len(value)
        for each in value.values():
            kind = type(each)
            if kind is str:
                count += 2 + each.count('"')
            elif kind is dict or kind is list:
                count += _quotes(each)
        return count
    if kind is list:
        return sum(map(_quotes, value))
    return 2 + value.count('"') if kind is str else 0


def flat_objects(texts: list[str], codec: Codec, encoding: str = "utf-8") -> list[dict[str, Any]] | None:
    """Return the objects that texts are, read at once; None where one may be anything else, or have a name twice.

    Their members, and those of objects in them, must be texts, whole numbers or truth values, which is for the caller
    to see to: then the line feeds between the texts, which stand in no string, stand between objects. In `encoding` the
    texts are UTF-8.
    """
    if codec.dumps is None:
        return None
    try:
        raw = f"[{_BETWEEN.join(texts)}]".encode(encoding)
        values = codec.loads(raw)
    except ValueError:
        return None
    if len(values) != len(texts) or (b"\xef" in raw and _HOLE in raw):
        return None
    for text, value in zip(texts, values, strict=True):
        if type(value) is not dict or text[:1] != "{" or text[-1:] != "}":
            return None
    return values if keeps_all(raw, codec.dumps(values)) else None


_BETWEEN: Final = ",\n"
