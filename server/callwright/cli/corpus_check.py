"""`callwright corpus check`: what is wrong with the tool calls in the rows of many files.

Owns: the options of the command, what is printed of the results. Must not know: how rows are read and judged, engines.
"""

from typing import Any

from callwright.cli.support.corpora import JudgedCorpusOptions, carried_out, print_counts, print_figures, print_read
from callwright.cli.support.option_groups import ExitOptions
from callwright.cli.support.options import option
from callwright.cli.support.projects import Projects
from callwright.cli.support.report import plural
from callwright.cli.support.terminal import Style, visible


class CorpusCheckOptions(
    JudgedCorpusOptions,
    ExitOptions,
    examples=(
        "callwright corpus check data/",
        "callwright corpus check 'data/**/*.parquet' --messages request.messages --out results",
    ),
):
    """What `callwright corpus check` takes."""

    out: str = option(default="callwright-corpus")
    clean: bool = option(
        "Also write the rows without errors to `clean` in the output folder, each shard in its own format. Rows without"
        " a conversation or text are not clean.",
        default=False,
    )
    fixed: bool = option(
        "Also write the rows without errors after safe fixes to `fixed` in the output folder.", default=False
    )
    repaired: bool = option("Also write only the rows that safe fixes changed so to `repaired`.", default=False)
    rejected: bool = option(
        "Also write all other rows, as they are, to `rejected`: with errors that were not fixed, or without a"
        " conversation or text.",
        default=False,
    )


def run(options: CorpusCheckOptions) -> int:
    """Check the tool calls in the rows of a corpus.

    A corpus is a set of files in JSON Lines (plain, gzip or zstd), Parquet or Arrow. Diagnostics are written to
    `diagnostics.parquet` in the output folder, and figures to `summary.json` and standard output. Run the same command
    again to resume an interrupted run.

    Exit code: 0 without errors and warnings, 1 with errors or warnings, 2 for a usage error or if the engine fails. A
    row that cannot be read is a diagnostic.
    """
    from callwright.corpus.tasks.check import COLLECTIONS

    written = {name: getattr(options, name) for name in COLLECTIONS}
    summary = carried_out(options, "check", Projects(options).here, **written)
    print_figures(options, summary, lambda style: _print(summary, options, style))
    return options.exit_code([severity for severity, number in summary["severities"].items() if number])


def _print(summary: dict[str, Any], options: CorpusCheckOptions, style: Style) -> None:
    """Print the figures for a person."""
    from callwright.corpus.tasks.check import COLLECTIONS
    from callwright.rules.catalogue import title_of

    rows, faulty = summary["rows"] - summary["empty"], summary["faulty"]
    found = plural(summary["diagnostics"], "diagnostic", "diagnostics")
    shards = plural(len(summary["shards"]), "shard", "shards")
    fixed = f", of which {summary['fixed']:,} were fixed" if summary["fixed"] else ""
    share = f" ({faulty / rows:.1%})" if faulty else ""
    print(f"{found} in {summary['found_in']:,} of {rows:,} rows ({shards}); {faulty:,}{share} with an error{fixed}.")
    print_read(summary, options)
    for title, key in (("Rules", "rules"), ("Tools", "tools"), ("Dialects", "dialects")):
        counts = {title_of(name): count for name, count in summary[key].items()}
        print_counts(title, counts, style)
    print_counts("Fixes not applied", summary["disputed"], style)
    print_counts(
        "Shards", {each["source"]: each["diagnostics"] for each in summary["shards"] if each["diagnostics"]}, style
    )
    out = visible(options.out)
    folders = [f"{out}/{name}" for name in COLLECTIONS if getattr(options, name)]
    rows_too = f"\nWrote rows to {', '.join(folders)}." if folders else ""
    print(f"\nWrote the diagnostics to {out}/diagnostics.parquet and all figures to {out}/summary.json.{rows_too}")
