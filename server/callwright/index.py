"""The index: what the modules of the rooms state about themselves, so that a module is loaded only when it is needed.

Owns: reading the generated `_index.json`, deciding whether it can be trusted, and loading the members of a room by it.
Must not know: what an entry of any room means, how the index is written (server/docs/generate.py does it).

A room is a folder in which every module is one dialect, rule, host, feature or tool source, except `base` and
`catalogue`. An entry is plain data with the module's full name under `module`. Where the index is missing, or does not
list exactly the modules of the folder, the room's own `catalogue.describe` is called instead: a new module works at
once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Generic, TypeAlias, TypeVar

Entry: TypeAlias = Mapping[str, Any]
M = TypeVar("M")

HERE: Final = Path(__file__).parent
INDEX_FILE: Final = HERE / "_index.json"
#: Modules of a room that are not its members.
_OTHERS: Final = frozenset({"__init__", "base", "catalogue"})


def module_names(room: str) -> list[str]:
    """Return the full names of the modules in a room's folder, sorted; `room` is a path like `tools/sources`."""
    names = (file.name for file in (HERE / room).iterdir())
    stems = sorted(name.removesuffix(".py") for name in names if name.endswith(".py"))
    return [f"callwright.{room.replace('/', '.')}.{stem}" for stem in stems if stem not in _OTHERS]


@cache
def entries(room: str) -> Sequence[Entry]:
    """Return the entries of a room: from the index where it can be trusted, else by loading the room's modules."""
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


class Room(Generic[M]):
    """The members of a room, each loaded on first use and only once.

    A member is what a module of the room binds to the name `bound`. `reported` are those of its attributes that the
    room's entries contain besides its name and its module.
    """

    def __init__(self, name: str, bound: str, *reported: str) -> None:
        self._name = name
        self._bound = bound
        self._reported = reported
        self._loaded: dict[str, M] = {}

    def describe(self) -> Sequence[Entry]:
        """Return the entry of every member, by loading them all."""
        members = [(module, self.load(module)) for module in module_names(self._name)]
        return [
            {"name": _plain(member, "name"), "module": module, **{key: _plain(member, key) for key in self._reported}}
            for module, member in members
        ]

    def load(self, module: str) -> M:
        """Return the member that a module of the room is."""
        if module not in self._loaded:
            self._loaded[module] = getattr(import_module(module), self._bound)
        return self._loaded[module]

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The entries of the members, in the order of their names, without loading one."""
        return tuple(sorted(entries(self._name), key=lambda entry: str(entry["name"])))

    def all(self) -> tuple[M, ...]:
        """Return every member, in the order of their names."""
        return tuple(self.load(entry["module"]) for entry in self.entries)

    def find(self, name: str) -> M | None:
        """Return the member of that name, or None."""
        return self.first(lambda entry: bool(entry["name"] == name))

    def first(self, fits: Callable[[Entry], bool]) -> M | None:
        """Return the first member whose entry matches, None where none does."""
        return next((self.load(entry["module"]) for entry in self.entries if fits(entry)), None)


def _plain(member: object, key: str) -> Any:
    value = getattr(member, key)
    return [*value] if isinstance(value, tuple) else value
