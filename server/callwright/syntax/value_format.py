"""Formats of typed values: how a fix writes a value, a key and a member beside existing ones.

Owns: the contract, writing values on one line from a description of the dialect, and JSON's format. Must not know:
parsers, calls, rules.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

from callwright.text.escapes import SPLIT_PAIR
from callwright.text.projection import encode_json_string
from callwright.text.records import dataclass


class ValueFormat(Protocol):
    """How typed values are written in one dialect.

    Every method returns None if the dialect cannot contain the value; then there is no edit. `path` leads from the
    arguments to the value or, for a member, to the object that it joins.
    """

    @property
    def name(self) -> str:
        """The dialect's name in messages: `JSON`, `Python`."""

    def value(self, value: Any, path: Sequence[str | int]) -> str | None:
        """Return the text of a value that is at `path`."""

    def key(self, key: str, path: Sequence[str | int]) -> str | None:
        """Return the text of a key as `JsonMember.key_span` covers it; `path` leads to the object."""

    def member(self, key: str, value: Any, path: Sequence[str | int]) -> str | None:
        """Return a whole member, key and value, as it is between two separators; `path` leads to the object."""


@dataclass(frozen=True, slots=True)
class Style:
    """How values are written on one line: strings, keys and words, and what separates them.

    `string` and `key` return None for a text that cannot be one. `words` are those for None, False and True.
    """

    string: Callable[[str], str | None]
    key: Callable[[str], str | None]
    words: tuple[str, str, str] = ("null", "false", "true")
    comma: str = ", "
    colon: str = ": "

    def written(self, value: Any) -> str | None:
        """Return the text of a value; None if a part of it cannot be written."""
        parts: list[str] = []
        return "".join(parts) if self._write(value, parts) else None

    def _write(self, value: Any, parts: list[str]) -> bool:
        text: str | None
        if isinstance(value, str):
            text = self.string(value)
        elif value is None or isinstance(value, bool):
            text = self.words[0 if value is None else 1 + value]
        elif isinstance(value, Mapping):
            parts.append("{")
            for index, (key, entry) in enumerate(value.items()):
                name = self.key(str(key))
                if name is None:
                    return False
                parts.append(f"{self.comma if index else ''}{name}{self.colon}")
                if not self._write(entry, parts):
                    return False
            text = "}"
        elif isinstance(value, list):
            parts.append("[")
            for index, entry in enumerate(value):
                if index:
                    parts.append(self.comma)
                if not self._write(entry, parts):
                    return False
            text = "]"
        else:
            text = None if isinstance(value, float) and not math.isfinite(value) else repr(value)
        if text is None:
            return False
        parts.append(text)
        return True


class LineFormat:
    """A dialect in which a value is written in the same way everywhere."""

    def __init__(self, name: str, style: Style) -> None:
        self.name = name
        self.style = style

    def value(self, value: Any, path: Sequence[str | int]) -> str | None:
        """Return the text of a value; None if the dialect cannot contain a part of it."""
        del path
        return self.style.written(value)

    def key(self, key: str, path: Sequence[str | int]) -> str | None:
        """Return the text of a key."""
        del path
        return self.style.key(key)

    def member(self, key: str, value: Any, path: Sequence[str | int]) -> str | None:
        """Return key and value with what is between them."""
        name, text = self.key(key, path), self.value(value, path)
        return None if name is None or text is None else f"{name}{self.style.colon}{text}"


def json_string(value: str) -> str | None:
    """Return a text as JSON writes it, with only what must be escaped; None if two lone surrogates meet."""
    return None if SPLIT_PAIR.search(value) else f'"{encode_json_string(value)}"'


#: Keys and strings in double quotes, non-ASCII as it is, lone surrogates escaped, numbers finite.
JSON: Final = LineFormat("JSON", Style(json_string, json_string))
