"""`callwright check`: what is wrong with the tool calls in files, and its fixes.

Owns: the options of the command, what goes to which stream. Must not know: how anything is found or fixed.
"""

import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from callwright.cli.support.checking import Checker, CheckPlan, Layout, Outcome
from callwright.cli.support.failure import CLEAN, FAILURE, HAS_DIAGNOSTICS, CommandError, note
from callwright.cli.support.files import STDIN, FileError, InputFile, named, read_stdin, shown_path
from callwright.cli.support.formats import find_format
from callwright.cli.support.large import is_large
from callwright.cli.support.option_groups import (
    ColorOptions,
    DialectOptions,
    ExitOptions,
    FileOptions,
    InputOptions,
    MarkupOptions,
    ProjectOptions,
    QuietOptions,
    ReadingOptions,
    RuleOptions,
    ShippedOptions,
    ToolOptions,
)
from callwright.cli.support.options import Options, option, words
from callwright.cli.support.output import keep_input, output_to, to_json, write_text
from callwright.cli.support.projects import Projects
from callwright.cli.support.rendered import is_chat_template
from callwright.cli.support.report import ReportRun, Tally, plural
from callwright.cli.support.report_options import ReportOptions
from callwright.cli.support.terminal import Style, style_for, visible
from callwright.config.tool_files import inside

if TYPE_CHECKING:
    from callwright.cli.formats.base import Writer
    from callwright.cli.support.baseline import Baseline
    from callwright.cli.support.cache import Cache
    from callwright.cli.support.progress import Progress
    from callwright.cli.support.statistics import Statistics
    from callwright.cli.support.workers import Workers


class _MemoryOptions(Options, group=True, section="Cache and jobs"):
    """What is kept between runs, and who does the work."""

    no_cache: bool = option("Do not read or write the cache.", default=False, short="-n")
    cache_dir: str | None = option(
        "Use this folder for the cache. Its content is trusted.",
        default=None,
        value="PATH",
    )
    jobs: str = option(
        "The number of worker processes; `auto` means one for each core.",
        default="1",
        value="NUMBER",
    )


class _FileListOptions(Options, group=True, section="Input"):
    """When and which files are checked."""

    show_files: bool = option("List the files that would be checked, and exit.", default=False)
    watch: bool = option("Check again whenever a file changes, until Ctrl-C.", default=False, short="-w")


class _RenderOptions(Options, group=True, section="Input"):
    """What is done with chat templates."""

    render: bool = option(
        "Render chat templates with test conversations, too, as `callwright chat-template check` does.", default=False
    )


class _BaselineOptions(Options, group=True, section="Rules"):
    """The diagnostics that are known."""

    baseline: str | None = option(
        "Report only diagnostics that are not in this baseline file.", default=None, value="PATH"
    )
    write_baseline: bool = option(
        "Write the diagnostics to the baseline file; its entries for other files are kept.", default=False
    )


class _FixOptions(Options, group=True, section="Fixes"):
    """What is changed in files."""

    fix: bool = option("Apply safe fixes. With `-`, print the fixed text to standard output.", default=False)
    unsafe_fixes: bool = option("Also apply unsafe fixes with `--fix` and `--diff`.", default=False)
    diff: bool = option("Show the changes of `--fix` as a diff, and do not write them.", default=False)
    add_ignore: bool = option(
        "Add comments that suppress all diagnostics; with `--fix`, those that are left.", default=False
    )
    reason: str | None = option("The reason to write into the comments of `--add-ignore`.", default=None, value="TEXT")


class _OutputOptions(Options, group=True, section="Output"):
    """What is printed, and where."""

    statistics: bool = option("Print the number of diagnostics of each rule instead of the diagnostics.", default=False)
    exit_non_zero_on_fix: bool = option(
        "Exit with 1 if a file was fixed, even if no diagnostics are left.", default=False
    )


