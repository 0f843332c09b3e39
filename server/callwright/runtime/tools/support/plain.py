"""A tool's return value as plain JSON data, shortened for the model.

Owns: `plain_json`, `NotJsonError`, `shortened`. Must not know: tools, schemas, calls.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

#: How deep a result may nest.
MAX_DEPTH: Final = 100
#: Python refuses to write out whole numbers beyond some 4,300 digits.
_MAX_NUMBER_LENGTH: Final = 14_000


class NotJsonError(ValueError):
    """A value is not JSON data; the message names the value and its place."""


def plain_json(value: Any) -> Any:
    """Return a copy of a value as plain JSON data: tuples become lists, lone surrogates the replacement character.

    Raises NotJsonError where a part of it is not JSON data.
    """
    return _plain(value, ())


def shortened(text: str, most: int) -> str | None:
    """Return the beginning of a text and a note about what is cut; None where the text is not too long."""
    if len(text) <= most:
        return None
    return f"{text[:most]}\n[… cut here: {most} of {len(text)} characters are shown]"


def encodable(text: str) -> str:
    """Return a text that UTF-8 can encode: a pair of surrogates becomes its character, a lone one U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _plain(value: Any, path: tuple[str | int, ...]) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return encodable(str.__str__(value))
    if isinstance(value, int):
        if value.bit_length() > _MAX_NUMBER_LENGTH:
            raise NotJsonError(f"there is a number with too many digits {_where(path)}")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise NotJsonError(f"`{float(value)}` is not a JSON number ({_where(path)})")
        return float(value)
    if len(path) >= MAX_DEPTH:
        raise NotJsonError(f"it is nested more than {MAX_DEPTH} levels deep")
    if isinstance(value, Mapping):
        made: dict[str, Any] = {}
        for key, child in value.items():
            if not isinstance(key, str):
                raise NotJsonError(f"a key {_where(path)} is a `{type(key).__name__}`, not a string")
            made[encodable(key)] = _plain(child, (*path, key))
        return made
    if isinstance(value, list | tuple):
        return [_plain(child, (*path, index)) for index, child in enumerate(value)]
    raise NotJsonError(f"a `{type(value).__name__}` is {_where(path)}")


def _where(path: tuple[str | int, ...]) -> str:
    if not path:
        return "at the top"
    return f"at `{encodable('.'.join(map(str, path)))[:200]}`"
