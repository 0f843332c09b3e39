"""The project: which settings and which tools govern a file.

Owns: `Project`, and what a command line or an editor sets over the files. Must not know: how files are found and read,
rules, commands, editors.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from callwright.config.keys import MAX_CHARACTERS
from callwright.config.project_names import ProjectNames
from callwright.config.tables import Pattern, Table, absolute, expanded, folded, in_force, relative_to, settings_of
from callwright.config.tool_files import TOOL_KEYS, ToolFiles, files_named, offered_tools, registry_of, reload
from callwright.document.settings import DEFAULT, Settings
from callwright.hosts.catalogue import find_host
from callwright.path_patterns import matches
from callwright.text.records import dataclass, field, replace
from callwright.tools.registry import EMPTY, ToolRegistry

if TYPE_CHECKING:
    from callwright.config.reading import FileProblem, Names
    from callwright.hosts.base import Host

FILE: Final = "callwright.toml"
PYPROJECT: Final = "pyproject.toml"
#: Files whose diagnostics are those of a configuration, never of calls in them.
CONFIGURATION_NAMES: Final = frozenset({FILE, PYPROJECT})


@dataclass(frozen=True, slots=True)
class Project:
    """What governs the files of one folder.

    `root` is the folder that patterns are relative to: the configuration file's, else the workspace's or repository's.
    `boundary` is the folder above which nothing is read without the user's permission. `file` is the configuration
    file, None where there is none, and `extended` those that it builds on, whether they could be read or not.

    `settings` and `registry` are those of files that no override is for; `at` gives those of a single file. `tables`
    holds what was written, in the order in which it counts. `tool_files` are all that tools were read from, those of
    overrides included. `problems` has for each fault the file it is in (None for what was set elsewhere), those of the
    tool files included. `whole` is false where tools may be missing.
    """

    root: Path
    boundary: Path
    file: Path | None = None
    settings: Settings = DEFAULT
    registry: ToolRegistry = EMPTY
    tool_files: tuple[Path, ...] = ()
    problems: tuple[FileProblem, ...] = ()
    configured: bool = False
    tables: tuple[Table, ...] = ()
    extended: tuple[Path, ...] = ()
    whole: bool = True
    files: tuple[Pattern, ...] = ()
    exclude: tuple[Pattern, ...] = ()
    respect_gitignore: bool = True
    max_characters: int = MAX_CHARACTERS
    _loaded: dict[Path, ToolRegistry] = field(default_factory=dict, compare=False, repr=False)
    _at: dict[tuple[int, ...], Project] = field(default_factory=dict, compare=False, repr=False)
    _own: frozenset[str] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Make ready what every file is asked about."""
        object.__setattr__(self, "_own", frozenset(map(str, self.tool_files)))
        if self.registry.elsewhere is None and (self.file is not None or (self.root / ".git").exists()):
            object.__setattr__(self, "registry", self.registry.beside(ProjectNames(self.root)))

    def at(self, path: str | os.PathLike[str]) -> Project:
        """Return the project as it is for one file: with the overrides that are for it."""
        if all(table.only is None for table in self.tables):
            return self
        place = absolute(path)
        chosen = tuple(index for index, table in enumerate(self.tables) if table.is_for(place, self.root))
        known = self._at.get(chosen)
        if known is None:
            tables = [self.tables[index] for index in chosen]
            plain = all(table.only is None for table in tables)
            known = self._at[chosen] = self if plain else self._narrowed(tables)
        return known

    def _narrowed(self, tables: list[Table]) -> Project:
        """Return the project of files that exactly these tables are for."""
        values = folded(tables)
        registry = self.registry
        if any(key in table.values for table in tables if table.only is not None for key in (*TOOL_KEYS, "shipped")):
            registry = registry_of(values, self._loaded, whole=self.whole)
        every = tuple(table._replace(only=None, but=()) for table in tables)
        return replace(self, settings=settings_of(values), registry=registry, tables=every, _at={})

    @property
    def discovers(self) -> bool:
        """Whether the files of a folder are found by their names and their content: `files` is not set."""
        return not any(table.only is None and "files" in table.values for table in self.tables)

    @property
    def baseline(self) -> Path | None:
        """The file with known diagnostics that the configuration names; it need not exist."""
        stated = (table for table in reversed(self.tables) if table.only is None and "baseline" in table.values)
        return next((absolute(table.folder / expanded(table.values["baseline"])) for table in stated), None)

    def covers(self, path: str | os.PathLike[str]) -> bool:
        """Return whether `files` names a file, and `exclude` does not."""
        place = absolute(path)
        return any(one.fits(place, self.root) for one in self.files) and not self.excludes(place)

    def excludes(self, path: str | os.PathLike[str]) -> bool:
        """Return whether `exclude` names a file or folder, or a folder above it."""
        place = absolute(path)
        return any(one.fits(place, self.root) for one in self.exclude)

    def is_tool_file(self, path: str | os.PathLike[str]) -> bool:
        """Return whether tools were read from a file."""
        return str(absolute(path)) in self._own

    def tools_in(self, file: Path) -> ToolRegistry:
        """Return the tools that were read from a file; none where it is no tool file."""
        return self._loaded.get(file, EMPTY)

    def host_of(self, path: str | os.PathLike[str]) -> Host | None:
        """Return what a file of the project itself is read as: its configuration, or one of its tool files."""
        place = absolute(path)
        if place.name in CONFIGURATION_NAMES or place == self.file or place in self.extended:
            return find_host("configuration")
        if not self.is_tool_file(place):
            return None
        from callwright.tools.formats.catalogue import is_claimed

        # A prompt that documents the tools is read as the prompt that it is.
        return find_host("tool-file") if is_claimed(place.name) else None

    def asks(self, path: str | os.PathLike[str]) -> bool:
        """Return whether what a file documents may have been evidence for what a tag of another file is."""
        return self._names is not None and self._names.depends_on(absolute(path))

    @property
    def learned(self) -> Mapping[str, bool]:
        """The names that were sought in the project's files, each with whether one documents it."""
        return {} if self._names is None else self._names.asked

    def learn(self, names: Mapping[str, bool]) -> None:
        """Take what the same project has learned in another process."""
        if self._names is not None:
            self._names.asked.update(names)

    @property
    def _names(self) -> ProjectNames | None:
        """The names that are sought in the project's files; None where the registry was given without."""
        names = self.registry.elsewhere
        return names if isinstance(names, ProjectNames) else None

    def may_name(self, path: str | os.PathLike[str]) -> bool:
        """Return whether a pattern of tool files means a file, whether it is there or not."""
        place = absolute(path)
        for table in in_force(self.tables, "tools"):
            relative = relative_to(place, table.folder)
            if relative is not None and any(
                matches(wanted.pattern, relative) for key in TOOL_KEYS for wanted in table.values.get(key, ())
            ):
                return True
        return False


