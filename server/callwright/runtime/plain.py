"""Plain data: any value of a program as JSON data.

Owns: `plain`, `json_text`. Must not know: what the values are for.

Nothing here raises because of a value: one that cannot be written is replaced by its name. Invariant: `json_text`
writes what `plain` returns so that it reads back equal, and `plain` leaves it unchanged.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, Final

#: The maximum depth of values; deeper ones are left out, and so are those that contain themselves.
_MAX_DEPTH: Final = 150
_LEFT_OUT: Final = "…"
#: Whole numbers beyond this are written in hexadecimal: Python refuses to print very long ones, and parsers differ.
_LARGEST: Final = 10**300
#: A character that ends a line for some programs, though not for JSON.
_LINE_ENDS: Final = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def plain(value: Any) -> Any:
    """Return a value as plain data: None, booleans, numbers, strings, lists, and objects with strings as keys.

    Bytes become a `data:` URL, numbers that JSON does not have and very long ones strings, enumerations their values,
    data classes and objects with `to_dict` JSON objects, errors their message, sets lists, and anything else its
    `repr`. Adjacent halves of a surrogate pair become one character.
    """
    return _plain(value, ())


def json_text(value: Any) -> str:
    """Return plain data as JSON on one line, in characters that UTF-8 can write: half surrogates are escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    if not text.isascii():
        text = text.translate(_LINE_ENDS).encode("utf-8", "backslashreplace").decode("utf-8")
    return text


def _plain(value: Any, around: tuple[int, ...]) -> Any:
    """Return a nested value as plain data; the containers around it are known by their identities."""
    if value is None or value is True or value is False:
        return value
    kind = type(value)
    if kind is str:
        return _joined(value)
    if kind is int:
        return value if -_LARGEST < value < _LARGEST else hex(value)
    if kind is float:
        return value if math.isfinite(value) else str(value)
    if len(around) > _MAX_DEPTH or id(value) in around:
        return _LEFT_OUT
    try:
        return _other(value, (*around, id(value)))
    except Exception:  # noqa: BLE001 - a value's own code may do anything, and must not stop the caller
        return f"<{kind.__name__}>"


def _other(value: Any, around: tuple[int, ...]) -> Any:
    if isinstance(value, Enum):
        return _plain(value.value, around)
    if isinstance(value, str):
        return _joined(str.__str__(value))
    if isinstance(value, int | float):
        return _plain(int(value) if isinstance(value, int) else float(value), around)
    if isinstance(value, Mapping):
        return {_key(key): _plain(member, around) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(member, around) for member in value]
    if isinstance(value, bytes | bytearray | memoryview):
        from base64 import b64encode

        return f"data:application/octet-stream;base64,{b64encode(value).decode('ascii')}"
    if isinstance(value, BaseException):
        return f"{type(value).__name__}: {_joined(str(value))}"
    if isinstance(value, Set):
        return sorted((_plain(member, around) for member in value), key=json_text)
    own = getattr(value, "to_dict", None)
    if callable(own) and not isinstance(value, type):
        return _plain(own(), around)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name), around) for field in fields(value)}
    dates = getattr(value, "isoformat", None) or getattr(value, "__fspath__", None)
    # Addresses differ from run to run and carry no information.
    return _joined(str(dates()) if callable(dates) else re.sub(r" at 0x[0-9A-Fa-f]++", "", repr(value)))


def _key(key: Any) -> str:
    found = _plain(key, ())
    return found if isinstance(found, str) else json_text(found)


def _joined(text: str) -> str:
    """Return a text in which no halves of a surrogate pair are adjacent: in JSON they are the same as the character."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return text
