"""`callwright corpus check`: what is wrong with the tool calls in the rows of many files.

Owns: the options of the command, what is printed of the results. Must not know: how rows are read and judged, engines.
"""

import sys
from typing import Any, Literal

from callwright.cli.support.corpora import Work, carried_out, print_counts, print_read
from callwright.cli.support.failure import CLEAN, FINDINGS
from callwright.cli.support.output import to_json
from callwright.cli.support.projects import ProjectOptions, Projects
from callwright.cli.support.report import plural
from callwright.cli.support.terminal import Style, style_for, visible

#: Options with a short form.
SHORT = {"-o": "out", "-q": "quiet"}


def run(
    *sources: str,
    engine: Literal["local", "ray"] = "local",
    address: str | None = None,
    out: str = "callwright-corpus",
    messages: str | None = None,
    text: str | None = None,
    clean: bool = False,
    mended: bool = False,
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
    exit_zero: bool = False,
    output_format: Literal["text", "json"] = "text",
    quiet: bool = False,
    color: Literal["auto", "always", "never"] = "auto",
) -> int:
    """Find what is wrong with the tool calls in the rows of a corpus.

    A corpus is files of JSON Lines (plain, gzip or zstd), Parquet and Arrow. The findings go to `findings.parquet` in
    the folder of results, the figures to `summary.json` beside it and to standard output. A run that was stopped goes
    on where it was when the same command is given again.

    Ends with 0 where nothing is wrong, 1 where there are errors or warnings, 2 where the command is misused or the
    engine fails. What cannot be read in a shard is a finding.

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
    clean
        Write the rows without an error, too, each shard in its format, into `clean` in the folder of results.
    mended
        Write the rows that have no error once safe fixes are applied, in the same way, into `mended`.
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
    exit_zero
        End with 0 also where there are findings.
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
    summary = carried_out(work, "check", Projects(options).here, clean=clean, mended=mended)
    if output_format == "json":
        print(to_json(summary))
    elif not quiet:
        _print(summary, work, style_for(sys.stdout, color))
    wrong = summary["severities"].get("error", 0) + summary["severities"].get("warning", 0)
    return FINDINGS if wrong and not exit_zero else CLEAN


def _print(summary: dict[str, Any], work: Work, style: Style) -> None:
    """Print the figures for a person."""
    rows, faulty = summary["rows"], summary["faulty"]
    found = plural(summary["findings"], "finding", "findings")
    shards = plural(len(summary["shards"]), "shard", "shards")
    mended = f", of which {summary['mended']:,} were mended" if summary["mended"] else ""
    print(f"{found} in {summary['found_in']:,} of {rows:,} rows ({shards}); {faulty:,} with an error{mended}.")
    print_read(summary, work)
    for title, key in (("Rules", "rules"), ("Tools", "tools"), ("Dialects", "dialects")):
        counts = summary[key]
        print_counts(title, {_named(title, name): count for name, count in counts.items()}, style)
    print_counts("Fixes that are not applied", summary["disputed"], style)
    print_counts("Shards", {each["source"]: each["findings"] for each in summary["shards"] if each["findings"]}, style)
    out = visible(work.out)
    print(f"\nThe findings are in {out}/findings.parquet, all figures in {out}/summary.json.")


def _named(title: str, name: str) -> str:
    if title != "Rules":
        return name
    from callwright.rules.catalogue import find_rule

    rule = find_rule(name)
    return f"{name} {rule.name}" if rule is not None else name
