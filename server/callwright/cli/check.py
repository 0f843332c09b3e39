"""`callwright check`: what is wrong with the tool calls in files, and mending it.

Owns: the options of the command, what goes to which stream. Must not know: how anything is found or mended.
"""

import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TextIO, TypeAlias

from callwright.cli.support.checking import Checker, Layout, Orders, Outcome
from callwright.cli.support.failure import CLEAN, FINDINGS, TROUBLE, CommandError, Run, note
from callwright.cli.support.files import STDIN, FileError, Source, read_stdin
from callwright.cli.support.formats import find_format, format_names
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
from callwright.cli.support.report import Tally, plural
from callwright.cli.support.terminal import Style, style_for, visible

if TYPE_CHECKING:
    from callwright.cli.formats.base import Writer
    from callwright.cli.support.baseline import Baseline
    from callwright.cli.support.cache import Cache
    from callwright.cli.support.progress import Progress
    from callwright.cli.support.statistics import Statistics
    from callwright.cli.support.workers import Workers

    OutputFormat: TypeAlias = str
else:
    # The formats are what their folder holds.
    OutputFormat = Literal[format_names()]


class _MemoryOptions(Options, group=True, closing=True):
    """What is kept between runs, and who does the work."""

    no_cache: bool = option(
        "Forget what was found in files that have not changed, and keep nothing.", default=False, short="-n"
    )
    cache_dir: str | None = option(
        "The folder that keeps what was found, in place of one in the user's cache folder; what it holds is believed.",
        default=None,
    )
    jobs: str = option(
        "How many processes share the work, where there are many files or large ones; `auto` means one for each core.",
        default="1",
    )


class CheckOptions(
    ToolOptions,
    DialectOptions,
    RuleOptions,
    MarkupOptions,
    ReadingOptions,
    ShippedOptions,
    FileOptions,
    ExitOptions,
    InputOptions,
    ProjectOptions,
    _MemoryOptions,
    QuietOptions,
    ColorOptions,
    wording={"quiet": "Print findings only, no summary."},
):
    """What `callwright check` takes."""

    paths: tuple[str, ...] = words(
        "Files, folders, or `-` for standard input. A folder means the files that the configuration's `files` names,"
        " and `*.prompt`, `*.prompty`, `*.poml` and `*.toolcall`; without `files`, every file with a name that prompts"
        " have, with calls, or with documented tools. `--show-files` lists them.",
        default=(),
    )
    fix: bool = option(
        "Apply every fix that cannot change what is meant. With `-`, the mended text goes to standard output.",
        default=False,
    )
    unsafe_fixes: bool = option("Let `--fix` and `--diff` apply guesses, too.", default=False)
    diff: bool = option("Show what `--fix` would change, and change nothing.", default=False)
    add_ignore: bool = option(
        "Put comments into the files that suppress everything that is found; with `--fix`, what is left then.",
        default=False,
    )
    reason: str | None = option("What the comments of `--add-ignore` give as their reason.", default=None)
    watch: bool = option("Check again whenever a file changes, until Ctrl-C.", default=False, short="-w")
    statistics: bool = option(
        "Print how often each rule found something, and whether `--fix` mends it, in place of the findings.",
        default=False,
    )
    show_files: bool = option("Print which files would be checked, and check none.", default=False)
    baseline: str | None = option("A file of known findings; only others are told and count.", default=None)
    write_baseline: bool = option(
        "Write what is found into the file that `--baseline` names; what it knows of other files stays.", default=False
    )
    exit_zero: bool = option(default=False, short="-e")
    exit_non_zero_on_fix: bool = option("End with 1 also where everything that was found was mended.", default=False)
    output_format: OutputFormat = option(
        "How findings are printed: `text` and `concise` for people, `json` and `json-lines` for programs, and reports"
        " that `github`, `gitlab`, code scanning (`sarif`) and test runners (`junit`) read.",
        default="text",
    )
    output_file: str | None = option(
        "The file to write findings to, in place of standard output.", default=None, short="-o"
    )


def run(options: CheckOptions) -> int:
    """Find what is wrong with the tool calls in files, and mend it.

    Ends with 0 where nothing is wrong, 1 where there are errors or warnings, 2 where the command is misused or a file
    cannot be read or written.
    """
    processes = _processes(options)
    _refuse_contradictions(options)
    if options.show_files:
        return _show_files(Projects(options), options.paths)
    orders = _orders(options)
    cache = _memory() if options.watch and not orders.cached else None

    def check(projects: Projects) -> int:
        return _checked(options, projects, orders, cache, processes)

    if not options.watch:
        return check(Projects(options))
    if STDIN in options.paths:
        raise CommandError("`--watch` waits for files to change, and standard input never does: name files")
    from callwright.cli.support.watch import watch

    return watch(check, lambda: Projects(options), options.paths)


