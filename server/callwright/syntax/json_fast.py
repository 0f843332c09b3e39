"""The fast way: the C parser, and the few checks that it leaves out.

Owns: the decision whether a value is clean JSON without any problem. Must not know: which problem a value has; the
tolerant reader finds that.
"""

import json
import math
import re
from typing import Any, Final

from callwright.text.budget import yield_point
from callwright.text.holes import HOLE

#: Objects and arrays nested deeper than this are not read.
MAX_DEPTH: Final = 256

#: How much text the C parser reads at first.
WINDOW: Final = 4_096
#: The maximum length of a token that the window's end could cut, except strings and numbers.
MAX_TOKEN_LENGTH: Final = 16

#: Escaped backslashes, pairs, and, in a group, half a pair.
_ESCAPES: Final = re.compile(r"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F]|(\\u[dD][89a-fA-F])")


class NotCleanError(Exception):
    """The C parser rejected the text or there is a problem in it; `at` is how far it is known to be clean."""

    def __init__(self, at: int | None) -> None:
        super().__init__(at)
        self.at = at


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # The one place at which the C parser can be slow.
    yield_point()
    found = dict(pairs)
    if len(found) != len(pairs):
        raise NotCleanError(None)
    return found


def _constant(name: str) -> Any:
    raise NotCleanError(None) from ValueError(name)


def _float(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise NotCleanError(None)
    return number


# The type stubs do not know the scanner, which is the parser without the check of what follows the value.
_DECODER: Any = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_float)
_SCAN: Final = _DECODER.scan_once


def scan_clean(text: str, start: int, limit: int, depth: int = 0) -> tuple[Any, int]:
    """Return the value at `start` and the offset after it; raise NotCleanError if there is any problem in it.

    `depth` is how many objects and arrays are open around the value. Nothing at or after `limit` is part of the value.
    """
    value, end = _scan(text, start, limit)
    part = text[start:end]
    if not part.isascii():
        if HOLE in part:
            raise NotCleanError(end)
        try:
            part.encode()
        except UnicodeEncodeError:
            raise NotCleanError(end) from None
    if ("\\ud" in part or "\\uD" in part) and _has_lone_escape(part):
        raise NotCleanError(end)
    if is_too_deep(part, value, depth):
        raise NotCleanError(end)
    return value, end


def is_too_deep(text: str, value: Any, depth: int = 0) -> bool:
    """Return whether objects and arrays are nested deeper than they are read, in a value and the `depth` around it."""
    allowed = MAX_DEPTH - depth
    return text.count("{") + text.count("[") > allowed and _is_deeper(value, allowed)


def _has_lone_escape(text: str) -> bool:
    """Return whether half a surrogate pair is escaped; after an escaped backslash there is no escape."""
    return any(found[1] for found in _ESCAPES.finditer(text))


def _scan(text: str, start: int, limit: int) -> tuple[Any, int]:
    """Run the C parser on a window of the text that grows while the value may continue after it.

    A window is used because the parser's error counts the lines of its input up to the error: many errors late in a
    long text would cost its length each.
    """
    size = WINDOW
    while True:
        window = text[start : min(start + size, limit)]
        whole = start + len(window) >= limit
        try:
            value, end = _SCAN(window, 0)
        except json.JSONDecodeError as error:
            unterminated = error.msg.startswith("Unterminated")
            if whole or (not unterminated and error.pos < len(window) - MAX_TOKEN_LENGTH):
                # An unclosed string is reported at its quote, though everything after was scanned.
                raise NotCleanError(None if unterminated else start + error.pos) from None
        except StopIteration as stop:
            at = stop.value if isinstance(stop.value, int) else None
            if whole or (at is not None and at < len(window) - MAX_TOKEN_LENGTH):
                raise NotCleanError(None if at is None else start + at) from None
        except (ValueError, RecursionError):
            raise NotCleanError(None) from None
        else:
            if whole or end < len(window):
                return value, start + end
        size *= 8


def _is_deeper(value: Any, allowed: int) -> bool:
    """Return whether objects and arrays are nested more than `allowed` deep."""
    level: list[Any] = [value] if isinstance(value, dict | list) else []
    for _ in range(allowed):
        below: list[Any] = []
        for item in level:
            yield_point()
            inside = item.values() if type(item) is dict else item
            below += [each for each in inside if type(each) is dict or type(each) is list]
        if not below:
            return False
        level = below
    return bool(level)
