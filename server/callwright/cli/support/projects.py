"""Projects: which configuration governs which text, under the options of the command line.

Owns: keeping each project once, and the texts that paths mean.
Must not know: commands, how diagnostics are laid out, how a configuration is read.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from callwright.cli.support.failure import CommandError, require_file
from callwright.cli.support.files import (
    STDIN,
    FileError,
    InputFile,
    absolute,
    fence_of_folder,
    named,
    read_source,
    read_stdin,
    shown_path,
    walk,
)
from callwright.cli.support.option_groups import FileOptions, ProjectOptions
from callwright.cli.support.report import place
from callwright.config import Project, default_project, find_project, load_project, override
from callwright.path_patterns import PROMPT_ENDINGS, matches
from callwright.rules.base import Applicability, Diagnostic
from callwright.rules.catalogue import rule_names
from callwright.text.document import TextDocument
from callwright.text.records import replace
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.cli.support.discovery import Discovery, Ground
    from callwright.syntax.problem import Problem

#: What a folder holds where a configuration may begin, or where the search for one ends.
_MARKERS: Final = ("callwright.toml", "pyproject.toml", ".git")

#: What a tool file can suffer from as a whole. Named on the command line, such a file is unreadable input; in a
#: configuration it is a diagnostic there.
_UNUSABLE: Final = ("tools-unreadable", "tools-invalid-syntax", "tools-not-understood")


def _no_files() -> FileOptions:
    """Return the file options of a command that has none."""

    class NoFiles(FileOptions):
        """All of them as they are by default."""

    return NoFiles()


class Projects:
    """The projects of one run; each is read once, however many files it governs."""

    def __init__(self, options: ProjectOptions) -> None:
        """Take the options. Raises CommandError where they contradict each other or name what is not there."""
        if options.isolated and options.config is not None:
            raise CommandError("`--isolated` and `--config` cannot be combined; choose one")
        self._options = options
        self._files = options if isinstance(options, FileOptions) else _no_files()
        self._stated = options.as_mapping()
        self._by_folder: dict[Path, Project] = {}
        # Under None is what governs where nothing is configured, however many places that are.
        self._by_file: dict[Path | None, Project] = {}
        self._seen: set[str] = set()
        self._scanned: set[str] = set()
        self._fixed = self._named()

    def _named(self) -> Project | None:
        """Return the project that the options name for every file, if they do."""
        if self._options.isolated:
            return self._with_options(default_project())
        if self._options.config is None:
            return None
        file = Path(self._options.config)
        require_file(self._options.config, f"`--config {file}`")
        return self._with_options(load_project(file, known_rules=rule_names()))

    def _with_options(self, project: Project) -> Project:
        """Return the project with the command line's settings over it. Raises CommandError where these are invalid."""
        if self._stated:
            # Naming a tool file on the command line is the word to read it, wherever it lies.
            project = override(project, self._stated, allow_outside=True, known_rules=rule_names())
        for file, problem in project.problems:
            if file is None:
                if problem.data.get("partly"):
                    continue
                option = str(problem.data["key"]).partition("[")[0].replace("_", "-")
                raise CommandError(f"`--{option}`: {problem.data['reason']}; {problem.data['remedy']}")
            if "tools" in self._stated and Path(file) in project.tool_files and problem.kind in _UNUSABLE:
                document = _as_it_is(file)
                line, column = place(document, min(problem.span.start, len(document)))
                where = f"{shown_path(Path(file))}:{line}:{column}"
                raise CommandError(f"`--tools`: {where}: {problem.data['reason']}; {problem.data['remedy']}")
        return project

    def here(self) -> Project:
        """Return the project of the working folder."""
        return self._of_folder(Path.cwd())

    def of(self, source: InputFile) -> Project:
        """Return the project that governs a text, as it is for its file: where it has none, the working folder's."""
        return self.here() if source.path is None else self.at(source.path)

    def at(self, path: Path) -> Project:
        """Return the project that governs a file, as it is for that file."""
        return self.around(path).at(absolute(path))

    def around(self, path: Path) -> Project:
        """Return the project that governs a file or folder, as it is for files that no override is for."""
        place = absolute(path)
        return self._of_folder(place if place.is_dir() else place.parent)

    def _of_folder(self, folder: Path) -> Project:
        """Return the project of the files in a folder, given as an absolute path."""
        if self._fixed is not None:
            return self._fixed
        known = self._by_folder.get(folder)
        if known is None:
            if _inherits(folder):
                known = self._of_folder(folder.parent)
            else:
                found = find_project(folder, known_rules=rule_names())
                known = self._by_file.get(found.file)
                if known is None:
                    known = self._by_file[found.file] = self._with_options(found)
            self._by_folder[folder] = known
        return known

    def diagnostics(self) -> Iterator[tuple[str, TextDocument, list[Diagnostic]]]:
        """Yield what is wrong with configuration and tool files that are no sources: path, text, diagnostics in it."""
        by_file: dict[str, tuple[Project, list[Problem]]] = {}
        for project in [self._fixed] if self._fixed is not None else self._by_file.values():
            for file, problem in project.problems:
                # Two projects may build on one file.
                if file is not None and problem not in (known := by_file.setdefault(file, (project, []))[1]):
                    known.append(problem)
        if not by_file:
            return
        from callwright.lint.files import file_diagnostics

        for file, (project, problems) in by_file.items():
            if os.path.realpath(file) in self._seen:
                continue
            document = _as_it_is(file)
            text = document.text()
            found = file_diagnostics(problems, project.registry, project.settings, text=text, path=file)
            yield shown_path(Path(file)), document, [_for_a_person(one, len(document)) for one in found]

    def sources(
        self,
        paths: Sequence[str],
        report_error: Callable[[str], None],
        note: Callable[[str], None],
        *,
        unread: Callable[[Path], bool] = lambda _: False,
    ) -> Iterator[InputFile]:
        """Yield the texts that paths mean, each file once; a file that cannot be read is reported to `report_error`.

        Files that are requested `unread` come without their texts.
        """
        seen = self._seen
        for word in paths:
            path = named(word)
            folder = path.is_dir()
            fence = fence_of_folder(path) if folder else None
            for file in self._found(path, report_error, note) if folder else (path,):
                real = os.path.realpath(file)
                if real in seen or (not folder and self._files.force_exclude and self._is_excluded(file)):
                    continue
                seen.add(real)
                if unread(file):
                    yield InputFile(shown_path(file), file, "", fence=fence, streamed=True)
                    continue
                try:
                    source = read_source(file)
                except FileError as error:
                    report_error(str(error))
                    continue
                yield replace(source, fence=fence)

    def listed(self, paths: Sequence[str]) -> Iterator[Path]:
        """Yield the files that paths mean now, whether they can be read or not; also those whose content decides
        whether they are checked."""

        def pass_over(_: str) -> None:
            """Ignore the failure; the check reports it."""

        for word in paths:
            path = named(word)
            if path.is_dir():
                yield from (file for file, _ in self._listed(path, pass_over, pass_over))
            else:
                yield path

    def own_files(self) -> Iterator[Path]:
        """Yield the configuration and tool files of the projects that were met."""
        for project in [self._fixed] if self._fixed is not None else self._by_file.values():
            if project.file is not None:
                yield project.file
            yield from project.extended
            yield from project.tool_files

    def _found(self, folder: Path, report_error: Callable[[str], None], note: Callable[[str], None]) -> Iterator[Path]:
        """Yield the files that a named folder means."""
        from callwright.cli.support.discovery import Ground

        walked = [*self._listed(folder, report_error, note)]
        self._scanned.update(os.path.realpath(file) for file, _ in walked)
        for file, ground in self._discovery(folder).found(walked):
            if ground is Ground.CONTENT and self._is_long(file):
                note(f"{shown_path(file)}: skipped because it is large; name it to check it")
            else:
                yield file

    def passed_over(self, paths: Sequence[str], marker: str) -> Iterator[InputFile]:
        """Yield the texts with a mark in folders that do not mean them, though nothing excludes them."""
        from callwright.cli.support.discovery import Ground, text_of

        def keep_silent(_: str) -> None:
            """Leave it to the walk that was made before."""

        for folder in (path for path in map(named, paths) if path.is_dir()):
            for file, ground in self._listed(folder, keep_silent, keep_silent, every=True):
                if ground is not Ground.STATED and os.path.realpath(file) not in self._seen:
                    text = text_of(file)
                    if text is not None and marker in text:
                        yield InputFile(shown_path(file), file, text)

    def _discovery(self, folder: Path) -> Discovery:
        from callwright.cli.support.discovery import Discovery
        from callwright.cli.support.engine import open_source

        registry = self.around(folder).registry
        names = {*registry.names} if registry.closed else set()
        return Discovery(lambda source: open_source(source, self.of(source)), names)

    def means(self, file: Path) -> bool:
        """Return whether the folder of a file selects it, as far as the file itself shows."""
        ground = self.ground_of(file, file.parent)
        return ground is not None and any(self._discovery(file.parent).found([(file, ground)]))

    @property
    def scanned(self) -> int:
        """How many files of folders were scanned, checked or not."""
        return len(self._scanned)

    def _is_long(self, file: Path) -> bool:
        """Return whether a file is longer than what is read as a whole."""
        try:
            if file.stat().st_size <= self.at(file).max_characters:
                return False
        except OSError:
            return False
        from callwright.cli.support.large import is_large

        return not is_large(file)

    def _listed(
        self, folder: Path, report_error: Callable[[str], None], note: Callable[[str], None], *, every: bool = False
    ) -> Iterator[tuple[Path, Ground]]:
        """Yield the files of a named folder that are checked or may be, each with its ground; `every` text that nothing
        excludes where that is asked for."""
        grounds: dict[Path, Ground] = {}

        def wanted(file: Path) -> bool:
            ground = self.ground_of(file, folder, every=every)
            if ground is not None:
                grounds[file] = ground
            return ground is not None

        ignored = self._ignored_in(folder)
        for file in walk(folder, wanted, report_error=report_error, note=note, ignored=ignored):
            yield file, grounds.pop(file)

    def named_so(
        self,
        folder: Path,
        name: Callable[[str], bool],
        report_error: Callable[[str], None],
        note: Callable[[str], None],
    ) -> Iterator[Path]:
        """Yield the files of a named folder whose name is wanted, and that nothing excludes."""

        def wanted(file: Path) -> bool:
            return name(file.name) and not self._is_excluded(file)

        return walk(folder, wanted, report_error=report_error, note=note, ignored=self._ignored_in(folder))

    def _ignored_in(self, folder: Path) -> Callable[[Path, bool], bool]:
        """Return a function that returns whether git ignores a file or, by its second argument, a folder."""
        if self._files.no_respect_gitignore or not self.around(folder).respect_gitignore:
            return lambda _path, _is_folder: False
        from callwright.cli.support.gitignore import Ignored

        git = Ignored(folder)
        return lambda path, is_folder: git.ignores(absolute(path), folder=is_folder)

    def ground_of(self, file: Path, folder: Path, *, every: bool = False) -> Ground | None:
        """Return the ground on which a file is checked, or may be, with its folder; None without a ground.

        With `every`, any text has the ground that it would have if no `files` were set.
        """
        from callwright.cli.support.discovery import Ground, ground_of

        if self._is_excluded(file):
            return None
        path = absolute(file)
        shown = _from_here(path)
        project = self._of_folder(path.parent)
        if any(matches(one, shown) for one in self._files.files) or project.is_tool_file(path):
            return Ground.STATED
        if file.name.endswith(PROMPT_ENDINGS) or project.covers(path):
            return Ground.STATED
        if not (project.discovers or every):
            return None
        return ground_of(os.path.relpath(path, absolute(folder)).replace(os.sep, "/") if ".." in shown else shown)

    def _is_excluded(self, file: Path) -> bool:
        """Return whether the configuration or the command line leaves a file out."""
        path = absolute(file)
        shown = _from_here(path)
        excluded = self._of_folder(path.parent).excludes(path)
        return excluded or any(matches(one, shown) for one in self._files.exclude)

    def one_source(self, path: str, stdin_name: str | None = None) -> InputFile:
        """Return the text of one file, or standard input. Raises CommandError where it cannot be read."""
        try:
            if path == STDIN:
                return read_stdin(stdin_name)
            return read_source(named(path))
        except FileError as error:
            raise CommandError(str(error)) from None


