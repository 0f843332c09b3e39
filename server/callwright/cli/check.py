"""`callwright check`: what is wrong with the tool calls in files, and mending it.

Owns: the options of the command, what goes to which stream. Must not know: how anything is found or mended.
"""

import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from callwright.cli.support.checking import Checker, Layout, Orders, Outcome
from callwright.cli.support.failure import CLEAN, FINDINGS, TROUBLE, CommandError
from callwright.cli.support.files import STDIN, FileError, Source, read_stdin
from callwright.cli.support.formats import find_format, format_names
from callwright.cli.support.large import is_large
from callwright.cli.support.output import keep_input, output_to, to_json, write_text
from callwright.cli.support.projects import ProjectOptions, Projects
from callwright.cli.support.report import Tally, plural
from callwright.cli.support.terminal import style_for, visible

if TYPE_CHECKING:
    from callwright.cli.formats.base import Writer
    from callwright.cli.support.baseline import Baseline
    from callwright.cli.support.cache import Cache
    from callwright.cli.support.progress import Progress
    from callwright.cli.support.statistics import Statistics

    OutputFormat: TypeAlias = str
else:
    # The formats are what their folder holds.
    OutputFormat = Literal[format_names()]

#: Short forms of options.
SHORT = {"-o": "output_file", "-q": "quiet", "-w": "watch", "-n": "no_cache", "-e": "exit_zero"}


