"""The list of dialects, made by listing this room.

Owns: listing dialect modules and loading them on demand. Must not know: what any of them reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from callwright.index import Entry, entries, module_names

if TYPE_CHECKING:
    from callwright.dialects.base import Dialect

ROOM = "dialects"


def describe() -> Sequence[Entry]:
    """Return the entry of every dialect, by loading them all."""
    dialects = [(module, _load(module)) for module in module_names(ROOM)]
    return [entry_of(dialect, module) for module, dialect in dialects]


def entry_of(dialect: Dialect, module: str) -> Entry:
    """Return the index entry of a dialect."""
    return {
        "name": dialect.name,
        "module": module,
        "openers": [*dialect.openers],
        "frames": [*dialect.frames],
        "plain": dialect.plain is not None,
        "markers": sorted({*dialect.markers} - {*dialect.chat_markers}),
    }


def _load(module: str) -> Dialect:
    dialect: Dialect = import_module(module).DIALECT
    return dialect


@cache
def _modules() -> dict[str, str]:
    """Return the module of each dialect, in the order of the dialects' names."""
    return {str(entry["name"]): str(entry["module"]) for entry in entries(ROOM)}


@cache
def dialect_names() -> tuple[str, ...]:
    """Return the names of all dialects, sorted, without loading one."""
    return tuple(sorted(_modules()))


@cache
def dialect_openers() -> tuple[tuple[str, str], ...]:
    """Return each opener with the name of its dialect, in the order in which they are tried, without loading one."""
    found = [(str(opener), str(entry["name"])) for entry in entries(ROOM) for opener in entry["openers"]]
    return tuple(sorted(found, key=lambda pair: (-len(pair[0]), pair[1])))


@cache
def plain_dialects() -> tuple[Dialect, ...]:
    """Return the dialects that declare the plain form of calls, in the order of their names."""
    return tuple(_load(str(entry["module"])) for entry in entries(ROOM) if entry["plain"])


@cache
def frame_names() -> frozenset[str]:
    """Return the names of the tags that are around calls of any dialect, without loading one."""
    return frozenset(str(name) for entry in entries(ROOM) for name in entry["frames"])


@cache
def find_dialect(name: str) -> Dialect | None:
    """Return the dialect of that name, or None."""
    module = _modules().get(name)
    return _load(module) if module is not None else None


@cache
def all_dialects() -> tuple[Dialect, ...]:
    """Return every dialect, in the order of their names."""
    return tuple(_load(_modules()[name]) for name in dialect_names())
