"""The index: what the modules of the rooms say of themselves, so that a module is loaded only when it is needed.

Owns: reading the generated `_index.json`, and deciding whether it can be trusted. Must not know: what an entry of any
room means, how the index is written (server/docs/generate.py does it).

A room is a folder in which every module is one dialect, rule, host, feature or tool source, but for `base` and
`catalogue`. An entry is plain data with the module's full name under `module`. Where the index is missing, or does not
list the modules that the folder holds, the room's own `catalogue.describe` is asked instead: a module that was just
added works at once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeAlias

Entry: TypeAlias = Mapping[str, Any]

HERE: Final = Path(__file__).parent
INDEX_FILE: Final = HERE / "_index.json"
#: Modules of a room that are none of its members.
_OTHERS: Final = frozenset({"__init__", "base", "catalogue"})


def module_names(room: str) -> list[str]:
    """Return the full names of the modules that a room's folder holds, sorted; `room` is such as `tools/sources`."""
    names = (file.name for file in (HERE / room).iterdir())
    stems = sorted(name.removesuffix(".py") for name in names if name.endswith(".py"))
    return [f"callwright.{room.replace('/', '.')}.{stem}" for stem in stems if stem not in _OTHERS]


@cache
def entries(room: str) -> Sequence[Entry]:
    """Return the entries of a room, from the index where it can be trusted, else from the room, which loads modules."""
    known = _index().get(room)
    if known is None or {str(entry["module"]) for entry in known} != set(module_names(room)):
        described: Sequence[Entry] = import_module(f"callwright.{room.replace('/', '.')}.catalogue").describe()
        return described
    return known


@cache
def _index() -> Mapping[str, Sequence[Entry]]:
    try:
        found: Mapping[str, Sequence[Entry]] = json.loads(INDEX_FILE.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found
