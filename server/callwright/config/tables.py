"""Tables: what one place sets, and what several set together.

Owns: `Table`, `Pattern`, and the order in which tables count. Must not know: TOML, where a table was read from, rules.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from callwright.config.keys import ADDS_TO
from callwright.document.settings import DEFAULT, Settings
from callwright.path_patterns import matches
from callwright.text.records import NamedTuple

if TYPE_CHECKING:
    from callwright.config.reading import ConfigSource
    from callwright.syntax.toml_places import Path as KeyPath


def absolute(path: str | os.PathLike[str]) -> Path:
    """Return an absolute path without `..`, its links left as they are: users know their projects by these names."""
    return Path(os.path.abspath(path))  # noqa: PTH100 - `resolve` would follow the links


def expanded(text: str) -> str:
    """Return a path with `~` at its beginning replaced by the home folder, where there is one."""
    try:
        return str(Path(text).expanduser()) if text.startswith("~") else text
    except RuntimeError:
        return text


@lru_cache(maxsize=64)
def relative_to(path: Path, folder: Path) -> str | None:
    """Return an absolute path as patterns see it from a folder, or None where it lies outside.

    A file is asked about once for each pattern.
    """
    try:
        slashed = os.path.relpath(path, folder).replace(os.sep, "/")
    except ValueError:
        # Another drive.
        return None
    return None if slashed == ".." or slashed.startswith("../") else slashed


class Pattern(NamedTuple):
    """A pattern of paths, with the folder that it is relative to."""

    folder: Path
    text: str

    def fits(self, path: Path, root: Path) -> bool:
        """Return whether the pattern names a file of the project at `root`.

        A pattern without `/` means a name wherever it is, and so does not care where it was written.
        """
        anywhere = "/" not in self.text.replace("\\", "/").rstrip("/")
        relative = relative_to(path, root if anywhere else self.folder)
        if relative is None:
            return anywhere and matches(self.text, path.name)
        return matches(self.text, relative)


class Wanted(NamedTuple):
    """What one pattern of tool files names: the files, and whether all of them could be used."""

    pattern: str
    files: tuple[Path, ...]
    whole: bool


class Table(NamedTuple):
    """What one place sets, as far as it is valid.

    `values` holds checked values by key: of `files` and `exclude` patterns, of `tools` the index and text of each
    entry, or what it names once that was looked for. `source` is the file that it is in, None for a command line or an
    editor, and `path` the keys that lead to it there. `folder` is what its paths are relative to. `only` holds the
    patterns of the files that it is for, None where it is for all; `but` those that it is not for.
    """

    values: Mapping[str, Any]
    source: ConfigSource | None
    folder: Path
    path: KeyPath = ()
    only: tuple[Pattern, ...] | None = None
    but: tuple[Pattern, ...] = ()

    def is_for(self, path: Path, root: Path) -> bool:
        """Return whether the table applies to a file."""
        if self.only is None:
            return True
        return any(one.fits(path, root) for one in self.only) and not any(one.fits(path, root) for one in self.but)


def folded(tables: Iterable[Table]) -> dict[str, Any]:
    """Return what tables set together: a later one overrides an earlier one.

    A list takes the place of the earlier one, unless the key adds to it; a table changes the names in it and leaves the
    others.
    """
    values: dict[str, Any] = {}
    for table in tables:
        for key, value in table.values.items():
            if key in ADDS_TO:
                continue
            before = values.get(key)
            if isinstance(value, Mapping) and isinstance(before, Mapping):
                # Of a code and a name of one rule, the last one counts: what is set later comes later in the table.
                values[key] = {**{name: each for name, each in before.items() if name not in value}, **value}
            else:
                values[key] = value
        for key, value in table.values.items():
            if key in ADDS_TO and adds(key, values):
                values[ADDS_TO[key]] = [*values.get(ADDS_TO[key], ()), *value]
    return values


def adds(key: str, values: Mapping[str, Any]) -> bool:
    """Return whether a key that adds to another has anything to add to: nothing selected means every rule."""
    return key != "extend_select" or bool(values.get("select"))


def in_force(tables: Iterable[Table], key: str) -> list[Table]:
    """Return the tables whose `key`, or whose addition to it, can count for some file."""
    reached: list[Table] = []
    for table in tables:
        if key in table.values and table.only is None:
            reached.clear()
        reached.append(table)
    return reached


def settings_of(values: Mapping[str, Any]) -> Settings:
    """Return the settings of how calls are read and judged."""
    return Settings(
        dialect=values.get("dialect"),
        accept=tuple(values.get("accept", ())),
        strict=values.get("strict", False),
        select=tuple(values.get("select", ())),
        ignore=tuple(values.get("ignore", ())),
        severity=dict(values.get("severity", {})),
        markup=values.get("markup"),
        reasoning=values.get("reasoning", DEFAULT.reasoning),
        answer_tags=tuple(values.get("answer_tags", ())),
        provider=values.get("provider"),
        template=values.get("template"),
        placeholders=values.get("placeholders", DEFAULT.placeholders),
        max_mistakes=values.get("max_mistakes", DEFAULT.max_mistakes),
    )
