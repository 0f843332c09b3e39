"""`callwright convert`: the tool calls of one text written in another dialect.

Owns: the options of the command, where the result goes. Must not know: how a call is converted.
"""

import sys
from typing import Literal

from callwright.cli.support.engine import open_source
from callwright.cli.support.failure import CLEAN, FINDINGS, CommandError
from callwright.cli.support.files import FileError, replace_file
from callwright.cli.support.names import unknown_dialect
from callwright.cli.support.output import write_text
from callwright.cli.support.projects import ProjectOptions, Projects
from callwright.cli.support.report import place, plural
from callwright.cli.support.terminal import style_for, visible


def run(
    path: str,
    /,
    *,
    to: str,
    write: bool = False,
    diff: bool = False,
    tools: tuple[str, ...] = (),
    stdin_filename: str | None = None,
    isolated: bool = False,
    config: str | None = None,
    color: Literal["auto", "always", "never"] = "auto",
) -> int:
    """Write the tool calls of a text in another dialect, and leave the rest of it as it is.

    Ends with 0 where every call was converted, 1 where one was refused because it would lose a value, 2 where the
    command is misused or the file cannot be read or written.

    Parameters
    ----------
    path
        A file, or `-` for standard input.
    to
        The dialect to write; `callwright dialect` lists them.
    write
        Change the file itself instead of printing the result.
    diff
        Print what would change as a diff, and change nothing.
    tools
        A file that defines tools, in place of the configuration's; may be given several times.
    stdin_filename
        The file that standard input is to be taken for.
    isolated
        Heed no configuration file.
    config
        The configuration file to heed, wherever it lies.
    color
        Whether to use colours; `auto` means on a terminal.
    """
    from callwright.conversion import convert_document
    from callwright.dialects.catalogue import dialect_names

    if to not in dialect_names():
        raise unknown_dialect(to)
    if write and diff:
        raise CommandError("`--write` changes the file and `--diff` shows what it would change: give one of them")
    projects = Projects(ProjectOptions(tools=tools, isolated=isolated, config=config))
    source = projects.one_source(path, stdin_filename)
    if write and source.stdin:
        raise CommandError("standard input cannot be written: leave out `--write`, and the result is printed")
    snapshot = open_source(source, projects.of(source))
    conversion = convert_document(snapshot, to)
    if diff:
        from callwright.cli.support.differences import unified_diff

        write_text(unified_diff(source.text, conversion.text, source.shown))
    elif not write:
        write_text(conversion.text, bom=source.bom)
    elif conversion.text != source.text:
        try:
            replace_file(source, conversion.text)
        except FileError as error:
            raise CommandError(str(error)) from None
    style = style_for(sys.stderr, color)
    for refused in conversion.refused:
        line, column = place(snapshot.document, refused.span.start)
        where = style("bold", f"{visible(source.shown)}:{line}:{column}:")
        name = f"`{visible(refused.tool)}`" if refused.tool else "a call without a tool"
        print(f"{where} {name} stays as it is: {visible(refused.reason)}", file=sys.stderr)
    if write:
        done = f"{visible(source.shown)}: converted {plural(conversion.converted, 'call', 'calls')} to {to}."
        print(done, file=sys.stderr)
    return FINDINGS if conversion.refused else CLEAN