def _processes(options: CheckOptions) -> int:
    """Return how many processes share the work. Raises CommandError where there is none, or that is no number."""
    if not options.paths:
        raise CommandError("name a file, a folder, or `-` for standard input, as in `callwright check .`")
    if options.jobs == "1":
        return 1
    from callwright.cli.support.workers import jobs_of

    return jobs_of(options.jobs)


def _refuse_contradictions(options: CheckOptions) -> None:
    """Raise CommandError where one option makes no sense with or without another."""
    laid = find_format(options.output_format)
    if options.statistics and not laid.people and laid.name != "json":
        raise CommandError(
            f"`--statistics` are printed as `text` or `json`: `{options.output_format}` has no place for them"
        )
    if options.write_baseline and options.baseline is None:
        raise CommandError("`--write-baseline` writes the file that `--baseline` names, as in `--baseline known.json`")
    if options.reason is not None and not options.add_ignore:
        raise CommandError("`--reason` says why findings are ignored, so it goes with `--add-ignore`")


def _orders(options: CheckOptions) -> Orders:
    """Return what is to be done to each source."""
    return Orders(
        fix=options.fix,
        diff=options.diff,
        unsafe=options.unsafe_fixes,
        cached=not options.no_cache and _is_cached(options.paths, options.cache_dir),
        cache_dir=options.cache_dir or os.environ.get("CALLWRIGHT_CACHE_DIR"),
        reason=(options.reason or "") if options.add_ignore else None,
    )


def _checked(options: CheckOptions, projects: Projects, orders: Orders, cache: "Cache | None", processes: int) -> int:
    """Check what the options name, print what there is to say, and return the exit code."""
    known = _known(options)
    with output_to(options.output_file, _stream(options)) as out:
        style = style_for(out, options.color)
        laid = find_format(options.output_format)
        silent = options.statistics or options.write_baseline or (options.diff and laid.people)
        layout = Layout(options.output_format, style, silent=silent, keyed=known is not None)
        command = _Check(options, Checker(projects, orders, layout, cache), laid.writer(out), known)
        command.take(processes)
        if not command.tally.files and not command.troubled and not options.force_exclude:
            raise CommandError(_nothing(options.paths, projects.scanned))
        command.close(out, style)
    return command.exit_code


def _known(options: CheckOptions) -> "Baseline | None":
    """Return the findings that are known, where the options name a file of them."""
    if options.baseline is None:
        return None
    from callwright.cli.support.baseline import Baseline

    return Baseline(options.baseline, write=options.write_baseline)


def _statistics() -> "Statistics":
    from callwright.cli.support.statistics import Statistics

    return Statistics()


def _stream(options: CheckOptions) -> TextIO:
    """Return where findings go: where the text itself goes to standard output, to standard error."""
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
    """Return what is said where no file is checked."""
    where = ", ".join(f"`{path}`" for path in paths)
    if scanned:
        files = (
            "its one file holds no call and documents no tool"
            if scanned == 1
            else (f"none of {scanned} files there holds a call or documents a tool")
        )
        return f"no file to check in {where}: {files}; name a file itself to check it all the same."
    return f"no file to check in {where}: it holds no text, or none that its configuration means; name a file itself."


def _exists(path: Path) -> bool:
    # A word that names nothing is told as anywhere, by whoever reads it.
    return path.is_file()


def _show_files(projects: Projects, paths: Sequence[str]) -> int:
    """Print which files would be checked, one a line."""
    troubled: list[str] = []
    for source in projects.sources([path for path in paths if path != STDIN], troubled.append, note, unread=_exists):
        print(visible(source.shown))
    for message in troubled:
        note(message)
    return TROUBLE if troubled else CLEAN