def run(
    *paths: str,
    tools: tuple[str, ...] = (),
    dialect: str | None = None,
    accept: tuple[str, ...] = (),
    strict: bool = False,
    select: tuple[str, ...] = (),
    extend_select: tuple[str, ...] = (),
    ignore: tuple[str, ...] = (),
    severity: tuple[str, ...] = (),
    markup: str | None = None,
    reasoning: str | None = None,
    provider: str | None = None,
    template: str | None = None,
    max_mistakes: str | None = None,
    shipped: tuple[str, ...] = (),
    files: tuple[str, ...] = (),
    exclude: tuple[str, ...] = (),
    force_exclude: bool = False,
    no_respect_gitignore: bool = False,
    fix: bool = False,
    unsafe_fixes: bool = False,
    diff: bool = False,
    add_ignore: bool = False,
    reason: str | None = None,
    watch: bool = False,
    statistics: bool = False,
    show_files: bool = False,
    baseline: str | None = None,
    write_baseline: bool = False,
    exit_zero: bool = False,
    exit_non_zero_on_fix: bool = False,
    output_format: OutputFormat = "text",
    output_file: str | None = None,
    stdin_filename: str | None = None,
    isolated: bool = False,
    config: str | None = None,
    no_cache: bool = False,
    cache_dir: str | None = None,
    jobs: str = "1",
    quiet: bool = False,
    color: Literal["auto", "always", "never"] = "auto",
) -> int:
    """Find what is wrong with the tool calls in files, and mend it.

    Ends with 0 where nothing is wrong, 1 where there are errors or warnings, 2 where the command is misused or a file
    cannot be read or written.

    Parameters
    ----------
    paths
        Files, folders, or `-` for standard input. A folder means the files that the configuration's `files` names, and
        `*.prompt`, `*.prompty`, `*.poml` and `*.toolcall`; without `files`, every file with a name that prompts have,
        with calls, or with documented tools. `--show-files` lists them.
    tools
        A file that defines tools, in place of the configuration's; may be given several times.
    dialect
        The dialect that calls are to be written in.
    accept
        A further dialect that is read without complaint; may be given several times.
    strict
        Zero tolerance: one dialect, and every call perfect.
    select
        Codes, beginnings of codes or names of the rules to apply, with commas between them.
    extend_select
        Rules to apply beside those that are selected already, in the same way.
    ignore
        Codes, beginnings of codes or names of rules to leave out, with commas between them.
    severity
        What a rule's findings count as, as in `unknown-tool=warning`: error, warning, info, hint or off.
    markup
        How element text is written: `xml`, with entities and CDATA, or `raw`, literally.
    reasoning
        What calls in reasoning blocks such as `<think>` are: `mentions`, which are not checked, or `calls`.
    provider
        The provider whose demands transcripts are held against, such as `openai`, `anthropic` or `none`.
    template
        The template language that texts are written in, such as `jinja`, or `none`; a line at the top goes before it.
    max_mistakes
        How many calls of a transcript may fail in a row before it is a finding; 3 if nothing is said.
    shipped
        A shipped tool set to use beside the tools given, or `all`; may be given several times.
    files
        A pattern of further files that a folder means, as in `docs/**`; may be given several times.
    exclude
        A pattern of files that a folder does not mean; may be given several times.
    force_exclude
        Leave out what is excluded also where it is named itself, as a hook names what has changed.
    no_respect_gitignore
        Let a folder mean files that git ignores, too.
    fix
        Apply every fix that cannot change what is meant. With `-`, the mended text goes to standard output.
    unsafe_fixes
        Let `--fix` and `--diff` apply guesses, too.
    diff
        Show what `--fix` would change, and change nothing.
    add_ignore
        Put comments into the files that suppress everything that is found; with `--fix`, what is left then.
    reason
        What the comments of `--add-ignore` give as their reason.
    watch
        Check again whenever a file changes, until Ctrl-C.
    statistics
        Print how often each rule found something, and whether `--fix` mends it, in place of the findings.
    show_files
        Print which files would be checked, and check none.
    baseline
        A file of known findings; only others are told and count.
    write_baseline
        Write what is found into the file that `--baseline` names; what it knows of other files stays.
    exit_zero
        End with 0 also where there are findings.
    exit_non_zero_on_fix
        End with 1 also where everything that was found was mended.
    output_format
        How findings are printed: `text` and `concise` for people, `json` and `json-lines` for programs, and reports
        that `github`, `gitlab`, code scanning (`sarif`) and test runners (`junit`) read.
    output_file
        The file to write findings to, in place of standard output.
    stdin_filename
        The file that standard input is to be taken for.
    isolated
        Heed no configuration file.
    config
        The configuration file to heed, wherever it lies.
    no_cache
        Forget what was found in files that have not changed, and keep nothing.
    cache_dir
        The folder that keeps what was found, in place of one in the user's cache folder; what it holds is believed.
    jobs
        How many processes share the work, where there are many files or large ones; `auto` means one for each core.
    quiet
        Print findings only, no summary.
    color
        Whether to use colours; `auto` means on a terminal.
    """
    if not paths:
        raise CommandError("name a file, a folder, or `-` for standard input, as in `callwright check .`")
    options = ProjectOptions(
        tools=tools,
        dialect=dialect,
        accept=accept,
        strict=strict,
        select=select,
        extend_select=extend_select,
        ignore=ignore,
        severity=severity,
        markup=markup,
        reasoning=reasoning,
        provider=provider,
        template=template,
        max_mistakes=max_mistakes,
        shipped=shipped,
        files=files,
        exclude=exclude,
        force_exclude=force_exclude,
        no_respect_gitignore=no_respect_gitignore,
        isolated=isolated,
        config=config,
    )
    processes = 1
    if jobs != "1":
        from callwright.cli.support.workers import jobs_of

        processes = jobs_of(jobs)
    laid = find_format(output_format)
    if statistics and not laid.people and laid.name != "json":
        raise CommandError(f"`--statistics` are printed as `text` or `json`: `{output_format}` has no place for them")
    if write_baseline and baseline is None:
        raise CommandError("`--write-baseline` writes the file that `--baseline` names, as in `--baseline known.json`")
    if reason is not None and not add_ignore:
        raise CommandError("`--reason` says why findings are ignored, so it goes with `--add-ignore`")
    if show_files:
        return _show_files(Projects(options), paths)
    cached = not no_cache and _is_cached(paths, cache_dir)
    orders = Orders(
        fix=fix,
        diff=diff,
        unsafe=unsafe_fixes,
        cached=cached,
        cache_dir=cache_dir or os.environ.get("CALLWRIGHT_CACHE_DIR"),
        reason=(reason or "") if add_ignore else None,
    )
    cache = _memory() if watch and not cached else None

    def check(projects: Projects) -> int:
        known = None
        if baseline is not None:
            from callwright.cli.support.baseline import Baseline

            known = Baseline(baseline, write=write_baseline)
        # Where the text itself goes to standard output, everything said about it goes to standard error.
        stream = sys.stderr if diff or ((fix or add_ignore) and STDIN in paths) else sys.stdout
        with output_to(output_file, stream) as out:
            style = style_for(out, color)
            silent = statistics or write_baseline or (diff and laid.people)
            layout = Layout(output_format, style, silent=silent, keyed=known is not None)
            command = _Check(Checker(projects, orders, layout, cache), laid.writer(out), known, learn=write_baseline)
            command.output = output_file
            if statistics:
                from callwright.cli.support.statistics import Statistics

                command.statistics = Statistics()
            command.take(paths, stdin_filename, processes, options)
            tally = command.tally
            if not tally.files and not command.troubled and not force_exclude:
                raise CommandError(_nothing(paths, projects.scanned))
            tally.scanned = projects.scanned
            if known is not None and write_baseline:
                number = known.write(command.checked)
                if not quiet:
                    print(f"Wrote {plural(number, 'finding', 'findings')} to {visible(str(baseline))}.", file=out)
                return TROUBLE if command.troubled else CLEAN
            if known is not None:
                tally.gone = known.gone(command.checked)
            if command.statistics is not None and not laid.people:
                print(to_json(command.statistics.as_json()), file=out)
            else:
                if command.statistics is not None:
                    out.write(command.statistics.as_text(style))
                command.writer.close(tally, quiet=quiet)
        if command.troubled:
            return TROUBLE
        if (tally.fixed or (diff and tally.ignored)) and (diff or exit_non_zero_on_fix):
            return CLEAN if exit_zero and diff else FINDINGS
        return CLEAN if exit_zero else tally.exit_code

    if watch:
        if STDIN in paths:
            raise CommandError("`--watch` waits for files to change, and standard input never does: name files")
        from callwright.cli.support.watch import watch as watched

        return watched(check, lambda: Projects(options), paths)
    return check(Projects(options))


