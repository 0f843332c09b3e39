"""Explanation: where each setting that is in force comes from.

Owns: `explained`. Must not know: how that is shown. Nothing that reads or judges text needs it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from callwright.config.keys import ADDS_TO, KEYS, Overrides
from callwright.config.project import Project
from callwright.config.tables import Table, adds
from callwright.document.settings import Settings
from callwright.text.document import TextDocument


@dataclass(frozen=True, slots=True)
class SettingPlace:
    """Where a setting was written: a file with line and column from 1, or None for a command line or an editor.

    `override` is the number of the override in that file, from 1; None for a setting of all files.
    """

    file: Path | None
    line: int = 0
    column: int = 0
    override: int | None = None


@dataclass(frozen=True, slots=True)
class Explained:
    """A setting that is in force, or one entry of it: its name, its value, and the places that contribute to it.

    Without a place it is the default.
    """

    name: str
    value: Any
    places: tuple[SettingPlace, ...]


def explained(project: Project) -> Iterator[Explained]:
    """Yield each setting that governs the files of a project that no override is for, in the order of the keys.

    For one file, give `project.at(file)`.
    """
    tables = [table for table in project.tables if table.only is None]
    for name, key in KEYS.items():
        if name in ADDS_TO or name == "extend" or isinstance(key.kind, Overrides):
            continue
        stated = _stated(tables, name)
        value = _value(project, name)
        if isinstance(value, Mapping):
            for entry, each in value.items():
                last = next(table for table in reversed(tables) if entry in table.values.get(name, ()))
                yield Explained(f"{name}.{entry}", each, (place_of(last, (name, entry)),))
        else:
            yield Explained(name, value, tuple(place_of(table, (key,)) for table, key in stated))


def _stated(tables: list[Table], name: str) -> list[tuple[Table, str]]:
    """Return the tables that had a part in a key's value, each with the key that it used."""
    found: list[tuple[Table, str]] = []
    values: dict[str, Any] = {}
    for table in tables:
        if name in table.values:
            found = [(table, name)]
            values[name] = table.values[name]
        for key in (key for key, base in ADDS_TO.items() if base == name and key in table.values):
            if adds(key, values):
                found.append((table, key))
    return found


def _value(project: Project, name: str) -> Any:
    """Return what is in force, in the terms of a configuration file."""
    if name in Settings.__dataclass_fields__:
        value = getattr(project.settings, name)
        return list(value) if isinstance(value, tuple) else value
    if name == "respect_gitignore":
        return project.respect_gitignore
    if name == "max_characters":
        return project.max_characters
    if name in ("files", "exclude"):
        return [one.text for one in getattr(project, name)]
    tables = [table for table in project.tables if table.only is None]
    if name == "tools":
        return [one.pattern for table, key in _stated(tables, name) for one in table.values[key]]
    return next((table.values[name] for table in reversed(tables) if name in table.values), None)


def place_of(table: Table, path: tuple[str | int, ...]) -> SettingPlace:
    """Return where a key of a table is."""
    if table.source is None:
        return SettingPlace(None)
    span = table.source.span((*table.path, *path), at_key=True)
    text = table.source.text.removeprefix("\ufeff")
    start = span.start - (len(table.source.text) - len(text))
    document = TextDocument.from_text(text)
    line = document.line_at(start)
    number = table.path[-1] if table.path else None
    column = start - document.line_start(line)
    return SettingPlace(table.source.file, line + 1, column + 1, number + 1 if isinstance(number, int) else None)