class _Check(Run):
    """One run over many files; a file that makes trouble is told on standard error, and the others go on."""

    def __init__(self, options: CheckOptions, checker: Checker, writer: "Writer", known: "Baseline | None") -> None:
        self.checked: list[str] = []
        self.tally = Tally(diff=options.diff)
        self.tally.known = None if known is None else 0
        self._options = options
        self._checker = checker
        self._writer = writer
        self._known = known
        self._progress: Progress | None = None
        self._statistics = _statistics() if options.statistics else None

    @property
    def exit_code(self) -> int:
        """What the command ends with."""
        options, tally = self._options, self.tally
        if self.troubled:
            return TROUBLE
        if options.write_baseline:
            return CLEAN
        if (tally.fixed or (options.diff and tally.ignored)) and (options.diff or options.exit_non_zero_on_fix):
            return CLEAN if options.exit_zero and options.diff else FINDINGS
        return CLEAN if options.exit_zero else tally.exit_code

    def close(self, out: TextIO, style: Style) -> None:
        """Print what there is to say in the end, or write the baseline."""
        options = self._options
        self.tally.scanned = self._checker.projects.scanned
        if self._known is not None and options.write_baseline:
            number = self._known.write(self.checked)
            if not options.quiet:
                print(f"Wrote {plural(number, 'finding', 'findings')} to {visible(str(options.baseline))}.", file=out)
            return
        if self._known is not None:
            self.tally.gone = self._known.gone(self.checked)
        if self._statistics is not None and not find_format(options.output_format).people:
            print(to_json(self._statistics.as_json()), file=out)
            return
        if self._statistics is not None:
            out.write(self._statistics.as_text(style))
        self._writer.close(self.tally, quiet=options.quiet)

    def complain(self, message: str) -> None:
        """Tell what could not be done, and remember that something was."""
        if self._progress is not None:
            self._progress.clear()
        super().complain(message)

    def put(self, outcome: Outcome) -> None:
        """Print and count what came of a source or of a part of it."""
        if self._progress is not None and (outcome.text or outcome.told):
            self._progress.clear()
        if outcome.text is not None:
            write_text(outcome.text, bom=outcome.bom)
        for message in outcome.complaints:
            self.complain(message)
        self.tally.add(outcome.tally)
        if self._checker.cache is not None:
            for fresh in outcome.fresh:
                self._checker.cache.keep(fresh)
        if self._known is not None:
            self.checked += outcome.checked
        for told in outcome.told:
            if self._known is not None:
                if self._options.write_baseline:
                    self._known.add(told)
                elif self._known.knows(told):
                    self.tally.known = (self.tally.known or 0) + 1
                    continue
            self.tally.count_one(told.severity, told.fixable)
            if self._statistics is not None:
                self._statistics.add(told)
            elif told.text:
                self._writer.put(told)
        if self._progress is not None:
            for name in outcome.checked:
                self._progress.advance(name)

    def _show_progress(self, paths: Sequence[str]) -> None:
        """Let a long run show how far it has come, where somebody sits before it."""
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
        for path, document, diagnostics in self._checker.projects.findings():
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
            self.complain(str(error))
            return
        self._put_all(self._checker.outcomes(source))

    def take_all(self, paths: Sequence[str]) -> None:
        """Check what paths stand for, in the order given, each file once."""
        for source in self._sources(paths, is_large):
            self._tell_of_length(source)
            if source.streamed:
                self._put_streamed(source)
            else:
                self._put_all(self._checker.outcomes(source))

    def _put_streamed(self, source: Source, workers: "Workers | None" = None) -> None:
        """Print and count what comes of a source that is read in pieces, by workers where there are any."""
        from callwright.cli.support.streamed import streamed

        self._put_all(self._checker.guarded(source, streamed(self._checker, source, workers)))

    def share(self, paths: Sequence[str], processes: int) -> None:
        """Check the same with some processes, and print the same."""
        listed = list(self._sources(paths, lambda _: True))
        if len(listed) < 2 and not any(_is_large(source) for source in listed):
            for source in listed:
                self._tell_of_length(source)
                self._put_all(self._checker.whole_outcomes(source))
            return
        from callwright.cli.support.workers import Workers

        with Workers(processes, self._options, self._checker.orders, self._checker.layout) as workers:
            for large, group in groupby(listed, _is_large):
                if large:
                    for source in group:
                        self._put_streamed(source, workers)
                    continue
                whole = list(group)
                for source in whole:
                    self._tell_of_length(source)
                for outcomes in workers.ordered(workers.whole(source) for source in whole):
                    self._put_all(outcomes)

    def _sources(self, paths: Sequence[str], unread: Callable[[Path], bool]) -> Iterator[Source]:
        """Yield what paths stand for; the file that findings are written to is none of it."""
        for source in self._checker.projects.sources(paths, self.complain, note, unread=unread):
            keep_input(self._options.output_file, source.path)
            yield source

    def _tell_of_length(self, source: Source) -> None:
        """Say beforehand of a text that is read as a whole that this takes long."""
        size = len(source.text)
        if source.path is not None and not size:
            with contextlib.suppress(OSError):
                # Bytes: whoever reads the text counts its characters.
                size = source.path.stat().st_size
        if size <= self._checker.projects.of(source).max_characters or _is_large(source):
            return
        if self._progress is not None:
            self._progress.clear()
        note(
            f"{source.shown}: its {size:,} characters are read as a whole, which may take minutes and some forty times"
            " as much memory; split the file, keep it as JSON Lines, which are read line by line, leave it out with"
            " `exclude`, or raise `max_characters` to hear no more of this"
        )


def _is_large(source: Source) -> bool:
    return source.path is not None and is_large(source.path)
