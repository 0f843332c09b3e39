"""Notations of typed values: how a fix writes a value, a key and a member beside what stands there already.

Owns: the contract, how values are written on one line by a description of the notation, and JSON's own. Must not know:
readers, calls, rules.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from callwright.text.escapes import SPLIT_PAIR
from callwright.text.projection import encode_json_string


class ValueFormat(Protocol):
    """How typed values are written in one notation.

    Every method returns None where the notation cannot hold what is asked for; whoever wanted an edit then has none.
    `path` leads from the arguments to the value or, for a member, to the object that it joins.
    """

    @property
    def name(self) -> str:
        """What messages call the notation: `JSON`, `Python`."""

    def value(self, value: Any, path: Sequence[str | int]) -> str | None:
        """Return the text of a value that stands at `path`."""

    def key(self, key: str, path: Sequence[str | int]) -> str | None:
        """Return the text of a key as `JsonMember.key_span` covers it; `path` leads to the object."""

    def member(self, key: str, value: Any, path: Sequence[str | int]) -> str | None:
        """Return a whole member, key and value, as it stands between two separators; `path` leads to the object."""


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
        """Return the text of a value; None where it holds something that cannot be written."""
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
    """A notation in which a value is written alike wherever it stands."""

    def __init__(self, name: str, style: Style) -> None:
        self.name = name
        self.style = style

    def value(self, value: Any, path: Sequence[str | int]) -> str | None:
        """Return the text of a value; None where the notation cannot hold something in it."""
        del path
        return self.style.written(value)

    def key(self, key: str, path: Sequence[str | int]) -> str | None:
        """Return the text of a key."""
        del path
        return self.style.key(key)

    def member(self, key: str, value: Any, path: Sequence[str | int]) -> str | None:
        """Return key and value with what stands between them."""
        name, text = self.key(key, path), self.value(value, path)
        return None if name is None or text is None else f"{name}{self.style.colon}{text}"


def json_string(value: str) -> str | None:
    """Return a text as JSON writes it, with only what must be escaped; None where two halves of a character meet."""
    return None if SPLIT_PAIR.search(value) else f'"{encode_json_string(value)}"'


#: Keys and strings in double quotes, non-ASCII as it is, lone surrogates escaped, numbers finite.
JSON: Final = LineFormat("JSON", Style(json_string, json_string))