def _from_here(path: Path) -> str:
    """Return a path as patterns on the command line see it: they count from the working folder."""
    return os.path.relpath(path).replace(os.sep, "/")


def _inherits(folder: Path) -> bool:
    """Return whether what governs the folder above governs this one, so that nothing need be read again.

    A folder that everyone may write to configures nothing: the search for a configuration ends below it.
    """
    try:
        if folder.parent == folder or any((folder / marker).exists() for marker in _MARKERS):
            return False
        return not folder.parent.stat().st_mode & stat.S_IWOTH
    except OSError:
        return False


def _as_it_is(file: str) -> TextDocument:
    """Return a configuration or tool file as it is now; it may have changed since it was read as one."""
    from callwright.declarations.load import content_of

    try:
        return TextDocument.from_text(content_of(file).decode("utf-8", "replace"))
    except OSError:
        return TextDocument.from_text("")


def _for_a_person(one: Diagnostic, length: int) -> Diagnostic:
    """Return a diagnostic in a file of `length` as one that only a person fixes.

    `--fix` fixes texts; the configuration that governs them is not changed during a run.
    """
    span = Span(min(one.span.start, length), min(one.span.end, length))
    return replace(one, span=span, _fixes=tuple(replace(fix, applicability=Applicability.DISPLAY) for fix in one.fixes))
