"""Projects: which configuration governs which text, under the options of the command line.

Owns: the options that say what a configuration says, keeping each project once, and the texts that paths stand for.
Must not know: commands, how findings are laid out, how a configuration is read.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from callwright.cli.support.failure import CommandError
from callwright.cli.support.files import ENDINGS, STDIN, FileError, Source, read_source, read_stdin, walk
from callwright.config import Project, default_project, find_project, load_project, override

#: What a folder holds where a configuration may begin, or where the search for one ends.
_MARKERS: Final = ("callwright.toml", "pyproject.toml", ".git")


@dataclass(frozen=True, slots=True)
class ProjectOptions:
    """What the command line says in place of a configuration file, or of a part of it; empty means nothing is said."""

    tools: tuple[str, ...] = ()
    dialect: str | None = None
    accept: tuple[str, ...] = ()
    strict: bool = False
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    isolated: bool = False
    config: str | None = None

    def as_mapping(self) -> Mapping[str, Any]:
        """Return what is said, under the keys of `callwright.toml`; tool files are absolute paths."""
        said: dict[str, Any] = {
            "tools": [str(Path.cwd() / file) for file in self.tools],
            "dialect": self.dialect,
            "accept": _split(self.accept),
            "strict": self.strict,
            "select": _split(self.select),
            "ignore": _split(self.ignore),
        }
        return {key: value for key, value in said.items() if value}


def _split(words: Sequence[str]) -> list[str]:
    return [part.strip() for word in words for part in word.split(",") if part.strip()]


class Projects:
    """The projects of one run; each is read once, however many files it governs."""

    def __init__(self, options: ProjectOptions) -> None:
        """Take the options. Raises CommandError where they contradict each other or name what is not there."""
        if options.isolated and options.config is not None:
            raise CommandError("`--isolated` heeds no configuration and `--config` names one: give one of them")
        self._options = options
        self._said = options.as_mapping()
        self._by_folder: dict[Path, Project] = {}
        self._by_file: dict[Path | None, Project] = {}
        self._fixed = self._named()

    def _named(self) -> Project | None:
        """Return the project that the options name for every file, if they do."""
        if self._options.isolated:
            return self._with_options(default_project())
        if self._options.config is None:
            return None
        file = Path(self._options.config)
        if not file.is_file():
            raise CommandError(f"`--config {file}`: there is no such file; check the path")
        return self._with_options(load_project(file))

    def _with_options(self, project: Project) -> Project:
        """Return the project with what the command line says over it. Raises CommandError where that makes no sense."""
        return override(project, self._said) if self._said else project

    def here(self) -> Project:
        """Return the project of the working folder."""
        return self._of_folder(Path.cwd())

    def of(self, source: Source) -> Project:
        """Return the project that governs a text: that of its file, or of the working folder."""
        return self.here() if source.path is None else self._of_folder(Path.cwd() / source.path.parent)

    def _of_folder(self, folder: Path) -> Project:
        """Return the project of the files in a folder, given as an absolute path."""
        if self._fixed is not None:
            return self._fixed
        known = self._by_folder.get(folder)
        if known is None:
            if folder.parent != folder and not any((folder / marker).exists() for marker in _MARKERS):
                known = self._of_folder(folder.parent)
            else:
                found = find_project(folder / "any.prompt")
                file = Path(found.file) if found.file is not None else None
                known = self._by_file.get(file)
                if known is None:
                    known = self._by_file[file] = self._with_options(found)
            self._by_folder[folder] = known
        return known

    def sources(
        self, paths: Sequence[str], complain: Callable[[str], None], note: Callable[[str], None]
    ) -> Iterator[Source]:
        """Yield the texts that paths stand for, each file once; a file that cannot be read is told to `complain`."""
        seen: set[str] = set()
        for word in paths:
            path = Path(word)
            folder = path.is_dir()
            for file in walk(path, self._wants, complain=complain, note=note) if folder else (path,):
                real = os.path.realpath(file)
                if real in seen:
                    continue
                seen.add(real)
                try:
                    yield read_source(file, fence=path if folder else self._fence(file))
                except FileError as error:
                    complain(str(error))

    def _wants(self, file: Path) -> bool:
        """Tell whether a file that lies in a named folder is checked."""
        project = self._of_folder(Path.cwd() / file.parent)
        path = str(Path.cwd() / file)
        return not project.excludes(path) and (file.name.endswith(ENDINGS) or project.covers(path))

    def _fence(self, file: Path) -> Path:
        """Return the folder that a file named by itself must lie in, once links are followed, to be written."""
        here = Path.cwd()
        place = here / file.parent
        project = self._of_folder(place)
        roots = [Path(project.root)] if project.configured else []
        return next((root for root in [*roots, here] if place.is_relative_to(root)), place)

    def one_source(self, path: str, stdin_name: str | None = None) -> Source:
        """Return the text of one file, or standard input. Raises CommandError where it cannot be read."""
        try:
            return read_stdin(stdin_name) if path == STDIN else read_source(Path(path), fence=self._fence(Path(path)))
        except FileError as error:
            raise CommandError(str(error)) from None
