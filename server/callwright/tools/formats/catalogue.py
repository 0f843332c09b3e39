"""The list of formats, made by listing this room, and the choice of one by a file's name.

Owns: listing format modules and loading them on demand. Must not know: what any of them reads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from callwright.index import Room
from callwright.syntax.json_rows import begins_as_rows

if TYPE_CHECKING:
    from callwright.tools.formats.base import Format

FALLBACK: Final = "json"
FORMATS: Final[Room[Format]] = Room("tools/formats", "FORMAT", "endings")
describe = FORMATS.describe


def format_of(file: str, text: str = "") -> Format:
    """Return the format of a file, by its name; `text` is its content, which may be JSON Lines under another name."""
    name = file.lower()
    rows = text and name.endswith(".json") and begins_as_rows(text)
    found = None if rows else FORMATS.first(lambda entry: name.endswith(tuple(entry["endings"])))
    found = found or FORMATS.find("json-lines" if rows else FALLBACK)
    assert found is not None, "both are part of the package"
    return found


def is_claimed(file: str) -> bool:
    """Return whether a file's extension is that of one of the formats."""
    return file.lower().endswith(tuple(ending for entry in FORMATS.entries for ending in entry["endings"]))
