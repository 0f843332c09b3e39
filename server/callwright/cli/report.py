"""`callwright report`: files with their turns, calls, verdicts and findings, as one page for a browser.

Owns: the options of the command, how much is shown, where the page goes. Must not know: the page, how it is made.
"""

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from callwright.cli.support.failure import CLEAN, TROUBLE, CommandError
from callwright.cli.support.output import keep_input, output_to
from callwright.cli.support.projects import ProjectOptions, Projects
from callwright.cli.support.terminal import visible

if TYPE_CHECKING:
    from callwright.cli.support.files import Source

#: Options with a short form.
SHORT = {"-o": "output_file"}
#: How many files are shown in full unless something else is said; the figures count all.
_SHOWN = "200"


def run(
    *paths: str,
    output_file: str = "report.html",
    title: str | None = None,
    only_faults: bool = False,
    most_files: str = _SHOWN,
    tools: tuple[str, ...] = (),
    dialect: str | None = None,
    accept: tuple[str, ...] = (),
    strict: bool = False,
    select: tuple[str, ...] = (),
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
    stdin_filename: str | None = None,
    isolated: bool = False,
    config: str | None = None,
) -> int:
    """Write a page that shows files with their turns, calls, results, verdicts and findings, and charts over them all.

    The page is one file that loads nothing, for a browser, a mail or an archive. A transcript is shown turn by turn,
    with what a strict runtime would have made of each reply and the strikes after it; any other file with its calls.

    Ends with 0 where the page is written, whatever is found; 2 where the command is misused or a file cannot be read or
    written.

    Parameters
    ----------
    paths
        Files, folders, or `-` for standard input, as for `callwright check`.
    output_file
        Where the page goes; `-` means standard output.
    title
        What the page is called; the paths if nothing is said.
    only_faults
        Show only the files in which something is found; the figures count all.
    most_files
        How many files are shown in full; the figures count all.
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
    stdin_filename
        The file that standard input is to be taken for.
    isolated
        Heed no configuration file.
    config
        The configuration file to heed, wherever it lies.
    """
    if not paths:
        raise CommandError("name a file, a folder, or `-` for standard input, as in `callwright report run.json`")
    if not (most_files.isascii() and most_files.isdigit() and int(most_files[:9])):
        raise CommandError(f"`--most-files {most_files}`: write a whole number of 1 or more, as in `--most-files 200`")
    most = int(most_files[:9])
    from callwright.cli.support.engine import open_source
    from callwright.cli.support.files import STDIN, FileError, read_stdin
    from callwright.report.model import Counts, FileView, view_of
    from callwright.report.page import page

    options = ProjectOptions(
        tools=tools,
        dialect=dialect,
        accept=accept,
        strict=strict,
        select=select,
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
        isolated=isolated,
        config=config,
    )
    projects = Projects(options)
    counts, shown = Counts(), list[FileView]()
    troubled = False

    def complain(message: str) -> None:
        nonlocal troubled
        troubled = True
        note(message)

    def note(message: str) -> None:
        print(f"callwright: {visible(message)}", file=sys.stderr)

    def sources() -> "Iterator[Source]":
        if STDIN in paths:
            try:
                yield read_stdin(stdin_filename)
            except FileError as error:
                complain(str(error))
        yield from projects.sources([path for path in paths if path != STDIN], complain, note)

    for source in sources():
        keep_input(output_file if output_file != STDIN else None, source.path)
        view = view_of(open_source(source, projects.of(source)), source.shown)
        counts.add(view.counts)
        if len(shown) < most and not (only_faults and not view.counts.severities):
            shown.append(view)
    if not counts.files:
        if troubled:
            return TROUBLE
        raise CommandError(f"no file to report on in {', '.join(f'`{path}`' for path in paths)}")
    html = page(shown, counts, title=title or _title(paths))
    if output_file == STDIN:
        sys.stdout.write(html)
    else:
        with output_to(output_file, None, folders=False) as out:
            out.write(html)
        left = counts.files - len(shown)
        more = f" ({left:,} of {counts.files:,} files are only counted)" if left else ""
        print(f"Wrote {visible(output_file)}{more}.", file=sys.stderr)
    return TROUBLE if troubled else CLEAN


def _title(paths: Sequence[str]) -> str:
    named = ", ".join(paths[:3]) + (", …" if len(paths) > 3 else "")
    return f"Tool calls in {named}"
