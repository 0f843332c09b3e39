"""`callwright parse`: the tool calls in one text, with their arguments as the tools would get them.

Owns: the options and the output of the command. Must not know: how calls are read.
"""

import sys
from typing import Any

from callwright.cli.support.engine import diagnostics_in, open_source
from callwright.cli.support.option_groups import (
    ColorOptions,
    DialectOptions,
    InputOptions,
    JsonOptions,
    ProjectOptions,
    ToolOptions,
)
from callwright.cli.support.options import word
from callwright.cli.support.output import json_for_people, to_json
from callwright.cli.support.projects import Projects
from callwright.cli.support.report import Tally, json_diagnostic, json_range, place, plural, text_diagnostic
from callwright.cli.support.terminal import Style, style_for, visible


class ParseOptions(
    ToolOptions,
    DialectOptions,
    JsonOptions,
    InputOptions,
    ProjectOptions,
    ColorOptions,
    wording={
        "json": "Print an object with `calls` and `diagnostics`, in ASCII.",
    },
    examples=("callwright parse reply.md", "callwright parse session.jsonl --json"),
):
    """What `callwright parse` takes."""

    path: str = word("A file, or `-` for standard input.")


def run(options: ParseOptions) -> int:
    """Show the tool calls in a text, with the arguments that the tools would receive.

    Exit code: 0 without errors and warnings, 1 with errors or warnings, 2 for a usage error or a file that cannot be
    read.
    """
    projects = Projects(options)
    source = projects.one_source(options.path, options.stdin_filename)
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
    diagnostics = diagnostics_in(snapshot)
    tally = Tally()
    tally.files = 1
    tally.count(diagnostics)
    if options.json:
        shown = [json_diagnostic(source.shown, document, one) for one in diagnostics]
        print(to_json({"calls": calls, "diagnostics": shown}))
        return tally.exit_code
    style = style_for(sys.stdout, options.color)
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