def _memory() -> "Cache":
    """Return a cache for this run alone."""
    from callwright.cli.support.cache import Cache

    return Cache(lasting=False)


def _is_cached(paths: Sequence[str], cache_dir: str | None) -> bool:
    """Tell whether a cache is worth its while: one file is checked sooner than anything is looked up."""
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
    for source in projects.sources([path for path in paths if path != STDIN], troubled.append, _note, unread=_exists):
        print(visible(source.shown))
    for message in troubled:
        _note(message)
    return TROUBLE if troubled else CLEAN


def _note(message: str) -> None:
    print(f"callwright: {visible(message)}", file=sys.stderr)


class _Check:
    """One run over many files; a file that makes trouble is told on standard error, and the others go on."""

    def __init__(self, checker: Checker, writer: "Writer", known: "Baseline | None", *, learn: bool) -> None:
        self.writer = writer
        self.statistics: Statistics | None = None
        self.output: str | None = None
        self.checked: list[str] = []
        self.cache = checker.cache
        self._known = known
        self._learn = learn
        self.tally = Tally(diff=checker.orders.diff)
        self.tally.known = None if known is None else 0
        self.troubled = False
        self._checker = checker
        self._progress: Progress | None = None

    def complain(self, message: str) -> None:
        """Tell what could not be done, and remember that something was."""
        self.troubled = True
        if self._progress is not None:
            self._progress.clear()
        _note(message)

    def put(self, outcome: Outcome) -> None:
        """Print and count what came of a source or of a part of it."""
        if self._progress is not None and (outcome.text or outcome.told):
            self._progress.clear()
        if outcome.text is not None:
            write_text(outcome.text, bom=outcome.bom)
        for message in outcome.complaints:
            self.complain(message)
        self.tally.add(outcome.tally)
        if self.cache is not None:
            for fresh in outcome.fresh:
                self.cache.keep(fresh)
        if self._known is not None:
            self.checked += outcome.checked
        for told in outcome.told:
            if self._known is not None:
                if self._learn:
                    self._known.add(told)
                elif self._known.knows(told):
                    self.tally.known = (self.tally.known or 0) + 1
                    continue
            self.tally.count_one(told.severity, told.fixable)
            if self.statistics is not None:
                self.statistics.add(told)
            elif told.text:
                self.writer.put(told)
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

    def take(self, paths: Sequence[str], stdin_name: str | None, processes: int, options: ProjectOptions) -> None:
        """Check all that paths stand for, and the configuration and tool files that govern it."""
        if STDIN in paths:
            self.take_stdin(stdin_name)
        named = [path for path in paths if path != STDIN]
        self._show_progress(named)
        if processes > 1:
            self.share(named, processes, options)
        else:
            self.take_all(named)
        if self._progress is not None:
            self._progress.clear()
            self._progress = None
        for path, document, diagnostics in self._checker.projects.findings():
            outcome = Outcome()
            outcome.take(self._checker.layout, path, document, diagnostics)
            self.put(outcome)
        if self.cache is not None:
            self.cache.save()

    def take_stdin(self, name: str | None) -> None:
        """Check standard input."""
        try:
            source = read_stdin(name)
        except FileError as error:
            self.complain(str(error))
            return
        self._put_all(self._checker.outcomes(source))

    def take_all(self, paths: Sequence[str]) -> None:
        """Check what paths stand for, in the order given, each file once."""
        for source in self._sources(paths, is_large):
            self._tell_of_length(source)
            self._put_all(self._checker.outcomes(source))

    def share(self, paths: Sequence[str], processes: int, options: ProjectOptions) -> None:
        """Check the same with some processes, and print the same."""
        listed = list(self._sources(paths, lambda _: True))
        if len(listed) < 2 and not any(_is_large(source) for source in listed):
            for source in listed:
                self._tell_of_length(source)
                self._put_all(self._checker.whole_outcomes(source))
            return
        from callwright.cli.support.streamed import streamed
        from callwright.cli.support.workers import Workers

        with Workers(processes, options, self._checker.orders, self._checker.layout) as workers:
            for large, group in groupby(listed, _is_large):
                if large:
                    for source in group:
                        self._put_all(self._checker.guarded(source, streamed(self._checker, source, workers)))
                    continue
                whole = list(group)
                for source in whole:
                    self._tell_of_length(source)
                for outcomes in workers.ordered(workers.whole(source) for source in whole):
                    self._put_all(outcomes)

    def _sources(self, paths: Sequence[str], unread: Callable[[Path], bool]) -> Iterator[Source]:
        """Yield what paths stand for; the file that findings are written to is none of it."""
        for source in self._checker.projects.sources(paths, self.complain, _note, unread=unread):
            keep_input(self.output, source.path)
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
        _note(
            f"{source.shown}: its {size:,} characters are read as a whole, which may take minutes and some forty times"
            " as much memory; split the file, keep it as JSON Lines, which are read line by line, leave it out with"
            " `exclude`, or raise `max_characters` to hear no more of this"
        )


def _is_large(source: Source) -> bool:
    return source.path is not None and is_large(source.path)
