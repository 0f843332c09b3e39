"""Notations of typed values: how a fix writes a value, a key and a member beside what stands there already.

Owns: the contract, and JSON's own notation. Must not know: readers, calls, rules.
"""

import json
import math
import re
from collections.abc import Sequence
from typing import Any, Final, Protocol

from callwright.text.escapes import SPLIT_PAIR, in_utf16

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class Notation(Protocol):
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


class JsonNotation:
    """JSON: keys and strings in double quotes, non-ASCII as it is, lone surrogates escaped, numbers finite."""

    name = "JSON"

    def value(self, value: Any, path: Sequence[str | int]) -> str | None:
        """Return the text of a value; None for NaN, infinities and split surrogate pairs."""
        del path
        if not _is_finite(value):
            return None
        text = json.dumps(value, ensure_ascii=False)
        if SPLIT_PAIR.search(text):
            return None
        return _SURROGATE.sub(lambda match: in_utf16(match[0]), text)

    def key(self, key: str, path: Sequence[str | int]) -> str | None:
        """Return the key in its quotes."""
        return self.value(key, path)

    def member(self, key: str, value: Any, path: Sequence[str | int]) -> str | None:
        """Return `"key": value`."""
        name, text = self.key(key, path), self.value(value, path)
        return None if name is None or text is None else f"{name}: {text}"


JSON: Final = JsonNotation()


def _is_finite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(map(_is_finite, value.values()))
    return all(map(_is_finite, value)) if isinstance(value, list) else True
