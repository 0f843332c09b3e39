"""Output: JSON and bytes on the standard streams, whatever the values hold.

Owns: `to_json`, `to_json_line`, `write_text`. Must not know: what is written.
"""

import json
import math
import sys
from typing import Any, Final

from callwright.cli.support.failure import CommandError

#: Beyond this depth lines are not indented any further, or the margin alone would take quadratic space.
_DEEPEST: Final = 100


def to_json(value: Any) -> str:
    """Return `value` as JSON in ASCII, indented by two spaces; strict JSON whatever is in it.

    Lone surrogates become escapes, numbers that JSON does not have become strings (`"NaN"`, `"Infinity"`), integers of
    any length keep their digits, and depth is limited by memory only.
    """
    try:
        return json.dumps(value, indent=2, allow_nan=False)
    except (ValueError, RecursionError):
        return _write_json(value)


def to_json_line(value: Any) -> str:
    """Return `value` as JSON in ASCII on one line; strict JSON whatever is in it, as `to_json` gives."""
    try:
        return json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        # No line ends inside a string, where it would be escaped.
        return "".join(line.lstrip(" ") for line in _write_json(value).split("\n"))


def _write_json(value: Any) -> str:
    """Write JSON without recursion; `value` is a tree of plain values."""
    parts: list[str] = []
    # What is still to be written, last first: text as it is, or a value with its depth.
    pending: list[str | tuple[Any, int]] = [(value, 0)]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        one, depth = item
        if not isinstance(one, (dict, list, tuple)) or not one:
            parts.append(_scalar(one))
            continue
        mapping = isinstance(one, dict)
        inner, outer = ("\n" + "  " * min(level, _DEEPEST) for level in (depth + 1, depth))
        queue: list[str | tuple[Any, int]] = ["{" if mapping else "["]
        for index, member in enumerate(one.items() if isinstance(one, dict) else one):
            queue.append(inner if index == 0 else "," + inner)
            if mapping:
                queue.append(json.dumps(str(member[0])) + ": ")
            queue.append((member[1] if mapping else member, depth + 1))
        queue.append(outer + ("}" if mapping else "]"))
        pending.extend(reversed(queue))
    return "".join(parts)


def _scalar(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return '"NaN"' if math.isnan(value) else '"Infinity"' if value > 0 else '"-Infinity"'
    if isinstance(value, int) and not isinstance(value, bool):
        return _digits(value)
    return json.dumps(value)


def _digits(value: int) -> str:
    """Return an integer's decimal digits, also where Python refuses to print that many at once."""
    try:
        return str(value)
    except ValueError:
        count = value.bit_length() * 3 // 20
        high, low = divmod(abs(value), 10**count)
        return ("-" if value < 0 else "") + _digits(high) + _digits(low).rjust(count, "0")


def write_text(text: str, *, bom: bool = False) -> None:
    """Write `text` on standard output as UTF-8, byte for byte: no newline is translated and none is added.

    Raises CommandError where the text holds half a surrogate pair, which UTF-8 cannot write.
    """
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise CommandError(
            f"the result holds half a surrogate pair at offset {error.start}, which no UTF-8 file can hold; mend that "
            "value first."
        ) from None
    if sys.stdout is None:
        return
    sys.stdout.flush()
    sys.stdout.buffer.write((b"\xef\xbb\xbf" if bom else b"") + data)
    sys.stdout.buffer.flush()