def default_project(root: str | os.PathLike[str] | None = None) -> Project:
    """Return the project of someone who has configured nothing: default settings, and the shipped tools on offer."""
    folder = absolute(root if root is not None else os.curdir)
    return Project(folder, folder, registry=offered_tools())


def override(
    project: Project, mapping: Mapping[str, Any], *, allow_outside: bool = False, known_rules: Names = None
) -> Project:
    """Return the project with the keys of a command line or an editor in place of those of its files.

    The keys and values are those of `callwright.toml`, and they go before overrides for single files, too. None, an
    empty text and an empty list or table set nothing. Paths are relative to the project's root; `allow_outside` is the
    user's permission to read tool files above its boundary.
    """
    from callwright.config.reading import Reader

    stated = {key: value for key, value in mapping.items() if value is not None and value not in ("", [], (), {})}
    if not stated:
        return project
    reader = Reader(None, project.root, known_rules)
    tables = reader.read({key: list(value) if isinstance(value, tuple) else value for key, value in stated.items()})
    changed = replace(project, tables=(*project.tables, *tables), problems=(*project.problems, *reader.problems))
    tools = any(key in table.values for table in tables for key in (*TOOL_KEYS, "shipped"))
    return with_tools(changed, allow_outside=allow_outside) if tools else resettled(changed)


def with_file(project: Project, file: Path, tools: ToolRegistry) -> Project:
    """Return the project with `tools` in the place of those that were read from one of its tool files."""
    loaded = {**project._loaded, file: tools}  # noqa: SLF001 - the same class's
    return with_tools(replace(project, _loaded=loaded), allow_outside=True)


def resettled(project: Project) -> Project:
    """Return the project with the settings of its tables."""
    values = folded(table for table in project.tables if table.only is None)
    return replace(
        project,
        settings=settings_of(values),
        files=tuple(values.get("files", ())),
        exclude=tuple(values.get("exclude", ())),
        respect_gitignore=values.get("respect_gitignore", True),
        max_characters=values.get("max_characters", MAX_CHARACTERS),
        _at={},
    )


def with_tools(project: Project, *, allow_outside: bool, load: Callable[[Path], ToolRegistry] = reload) -> Project:
    """Return the project with the settings and tools of its tables; tool files that are not loaded yet are loaded."""
    loaded = dict(project._loaded)  # noqa: SLF001 - the same class's
    finder = ToolFiles(project.root, project.boundary, allow_outside, loaded, load)
    tables = finder.resolved(project.tables)
    files = files_named(tables)
    before, after = {str(file) for file in project.tool_files}, dict.fromkeys(files)
    kept = [one for one in project.problems if one[0] not in before]
    own = [(one.file, one.problem) for file in after for one in loaded[file].problems]
    values = folded(table for table in tables if table.only is None)
    return resettled(
        replace(
            project,
            tables=tables,
            registry=registry_of(values, loaded, whole=project.whole),
            tool_files=files,
            problems=(*kept, *finder.problems, *own),
            _loaded=loaded,
        )
    )
