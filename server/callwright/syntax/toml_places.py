"""Where the keys and values of a TOML text stand.

Owns: `TomlPlaces`. Must not know: what the keys mean; values are read by `tomllib`, which gives no places. A text with
faults gives the places of what can be made out around them.
"""

import re
import tomllib
from typing import TypeAlias

from callwright.text.span import Span

Path: TypeAlias = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_SPACE = re.compile(r"[ \t]*+")
_KEY = re.compile(r"""[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+'""")
_STRING = re.compile(
    r'''"""(?:[^"\\]|\\[\s\S]|"(?!""))*+"{3,5}|\'\'\'(?:[^']|'(?!''))*+'{3,5}|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+\''''
)
_BARE = re.compile(r"[^\s,\]}#=]++(?:[ ][0-9][^\s,\]}#]*+)?")
_LINE = re.compile(r"[^\n]*+\n?")

#: Deeper arrays, inline tables and dotted keys are passed over.
_DEPTH = 100


class TomlPlaces:
    """The spans of a TOML text's keys and values by path; indexes step into arrays. Takes one pass over the text."""

    __slots__ = ("_keys", "_text", "_values")

    def __init__(self, text: str) -> None:
        self._text = text
        self._keys: dict[Path, list[Span]] = {}
        self._values: dict[Path, Span] = {}
        self._read()

    def key(self, path: Path) -> Span | None:
        """Return the span of the key that the last step of `path` names, quotes included; None where there is none."""
        spans = self._keys.get(path)
        return spans[0] if spans else None

    def keys(self, path: Path) -> tuple[Span, ...]:
        """Return the spans of all places that name the key, in order: headers and dotted keys may repeat one."""
        return tuple(self._keys.get(path, ()))

    def value(self, path: Path) -> Span | None:
        """Return the span of the value at `path`; of a table its header. None where there is no such value."""
        return self._values.get(path)

    def nearest(self, path: Path) -> Span:
        """Return the span of the value at `path` or around it; the beginning of the text where none is known."""
        while path:
            span = self._values.get(path) or self.key(path)
            if span is not None:
                return span
            path = path[:-1]
        return Span(0, 0)

    def _read(self) -> None:
        text = self._text
        at = 1 if text.startswith("\ufeff") else 0
        table: Path = ()
        counts: dict[Path, int] = {}
        while True:
            at = self._blank(at)
            if at >= len(text):
                return
            if text[at] == "[":
                table, at = self._header(at, counts)
            else:
                at = self._pair(at, table, 0) or at
            at = self._line_end(at)

    def _header(self, start: int, counts: dict[Path, int]) -> tuple[Path, int]:
        """Read `[a.b]` or `[[a.b]]` and return the table that follows and the place behind it."""
        double = self._text.startswith("[[", start)
        steps, at = self._dotted(start + (2 if double else 1))
        table = self._through_arrays(tuple(name for name, _ in steps), counts)
        if double and steps:
            counts[table] = counts.get(table, -1) + 1
            table = (*table, counts[table])
        closer = "]]" if double else "]"
        end = at + len(closer) if self._text.startswith(closer, at) else at
        names = tuple(name for name, _ in steps)
        for index, (_, span) in enumerate(steps):
            self._keys.setdefault(self._through_arrays(names[: index + 1], counts), []).append(span)
        self._values.setdefault(table, Span(start, end))
        return table, end

    def _through_arrays(self, names: tuple[str, ...], counts: dict[Path, int]) -> Path:
        """Return the path of a header's names: a name of an array of tables means its newest item."""
        path: Path = ()
        for index, name in enumerate(names):
            path = (*path, name)
            if index < len(names) - 1 and path in counts:
                path = (*path, counts[path])
        return path

    def _pair(self, start: int, table: Path, depth: int) -> int | None:
        """Read `key = value` and return the place behind it, or None where no pair stands."""
        steps, at = self._dotted(start)
        if not steps or not self._text.startswith("=", at):
            return None
        path = table
        for name, span in steps:
            path = (*path, name)
            self._keys.setdefault(path, []).append(span)
        return self._value(self._spaces(at + 1), path, depth)

    def _dotted(self, at: int) -> tuple[list[tuple[str, Span]], int]:
        """Read a dotted key; return its names with their spans and the place behind it and the spaces after it."""
        steps: list[tuple[str, Span]] = []
        while True:
            at = self._spaces(at)
            found = _KEY.match(self._text, at)
            if found is None or len(steps) >= _DEPTH:
                return steps, at
            steps.append((_name(found[0]), Span(at, found.end())))
            at = self._spaces(found.end())
            if not self._text.startswith(".", at):
                return steps, at
            at += 1

    def _value(self, start: int, path: Path, depth: int) -> int:
        text = self._text
        opener = text[start : start + 1]
        if opener in ("[", "{") and depth < _DEPTH:
            end = self._members(start + 1, path, depth + 1, in_array=opener == "[")
        else:
            found = _STRING.match(text, start) or _BARE.match(text, start)
            end = found.end() if found else start
        self._values[path] = Span(start, end)
        return end

    def _members(self, at: int, path: Path, depth: int, *, in_array: bool) -> int:
        """Read the members of an array or inline table and return the place behind its closer."""
        text, index = self._text, 0
        closer = "]" if in_array else "}"
        while True:
            at = self._blank(at)
            if at >= len(text):
                return at
            if text[at] == closer:
                return at + 1
            begin = at
            if in_array:
                at = self._value(at, (*path, index), depth)
                index += 1
            else:
                at = self._pair(at, path, depth) or at
            at = self._blank(at)
            if text.startswith(",", at):
                at += 1
            elif at == begin:
                # Something that belongs to no member: leave the rest to the line's end.
                return at

    def _blank(self, at: int) -> int:
        found = _BLANK.match(self._text, at)
        return found.end() if found else at

    def _spaces(self, at: int) -> int:
        found = _SPACE.match(self._text, at)
        return found.end() if found else at

    def _line_end(self, at: int) -> int:
        found = _LINE.match(self._text, at)
        return found.end() if found and found.end() > at else at + 1


def _name(token: str) -> str:
    """Return the name that a key token stands for."""
    if token[0] == "'" or (token[0] == '"' and "\\" not in token):
        return token[1:-1]
    if token[0] == '"':
        try:
            (name,) = tomllib.loads(f"{token} = 0")
        except tomllib.TOMLDecodeError:
            return token[1:-1]
        return str(name)
    return token
