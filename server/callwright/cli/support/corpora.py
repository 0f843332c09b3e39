"""Corpora on the command line: what commands that go through the rows of many files have in common.

Owns: their options, `carried_out`, sizes and numbers in words, lists of counts. Must not know: any single command,
engines.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from callwright.cli.support.failure import FAILURE, CommandError
from callwright.cli.support.files import FileError, keep_folder_inside
from callwright.cli.support.leaving import leave
from callwright.cli.support.option_groups import (
    ColorOptions,
    DialectOptions,
    JsonOptions,
    MarkupOptions,
    ProjectOptions,
    QuietOptions,
    ReadingOptions,
    RuleOptions,
    ShippedOptions,
    ToolOptions,
    whole_number,
)
from callwright.cli.support.options import Options, option, word, words
from callwright.cli.support.output import to_json
from callwright.cli.support.report import plural
from callwright.cli.support.terminal import Style, style_for, visible

if TYPE_CHECKING:
    from callwright.cli.support.rate import RateBar
    from callwright.config import Project
    from callwright.corpus.engine import Engine
    from callwright.corpus.results import Results

_UNITS: Final = {"": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}
#: How many names a list of counts has.
_NAMED: Final = 20


class EngineOptions(Options, group=True, section="Engine and jobs"):
    """Where the rows of a corpus are gone through."""

    engine: Literal["local", "ray"] = option(
        "Where to run: in processes on this machine or on a Ray cluster.", default="local", value="ENGINE"
    )
    address: str | None = option(
        "The address of the Ray cluster, as in `head:6379`. Default: the cluster of this machine, or a local one.",
        default=None,
        value="HOST:PORT",
    )


class RowOptions(Options, group=True, section="Input"):
    """The rows of a corpus, and what of them is read."""

    sources: tuple[str, ...] = words("Files, folders, or patterns such as `data/**/*.parquet`.", default=())
    messages: str | None = option(
        "The path of the conversation in a row, as in `request.messages`. Default: it is searched for.",
        default=None,
        value="FIELD",
    )
    text: str | None = option(
        "The path of a text with calls in a row, as in `completion` or `turns[*].text`.", default=None, value="FIELD"
    )
    max_row: str = option(
        "The size limit of a row, as in `64MB`; longer rows are reported.", default="64MB", value="SIZE"
    )
    max_seconds: str = option(
        "The limit of CPU seconds for a row; rows that take longer are reported.", default="10", value="SECONDS"
    )


class JobOptions(EngineOptions, group=True, section="Engine and jobs"):
    """The workers that go through the rows."""

    jobs: str = option("The number of workers; `auto` means one for each core.", default="auto", value="NUMBER")
    unit_size: str = option(
        "Split shards into units of this size, as in `64MB`, if their format allows it; `auto` means small enough to"
        " keep all workers busy.",
        default="auto",
        value="SIZE",
    )


class OutOptions(Options, group=True, section="Output"):
    """Where results go."""

    out: str = option(
        "The output folder. On a cluster, all machines must see it under this path.", short="-o", value="PATH"
    )


class CorpusOptions(
    RowOptions,
    JobOptions,
    OutOptions,
    ToolOptions,
    JsonOptions,
    ProjectOptions,
    QuietOptions,
    ColorOptions,
    group=True,
    wording={
        "tools": "Use the tools defined in this file instead of the configured ones. Tools in a row take precedence."
        " Repeatable.",
        "json": "Print the figures as JSON.",
    },
):
    """A task that is done with the rows of a corpus, with the tools of a project."""


class JudgedCorpusOptions(
    CorpusOptions,
    DialectOptions,
    RuleOptions,
    MarkupOptions,
    ReadingOptions,
    ShippedOptions,
    group=True,
    without=("template",),
):
    """A task that judges the rows of a corpus."""


class ResultOptions(EngineOptions, group=True):
    """What is done with the results of `callwright corpus check`."""

    folder: str = word("The output folder of `callwright corpus check`.", default="callwright-corpus")


def carried_out(work: CorpusOptions, task: str, project: "Callable[[], Project]", **more: Any) -> dict[str, Any]:
    """Do a task with the rows of the sources, and return the summary; `more` are further options.

    Raises CommandError where options are wrong or the engine fails; an interrupt ends the process.
    """
    if not work.sources:
        raise CommandError(
            f"no input given; name a file, a folder or a pattern, as in `callwright corpus {task} data/`"
        )
    _refuse_address(work)
    workers = 0 if work.jobs == "auto" else whole_number(work.jobs, "--jobs", "or `auto`")
    unit = 0 if work.unit_size == "auto" else _size(work.unit_size, "--unit-size")
    longest = _size(work.max_row, "--max-row")
    seconds = _seconds(work.max_seconds)
    try:
        keep_folder_inside(Path(work.out))
    except FileError as error:
        raise CommandError(str(error)) from None
    own = project()

    from callwright.corpus.paths import steps_of
    from callwright.corpus.run import carry_out
    from callwright.corpus.units import RunOptions

    with _command_errors():
        for path in (work.messages, work.text):
            if path is not None:
                steps_of(path)
        run_options = RunOptions(
            own.registry,
            own.settings,
            out=str(Path(work.out).absolute()),
            messages=work.messages,
            text=work.text,
            seconds=seconds,
            longest=longest,
            unit=unit,
            task=task,
            **more,
        )
        bar = _bar()
        try:
            return carry_out(
                work.sources, run_options, engine_of(work, workers), bar.reported if bar is not None else None
            )
        finally:
            if bar is not None:
                bar.clear()


def _refuse_address(options: EngineOptions) -> None:
    if options.address is not None and options.engine != "ray":
        raise CommandError("`--address` needs `--engine ray`; add it, or remove `--address`")


def engine_of(options: EngineOptions, workers: int = 0) -> "Engine":
    """Return the engine that is asked for. Raises CommandError where its options are wrong."""
    _refuse_address(options)
    from callwright.corpus.engine import Engine

    return Engine(options.engine, options.address, workers)


@contextmanager
def results_of(options: ResultOptions) -> "Iterator[Results]":
    """Open the results of a check while something is done with them.

    Raises CommandError where there are none or the engine fails; an interrupt ends the process.
    """
    from callwright.corpus.engine import need

    with _command_errors():
        need(options.engine)
        from callwright.corpus.results import open_results

        yield open_results(options.folder)


@contextmanager
def _command_errors() -> Iterator[None]:
    """Raise a CommandError for what ends the work with a corpus; an interrupt ends the process."""
    from callwright.corpus.failure import CorpusError, WorkersLostError

    try:
        yield
    except WorkersLostError as error:
        leave(visible(str(error)), FAILURE)
    except CorpusError as error:
        raise CommandError(str(error)) from None
    except KeyboardInterrupt:
        leave()


def print_figures(options: Any, figures: Any, show: Callable[[Style], None]) -> None:
    """Print figures as JSON where that is asked for, else `show` them to a person who wants to see them."""
    if options.json:
        print(to_json(figures))
    elif not options.quiet:
        show(style_for(sys.stdout, options.color))


def print_read(summary: Mapping[str, Any], work: CorpusOptions) -> None:
    """Print what was read in the rows: where that is nothing, nothing was checked."""
    texts = [plural(summary["texts"], "text", "texts")] if work.text is not None else []
    talks = [plural(summary["conversations"], "conversation", "conversations")] if work.messages or not texts else []
    of_what = " or ".join([*(["a conversation"] if talks else []), *(["a text"] if texts else [])])
    read = ", ".join([*talks, *texts, plural(summary["calls_read"], "call", "calls")])
    empty = f", {plural(summary['empty'], 'empty line', 'empty lines')}" if summary["empty"] else ""
    print(f"{read} read; {plural(summary['silent'], 'row', 'rows')} without {of_what}{empty}.")


def print_counts(title: str, counts: Mapping[str, int], style: Style) -> None:
    """Print names with how often each was counted, the most frequent first; nothing where there is none."""
    if not counts:
        return
    print(f"\n{style('cyan', title)}")
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    for name, count in ordered[:_NAMED]:
        print(f"  {count:>9,}  {visible(name)}")
    if len(ordered) > _NAMED:
        print(f"  {sum(count for _, count in ordered[_NAMED:]):>9,}  {len(ordered) - _NAMED} others")


def _size(word: str, option: str) -> int:
    """Return the bytes that a size such as `64MB` means. Raises CommandError where it is none."""
    digits = word.upper().rstrip("KMGB")
    unit = word.upper()[len(digits) :]
    if not (digits.isascii() and digits.isdigit() and unit in _UNITS and int(digits[:12]) > 0):
        raise CommandError(f"`{option} {word}`: expected a size, as in `{option} 64MB`")
    return int(digits[:12]) * _UNITS[unit]


def _seconds(word: str) -> float:
    try:
        seconds = float(word)
    except ValueError:
        seconds = 0.0
    if not 0.0 < seconds <= 86_400.0:
        raise CommandError(f"`--max-seconds {word}`: write a number of seconds, as in `--max-seconds 10`")
    return seconds


def _bar() -> "RateBar | None":
    """Return the progress display, on a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        return None
    from callwright.cli.support.rate import RateBar

    return RateBar(sys.stderr, style_for(sys.stderr, "never").width)
