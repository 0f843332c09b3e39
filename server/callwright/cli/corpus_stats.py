"""`callwright corpus stats`: how many tool calls the rows of many files have, how long they are, how many are faulty.

Owns: the options of the command, the tables that are printed. Must not know: how rows are measured, engines.
"""

from collections.abc import Sequence
from typing import Any, Final

from callwright.cli.support.corpora import JudgedCorpusOptions, carried_out, print_figures, print_read
from callwright.cli.support.failure import CLEAN
from callwright.cli.support.options import option
from callwright.cli.support.projects import Projects
from callwright.cli.support.report import plural
from callwright.cli.support.terminal import Style, visible

#: How many lines a table has at most.
_LINES: Final = 20
_TITLES: Final = {"shape": "Shapes", "dialect": "Dialects", "tool": "Tools"}
_LENGTHS: Final = {
    "row_bytes": "bytes of a row",
    "messages": "messages of a conversation",
    "row_calls": "calls of a row",
    "call_characters": "characters of a call",
    "strikes": "failed calls in a row",
}
_SPREAD: Final = ("least", "p50", "p90", "p99", "greatest")


class CorpusStatsOptions(JudgedCorpusOptions, examples=("callwright corpus stats data/",)):
    """What `callwright corpus stats` takes."""

    out: str = option(default="callwright-stats")


def run(options: CorpusStatsOptions) -> int:
    """Measure the tool calls in the rows of a corpus.

    For each tool, dialect and transcript format: the number of rows, messages and calls, their lengths, the calls with
    an error, the diagnostics of each rule, and the calls that fail in a row. Figures are written to `stats.parquet` and
    length distributions to `histograms.parquet` in the output folder; a table is printed. Run the same command again to
    resume an interrupted run.

    Exit code: 0 if the figures are written, 2 for a usage error or if the engine fails.
    """
    summary = carried_out(options, "stats", Projects(options).here)
    print_figures(options, summary, lambda style: _print(summary, options, style))
    return CLEAN


def _print(summary: dict[str, Any], options: CorpusStatsOptions, style: Style) -> None:
    """Print the figures for a person."""
    reported: list[dict[str, Any]] = summary["statistics"]
    whole = next((each for each in reported if each["group"] == "all"), None)
    rows, calls = plural(summary["rows"], "row", "rows"), plural(summary["calls"], "call", "calls")
    shards = plural(len(summary["shards"]), "shard", "shards")
    share = f" ({summary['faulty_calls'] / summary['calls']:.1%})" if summary["calls"] else ""
    print(f"{calls} in {rows} ({shards}); {summary['faulty_calls']:,}{share} with an error.")
    print_read(summary, options)
    if whole is not None:
        _print_lengths(whole, style)
    for group, title in _TITLES.items():
        _print_table(title, [each for each in reported if each["group"] == group], style)
    _print_rules([each for each in reported if each["group"] == "rule"], summary["calls"], style)
    place = visible(options.out)
    print(f"\nWrote {place}/stats.parquet, {place}/stats.json and {place}/histograms.parquet.")


def _print_lengths(whole: dict[str, Any], style: Style) -> None:
    print(f"\n{style('cyan', 'Lengths')}{'':19}" + "".join(f"{name:>10}" for name in _SPREAD))
    for measure, title in _LENGTHS.items():
        spread = whole[measure]
        if spread is not None:
            print(f"{title:<26}" + "".join(f"{spread[name]:>10,}" for name in _SPREAD))


def _print_table(title: str, reported: Sequence[dict[str, Any]], style: Style) -> None:
    if not reported:
        return
    head = f"{'rows':>10}{'calls':>10}{'errors':>10}{'rate':>8}{'length':>8}{'strikes':>9}"
    print(f"\n{style('cyan', title)}\n{head}")
    for each in reported[:_LINES]:
        rate = f"{each['error_rate']:.1%}" if each["error_rate"] is not None else "–"
        length, strikes = each["call_characters"], each["strikes"]
        print(
            f"{each['rows']:>10,}{each['calls']:>10,}{each['faulty_calls']:>10,}{rate:>8}"
            f"{length['p50'] if length is not None else '–':>8}{strikes['greatest'] if strikes is not None else '–':>9}"
            f"  {visible(each['name'])}"
        )
    if len(reported) > _LINES:
        print(f"{'':57}{len(reported) - _LINES} others")


def _print_rules(reported: Sequence[dict[str, Any]], calls: int, style: Style) -> None:
    if not reported:
        return
    from callwright.rules.catalogue import title_of

    print(f"\n{style('cyan', 'Rules')}\n{'rows':>10}{'reported':>10}{'of calls':>10}")
    for each in sorted(reported, key=lambda one: (-one["diagnostics"], one["name"]))[:_LINES]:
        rate = f"{each['calls'] / calls:.1%}" if calls else "–"
        print(f"{each['rows']:>10,}{each['diagnostics']:>10,}{rate:>10}  {visible(title_of(each['name']))}")
    if len(reported) > _LINES:
        print(f"{'':32}{len(reported) - _LINES} others")
