"""`callwright corpus dedupe-diagnostics`: the diagnostics of a corpus, grouped by defect.

Owns: the options of the command, what is printed of the defects. Must not know: when two diagnostics have one defect.
"""

from typing import Any

from callwright.cli.support.corpora import ResultOptions, engine_of, print_figures, results_of
from callwright.cli.support.failure import CLEAN
from callwright.cli.support.option_groups import ColorOptions, JsonOptions, QuietOptions, whole_number
from callwright.cli.support.options import option
from callwright.cli.support.report import plural
from callwright.cli.support.terminal import Style, visible


class DedupeOptions(
    ResultOptions,
    JsonOptions,
    QuietOptions,
    ColorOptions,
    wording={
        "engine": "Where to run: on this machine or a Ray cluster.",
    },
    examples=("callwright corpus dedupe-diagnostics callwright-corpus --most 5",),
):
    """What `callwright corpus dedupe-diagnostics` takes."""

    most: str = option("The number of defects to print; the file has all of them.", default="20", value="NUMBER")


def run(options: DedupeOptions) -> int:
    """Group the diagnostics of a corpus that repeat the same defect.

    Diagnostics belong to the same defect if they have the same rule and tool, are in the same field (list indexes are
    ignored), and concern the same text apart from numbers, ids and the tails of long strings. Defects are written to
    `defects.parquet` in the folder of results, the most frequent first, each with its first diagnostic.

    Exit code: 0 if the defects are written, however many there are; 2 for a usage error or if the engine fails.
    """
    engine = engine_of(options)
    most = whole_number(options.most, "--most", "as in `--most 20`")
    with results_of(options) as results:
        from callwright.corpus.defects import DEFECTS, dedupe

        total, named = dedupe(results, engine, most)
    figures = {"diagnostics": results.summary["diagnostics"], "defects": total, "most_frequent": named}
    print_figures(options, figures, lambda style: _print(total, named, figures["diagnostics"], style))
    if total and not options.json and not options.quiet:
        print(f"\nWrote all defects to {visible(options.folder)}/{DEFECTS}.")
    return CLEAN


def _print(total: int, named: list[dict[str, Any]], diagnostics: int, style: Style) -> None:
    """Print the defects for a person."""
    from callwright.rules.catalogue import title_of

    print(f"{plural(diagnostics, 'diagnostic', 'diagnostics')}, {plural(total, 'defect', 'defects')}.")
    for each in named:
        tool = f" · {each['tool']}" if each["tool"] is not None else ""
        rule = style("cyan", visible(title_of(each["rule"])))
        print(f"\n{each['count']:>9,}  {each['share']:6.1%}  {rule}{visible(tool)}")
        rows, shards = plural(each["rows"], "row", "rows"), plural(each["sources"], "shard", "shards")
        print(f"{'':20}in {rows} of {shards}, first in {visible(each['first_source'])} row {each['first_row']:,}")
        print(f"{'':20}{visible(each['field']) or '(the row)'}: {visible(each['form'])}")
        print(f"{'':20}{visible(each['first_message'])}")
