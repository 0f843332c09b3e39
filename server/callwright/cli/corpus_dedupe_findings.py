"""`callwright corpus dedupe-findings`: the findings of a corpus, those of one template as one defect.

Owns: the options of the command, what is printed of the defects. Must not know: when two findings are of one defect.
"""

from typing import Any

from callwright.cli.support.corpora import ResultOptions, engine_of, print_figures, results_of
from callwright.cli.support.failure import CLEAN
from callwright.cli.support.option_groups import ColorOptions, FormatOptions, QuietOptions, whole_number
from callwright.cli.support.options import option
from callwright.cli.support.report import plural
from callwright.cli.support.terminal import Style, visible


class DedupeOptions(
    ResultOptions,
    FormatOptions,
    QuietOptions,
    ColorOptions,
    wording={
        "engine": "Where the work is done: by this machine, or on a Ray cluster.",
        "output_format": "How they are printed: `text` for people, `json` for programs.",
    },
):
    """What `callwright corpus dedupe-findings` takes."""

    most: str = option("How many defects are printed; the file has all.", default="20")


def run(options: DedupeOptions) -> int:
    """Put together the findings of a corpus that repeat one defect.

    Findings of one rule and tool are one defect where they stand in the same field, whatever its places in lists, and
    what they are about is the same but for numbers, ids and what long strings go on with. The defects go to
    `defects.parquet` in the folder of results, the most frequent first, each with its first finding.

    Ends with 0 where the defects are written, however many there are: whether a corpus is in order is what `callwright
    corpus check` has said. Ends with 2 where the command is misused or the engine fails.
    """
    engine = engine_of(options)
    most = whole_number(options.most, "--most", "as in `--most 20`")
    with results_of(options) as results:
        from callwright.corpus.defects import DEFECTS, dedupe

        total, named = dedupe(results, engine, most)
    figures = {"findings": results.summary["findings"], "defects": total, "most_frequent": named}
    print_figures(options, figures, lambda style: _print(total, named, figures["findings"], style))
    if total and options.output_format == "text" and not options.quiet:
        print(f"\nAll defects are in {visible(options.folder)}/{DEFECTS}.")
    return CLEAN


def _print(total: int, named: list[dict[str, Any]], findings: int, style: Style) -> None:
    """Print the defects for a person."""
    from callwright.rules.catalogue import title_of

    print(f"{plural(findings, 'finding', 'findings')}, {plural(total, 'defect', 'defects')}.")
    for each in named:
        tool = f" · {each['tool']}" if each["tool"] is not None else ""
        rule = style("cyan", visible(title_of(each["rule"])))
        print(f"\n{each['count']:>9,}  {each['share']:6.1%}  {rule}{visible(tool)}")
        rows, shards = plural(each["rows"], "row", "rows"), plural(each["sources"], "shard", "shards")
        print(f"{'':20}in {rows} of {shards}, first in {visible(each['first_source'])} row {each['first_row']:,}")
        print(f"{'':20}{visible(each['field']) or '(the row)'}: {visible(each['form'])}")
        print(f"{'':20}{visible(each['first_message'])}")