class CheckOptions(
    ToolOptions,
    DialectOptions,
    RuleOptions,
    MarkupOptions,
    ReadingOptions,
    ShippedOptions,
    FileOptions,
    _FileListOptions,
    _RenderOptions,
    InputOptions,
    ProjectOptions,
    _BaselineOptions,
    _FixOptions,
    ReportOptions,
    _OutputOptions,
    ExitOptions,
    QuietOptions,
    ColorOptions,
    _MemoryOptions,
    wording={"quiet": "Print diagnostics only, without the summary."},
    examples=(
        "callwright check .",
        "callwright check prompts/ --fix",
        "callwright check . --select TC3 --output-format json-lines",
    ),
):
    """What `callwright check` takes."""

    exit_zero: bool = option(default=False, short="-e")
    paths: tuple[str, ...] = words(
        "Files, folders, or `-` for standard input. In a folder, the files in the setting `files` are checked, and"
        " `*.prompt`, `*.prompty`, `*.poml` and `*.toolcall`. Without `files`, files with the usual names of prompts,"
        " with calls or with documented tools are checked. `--show-files` lists them.",
        default=(),
    )


def run(options: CheckOptions) -> int:
    """Check the tool calls in files, and fix them.

    Exit code: 0 without errors and warnings, 1 with errors or warnings, 2 for a usage error or a file that cannot be
    read or written.
    """
    processes = _processes(options)
    _refuse_contradictions(options)
    if options.show_files:
        return _show_files(Projects(options), options.paths)
    run_options = _run_options(options)
    cache = _memory() if options.watch and not run_options.cached else None

    def check(projects: Projects) -> int:
        return _checked(options, projects, run_options, cache, processes)

    if not options.watch:
        return check(Projects(options))
    if STDIN in options.paths:
        raise CommandError("`--watch` does not work with standard input; name files or folders")
    from callwright.cli.support.watch import watch

    return watch(check, lambda: Projects(options), options.paths)


def _processes(options: CheckOptions) -> int:
    """Return how many processes share the work. Raises CommandError where there is none, or that is no number."""
    if not options.paths:
        raise CommandError(
            "no input given; name a file, a folder, or `-` for standard input, as in `callwright check .`"
        )
    if options.jobs == "1":
        return 1
    from callwright.cli.support.workers import jobs_of

    return jobs_of(options.jobs)


def _refuse_contradictions(options: CheckOptions) -> None:
    """Raise CommandError where one option makes no sense with or without another."""
    laid = find_format(options.output_format)
    if options.statistics and not laid.people and laid.name != "json":
        raise CommandError(
            f"`--statistics` does not support `--output-format {options.output_format}`; use `text` or `json`"
        )
    if options.reason is not None and not options.add_ignore:
        raise CommandError("`--reason` needs `--add-ignore`; add it, or remove `--reason`")


def _run_options(options: CheckOptions) -> CheckPlan:
    """Return what is to be done to each source."""
    if options.cache_dir is not None and Path(options.cache_dir).is_file():
        raise CommandError(f"`--cache-dir {options.cache_dir}`: this is a file; name a folder")
    return CheckPlan(
        fix=options.fix,
        diff=options.diff,
        unsafe=options.unsafe_fixes,
        cached=not options.no_cache and _is_cached(options.paths, options.cache_dir),
        cache_dir=options.cache_dir or os.environ.get("CALLWRIGHT_CACHE_DIR"),
        reason=(options.reason or "") if options.add_ignore else None,
    )


def _checked(
    options: CheckOptions, projects: Projects, run_options: CheckPlan, cache: "Cache | None", processes: int
) -> int:
    """Check what the options name, print the result, and return the exit code."""
    known = _known(options, projects)
    with output_to(options.output_file, _stream(options)) as out:
        style = style_for(out, options.color)
        laid = find_format(options.output_format)
        silent = options.statistics or options.write_baseline or (options.diff and laid.people)
        layout = Layout(options.output_format, style, silent=silent, keyed=known is not None)
        command = _Check(options, Checker(projects, run_options, layout, cache), laid.writer(out), known)
        command.take(processes)
        if not command.tally.files and not command.has_failed and not options.force_exclude:
            raise CommandError(_nothing(options.paths, projects.scanned))
        command.refuse_empty(is_kept=options.output_file is not None or not laid.people)
        command.close(out, style)
    if options.output_file is not None and not options.quiet and not options.write_baseline:
        # A log with an exit code alone would not say what was found.
        print(f"{command.tally.sentence()} Wrote {visible(options.output_file)}.", file=sys.stderr)
    return command.exit_code


