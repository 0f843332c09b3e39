"""JSON as values, at the speed of the C parser, and whether everything in a text reached the value.

Owns: `Codec`, `fast_json`, and `FallbackNeeded`, by which a fast path leaves a text to those who read closely. Must not
know: shapes of transcripts, tools, what is asked of a value.

A name that is given twice is in the text and not in the value, and with it at least its two quotes. So the quotes that
the value needs, beside those in the text, tell that nothing was lost, however a text is laid out.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final, NamedTuple

from callwright.syntax.json_fast import NotCleanError, scan_clean
from callwright.text.holes import HOLE

_HOLE: Final = HOLE.encode()
_BETWEEN: Final = ",\n"
#: The types of what JSON writes without brackets and braces, but for numbers that are not whole.
FLAT: Final = frozenset({str, int, bool})


class FallbackNeeded(Exception):  # noqa: N818 - it is no fault, and what it says is what is needed
    """A text may have something to be said about it, and has to be read closely."""


class Codec(NamedTuple):
    """A reader of JSON, which does not mind names that are given twice, and the writer of as few bytes as can be.

    The reader raises ValueError or `FallbackNeeded` where there is anything else to be said about the text. `dumps` is
    None where there is no fast one; then the reader minds such names.
    """

    loads: Callable[[bytes | str], Any]
    dumps: Callable[[Any], bytes] | None

    def keeps_all(self, data: bytes, value: Any, quotes: int = 0) -> bool:
        """Return whether every name in a text is in its value, and no character stands for a hole.

        `quotes` is how many quotes are needed for what is left out of the value.
        """
        if b"\xef" in data and _HOLE in data:
            return False
        if self.dumps is None:
            return True
        compact = self.dumps(value)
        # A writer puts a backslash in front of a quote, never its number.
        return data == compact or (data.count(b'"') == compact.count(b'"') + quotes and b"\\u0022" not in data)

    def written(self, value: Any) -> bytes:
        """Return a value as JSON, for comparison with others."""
        return json.dumps(value).encode() if self.dumps is None else self.dumps(value)

    def strict_value(self, text: str) -> Any:
        """Return the value that a text is; None where there may be something to say about it."""
        data = text.encode()
        try:
            value = self.loads(data)
        except (FallbackNeeded, ValueError):
            return None
        return value if self.keeps_all(data, value) else None

    def values(self, texts: list[str]) -> list[Any]:
        """Return the values that texts are, each as `strict_value` does."""
        flat = self._flat_objects(texts) if self.dumps is not None and len(texts) > 1 else None
        return [self.strict_value(text) for text in texts] if flat is None else flat

    def _flat_objects(self, texts: list[str]) -> list[Any] | None:
        """Return the objects that texts are, read at once; None where one may be anything else.

        Where all that an object and the objects in it hold is flat, the line feeds between the texts, which stand in no
        string, stand between objects.
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
            for each in value.values():
                if type(each) not in FLAT and not (type(each) is dict and FLAT.issuperset(map(type, each.values()))):
                    return None
        return values if self.keeps_all(data, values) else None


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
        raise FallbackNeeded from None
    if text[end:].strip(" \t\r\n"):
        raise FallbackNeeded
    return value
