"""`callwright report`: files with their turns, calls, outcomes and diagnostics, as one page for a browser.

Owns: the options of the command, how much is shown, where the page goes. Must not know: the page, how it is made.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from callwright.cli.support.failure import CLEAN, FAILURE, CommandError, Run, note
from callwright.cli.support.files import STDIN, FileError, InputFile, read_stdin
from callwright.cli.support.option_groups import (
    DialectOptions,
    FileOptions,
    InputOptions,
    MarkupOptions,
    PageOptions,
    ProjectOptions,
    ReadingOptions,
    RuleOptions,
    ShippedOptions,
    ToolOptions,
    whole_number,
)
from callwright.cli.support.options import option, words
from callwright.cli.support.output import keep_input, write_page
from callwright.cli.support.projects import Projects

if TYPE_CHECKING:
    pass

#: How many files are shown in full by default; the figures count all.
_SHOWN = "200"


class ReportOptions(
    PageOptions,
    ToolOptions,
    DialectOptions,
    RuleOptions,
    MarkupOptions,
    ReadingOptions,
    ShippedOptions,
    FileOptions,
    InputOptions,
    ProjectOptions,
    without=("extend_select", "force_exclude", "no_respect_gitignore"),
    examples=("callwright report run.json -o report.html",),
):
    """What `callwright report` takes."""

    paths: tuple[str, ...] = words("Files, folders, or `-` for standard input, as for `callwright check`.", default=())
    only_faults: bool = option("Show only files with diagnostics; the figures still count all files.", default=False)
    most_files: str = option(
        "The maximum number of files to show; the figures still count all files.", default=_SHOWN, value="NUMBER"
    )


def run(options: ReportOptions) -> int:
    """Write an HTML page with the turns, calls, results and diagnostics of files, and charts.

    The page is a single file that loads nothing. A transcript is shown turn by turn, with the outcome of a strict
    runtime on each reply and the number of strikes; any other file is shown with its calls.

    Exit code: 0 if the page is written, whatever it shows; 2 for a usage error or a file that cannot be read or
    written.
    """
    if not options.paths:
        raise CommandError(
            "no input given; name a file, a folder, or `-` for standard input, as in `callwright report run.json`"
        )
    most = whole_number(options.most_files, "--most-files", "as in `--most-files 200`")
    from callwright.cli.support.engine import open_source
    from callwright.report.model import Counts, FileView, view_of
    from callwright.report.page import page

    reading = _Reading(options)
    counts, shown = Counts(), list[FileView]()
    for source in reading.sources():
        keep_input(options.output_file if options.output_file != STDIN else None, source.path)
        view = view_of(open_source(source, reading.projects.of(source)), source.shown)
        counts.add(view.counts)
        if len(shown) < most and not (options.only_faults and not view.counts.severities):
            shown.append(view)
    if not counts.files:
        if reading.has_failed:
            return FAILURE
        raise CommandError(f"no files to report on in {', '.join(f'`{path}`' for path in options.paths)}; name a file")
    left = counts.files - len(shown)
    more = f" ({left:,} of {counts.files:,} files are only counted)" if left else ""
    write_page(page(shown, counts, title=options.title or _title(options.paths)), options.output_file, more)
    return FAILURE if reading.has_failed else CLEAN


class _Reading(Run):
    """The texts that the page shows; one that cannot be read is reported on standard error, and the run continues."""

    def __init__(self, options: ReportOptions) -> None:
        self.projects = Projects(options)
        self._options = options

    def sources(self) -> "Iterator[InputFile]":
        """Yield every text, each once."""
        if STDIN in self._options.paths:
            try:
                yield read_stdin(self._options.stdin_filename)
            except FileError as error:
                self.report_error(str(error))
        named = [path for path in self._options.paths if path != STDIN]
        yield from self.projects.sources(named, self.report_error, note)


def _title(paths: Sequence[str]) -> str:
    named = ", ".join(paths[:3]) + (", …" if len(paths) > 3 else "")
    return f"Tool calls in {named}"
