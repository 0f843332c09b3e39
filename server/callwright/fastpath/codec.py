"""JSON as values, at the speed of the C parser, and whether everything in a text is in the value.

Owns: `Codec`, `fast_json`, `LineReader`, `LineRead`, and `FallbackNeeded`, by which a fast path leaves a text to a full
reading. Must not know: shapes of transcripts, tools, what a value is checked for.

A duplicate name is in the text and not in the value, with at least its two quotes. So comparing the quotes that the
value needs with those in the text shows that nothing was lost, however a text is laid out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, Final

from callwright.syntax.json_fast import NotCleanError, scan_clean
from callwright.text.holes import HOLE
from callwright.text.lru import Kept
from callwright.text.records import NamedTuple

_HOLE: Final = HOLE.encode()
_BETWEEN: Final = ",\n"
#: The types of values without brackets and braces, except for numbers that are not whole.
FLAT: Final = frozenset({str, int, bool})
#: A number that replaces the value of a member. Whole numbers are written in one way.
_MARKER: Final = -7_316_295_041_838
_MARKED: Final = str(_MARKER).encode()
#: How many texts of members are remembered, and how many bytes of them; some only as seen before, or as not a value.
_KEPT: Final = 256
_HEAVIEST: Final = 4_000_000
_MET: Final = object()
_NO_VALUE: Final = object()


class FallbackNeeded(Exception):  # noqa: N818 - it is not an error, and the name is what is needed
    """A text may have a diagnostic and needs a full reading."""


class Codec(NamedTuple):
    """A reader of JSON, which ignores duplicate names, and a writer of as few bytes as possible.

    The reader raises ValueError or `FallbackNeeded` for a text with any other problem. `dumps` is None where there is
    no fast writer; then the reader raises for duplicate names, too.
    """

    loads: Callable[[bytes | str], Any]
    dumps: Callable[[Any], bytes] | None

    def keeps_all(self, data: bytes, value: Any) -> bool:
        """Return whether every name in a text is in its value, and no character represents a hole."""
        if b"\xef" in data and _HOLE in data:
            return False
        if self.dumps is None:
            return True
        compact = self.dumps(value)
        # A writer puts a backslash before a quote, never a code point number.
        return data == compact or (data.count(b'"') == compact.count(b'"') and b"\\u0022" not in data)

    def written(self, value: Any) -> bytes:
        """Return a value as JSON, for comparison with others."""
        return json.dumps(value).encode() if self.dumps is None else self.dumps(value)

    def strict_value(self, text: bytes | str) -> Any:
        """Return the value of a text; None where the text may have a diagnostic."""
        data = text.encode() if isinstance(text, str) else text
        try:
            value = self.loads(data)
        except (FallbackNeeded, ValueError):
            return None
        return value if self.keeps_all(data, value) else None

    def values(self, texts: list[str]) -> list[Any]:
        """Return the values of texts, each as `strict_value` does."""
        flat = self._flat_objects(texts) if self.dumps is not None and len(texts) > 1 else None
        return [self.strict_value(text) for text in texts] if flat is None else flat

    def _flat_objects(self, texts: list[str]) -> list[Any] | None:
        """Return the objects of texts, read together; None where one may be anything else.

        Where the objects, and the objects in them, have only flat members, the line feeds between the texts, which are
        in no string, are between objects.
        """
        data = f"[{_BETWEEN.join(texts)}]".encode()
        try:
            values = self.loads(data)
        except ValueError:
            return None
        if len(values) != len(texts):
            return None
        for text, value in zip(texts, values, strict=True):
            if type(value) is not dict or text[:1] != "{" or text[-1:] != "}":
                return None
            if FLAT.issuperset(map(type, value.values())):
                continue
            for each in value.values():
                if type(each) not in FLAT and not (type(each) is dict and FLAT.issuperset(map(type, each.values()))):
                    return None
        return values if self.keeps_all(data, values) else None


class LineRead(NamedTuple):
    """A line as it was read: its value, and the `data` that was read, in which a number is in place of the member
    `shared`, if that has a name."""

    value: Any
    data: bytes
    shared: str = ""

    def keeps_all(self, codec: Codec) -> bool:
        """Return what the codec's `keeps_all` returns for the line, which is an object, with its value."""
        return codec.keeps_all(self.data, {**self.value, self.shared: _MARKER} if self.shared else self.value)


class LineReader:
    """Reads lines with a member that may be the same in many, usually definitions of tools. Such a member is read once.

    `members` are such members, each with one that may follow it; else it is last. Invariant: a line is read with a
    number in place of the member's text, and the line does not contain this number. So where the member is this number,
    the replaced text, which is a value by itself, is the member's.
    """

    def __init__(self, codec: Codec, members: Iterable[tuple[str, str]]) -> None:
        self._codec = codec
        after: dict[str, list[bytes]] = {}
        for name, follower in members:
            after.setdefault(name, []).append(f'"{follower}":'.encode())
        self._members = [(name, f'"{name}":'.encode(), tuple(borders)) for name, borders in after.items()]
        self._known: Kept[bytes, Any] = Kept(_KEPT, _HEAVIEST)
        self._latest: tuple[bytes, Any] | None = None

    def read(self, line: bytes) -> LineRead:
        """Return a line as it is read; raises as the codec's reader does. What lines share must not be changed."""
        for number, (name, opener, borders) in enumerate(self._members):
            start = line.rfind(opener) + len(opener)
            if start < len(opener):
                continue
            if number:
                # The lines of one file are similar.
                self._members.insert(0, self._members.pop(number))
            shared = self._shared(line, start, borders)
            if shared is None:
                break
            text, known = shared
            at = start + line.startswith(b" ", start)
            data = line[:at] + _MARKED + line[at + len(text) :]
            value = self._codec.loads(data)
            # Where only one brace follows, the number is a member of the line's own object, and its name is this one
            # unless it is the end of another.
            is_last = data[at + len(_MARKED) :].rstrip() == b"}" and not line.endswith(b"\\", 0, start - len(opener))
            if type(value) is dict and (is_last or data.count(_MARKED) == 1):
                own = value.get(name)
                if type(own) is int and own == _MARKER:
                    value[name] = known
                    return LineRead(value, data, name)
            break
        return LineRead(self._codec.loads(line), line)

    def _shared(self, line: bytes, start: int, borders: tuple[bytes, ...]) -> tuple[bytes, Any] | None:
        """Return the text of the member's value from a place on, and the value; None where the text is new, or is
        neither a list, an object nor a string."""
        at = start + line.startswith(b" ", start)
        if self._latest is not None and line.startswith(self._latest[0], at):
            return self._latest
        end = max(line.find(border, start) for border in borders)
        text = line[at:].rstrip(b" }\r\n") if end < 0 else line[at:end].rstrip(b" ,")
        known = self._known.get(text)
        if known is _MET:
            known = self._codec.strict_value(text)
            known = self._known.keep(text, known if isinstance(known, list | dict | str) else _NO_VALUE, len(text))
        elif known is None:
            self._known.keep(text, _MET, len(text))
            return None
        if known is _NO_VALUE:
            return None
        self._latest = text, known
        return self._latest


def fast_json() -> Codec:
    """Return the fastest codec that is available."""
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
        raise FallbackNeeded from None
    if text[end:].strip(" \t\r\n"):
        raise FallbackNeeded
    return value
