"""The places of the keys and values of a TOML text, and what is at a cursor in it.

Owns: `TomlPlaces`, `toml_spot`. Must not know: what the keys mean; values are read by `tomllib`, which returns no
places. An invalid or incomplete text gives the places of its valid parts.
"""

import re
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from callwright.text.records import NamedTuple
from callwright.text.span import Span

Path: TypeAlias = tuple[str | int, ...]

_BLANK: Final = re.compile(r"[ \t\r\n]*+")
_SPACE: Final = re.compile(r"[ \t]*+")
_COMMENT: Final = re.compile(r"#[^\n]*+")
_LINE: Final = re.compile(r"[^\n]*+")
#: Text in quotes on one line, and on several; `!` is replaced by the required end.
_QUOTED: Final = r"""\"(?:[^\"\\\n]|\\.)*+\"!|'[^'\n]*+'!"""
_LONG: Final = r'''"""(?:[^"\\]|\\[\s\S]|"(?!""))*+(?:"{3,5})!|\'\'\'(?:[^']|'(?!''))*+(?:'{3,5})!'''


class _Patterns(NamedTuple):
    """The patterns of a name, a text in quotes and any other value."""

    name: re.Pattern[str]
    string: re.Pattern[str]
    bare: re.Pattern[str]

    @classmethod
    def of(cls, end: str, not_bare: str) -> "_Patterns":
        """Return the patterns for a required closing quote, and for the characters that values without quotes cannot
        contain."""
        quoted, long = _QUOTED.replace("!", end), re.sub(r"(?<=\})\)!", f"){end}", _LONG)
        bare = rf"[^\s,\]}}#={not_bare}]++(?:[ ][0-9][^\s,\]}}#]*+)?"
        return cls(re.compile(f"[A-Za-z0-9_-]++|{quoted}"), re.compile(f"{long}|{quoted}"), re.compile(bare))


_WHOLE: Final = _Patterns.of("", "")
#: Incomplete text may lack its closing quotes, and may be directly before other text.
_HALF: Final = _Patterns.of("?+", "\\[{\"'")

#: Deeper arrays, inline tables and dotted keys are skipped.
_DEPTH: Final = 100


class Role(StrEnum):
    """What is at a cursor."""

    KEY = "key"
    HEADER = "header"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class TomlSpot:
    """A cursor's place.

    `path` leads to the table (for a key or a name in a header) or to the value, without indexes. `span` is the name or
    value that the cursor is in or at, `text` its text without quotes; empty if there is none yet. `in_list` says that
    the value is in a list, `list_header` that the header is in double brackets. `ended` says whether a `=`, or the
    closing bracket of a header, follows already.
    """

    role: Role
    path: tuple[str, ...]
    span: Span
    text: str = ""
    in_list: bool = False
    list_header: bool = False
    ended: bool = False


def toml_spot(text: str, offset: int) -> TomlSpot | None:
    """Return what is at an offset; None in a comment and where nothing can be inserted."""
    return TomlPlaces(text, offset).spot


