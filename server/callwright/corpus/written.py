"""Where a value of a record is in its text, by writing it as programs do.

Owns: `written_in`, `lengths_of`. Must not know: shapes, files, engines.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from callwright.fastpath.quick import PlainCall

#: How programs write JSON: with spaces or without, with characters as they are or with none but those of ASCII.
_WRITERS: Final = tuple(
    json.JSONEncoder(ensure_ascii=ascii_only, separators=separators).encode
    for ascii_only in (False, True)
    for separators in ((", ", ": "), (",", ":"))
)


def written_in(text: str, value: Any, at: int = 0) -> tuple[int, str] | None:
    """Return where a value is in a text, from a place on, and how it is written; None where that is not plain."""
    for write in _WRITERS:
        written = write(value)
        place = text.find(written, at)
        if place >= 0:
            return place, written
    return None


def lengths_of(calls: Sequence[PlainCall], row: bytes) -> list[int] | None:
    """Return how many characters each call of a row has where it is; None where that is not plain."""
    lengths: list[int] = []
    text, at = "", 0
    for call in calls:
        if call.entry is None:
            lengths.append(call.length)
            continue
        text = text or row.decode()
        found = written_in(text, call.entry, at)
        if found is None:
            return None
        at = found[0] + len(found[1])
        lengths.append(len(found[1]))
    return lengths
