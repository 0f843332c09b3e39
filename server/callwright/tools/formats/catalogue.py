"""The list of formats, made by listing this room, and the choice of one by a file's name.

Owns: finding format modules and loading them on demand. Must not know: what any of them reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module

from callwright.index import Entry, entries, module_names
from callwright.syntax.json_rows import begins_as_rows
from callwright.tools.formats.base import Format

ROOM = "tools/formats"
FALLBACK = "json"


def describe() -> Sequence[Entry]:
    """Return what every format says of itself, by loading them all."""
    formats = [(module, _load(module)) for module in module_names(ROOM)]
    return [{"name": one.name, "module": module, "endings": [*one.endings]} for module, one in formats]


@cache
def _load(module: str) -> Format:
    found: Format = import_module(module).FORMAT
    return found


@cache
def _entries() -> tuple[Entry, ...]:
    return tuple(entries(ROOM))


def format_of(file: str, text: str = "") -> Format:
    """Return the format of a file, by its name; `text` is what it holds, which may be JSON Lines under another name."""
    name = file.lower()
    if text and name.endswith(".json") and begins_as_rows(text):
        return _load(next(entry["module"] for entry in _entries() if entry["name"] == "json-lines"))
    for entry in _entries():
        if name.endswith(tuple(entry["endings"])):
            return _load(entry["module"])
    return _load(next(entry["module"] for entry in _entries() if entry["name"] == FALLBACK))


def is_claimed(file: str) -> bool:
    """Return whether the name of a file says that it is in one of the formats."""
    return file.lower().endswith(tuple(ending for entry in _entries() for ending in entry["endings"]))