def _known(options: CheckOptions, projects: Projects) -> "Baseline | None":
    """Return the diagnostics that are known, where the options or the configuration name a file of them."""
    found = _configured_baseline(options, projects) if options.baseline is None else None
    path, stated = found or (options.baseline, f"`--baseline {options.baseline}`")
    if path is None:
        if options.write_baseline:
            raise CommandError(
                "`--write-baseline` needs a file; name it with `--baseline`, as in `--baseline known.json`"
            )
        return None
    from callwright.cli.support.baseline import Baseline

    return Baseline(path, stated=stated, write=options.write_baseline)


def _configured_baseline(options: CheckOptions, projects: Projects) -> tuple[str, str] | None:
    """Return the baseline that the configuration of the paths names, and what names it."""
    governing = [projects.here() if path == STDIN else projects.around(named(path)) for path in options.paths]
    stated = {project.baseline: project for project in governing}
    found = [(shown_path(file), file, project) for file, project in stated.items() if file is not None]
    if len(found) > 1:
        files = " and ".join(f"`{shown}`" for shown, _, _ in found)
        raise CommandError(f"the configurations of these paths name several baselines, {files}; use `--baseline`")
    for shown, file, project in found:
        place = f"{shown_path(project.file or file)}: `baseline`: `{shown}`"
        if not inside(file, project.boundary):
            raise CommandError(f"{place} is outside the project; name it with `--baseline`")
        return shown, place
    return None


def _statistics() -> "Statistics":
    from callwright.cli.support.statistics import Statistics

    return Statistics()


def _stream(options: CheckOptions) -> TextIO:
    """Return where diagnostics go: to standard error where standard output is the text itself."""
    prints_texts = options.diff or ((options.fix or options.add_ignore) and STDIN in options.paths)
    return sys.stderr if prints_texts else sys.stdout


def _memory() -> "Cache":
    """Return a cache for this run alone."""
    from callwright.cli.support.cache import Cache

    return Cache(lasting=False)


def _is_cached(paths: Sequence[str], cache_dir: str | None) -> bool:
    """Return whether a cache is worth its while: one file is checked sooner than anything is looked up."""
    if os.environ.get("CALLWRIGHT_NO_CACHE"):
        return False
    return cache_dir is not None or len(paths) > 1 or Path(paths[0]).is_dir()


def _nothing(paths: Sequence[str], scanned: int) -> str:
    """Return the message where no file is checked."""
    where = ", ".join(f"`{path}`" for path in paths)
    if scanned:
        files = (
            "its only file contains no calls and no documented tools"
            if scanned == 1
            else (f"none of its {scanned} files contains a call or a documented tool")
        )
        return f"no files to check in {where}: {files}; name a file to check it anyway."
    return f"no files to check in {where}: no text files, or none that the configuration includes; name a file."


def _about_idle_tools(files: dict[str, frozenset[str]]) -> str:
    """Return the note about tool files that are checked, but whose tools no call is checked against."""
    first, *others = files
    more = f" and {plural(len(others), 'other file', 'other files')}" if others else ""
    number = len(frozenset().union(*files.values()))
    defines, those = ("define" if others else "defines"), ("that is" if number == 1 else "that are")
    return (
        f"`{first}`{more} {defines} {plural(number, 'tool', 'tools')} {those} not in force; run `callwright init`, or"
        " set `tools`"
    )


def _exists(path: Path) -> bool:
    # A word that names nothing is reported where it is read.
    return path.is_file()


def _show_files(projects: Projects, paths: Sequence[str]) -> int:
    """Print which files would be checked, one a line."""
    has_failed: list[str] = []
    for source in projects.sources([path for path in paths if path != STDIN], has_failed.append, note, unread=_exists):
        print(visible(source.shown))
    for message in has_failed:
        note(message)
    return FAILURE if has_failed else CLEAN


