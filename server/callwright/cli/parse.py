"""`callwright parse`: the tool calls in one text, with their arguments as the tools would get them.

Owns: the options and the output of the command. Must not know: how calls are read.
"""

import sys
from typing import Any, Literal

from callwright.cli.support.engine import findings, open_source
from callwright.cli.support.output import json_for_people, to_json
from callwright.cli.support.projects import ProjectOptions, Projects
from callwright.cli.support.report import Tally, json_diagnostic, json_range, place, plural, text_diagnostic
from callwright.cli.support.terminal import Style, style_for, visible


def run(
    path: str,
    /,
    *,
    tools: tuple[str, ...] = (),
    dialect: str | None = None,
    accept: tuple[str, ...] = (),
    strict: bool = False,
    output_format: Literal["text", "json"] = "text",
    stdin_filename: str | None = None,
    isolated: bool = False,
    config: str | None = None,
    color: Literal["auto", "always", "never"] = "auto",
) -> int:
    """Show the tool calls in a text, with their arguments as the tools would get them.

    Ends with 0 where nothing is wrong with them, 1 where there are errors or warnings, 2 where the command is misused
    or the file cannot be read.

    Parameters
    ----------
    path
        A file, or `-` for standard input.
    tools
        A file that defines tools, in place of the configuration's; may be given several times.
    dialect
        The dialect that calls are to be written in.
    accept
        A further dialect that is read without complaint; may be given several times.
    strict
        Zero tolerance: one dialect, and every call perfect.
    output_format
        `text` for people; `json` for programs: one object with `calls` and `diagnostics`, in ASCII.
    stdin_filename
        The file that standard input is to be taken for.
    isolated
        Heed no configuration file.
    config
        The configuration file to heed, wherever it lies.
    color
        Whether to use colours; `auto` means on a terminal.
    """
    options = ProjectOptions(
        tools=tools, dialect=dialect, accept=accept, strict=strict, isolated=isolated, config=config
    )
    projects = Projects(options)
    source = projects.one_source(path, stdin_filename)
    snapshot = open_source(source, projects.of(source))
    document = snapshot.document
    calls = [
        {
            "tool": placed.written_tool,
            "arguments": placed.written_arguments,
            "dialect": placed.call.dialect,
            "range": json_range(document, placed.span),
        }
        for placed in snapshot.placed_calls()
    ]
    diagnostics = findings(snapshot)
    tally = Tally()
    tally.files = 1
    tally.count(diagnostics)
    if output_format == "json":
        shown = [json_diagnostic(source.shown, document, one) for one in diagnostics]
        print(to_json({"calls": calls, "diagnostics": shown}))
        return tally.exit_code
    style = style_for(sys.stdout, color)
    for placed, call in zip(snapshot.placed_calls(), calls, strict=True):
        line, column = place(document, placed.span.start)
        print(_text_call(f"{source.shown}:{line}:{column}", call, style), end="\n\n")
    for one in diagnostics:
        print(text_diagnostic(source.shown, document, one, style), end="\n\n")
    print(f"{plural(len(calls), 'call', 'calls')}. {tally.sentence()}")
    return tally.exit_code


def _text_call(where: str, call: dict[str, Any], style: Style) -> str:
    """Return one call as a person reads it: place, tool and dialect, and the arguments as JSON."""
    tool = "(no tool)" if call["tool"] is None else visible(call["tool"])
    head = f"{style('bold', visible(where) + ':')} {style('green', tool)} [{call['dialect']}]"
    return f"{head}\n{json_for_people(call['arguments'], sys.stdout)}"
