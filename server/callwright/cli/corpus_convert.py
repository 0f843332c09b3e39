"""`callwright corpus convert`: the tool calls in the rows of many files written in another dialect.

Owns: the options of the command, what is printed of the results. Must not know: how a call is converted, engines.
"""

import sys
from typing import Any, Literal

from callwright.cli.support.corpora import Work, carried_out, print_counts, print_read
from callwright.cli.support.failure import CLEAN, FINDINGS
from callwright.cli.support.names import unknown_dialect
from callwright.cli.support.output import to_json
from callwright.cli.support.projects import ProjectOptions, Projects
from callwright.cli.support.report import plural
from callwright.cli.support.terminal import Style, style_for, visible

#: Options with a short form.
SHORT = {"-o": "out", "-q": "quiet"}


def run(
    *sources: str,
    to: str,
    out: str,
    engine: Literal["local", "ray"] = "local",
    address: str | None = None,
    messages: str | None = None,
    text: str | None = None,
    jobs: str = "auto",
    unit_size: str = "auto",
    max_row: str = "64MB",
    max_seconds: str = "10",
    tools: tuple[str, ...] = (),
    markup: str | None = None,
    shipped: tuple[str, ...] = (),
    isolated: bool = False,
    config: str | None = None,
    output_format: Literal["text", "json"] = "text",
    quiet: bool = False,
    color: Literal["auto", "always", "never"] = "auto",
) -> int:
    """Write the tool calls in the rows of a corpus in another dialect, and leave the rest of them as it is.

    The rows go to `converted` in the folder of results, each shard in its format. A row of which a call would lose a
    value, or is faulty, is not written: it stands in `refusals.parquet` with the reason. Calls in fields of their own,
    such as `tool_calls`, stay as they are. A run that was stopped goes on where it was when the same command is given
    again.

    Ends with 0 where every row is written, 1 where one is refused, 2 where the command is misused or the engine fails.

    Parameters
    ----------
    sources
        Files, folders, or patterns such as `data/**/*.parquet`.
    to
        The dialect to write; `callwright dialect` lists them.
    out
        The folder of results. On a cluster, every machine must see it under this path.
    engine
        Where the work is done: by processes of this machine, or on a Ray cluster.
    address
        The address of the Ray cluster, as in `head:6379`; without it, the one that this machine belongs to, or
        one of this machine alone.
    messages
        Where in a row the conversation lies, as in `request.messages`; without it, it is looked for.
    text
        Where in a row texts lie in which calls may stand, as in `completion` or `turns[*].text`.
    jobs
        How many workers share the work; `auto` means one for each core.
    unit_size
        How much of a shard is done at once, where its format lets it be divided, as in `64MB`; `auto` means as much
        as keeps all workers busy.
    max_row
        How long a row may be, as in `64MB`; a longer one is refused.
    max_seconds
        How many seconds of the processor a row may take; one that takes longer is refused.
    tools
        A file that defines tools, in place of the configuration's; may be given several times. Tools that a row brings
        along go before them.
    markup
        How element text is written: `xml`, with entities and CDATA, or `raw`, literally.
    shipped
        A shipped tool set to use beside the tools given, or `all`; may be given several times.
    isolated
        Heed no configuration file.
    config
        The configuration file to heed, wherever it lies.
    output_format
        How the figures are printed: `text` for people, `json` for programs.
    quiet
        Print nothing where all went well.
    color
        Whether to use colours; `auto` means on a terminal.
    """
    from callwright.dialects.catalogue import dialect_names

    if to not in dialect_names():
        raise unknown_dialect(to)
    options = ProjectOptions(tools=tools, markup=markup, shipped=shipped, isolated=isolated, config=config)
    work = Work(sources, engine, address, jobs, unit_size, max_row, max_seconds, out, messages, text)
    summary = carried_out(work, "convert", Projects(options).here, to=to)
    if output_format == "json":
        print(to_json(summary))
    elif not quiet:
        _print(summary, to, work, style_for(sys.stdout, color))
    return FINDINGS if summary["refused"] else CLEAN


def _print(summary: dict[str, Any], to: str, work: Work, style: Style) -> None:
    """Print the figures for a person."""
    calls, already, native = (summary[name] for name in ("calls", "already", "native"))
    shards = plural(len(summary["shards"]), "shard", "shards")
    rows = plural(summary["rows"], "row", "rows")
    print(
        f"{plural(calls, 'call', 'calls')} converted to {to} in {summary['converted']:,} of {rows} ({shards});"
        f" {summary['refused']:,} refused."
    )
    print_read(summary, work)
    if already:
        print(f"{plural(already, 'call was', 'calls were')} in it already.")
    if native:
        print(f"{plural(native, 'call stays', 'calls stay')} in fields of their own.")
    for title, key in (("Converted from", "dialects"), ("Refused because", "reasons"), ("Refused of", "tools")):
        print_counts(title, summary[key], style)
    out = visible(work.out)
    print(f"\nThe rows are in {out}/converted, what was refused in {out}/refusals.parquet.")
