"""Tool files: those that a configuration names, and the tools in them.

Owns: `ToolFiles`, and how named files and shipped sets make one registry. Must not know: TOML, which tables count for a
file, how a tool file is read.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from callwright.config.tables import Table, Wanted, absolute, expanded, in_force
from callwright.path_patterns import find, is_pattern
from callwright.syntax.problem import Problem
from callwright.text.span import Span
from callwright.tools.registry import EMPTY, ToolProblem, ToolRegistry

if TYPE_CHECKING:
    from callwright.config.reading import FileProblem
    from callwright.syntax.toml_places import Path as KeyPath

TOOLS_MISSING: Final = "config-tools-missing"
TOOLS_FAILED: Final = "config-tools-failed"

#: How many tool files one configuration may name.
MAX_TOOL_FILES: Final = 500
#: The keys that name tool files.
TOOL_KEYS: Final = ("tools", "extend_tools")


def inside(path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> bool:
    """Return whether a file really lies in a folder, links followed."""
    real, end = os.path.realpath(path), os.path.realpath(folder)
    return real == end or real.startswith(end.rstrip(os.sep) + os.sep)


def _is_special(file: Path) -> bool:
    """Return whether what is at a path is neither a regular file nor a folder."""
    try:
        mode = file.stat().st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


#: What a text that is being written named lately: each file's state when it was read, and what was in it.
_RECENT: Final[dict[Path, tuple[tuple[int, int, int], ToolRegistry]]] = {}


def reload(file: Path) -> ToolRegistry:
    """Return the tools of a file as it is now."""
    from callwright.declarations.load import load_tools

    return load_tools(file)


def load_lately(file: Path) -> ToolRegistry:
    """Return the tools of a file, read again only after its state has changed."""
    try:
        state = file.stat()
    except (OSError, ValueError):
        return reload(file)
    stamp = (state.st_mtime_ns, state.st_size, state.st_ino)
    known = _RECENT.get(file)
    if known is not None and known[0] == stamp:
        return known[1]
    loaded = reload(file)
    if len(_RECENT) >= MAX_TOOL_FILES:
        _RECENT.clear()
    _RECENT[file] = (stamp, loaded)
    return loaded


class ToolFiles:
    """Finds and loads the tool files that tables name, each once, and reports which it may not or cannot load.

    `known` holds what is loaded already; what `load` loads is added to it.
    """

    def __init__(
        self,
        root: Path,
        boundary: Path,
        allow_outside: bool,
        known: dict[Path, ToolRegistry],
        load: Callable[[Path], ToolRegistry] = reload,
    ) -> None:
        self.problems: list[FileProblem] = []
        self._root = root
        self._boundary = boundary
        self._allow_outside = allow_outside
        self._known = known
        self._load = load
        self._files: list[Path] = []

    def resolved(self, tables: Iterable[Table]) -> tuple[Table, ...]:
        """Return the tables with the files found that their patterns name; those that never count are left as none."""
        counted = in_force(tables := list(tables), "tools")
        return tuple(self._resolved(table, any(table is one for one in counted)) for table in tables)

    def _resolved(self, table: Table, counts: bool) -> Table:
        keys = [key for key in TOOL_KEYS if key in table.values]
        if not keys or all(isinstance(entry, Wanted) for key in keys for entry in table.values[key]):
            return table
        found = {key: [self._wanted(table, key, *each) for each in table.values[key]] if counts else [] for key in keys}
        return table._replace(values={**table.values, **found})

    def _wanted(self, table: Table, key: str, index: int, pattern: str) -> Wanted:
        if len(self.problems) >= MAX_TOOL_FILES:
            # These problems are fixed first; the rest is not looked for.
            return Wanted(pattern, (), whole=False)
        path = (*table.path, key, index)
        found = self._found(table, path, pattern)
        whole = bool(found)
        for file in found:
            loaded = self._known.get(file)
            if loaded is None:
                loaded = self._known[file] = self._load(file)
            whole = whole and bool(loaded)
            if file not in self._files:
                self._files.append(file)
                self._check(table, path, file, loaded)
        # A pipe or a device has been reported; reading it could wait for ever.
        return Wanted(pattern, tuple(file for file in found if not _is_special(file)), whole)

    def _found(self, table: Table, path: KeyPath, pattern: str) -> list[Path]:
        whole = expanded(pattern)
        start = whole if not is_pattern(whole) else re.split(r"[*?\[{]", whole, maxsplit=1)[0]
        if not self._allowed(table.folder / start):
            self._outside(table, path, pattern)
            return []
        files: list[Path] = []
        reported = len(self.problems)
        for name in find(whole, str(table.folder)):
            if not self._allowed(name):
                self._outside(table, path, name)
            elif len(self._files) + len(files) < MAX_TOOL_FILES:
                files.append(Path(name))
            else:
                reason = f"`{pattern}` matches more than {MAX_TOOL_FILES} files"
                self._note(TOOLS_FAILED, table, path, {"reason": reason, "remedy": "name fewer"})
                break
        if not files and len(self.problems) == reported:
            what = "no file matches this pattern" if is_pattern(pattern) else "there is no such file"
            remedy = f"patterns are relative to `{table.folder}`; correct the path"
            self._note(TOOLS_MISSING, table, path, {"reason": f"`{pattern}`: {what}", "remedy": remedy})
        return files

    def _allowed(self, path: str | Path) -> bool:
        return self._allow_outside or inside(absolute(path), self._boundary)

    def _outside(self, table: Table, path: KeyPath, pattern: str) -> None:
        reason = f"`{pattern}` is outside `{self._boundary}`, and files there are not read without your permission"
        remedy = "copy the file into the project, or name it on the command line with `--tools`"
        self._note(TOOLS_FAILED, table, path, {"reason": reason, "remedy": remedy})

    def _check(self, table: Table, path: KeyPath, file: Path, loaded: ToolRegistry) -> None:
        """Report that a file gives no tools, or only to us."""
        from callwright.tools.formats.base import INVALID

        if loaded and all(one.problem.kind != INVALID for one in loaded.problems):
            return
        first: ToolProblem | None = next(iter(loaded.problems), None)
        why = first.problem.data["reason"] if first is not None else "it defines no tools"
        remedy = first.problem.data["remedy"] if first is not None else "add a definition"
        name = os.path.relpath(file, self._root) if inside(file, self._root) else str(file)
        what = "does not load in other programs" if loaded else "contains no tools"
        data = {"reason": f"`{name}` {what}: {why}", "remedy": remedy, "file": str(file), "partly": bool(loaded)}
        self._note(TOOLS_FAILED, table, path, data)

    def _note(self, kind: str, table: Table, path: KeyPath, data: Mapping[str, Any]) -> None:
        from callwright.config.reading import shown

        span = table.source.span(path) if table.source is not None else Span(0, 0)
        file = str(table.source.file) if table.source is not None else None
        self.problems.append((file, Problem(kind, span, {"key": shown(path), **data})))


def files_named(tables: Iterable[Table]) -> tuple[Path, ...]:
    """Return the tool files that resolved tables name, each once."""
    counted = in_force(tables, "tools")
    wanted = (one for table in counted for key in TOOL_KEYS for one in table.values.get(key, ()))
    return tuple(dict.fromkeys(file for one in wanted for file in one.files))


def registry_of(values: Mapping[str, Any], known: Mapping[Path, ToolRegistry], *, whole: bool) -> ToolRegistry:
    """Return the author's tools, with the shipped ones after them that are asked for.

    `values` are those of resolved tables. The registry is closed where tool files or shipped sets are named, every file
    could be used, and `whole` is true: nothing else is missing.
    """
    wanted: list[Wanted] = list(values.get("tools", ()))
    found = EMPTY
    for file in dict.fromkeys(file for one in wanted for file in one.files):
        found = found.merge(known[file])
    shipped = values.get("shipped")
    if shipped is None and not wanted:
        return offered_tools()
    if shipped:
        found = found.merge(shipped_tools(shipped))
    return found if whole and all(one.whole for one in wanted) else found.opened()


def offered_tools() -> ToolRegistry:
    """Return the tools of all shipped sets, for users who have named none: they are offered and judge nothing."""
    from callwright.tools.shipped import offered_registry

    return offered_registry()


def shipped_tools(wanted: bool | list[str]) -> ToolRegistry:
    """Return the tools of all shipped sets, or of those named, which are as closed as the author's own."""
    from callwright.tools.shipped import shipped_registry

    return shipped_registry(None if isinstance(wanted, bool) else wanted)
