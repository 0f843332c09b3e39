"""`callwright report`: files with their turns, calls, verdicts and findings, as one page for a browser.

Owns: the options of the command, how much is shown, where the page goes. Must not know: the page, how it is made.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from callwright.cli.support.failure import CLEAN, TROUBLE, CommandError, Run, note
from callwright.cli.support.files import STDIN, FileError, Source, read_stdin
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

#: How many files are shown in full unless something else is said; the figures count all.
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
):
    """What `callwright report` takes."""

    paths: tuple[str, ...] = words("Files, folders, or `-` for standard input, as for `callwright check`.", default=())
    only_faults: bool = option("Show only the files in which something is found; the figures count all.", default=False)
    most_files: str = option("How many files are shown in full; the figures count all.", default=_SHOWN)


def run(options: ReportOptions) -> int:
    """Write a page that shows files with their turns, calls, results, verdicts and findings, and charts over them all.

    The page is one file that loads nothing, for a browser, a mail or an archive. A transcript is shown turn by turn,
    with what a strict runtime would have made of each reply and the strikes after it; any other file with its calls.

    Ends with 0 where the page is written, whatever is found; 2 where the command is misused or a file cannot be read or
    written.
    """
    if not options.paths:
        raise CommandError("name a file, a folder, or `-` for standard input, as in `callwright report run.json`")
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
        if reading.troubled:
            return TROUBLE
        raise CommandError(f"no file to report on in {', '.join(f'`{path}`' for path in options.paths)}")
    left = counts.files - len(shown)
    more = f" ({left:,} of {counts.files:,} files are only counted)" if left else ""
    write_page(page(shown, counts, title=options.title or _title(options.paths)), options.output_file, more)
    return TROUBLE if reading.troubled else CLEAN


class _Reading(Run):
    """The texts that the page shows; one that cannot be read is told on standard error, and the others go on."""

    def __init__(self, options: ReportOptions) -> None:
        self.projects = Projects(options)
        self._options = options

    def sources(self) -> "Iterator[Source]":
        """Yield every text, each once."""
        if STDIN in self._options.paths:
            try:
                yield read_stdin(self._options.stdin_filename)
            except FileError as error:
                self.complain(str(error))
        named = [path for path in self._options.paths if path != STDIN]
        yield from self.projects.sources(named, self.complain, note)


def _title(paths: Sequence[str]) -> str:
    named = ", ".join(paths[:3]) + (", …" if len(paths) > 3 else "")
    return f"Tool calls in {named}"