class TomlPlaces:
    """The spans of a TOML text's keys and values by path; indexes step into arrays. Takes one pass over the text.

    With a cursor, the pass ends there, and `spot` is what is at it.
    """

    __slots__ = ("_counts", "_cursor", "_keys", "_patterns", "_text", "_values", "spot")

    def __init__(self, text: str, cursor: int | None = None) -> None:
        self._text = text
        self._cursor = len(text) + 1 if cursor is None else cursor
        self._patterns = _WHOLE if cursor is None else _HALF
        self._keys: dict[Path, list[Span]] = {}
        self._values: dict[Path, Span] = {}
        #: The number of the newest table of each array of tables.
        self._counts: dict[Path, int] = {}
        self.spot: TomlSpot | None = None
        self._read()

    def key(self, path: Path) -> Span | None:
        """Return the span of the key that the last step of `path` names, including quotes; None if there is none."""
        spans = self._keys.get(path)
        return spans[0] if spans else None

    def keys(self, path: Path) -> tuple[Span, ...]:
        """Return the spans of all places that name the key, in order: headers and dotted keys may repeat one."""
        return tuple(self._keys.get(path, ()))

    def value(self, path: Path) -> Span | None:
        """Return the span of the value at `path`; of a table its header. None if there is no such value."""
        return self._values.get(path)

    def nearest(self, path: Path) -> Span:
        """Return the span of the value at `path` or around it; the beginning of the text if none is known."""
        while path:
            span = self._values.get(path) or self.key(path)
            if span is not None:
                return span
            path = path[:-1]
        return Span(0, 0)

    def _read(self) -> None:
        text, cursor = self._text, self._cursor
        at = 1 if text.startswith("\ufeff") else 0
        table: Path = ()
        while self.spot is None:
            at = self._blank(at)
            if at >= min(cursor, len(text)):
                if at <= cursor <= len(text):
                    self._move_to_key(table, Span(cursor, self._end(self._patterns.name, cursor)))
                return
            if text[at] == "[":
                table, at = self._header(at)
            else:
                at = self._pair(at, table, 0)
            # The rest of an invalid line is skipped.
            end = self._end(_LINE, at)
            rest = text[at : min(end, cursor)]
            if end >= cursor and (rest.strip() or "\n" not in text[at:cursor]):
                return
            at = end

    def _header(self, start: int) -> tuple[Path, int]:
        """Read `[a.b]` or `[[a.b]]` and return the table that follows and the place after it."""
        double = self._text.startswith("[[", start)
        steps, at = self._dotted(start + (2 if double else 1), (), Role.HEADER, double=double)
        names = tuple(name for name, _ in steps)
        table = self._through_arrays(names)
        if double and steps:
            self._counts[table] = self._counts.get(table, -1) + 1
            table = (*table, self._counts[table])
        closer = "]]" if double else "]"
        end = at + len(closer) if self._text.startswith(closer, at) else at
        for index, (_, span) in enumerate(steps):
            self._keys.setdefault(self._through_arrays(names[: index + 1]), []).append(span)
        self._values.setdefault(table, Span(start, end))
        return table, end

    def _through_arrays(self, names: tuple[str, ...]) -> Path:
        """Return the path of a header's names: a name of an array of tables means its newest item."""
        path: Path = ()
        for index, name in enumerate(names):
            path = (*path, name)
            if index < len(names) - 1 and path in self._counts:
                path = (*path, self._counts[path])
        return path

    def _pair(self, start: int, table: Path, depth: int) -> int:
        """Read `key = value`; return where it ends, or where it becomes invalid."""
        steps, at = self._dotted(start, table, Role.KEY)
        if self.spot is not None or not steps or not self._text.startswith("=", at) or at >= self._cursor:
            return at
        path = table
        for name, span in steps:
            path = (*path, name)
            self._keys.setdefault(path, []).append(span)
        return self._value(self._end(_SPACE, at + 1), path, depth)

    def _dotted(self, at: int, table: Path, role: Role, *, double: bool = False) -> tuple[list[tuple[str, Span]], int]:
        """Read a dotted key; return its names with their spans and the place after it and the spaces after it."""
        steps: list[tuple[str, Span]] = []
        while True:
            at = self._end(_SPACE, at)
            end = self._end(self._patterns.name, at)
            if at <= self._cursor <= end:
                path = (*table, *(name for name, _ in steps))
                if role is Role.KEY:
                    self._move_to_key(path, Span(at, end))
                else:
                    ended = self._text.startswith("]", self._end(_SPACE, end))
                    self._state(role, path, Span(at, end), list_header=double, ended=ended)
                return steps, end
            if end == at or len(steps) >= _DEPTH:
                return steps, at
            steps.append((_name(self._text[at:end]), Span(at, end)))
            at = self._end(_SPACE, end)
            if not self._text.startswith(".", at):
                return steps, at
            at += 1

    def _value(self, at: int, path: Path, depth: int, *, in_list: bool = False) -> int:
        text, cursor = self._text, self._cursor
        if at >= cursor:
            end = (
                max(self._end(self._patterns.string, at), self._end(self._patterns.bare, at))
                if at == cursor
                else cursor
            )
            self._state(Role.VALUE, path, Span(cursor, end), in_list=in_list)
            return end
        if text[at : at + 1] in ("[", "{") and depth < _DEPTH:
            end = self._members(at + 1, path, depth + 1, in_array=text[at] == "[")
        else:
            end = self._end(self._patterns.string, at)
            if end == at:
                end = self._end(self._patterns.bare, at)
            if cursor <= end:
                self._state(Role.VALUE, path, Span(at, end), in_list=in_list)
        self._values[path] = Span(at, end)
        return end

    def _members(self, at: int, path: Path, depth: int, *, in_array: bool) -> int:
        """Read the members of an array or inline table and return the place after its closer."""
        text, cursor, index = self._text, self._cursor, 0
        closer = "]" if in_array else "}"
        while True:
            at = self._blank(at)
            if text.startswith("#", at) or at > cursor or at >= len(text) < cursor:
                return at
            if at >= cursor:
                if in_array:
                    self._value(cursor, path, depth, in_list=True)
                elif not text[at : at + 1].strip() or text[at] in "},":
                    self._move_to_key(path, Span(cursor, cursor))
                else:
                    self._pair(at, path, depth)
                return at
            if text[at] == closer:
                return at + 1
            begin = at
            if in_array:
                at = self._value(at, (*path, index), depth, in_list=True)
                index += 1
            else:
                at = self._pair(at, path, depth)
            if self.spot is not None:
                return at
            at = self._blank(at)
            if text.startswith(",", at):
                at += 1
            elif at == begin:
                # Not a member: skip the rest of the line.
                return at

    def _move_to_key(self, path: Path, span: Span) -> None:
        ended = self._text.startswith(("=", "."), self._end(_SPACE, span.end))
        self._state(Role.KEY, path, span, ended=ended)

    def _state(self, role: Role, path: Path, span: Span, **stated: bool) -> None:
        names = tuple(step for step in path if isinstance(step, str))
        self.spot = TomlSpot(role, names, span, _bare(span.of(self._text)), **stated)

    def _blank(self, at: int) -> int:
        """Return where space and comments from a place end, but no further than the cursor, if that is outside
        comments."""
        while True:
            at = min(self._end(_BLANK, at), max(at, self._cursor))
            if at >= self._cursor or not self._text.startswith("#", at):
                return at
            at = self._end(_COMMENT, at)
            if at >= self._cursor:
                return self._cursor + 1

    def _end(self, pattern: re.Pattern[str], at: int) -> int:
        found = pattern.match(self._text, at)
        return found.end() if found is not None else at


def _bare(token: str) -> str:
    """Return a name or a text without its quotes; the closing one may be missing."""
    for quote in ('"""', "'''", '"', "'"):
        if token.startswith(quote):
            return token.removeprefix(quote).removesuffix(quote)
    return token


def _name(token: str) -> str:
    """Return the name in a key token."""
    if token[0] == '"' and "\\" in token:
        try:
            (name,) = tomllib.loads(f"{token} = 0")
        except tomllib.TOMLDecodeError:
            return _bare(token)
        return str(name)
    return _bare(token)
