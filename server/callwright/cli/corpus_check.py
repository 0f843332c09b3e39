"""`callwright corpus check`: what is wrong with the tool calls in the rows of many files.

Owns: the options of the command, what is printed of the results. Must not know: how rows are read and judged, engines.
"""

from typing import Any

from callwright.cli.support.corpora import JudgedCorpusOptions, carried_out, print_counts, print_figures, print_read
from callwright.cli.support.failure import CLEAN, FINDINGS
from callwright.cli.support.option_groups import ExitOptions
from callwright.cli.support.options import option
from callwright.cli.support.projects import Projects
from callwright.cli.support.report import plural
from callwright.cli.support.terminal import Style, visible


class CorpusCheckOptions(JudgedCorpusOptions, ExitOptions):
    """What `callwright corpus check` takes."""

    out: str = option(default="callwright-corpus")
    clean: bool = option(
        "Write the rows without an error, too, each shard in its format, into `clean` in the folder of results.",
        default=False,
    )
    mended: bool = option(
        "Write the rows that have no error once safe fixes are applied, in the same way, into `mended`.", default=False
    )


def run(options: CorpusCheckOptions) -> int:
    """Find what is wrong with the tool calls in the rows of a corpus.

    A corpus is files of JSON Lines (plain, gzip or zstd), Parquet and Arrow. The findings go to `findings.parquet` in
    the folder of results, the figures to `summary.json` beside it and to standard output. A run that was stopped goes
    on where it was when the same command is given again.

    Ends with 0 where nothing is wrong, 1 where there are errors or warnings, 2 where the command is misused or the
    engine fails. What cannot be read in a shard is a finding.
    """
    summary = carried_out(options, "check", Projects(options).here, clean=options.clean, mended=options.mended)
    print_figures(options, summary, lambda style: _print(summary, options, style))
    wrong = summary["severities"].get("error", 0) + summary["severities"].get("warning", 0)
    return FINDINGS if wrong and not options.exit_zero else CLEAN


def _print(summary: dict[str, Any], options: CorpusCheckOptions, style: Style) -> None:
    """Print the figures for a person."""
    from callwright.rules.catalogue import title_of

    rows, faulty = summary["rows"], summary["faulty"]
    found = plural(summary["findings"], "finding", "findings")
    shards = plural(len(summary["shards"]), "shard", "shards")
    mended = f", of which {summary['mended']:,} were mended" if summary["mended"] else ""
    print(f"{found} in {summary['found_in']:,} of {rows:,} rows ({shards}); {faulty:,} with an error{mended}.")
    print_read(summary, options)
    for title, key in (("Rules", "rules"), ("Tools", "tools"), ("Dialects", "dialects")):
        counts = {title_of(name): count for name, count in summary[key].items()}
        print_counts(title, counts, style)
    print_counts("Fixes that are not applied", summary["disputed"], style)
    print_counts("Shards", {each["source"]: each["findings"] for each in summary["shards"] if each["findings"]}, style)
    out = visible(options.out)
    print(f"\nThe findings are in {out}/findings.parquet, all figures in {out}/summary.json.")
