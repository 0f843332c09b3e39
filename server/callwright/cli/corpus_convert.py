"""`callwright corpus convert`: the tool calls in the rows of many files written in another dialect.

Owns: the options of the command, what is printed of the results. Must not know: how a call is converted, engines.
"""

from typing import Any

from callwright.cli.support.corpora import CorpusOptions, carried_out, print_counts, print_figures, print_read
from callwright.cli.support.failure import CLEAN, HAS_DIAGNOSTICS
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
    examples=("callwright corpus convert data/ --to hermes --out converted",),
    wording={
        "max_row": "The size limit of a row, as in `64MB`; longer rows are refused.",
        "max_seconds": "The limit of CPU seconds for a row; rows that take longer are refused.",
    },
):
    """What `callwright corpus convert` takes."""


def run(options: CorpusConvertOptions) -> int:
    """Convert the tool calls in the rows of a corpus to another dialect.

    Rows are written to `converted` in the output folder, each shard in its own format. A row with an invalid call, or
    with a call that would lose a value, is not written; `refusals.parquet` lists it with the reason. Native calls, such
    as `tool_calls`, are left unchanged. Run the same command again to resume an interrupted run.

    Exit code: 0 if every row is written, 1 if a row is refused, 2 for a usage error or if the engine fails.
    """
    from callwright.dialects.catalogue import dialect_names

    if options.to not in dialect_names():
        raise unknown_dialect(options.to)
    summary = carried_out(options, "convert", Projects(options).here, to=options.to)
    print_figures(options, summary, lambda style: _print(summary, options, style))
    return HAS_DIAGNOSTICS if summary["refused"] else CLEAN


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
        print(f"{plural(already, 'call was', 'calls were')} already in {options.to}.")
    if native:
        print(f"{plural(native, 'native call', 'native calls')} left unchanged.")
    for title, key in (("Converted from", "dialects"), ("Refused because", "reasons"), ("Refused of", "tools")):
        print_counts(title, summary[key], style)
    out = visible(options.out)
    print(f"\nWrote the rows to {out}/converted and the refused ones to {out}/refusals.parquet.")
