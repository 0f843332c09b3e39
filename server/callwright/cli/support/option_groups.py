"""Groups of options that commands share.

Owns: what each of them is called, takes, means and overrides in a configuration. Must not know: single commands, how
a configuration is read.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from callwright.cli.support.failure import CommandError
from callwright.cli.support.files import absolute
from callwright.cli.support.options import Options, option
from callwright.path_patterns import is_pattern


def _tool_files(words: Sequence[str]) -> list[str]:
    """Return tool files as absolute paths. Raises CommandError where there is no such file."""
    for file in words:
        if not is_pattern(file) and not Path(file).exists():
            raise CommandError(f"`--tools {file}`: there is no such file; check the path")
    return [str(absolute(Path(file))) for file in words]


def _split(words: Sequence[str]) -> list[str]:
    return [part.strip() for word in words for part in word.split(",") if part.strip()]


def _severities(words: Sequence[str]) -> dict[str, str]:
    return dict(_assigned(word) for word in _split(words))


def _assigned(word: str) -> tuple[str, str]:
    """Take `unknown-tool=warning` apart. Raises CommandError where it is nothing of the kind."""
    name, equals, level = (part.strip() for part in word.partition("="))
    if not (name and equals and level):
        raise CommandError(f"`--severity {word}`: write a rule and a severity, as in `--severity unknown-tool=warning`")
    return name, level


def counted(word: str | None) -> int | None:
    """Return the number that `--max-mistakes` gives. Raises CommandError where it gives none."""
    return None if word is None else whole_number(word, "--max-mistakes", "as in `--max-mistakes 5`")


def whole_number(word: str, option: str, remedy: str) -> int:
    """Return the number that an option gives. Raises CommandError where it gives none, with the remedy."""
    if not (word.isascii() and word.isdigit() and int(word[:9]) > 0):
        raise CommandError(f"`{option} {word}`: write a whole number of 1 or more, {remedy}")
    return int(word[:9])


def _sets(words: Sequence[str]) -> list[str] | bool:
    """Return the shipped tool sets that are named; `all` stands for every one."""
    names = _split(words)
    return True if "all" in names else names


def _same(value: Any) -> Any:
    """Return a value that a configuration writes as the command line does."""
    return value


class ProjectOptions(Options, group=True, closing=True):
    """Which configuration counts; what else a command's options override in it is known of each."""

    isolated: bool = option("Heed no configuration file.", default=False)
    config: str | None = option("The configuration file to heed, wherever it lies.", default=None)

    def as_mapping(self) -> Mapping[str, Any]:
        """Return what is said, under the keys of `callwright.toml`. Raises CommandError where it makes no sense."""
        said = {one.name: one.setting(getattr(self, one.name)) for one in self.every if one.setting is not None}
        return {key: value for key, value in said.items() if value}


class ToolOptions(Options, group=True):
    """The tools that calls may name."""

    tools: tuple[str, ...] = option(
        "A file that defines tools, in place of the configuration's; may be given several times.",
        default=(),
        setting=_tool_files,
    )


class DialectOptions(Options, group=True):
    """The dialects that calls are written in."""

    dialect: str | None = option("The dialect that calls are to be written in.", default=None, setting=_same)
    accept: tuple[str, ...] = option(
        "A further dialect that is read without complaint; may be given several times.", default=(), setting=_split
    )
    strict: bool = option("Zero tolerance: one dialect, and every call perfect.", default=False, setting=_same)


class RuleOptions(Options, group=True):
    """The rules that are applied."""

    select: tuple[str, ...] = option(
        "Codes, beginnings of codes or names of the rules to apply, with commas between them.",
        default=(),
        setting=_split,
    )
    extend_select: tuple[str, ...] = option(
        "Rules to apply beside those that are selected already, in the same way.", default=(), setting=_split
    )
    ignore: tuple[str, ...] = option(
        "Codes, beginnings of codes or names of rules to leave out, with commas between them.",
        default=(),
        setting=_split,
    )
    severity: tuple[str, ...] = option(
        "What a rule's findings count as, as in `unknown-tool=warning`: error, warning, info, hint or off.",
        default=(),
        setting=_severities,
    )


class MarkupOptions(Options, group=True):
    """How elements are written."""

    markup: str | None = option(
        "How element text is written: `xml`, with entities and CDATA, or `raw`, literally.", default=None, setting=_same
    )


class ReadingOptions(Options, group=True):
    """What texts and transcripts are read as."""

    reasoning: str | None = option(
        "What calls in reasoning blocks such as `<think>` are: `mentions`, which are not checked, or `calls`.",
        default=None,
        setting=_same,
    )
    provider: str | None = option(
        "The provider whose demands transcripts are held against, such as `openai`, `anthropic` or `none`.",
        default=None,
        setting=_same,
    )
    template: str | None = option(
        "The template language that texts are written in, such as `jinja`, or `none`; a line at the top goes before"
        " it.",
        default=None,
        setting=_same,
    )
    max_mistakes: str | None = option(
        "How many calls of a transcript may fail in a row before it is a finding; 3 if nothing is said.",
        default=None,
        setting=counted,
    )


class ShippedOptions(Options, group=True):
    """The tools of products that Callwright knows."""

    shipped: tuple[str, ...] = option(
        "A shipped tool set to use beside the tools given, or `all`; may be given several times.",
        default=(),
        setting=_sets,
    )


class FileOptions(Options, group=True):
    """The files that a folder means."""

    files: tuple[str, ...] = option(
        "A pattern of further files that a folder means, as in `docs/**`; may be given several times.", default=()
    )
    exclude: tuple[str, ...] = option(
        "A pattern of files that a folder does not mean; may be given several times.", default=()
    )
    force_exclude: bool = option(
        "Leave out what is excluded also where it is named itself, as a hook names what has changed.", default=False
    )
    no_respect_gitignore: bool = option("Let a folder mean files that git ignores, too.", default=False)


class InputOptions(Options, group=True, closing=True):
    """What standard input is."""

    stdin_filename: str | None = option("The file that standard input is to be taken for.", default=None)


class FormatOptions(Options, group=True, closing=True):
    """How results are printed."""

    output_format: Literal["text", "json"] = option("`text` for people, `json` for programs.", default="text")


class PageOptions(Options, group=True):
    """The page that is written."""

    output_file: str = option("Where the page goes; `-` means standard output.", default="report.html", short="-o")
    title: str | None = option("What the page is called; the paths if nothing is said.", default=None)


class TargetOptions(Options, group=True):
    """What calls become."""

    to: str = option("The dialect to write; `callwright dialect` lists them.")


class ExitOptions(Options, group=True):
    """What the exit code says."""

    exit_zero: bool = option("End with 0 also where there are findings.", default=False)


class ColorOptions(Options, group=True, closing=True):
    """Colours on the terminal."""

    color: Literal["auto", "always", "never"] = option(
        "Whether to use colours; `auto` means on a terminal.", default="auto"
    )


class QuietOptions(Options, group=True, closing=True):
    """What is printed beside results."""

    quiet: bool = option("Print nothing where all went well.", default=False, short="-q")
