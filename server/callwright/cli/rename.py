"""`callwright rename`: another name for a tool or a parameter, in tool files, prompts and transcripts.

Owns: the options of the command, what is printed, where the results go. Must not know: how a name is found or written.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from callwright.cli.support.engine import open_source
from callwright.cli.support.failure import CLEAN, FAILURE, HAS_DIAGNOSTICS, CommandError, Run, note
from callwright.cli.support.files import STDIN, FileError, InputFile, replace_file
from callwright.cli.support.names import unknown
from callwright.cli.support.option_groups import ColorOptions, ProjectOptions, ToolOptions
from callwright.cli.support.options import option, word, words
from callwright.cli.support.output import write_text
from callwright.cli.support.projects import Projects
from callwright.cli.support.report import place, plural
from callwright.cli.support.terminal import style_for, visible
from callwright.tools.registry import ToolRegistry

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.prompt.named import Target
    from callwright.prompt.renaming import Left, Renaming

#: How many files are named of those that are passed over.
_NAMED: Final = 3


class RenameOptions(
    ToolOptions,
    ProjectOptions,
    ColorOptions,
    examples=("callwright rename read_file.path file_path", "callwright rename read_file open_file --write"),
):
    """What `callwright rename` takes."""

    name: str = word(
        "The tool, or one of its parameters, as in `read_file.path` or, for nested objects, `edit.changes.old`."
    )
    new: str = word("The new name of the tool or parameter.")
    paths: tuple[str, ...] = words(
        "The files and folders to change, in addition to the tool files of the project. Default: the current folder.",
        default=(),
    )
    write: bool = option("Change the files instead of printing a diff.", default=False)
    diff: bool = option("Print a diff (the default); with `--write`, in addition to writing.", default=False)
    all_: bool = option("Also rename uncertain occurrences.", default=False)


def run(options: RenameOptions) -> int:
    """Rename a tool or a parameter in its definition and in all calls.

    The changes are printed as a diff unless `--write` is given. They include the definition with its examples and
    aliases, calls in any dialect, and results that name the tool. If the definition already has the new name, only the
    calls are renamed. Uncertain occurrences need `--all`: mentions in prose, transcripts, and tools of the same name
    with other parameters.

    Exit code: 0 if everything can be renamed, 1 if an occurrence cannot (nothing is written then), 2 for a usage error
    or a file that cannot be read or written.
    """
    if STDIN in options.paths:
        raise CommandError("`rename` does not work with standard input; name files or folders")
    projects = Projects(options)
    project = projects.here()
    registry = project.registry
    if not registry.in_force:
        # Each run gives a file once.
        registry = _declared(Projects(options), options.paths or (".",)) or registry
    target = _target(options.name, options.new, registry)
    _check(target, options.new, registry, project.settings.provider)
    command = _Rename(projects, target, options.new, uncertain=options.all_, color=options.color)
    command.look(options.paths or (".",), [str(file) for file in project.tool_files])
    return command.finish(write=options.write, diff=options.diff or not options.write)


def _declared(projects: Projects, paths: Sequence[str]) -> "ToolRegistry | None":
    """Return the tools that the files document, where nothing else names tools; None for none."""
    from callwright.cli.support.large import is_large

    found: ToolRegistry | None = None
    for source in projects.sources(paths, lambda _: None, lambda _: None, unread=is_large):
        own = None if source.streamed else open_source(source, projects.of(source))
        if own is not None and own.is_own:
            found = own.registry if found is None else found.merge(own.registry)
    return found


def _target(name: str, new: str, registry: "ToolRegistry") -> "Target":
    """Return what a name on the command line means: the longest tool name that it begins with, and the rest as a path.

    A tool that is no more, with a new name that is one, has been renamed in its definition alone. Raises CommandError
    where there is neither.
    """
    from callwright.prompt.named import Target

    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        tool = ".".join(parts[:length])
        found = registry.get(tool)
        if found:
            return Target(tool, tuple(parts[length:]), found[0])
    if registry.has(new):
        return Target(name)
    near = registry.near(parts[0])
    raise unknown(
        "tool",
        parts[0],
        registry.names if near is None else [near],
        "`callwright tools` lists all tools; `--tools PATH` names a file that defines it.",
    )


def _check(target: "Target", new: str, registry: "ToolRegistry", provider: str | None) -> None:
    from callwright.prompt.renaming import refusal
    from callwright.tools.shipped import schemas_folder

    reason = refusal(target, new, registry, provider, shipped=str(schemas_folder()))
    if reason is not None:
        raise CommandError(reason)


class _Rename(Run):
    """One run: texts are gathered, renamed all together, and then printed or written."""

    def __init__(self, projects: Projects, target: "Target", new: str, *, uncertain: bool, color: str) -> None:
        self.projects = projects
        self.target = target
        self.new = new
        self.uncertain = uncertain
        self.style = style_for(sys.stderr, color)
        self.sources: dict[str, InputFile] = {}
        self.renamings: list[Renaming] = []

    def look(self, paths: Sequence[str], tool_files: Sequence[str]) -> None:
        """Find the changes in the tool files and in the files that the paths mean."""
        from callwright.prompt.renaming import RefusedError, rename_everywhere

        steps = rename_everywhere(self._documents(paths, tool_files), self.target, self.new)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                self.renamings = end.value
                return
            except RefusedError as error:
                raise CommandError(str(error)) from None

    def _documents(self, paths: Sequence[str], tool_files: Sequence[str]) -> "Iterator[Snapshot]":
        """Yield the texts that contain the name, tool files first."""
        from callwright.cli.support.large import is_large

        for source in self.projects.sources(tool_files, self.report_error, note):
            yield from self._opened(source)
        for source in self.projects.sources(paths, self.report_error, note, unread=is_large):
            if source.streamed:
                note(f"{source.shown}: skipped because it is too large")
            else:
                yield from self._opened(source)

    def _opened(self, source: InputFile) -> "Iterator[Snapshot]":
        if self.target.word not in source.text or source.path is None:
            return
        snapshot = open_source(source, self.projects.of(source))
        self.sources[snapshot.uri] = source
        yield snapshot

    def finish(self, *, write: bool, diff: bool) -> int:
        """Print or write what was found, and return the exit code."""
        from callwright.prompt.named import Uncertainty

        left = [(each, one) for each in self.renamings for one in each.left]
        stuck = [(each, one) for each, one in left if self.uncertain or one.occurrence.uncertainty is Uncertainty.NONE]
        for renaming, one in stuck:
            self._report(renaming, one)
        wanted = [(each, each.text(uncertain=self.uncertain)) for each in self.renamings]
        changed = [(each, text) for each, text in wanted if text != each.snapshot.document.text()]
        if diff:
            from callwright.cli.support.differences import unified_diff

            for renaming, text in changed:
                source = self.sources[renaming.snapshot.uri]
                write_text(unified_diff(source.text, text, source.shown))
        if write and stuck:
            note("nothing was written because some occurrences cannot be renamed")
        elif write:
            changed = self._written(changed)
        self._summary(changed, written=write and not stuck)
        if self.has_failed:
            return FAILURE
        return HAS_DIAGNOSTICS if stuck else CLEAN

    def _report(self, renaming: "Renaming", left: "Left") -> None:
        """Report what cannot be renamed, and why."""
        line, column = place(renaming.snapshot.document, left.occurrence.span.start)
        shown = self.sources[renaming.snapshot.uri].shown
        where = self.style("bold", f"{visible(shown)}:{line}:{column}:")
        print(f"{where} `{visible(self.target.word)}` cannot be renamed: {visible(left.reason)}", file=sys.stderr)

    def _written(self, changed: "Sequence[tuple[Renaming, str]]") -> "list[tuple[Renaming, str]]":
        """Write what is renamed, and return what could be written."""
        written: list[tuple[Renaming, str]] = []
        for renaming, text in changed:
            try:
                replace_file(self.sources[renaming.snapshot.uri], text)
            except FileError as error:
                self.report_error(str(error))
            else:
                written.append((renaming, text))
        return written

    def _summary(self, changed: "Sequence[tuple[Renaming, str]]", *, written: bool) -> None:
        """Print how much was or would be renamed, and what was skipped."""
        from callwright.prompt.named import Uncertainty

        places = [one.occurrence for renaming, _ in changed for one in renaming.changes]
        taken = [each for each in places if self.uncertain or each.uncertainty is Uncertainty.NONE]
        passed: dict[Uncertainty, Counter[str]] = {}
        for renaming in self.renamings:
            for one in renaming.changes if not self.uncertain else ():
                if one.occurrence.uncertainty is not Uncertainty.NONE:
                    file = self.sources[renaming.snapshot.uri].shown
                    passed.setdefault(one.occurrence.uncertainty, Counter())[file] += 1
        if not taken and not self.renamings:
            note(f"`{self.target}` does not occur in these files")
            return
        if not taken and any(renaming.left for renaming in self.renamings):
            return
        where = f"{plural(len(taken), 'place', 'places')} in {plural(len(changed), 'file', 'files')}"
        verb = "Renamed" if written else "Would rename"
        print(f"{verb} `{visible(str(self.target))}` to `{visible(self.new)}` in {where}.", file=sys.stderr)
        if passed:
            words = {
                Uncertainty.PROSE: "in prose",
                Uncertainty.TRANSCRIPT: "in transcripts",
                Uncertainty.OTHER_SET: "of other tool sets",
            }
            kinds = ", ".join(
                f"{each.total()} {words[uncertainty]} ({_named(each)})" for uncertainty, each in passed.items()
            )
            print(f"Skipped uncertain occurrences: {kinds}. `--all` renames them, too.", file=sys.stderr)


def _named(files: Counter[str]) -> str:
    """Return the names of files, the first ones where there are many."""
    more = f" and {len(files) - _NAMED} more" if len(files) > _NAMED else ""
    return visible(", ".join([*files][:_NAMED])) + more
