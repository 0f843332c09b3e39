"""`callwright corpus dedupe-findings`: the findings of a corpus, those of one template as one defect.

Owns: the options of the command, what is printed of the defects. Must not know: when two findings are of one defect.
"""

import sys
from typing import Any

from callwright.cli.support.corpora import ResultOptions
from callwright.cli.support.failure import CLEAN, CommandError
from callwright.cli.support.leaving import leave
from callwright.cli.support.option_groups import ColorOptions, FormatOptions, QuietOptions
from callwright.cli.support.options import option
from callwright.cli.support.output import to_json
from callwright.cli.support.report import plural
from callwright.cli.support.terminal import Style, style_for, visible


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
    if options.address is not None and options.engine != "ray":
        raise CommandError("`--address` is that of a Ray cluster, so it goes with `--engine ray`")
    if not (options.most.isascii() and options.most.isdigit() and int(options.most[:9])):
        raise CommandError(f"`--most {options.most}`: write a whole number of 1 or more, as in `--most 20`")

    from callwright.corpus.engine import Engine, need
    from callwright.corpus.failure import CorpusError

    try:
        need(options.engine)
        from callwright.corpus.defects import DEFECTS, dedupe
        from callwright.corpus.results import open_results

        results = open_results(options.folder)
        total, named = dedupe(results, Engine(options.engine, options.address), int(options.most[:9]))
    except CorpusError as error:
        raise CommandError(str(error)) from None
    except KeyboardInterrupt:
        leave()
    if options.output_format == "json":
        print(to_json({"findings": results.summary["findings"], "defects": total, "most_frequent": named}))
    elif not options.quiet:
        _print(total, named, results.summary["findings"], style_for(sys.stdout, options.color))
        if total:
            print(f"\nAll defects are in {visible(options.folder)}/{DEFECTS}.")
    return CLEAN


def _print(total: int, named: list[dict[str, Any]], findings: int, style: Style) -> None:
    """Print the defects for a person."""
    from callwright.rules.catalogue import find_rule

    print(f"{plural(findings, 'finding', 'findings')}, {plural(total, 'defect', 'defects')}.")
    for each in named:
        rule = find_rule(each["rule"])
        name = f"{each['rule']} {rule.name}" if rule is not None else each["rule"]
        tool = f" · {each['tool']}" if each["tool"] is not None else ""
        print(f"\n{each['count']:>9,}  {each['share']:6.1%}  {style('cyan', visible(name))}{visible(tool)}")
        rows, shards = plural(each["rows"], "row", "rows"), plural(each["sources"], "shard", "shards")
        print(f"{'':20}in {rows} of {shards}, first in {visible(each['first_source'])} row {each['first_row']:,}")
        print(f"{'':20}{visible(each['field']) or '(the row)'}: {visible(each['form'])}")
        print(f"{'':20}{visible(each['first_message'])}")
