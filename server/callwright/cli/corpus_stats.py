"""`callwright corpus stats`: how many tool calls the rows of many files have, how long they are, how many are faulty.

Owns: the options of the command, the tables that are printed. Must not know: how rows are measured, engines.
"""

import sys
from collections.abc import Sequence
from typing import Any, Final, Literal

from callwright.cli.support.corpora import Work, carried_out, print_read
from callwright.cli.support.failure import CLEAN
from callwright.cli.support.output import to_json
from callwright.cli.support.projects import ProjectOptions, Projects
from callwright.cli.support.report import plural
from callwright.cli.support.terminal import Style, style_for, visible

#: Options with a short form.
SHORT = {"-o": "out", "-q": "quiet"}
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


def run(
    *sources: str,
    engine: Literal["local", "ray"] = "local",
    address: str | None = None,
    out: str = "callwright-stats",
    messages: str | None = None,
    text: str | None = None,
    jobs: str = "auto",
    unit_size: str = "auto",
    max_row: str = "64MB",
    max_seconds: str = "10",
    tools: tuple[str, ...] = (),
    dialect: str | None = None,
    accept: tuple[str, ...] = (),
    strict: bool = False,
    select: tuple[str, ...] = (),
    extend_select: tuple[str, ...] = (),
    ignore: tuple[str, ...] = (),
    severity: tuple[str, ...] = (),
    markup: str | None = None,
    reasoning: str | None = None,
    provider: str | None = None,
    max_mistakes: str | None = None,
    shipped: tuple[str, ...] = (),
    isolated: bool = False,
    config: str | None = None,
    output_format: Literal["text", "json"] = "text",
    quiet: bool = False,
    color: Literal["auto", "always", "never"] = "auto",
) -> int:
    """Count the tool calls in the rows of a corpus, measure how long they are, and how many are faulty.

    For each tool, dialect and shape of conversations: rows, messages and calls, how long they are, how many calls have
    an error, what each rule finds, and how many calls fail in a row. The figures go to `stats.parquet`, how lengths are
    spread to `histograms.parquet`, all in the folder of results, and a table to standard output. A run that was stopped
    goes on where it was when the same command is given again.

    Ends with 0 where the figures are written, whatever they are, and 2 where the command is misused or the engine
    fails.

    Parameters
    ----------
    sources
        Files, folders, or patterns such as `data/**/*.parquet`.
    engine
        Where the work is done: by processes of this machine, or on a Ray cluster.
    address
        The address of the Ray cluster, as in `head:6379`; without it, the one that this machine belongs to, or
        one of this machine alone.
    out
        The folder of results. On a cluster, every machine must see it under this path.
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
        How long a row may be, as in `64MB`; a longer one is a finding.
    max_seconds
        How many seconds of the processor a row may take; one that takes longer is a finding.
    tools
        A file that defines tools, in place of the configuration's; may be given several times. Tools that a row brings
        along go before them.
    dialect
        The dialect that calls are to be written in.
    accept
        A further dialect that is read without complaint; may be given several times.
    strict
        Zero tolerance: one dialect, and every call perfect.
    select
        Codes, beginnings of codes or names of the rules to apply, with commas between them.
    extend_select
        Rules to apply beside those that are selected already, in the same way.
    ignore
        Codes, beginnings of codes or names of rules to leave out, with commas between them.
    severity
        What a rule's findings count as, as in `unknown-tool=warning`: error, warning, info, hint or off.
    markup
        How element text is written: `xml`, with entities and CDATA, or `raw`, literally.
    reasoning
        What calls in reasoning blocks such as `<think>` are: `mentions`, which are not checked, or `calls`.
    provider
        The provider whose demands transcripts are held against, such as `openai`, `anthropic` or `none`.
    max_mistakes
        How many calls of a transcript may fail in a row before it is a finding; 3 if nothing is said.
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
    options = ProjectOptions(
        tools=tools,
        dialect=dialect,
        accept=accept,
        strict=strict,
        select=select,
        extend_select=extend_select,
        ignore=ignore,
        severity=severity,
        markup=markup,
        reasoning=reasoning,
        provider=provider,
        max_mistakes=max_mistakes,
        shipped=shipped,
        isolated=isolated,
        config=config,
    )
    work = Work(sources, engine, address, jobs, unit_size, max_row, max_seconds, out, messages, text)
    summary = carried_out(work, "stats", Projects(options).here)
    if output_format == "json":
        print(to_json(summary))
    elif not quiet:
        _print(summary, work, style_for(sys.stdout, color))
    return CLEAN


def _print(summary: dict[str, Any], work: Work, style: Style) -> None:
    """Print the figures for a person."""
    told: list[dict[str, Any]] = summary["statistics"]
    whole = next((each for each in told if each["group"] == "all"), None)
    rows, calls = plural(summary["rows"], "row", "rows"), plural(summary["calls"], "call", "calls")
    shards = plural(len(summary["shards"]), "shard", "shards")
    share = f" ({summary['faulty_calls'] / summary['calls']:.1%})" if summary["calls"] else ""
    print(f"{calls} in {rows} ({shards}); {summary['faulty_calls']:,}{share} with an error.")
    print_read(summary, work)
    if whole is not None:
        _print_lengths(whole, style)
    for group, title in _TITLES.items():
        _print_table(title, [each for each in told if each["group"] == group], style)
    _print_rules([each for each in told if each["group"] == "rule"], summary["calls"], style)
    place = visible(work.out)
    print(f"\nThe figures are in {place}/stats.parquet and {place}/stats.json, lengths in {place}/histograms.parquet.")


def _print_lengths(whole: dict[str, Any], style: Style) -> None:
    print(f"\n{style('cyan', 'Lengths')}{'':19}" + "".join(f"{name:>10}" for name in _SPREAD))
    for measure, title in _LENGTHS.items():
        spread = whole[measure]
        if spread is not None:
            print(f"{title:<26}" + "".join(f"{spread[name]:>10,}" for name in _SPREAD))


def _print_table(title: str, told: Sequence[dict[str, Any]], style: Style) -> None:
    if not told:
        return
    head = f"{'rows':>10}{'calls':>10}{'errors':>10}{'rate':>8}{'length':>8}{'strikes':>9}"
    print(f"\n{style('cyan', title)}\n{head}")
    for each in told[:_LINES]:
        rate = f"{each['error_rate']:.1%}" if each["error_rate"] is not None else "–"
        length, strikes = each["call_characters"], each["strikes"]
        print(
            f"{each['rows']:>10,}{each['calls']:>10,}{each['faulty_calls']:>10,}{rate:>8}"
            f"{length['p50'] if length is not None else '–':>8}{strikes['greatest'] if strikes is not None else '–':>9}"
            f"  {visible(each['name'])}"
        )
    if len(told) > _LINES:
        print(f"{'':57}{len(told) - _LINES} others")


def _print_rules(told: Sequence[dict[str, Any]], calls: int, style: Style) -> None:
    if not told:
        return
    from callwright.rules.catalogue import find_rule

    print(f"\n{style('cyan', 'Rules')}\n{'rows':>10}{'findings':>10}{'of calls':>10}")
    for each in sorted(told, key=lambda one: (-one["findings"], one["name"]))[:_LINES]:
        rule = find_rule(each["name"])
        name = f"{each['name']} {rule.name}" if rule is not None else each["name"]
        rate = f"{each['calls'] / calls:.1%}" if calls else "–"
        print(f"{each['rows']:>10,}{each['findings']:>10,}{rate:>10}  {visible(name)}")
    if len(told) > _LINES:
        print(f"{'':32}{len(told) - _LINES} others")
