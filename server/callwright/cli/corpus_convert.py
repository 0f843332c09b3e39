"""`callwright corpus convert`: the tool calls in the rows of many files written in another dialect.

Owns: the options of the command, what is printed of the results. Must not know: how a call is converted, engines.
"""

from typing import Any

from callwright.cli.support.corpora import CorpusOptions, carried_out, print_counts, print_figures, print_read
from callwright.cli.support.failure import CLEAN, FINDINGS
from callwright.cli.support.names import unknown_dialect
from callwright.cli.support.option_groups import MarkupOptions, ShippedOptions, TargetOptions
from callwright.cli.support.projects import Projects
from callwright.cli.support.report import plural
from callwright.cli.support.terminal import Style, visible


class CorpusConvertOptions(
    TargetOptions,
    CorpusOptions,
    MarkupOptions,
    ShippedOptions,
    wording={
        "max_row": "How long a row may be, as in `64MB`; a longer one is refused.",
        "max_seconds": "How many seconds of the processor a row may take; one that takes longer is refused.",
    },
):
    """What `callwright corpus convert` takes."""


def run(options: CorpusConvertOptions) -> int:
    """Write the tool calls in the rows of a corpus in another dialect, and leave the rest of them as it is.

    The rows go to `converted` in the folder of results, each shard in its format. A row of which a call would lose a
    value, or is faulty, is not written: it stands in `refusals.parquet` with the reason. Calls in fields of their own,
    such as `tool_calls`, stay as they are. A run that was stopped goes on where it was when the same command is given
    again.

    Ends with 0 where every row is written, 1 where one is refused, 2 where the command is misused or the engine fails.
    """
    from callwright.dialects.catalogue import dialect_names

    if options.to not in dialect_names():
        raise unknown_dialect(options.to)
    summary = carried_out(options, "convert", Projects(options).here, to=options.to)
    print_figures(options, summary, lambda style: _print(summary, options, style))
    return FINDINGS if summary["refused"] else CLEAN


def _print(summary: dict[str, Any], options: CorpusConvertOptions, style: Style) -> None:
    """Print the figures for a person."""
    calls, already, native = (summary[name] for name in ("calls", "already", "native"))
    shards = plural(len(summary["shards"]), "shard", "shards")
    rows = plural(summary["rows"], "row", "rows")
    print(
        f"{plural(calls, 'call', 'calls')} converted to {options.to} in {summary['converted']:,} of {rows} ({shards});"
        f" {summary['refused']:,} refused."
    )
    print_read(summary, options)
    if already:
        print(f"{plural(already, 'call was', 'calls were')} in it already.")
    if native:
        print(f"{plural(native, 'call stays', 'calls stay')} in fields of their own.")
    for title, key in (("Converted from", "dialects"), ("Refused because", "reasons"), ("Refused of", "tools")):
        print_counts(title, summary[key], style)
    out = visible(options.out)
    print(f"\nThe rows are in {out}/converted, what was refused in {out}/refusals.parquet.")