class _Check(ReportRun):
    """One run over many files; a file that cannot be checked is reported on standard error, and the run continues."""

    def __init__(self, options: CheckOptions, checker: Checker, writer: "Writer", known: "Baseline | None") -> None:
        self.checked: list[str] = []
        super().__init__(Tally(diff=options.diff))
        self.tally.known = None if known is None else 0
        self._options = options
        self._checker = checker
        self._writer = writer
        self._known = known
        self._progress: Progress | None = None
        self._statistics = _statistics() if options.statistics else None
        #: The files with chat templates that were checked, as they were read.
        self._templates: dict[Path, InputFile] = {}
        #: The tool files that are not in force, each with the names that it defines.
        self._idle_tools: dict[str, frozenset[str]] = {}

    @property
    def exit_code(self) -> int:
        """What the command ends with."""
        options, tally = self._options, self.tally
        if self.has_failed:
            return FAILURE
        if options.write_baseline:
            return CLEAN
        if (tally.fixed or (options.diff and tally.ignored)) and (options.diff or options.exit_non_zero_on_fix):
            return CLEAN if options.exit_zero and options.diff else HAS_DIAGNOSTICS
        return options.exit_code([severity.value for severity, number in tally.severities.items() if number])

    def close(self, out: TextIO, style: Style) -> None:
        """Print the summary at the end, or write the baseline."""
        options = self._options
        self.tally.scanned = self._checker.projects.scanned
        if self._known is not None and options.write_baseline:
            number = self._known.write(self.checked)
            if not options.quiet:
                print(
                    f"Wrote {plural(number, 'diagnostic', 'diagnostics')} to {visible(self._known.path)}.",
                    file=out,
                )
            return
        if self._known is not None:
            self.tally.gone = self._known.gone(self.checked)
        if self._statistics is not None and not find_format(options.output_format).people:
            print(to_json(self._statistics.as_json()), file=out)
            return
        if self._statistics is not None:
            out.write(self._statistics.as_text(style))
        self._writer.close(self.tally, quiet=options.quiet)

    def report_error(self, message: str) -> None:
        """Report what could not be done, and remember it for the exit code."""
        if self._progress is not None:
            self._progress.clear()
        super().report_error(message)

    def put(self, outcome: Outcome) -> None:
        """Print and count what came of a source or of a part of it."""
        if self._progress is not None and (outcome.text or outcome.reported):
            self._progress.clear()
        if outcome.text is not None:
            write_text(outcome.text, bom=outcome.bom)
        for message in outcome.errors:
            self.report_error(message)
        self.tally.add(outcome.tally)
        if outcome.idle_tools:
            self._idle_tools[outcome.checked[0]] = outcome.idle_tools
        if self._checker.cache is not None:
            for fresh in outcome.fresh:
                self._checker.cache.keep(fresh)
        if self._known is not None:
            self.checked += outcome.checked
        for reported in outcome.reported:
            if self._known is not None:
                if self._options.write_baseline:
                    self._known.add(reported)
                elif self._known.knows(reported):
                    self.tally.known = (self.tally.known or 0) + 1
                    continue
            self.tally.count_one(reported.severity, reported.fixable)
            if self._statistics is not None:
                self._statistics.add(reported)
            elif reported.text:
                self._writer.put(reported)
        if self._progress is not None:
            for name in outcome.checked:
                self._progress.advance(name)

    def _show_progress(self, paths: Sequence[str]) -> None:
        """Show the progress of a long run on a terminal."""
        if sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            from callwright.cli.support.progress import Progress

            projects = self._checker.projects
            width = style_for(sys.stderr, "never").width
            self._progress = Progress(sys.stderr, lambda: sum(1 for _ in projects.listed(paths)), width)

    def _put_all(self, outcomes: Iterable[Outcome]) -> None:
        for outcome in outcomes:
            self.put(outcome)

    def take(self, processes: int) -> None:
        """Check all that the options name, and the configuration and tool files that govern it."""
        paths = self._options.paths
        if STDIN in paths:
            self.take_stdin()
        named = [path for path in paths if path != STDIN]
        self._show_progress(named)
        if processes > 1:
            self.share(named, processes)
        else:
            self.take_all(named)
        if self._progress is not None:
            self._progress.clear()
            self._progress = None
        if self._options.render:
            self.render(named)
        elif self._templates and not self._options.quiet:
            count = plural(len(self._templates), "chat template", "chat templates")
            note(f"{count} not rendered; add `--render` to try test conversations")
        # Tool files that are checked alone are not meant for any calls.
        if self._idle_tools and self.tally.files > len(self._idle_tools) and not self._options.quiet:
            note(_about_idle_tools(self._idle_tools))
        for path, document, diagnostics in self._checker.projects.diagnostics():
            outcome = Outcome()
            outcome.take(self._checker.layout, path, document, diagnostics)
            self.put(outcome)
        if self._checker.cache is not None:
            self._checker.cache.save()

    def take_stdin(self) -> None:
        """Check standard input."""
        try:
            source = read_stdin(self._options.stdin_filename)
        except FileError as error:
            self.report_error(str(error))
            return
        self._put_all(self._checker.outcomes(source))

    def take_all(self, paths: Sequence[str]) -> None:
        """Check what paths mean, in the order given, each file once."""
        for source in self._sources(paths, is_large):
            self._warn_of_length(source)
            if source.streamed:
                self._put_streamed(source)
            else:
                self._put_all(self._checker.outcomes(source))

    def render(self, paths: Sequence[str]) -> None:
        """Check the chat templates among the files by rendering them."""
        from callwright.cli.support.rendered import rendered_outcomes

        checker = self._checker
        self._put_all(rendered_outcomes(paths, checker.projects, checker.layout, self.report_error, self._templates))

    def _put_streamed(self, source: InputFile, workers: "Workers | None" = None) -> None:
        """Print and count what comes of a source that is read in pieces, by workers where there are any."""
        from callwright.cli.support.streamed import streamed

        self._put_all(self._checker.guarded(source, streamed(self._checker, source, workers)))

    def share(self, paths: Sequence[str], processes: int) -> None:
        """Check the same with some processes, and print the same."""
        listed = list(self._sources(paths, lambda _: True))
        if len(listed) < 2 and not any(_is_large(source) for source in listed):
            for source in listed:
                self._warn_of_length(source)
                self._put_all(self._checker.whole_outcomes(source))
            return
        from callwright.cli.support.workers import Workers

        with Workers(processes, self._options, self._checker.run_options, self._checker.layout) as workers:
            for large, group in groupby(listed, _is_large):
                if large:
                    for source in group:
                        self._put_streamed(source, workers)
                    continue
                whole = list(group)
                for source in whole:
                    self._warn_of_length(source)
                for outcomes in workers.ordered(workers.whole(source) for source in whole):
                    self._put_all(outcomes)

    def _sources(self, paths: Sequence[str], unread: Callable[[Path], bool]) -> Iterator[InputFile]:
        """Yield the sources that paths mean, without the file that diagnostics are written to."""
        for source in self._checker.projects.sources(paths, self.report_error, note, unread=unread):
            keep_input(self._options.output_file, source.path)
            if is_chat_template(source) and source.path is not None:
                # With `--fix` the text is another one in the end.
                later = InputFile(source.shown, source.path, "", streamed=True)
                self._templates[source.path] = later if self._options.fix else source
            yield source

    def _warn_of_length(self, source: InputFile) -> None:
        """Announce that a text which is read as a whole takes long."""
        size = len(source.text)
        if source.path is not None and not size:
            with contextlib.suppress(OSError):
                # Bytes: parsing the text counts its characters.
                size = source.path.stat().st_size
        if size <= self._checker.projects.of(source).max_characters or _is_large(source):
            return
        if self._progress is not None:
            self._progress.clear()
        note(
            f"{source.shown}: large file ({size:,} characters); checking it may take minutes and about forty times as"
            " much memory. Split it, store it as JSON Lines, which are read line by line, skip it with `exclude`, or"
            " raise `max_characters` to silence this note"
        )


def _is_large(source: InputFile) -> bool:
    return source.path is not None and is_large(source.path)
