"""`callwright corpus dedupe-findings`: the findings of a corpus, those of one template as one defect.

Owns: the options of the command, what is printed of the defects. Must not know: when two findings are of one defect.
"""

import sys
from typing import Any, Literal

from callwright.cli.support.failure import CLEAN, CommandError
from callwright.cli.support.leaving import leave
from callwright.cli.support.output import to_json
from callwright.cli.support.report import plural
from callwright.cli.support.terminal import Style, style_for, visible

#: Options with a short form.
SHORT = {"-q": "quiet"}


def run(
    folder: str = "callwright-corpus",
    /,
    *,
    engine: Literal["local", "ray"] = "local",
    address: str | None = None,
    most: str = "20",
    output_format: Literal["text", "json"] = "text",
    quiet: bool = False,
    color: Literal["auto", "always", "never"] = "auto",
) -> int:
    """Put together the findings of a corpus that repeat one defect.

    Findings of one rule and tool are one defect where they stand in the same field, whatever its places in lists, and
    what they are about is the same but for numbers, ids and what long strings go on with. The defects go to
    `defects.parquet` in the folder of results, the most frequent first, each with its first finding.

    Ends with 0 where the defects are written, however many there are: whether a corpus is in order is what `callwright
    corpus check` has said. Ends with 2 where the command is misused or the engine fails.

    Parameters
    ----------
    folder
        The folder of results of `callwright corpus check`.
    engine
        Where the work is done: by this machine, or on a Ray cluster.
    address
        The address of the Ray cluster, as in `head:6379`; without it, the one that this machine belongs to, or
        one of this machine alone.
    most
        How many defects are printed; the file has all.
    output_format
        How they are printed: `text` for people, `json` for programs.
    quiet
        Print nothing where all went well.
    color
        Whether to use colours; `auto` means on a terminal.
    """
    if address is not None and engine != "ray":
        raise CommandError("`--address` is that of a Ray cluster, so it goes with `--engine ray`")
    if not (most.isascii() and most.isdigit() and int(most[:9])):
        raise CommandError(f"`--most {most}`: write a whole number of 1 or more, as in `--most 20`")

    from callwright.corpus.engine import Engine, need
    from callwright.corpus.failure import CorpusError

    try:
        need(engine)
        from callwright.corpus.defects import DEFECTS, dedupe
        from callwright.corpus.results import open_results

        results = open_results(folder)
        total, named = dedupe(results, Engine(engine, address), int(most[:9]))
    except CorpusError as error:
        raise CommandError(str(error)) from None
    except KeyboardInterrupt:
        leave()
    if output_format == "json":
        print(to_json({"findings": results.summary["findings"], "defects": total, "most_frequent": named}))
    elif not quiet:
        _print(total, named, results.summary["findings"], style_for(sys.stdout, color))
        if total:
            print(f"\nAll defects are in {visible(folder)}/{DEFECTS}.")
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
