"""Groups of options that commands share.

Owns: what each of them is called, takes, means and overrides in a configuration. Must not know: single commands, how
a configuration is read.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

from callwright.cli.support.failure import CLEAN, HAS_DIAGNOSTICS, CommandError
from callwright.cli.support.files import absolute
from callwright.cli.support.options import Options, option
from callwright.path_patterns import is_pattern


def _tool_files(words: Sequence[str]) -> list[str]:
    """Return tool files as absolute paths. Raises CommandError where there is no such file."""
    for file in words:
        if not is_pattern(file) and not Path(file).exists():
            raise CommandError(f"`--tools {file}`: file not found; check the path")
    return [str(absolute(Path(file))) for file in words]


def _split(words: Sequence[str]) -> list[str]:
    return [part.strip() for word in words for part in word.split(",") if part.strip()]


def _severities(words: Sequence[str]) -> dict[str, str]:
    return dict(_assigned(word) for word in _split(words))


def _assigned(word: str) -> tuple[str, str]:
    """Take `unknown-tool=warning` apart. Raises CommandError where it is nothing of the kind."""
    name, equals, level = (part.strip() for part in word.partition("="))
    if not (name and equals and level):
        raise CommandError(
            f"`--severity {word}`: expected a rule and a severity, as in `--severity unknown-tool=warning`"
        )
    return name, level


def counted(word: str | None) -> int | None:
    """Return the number that `--max-mistakes` gives. Raises CommandError where it gives none."""
    return None if word is None else whole_number(word, "--max-mistakes", "as in `--max-mistakes 5`")


def whole_number(word: str, option: str, remedy: str) -> int:
    """Return the number that an option gives. Raises CommandError where it gives none, with the remedy."""
    if not (word.isascii() and word.isdigit() and int(word[:9]) > 0):
        raise CommandError(f"`{option} {word}`: expected an integer of 1 or more, {remedy}")
    return int(word[:9])


def _sets(words: Sequence[str]) -> list[str] | bool:
    """Return the shipped tool sets that are named; `all` means every one."""
    names = _split(words)
    return True if "all" in names else names


def _same(value: Any) -> Any:
    """Return a value that a configuration writes as the command line does."""
    return value


class ProjectOptions(Options, group=True, section="Input"):
    """The configuration to use; what a command's options override in it is known of each option."""

    isolated: bool = option("Ignore configuration files.", default=False)
    config: str | None = option(
        "Use this configuration file instead of the one found near the input.", default=None, value="PATH"
    )

    def as_mapping(self) -> Mapping[str, Any]:
        """Return the given options under the keys of `callwright.toml`. Raises CommandError for a value of no sense."""
        stated = {one.name: one.setting(getattr(self, one.name)) for one in self.every if one.setting is not None}
        return {key: value for key, value in stated.items() if value}


class ToolOptions(Options, group=True, section="Tools and dialect"):
    """The tools that calls may name."""

    tools: tuple[str, ...] = option(
        "Use the tools defined in this file instead of the configured ones. Repeatable.",
        default=(),
        setting=_tool_files,
        value="PATH",
    )


class DialectOptions(Options, group=True, section="Tools and dialect"):
    """The dialects that calls are written in."""

    dialect: str | None = option("Expect calls in this dialect.", default=None, setting=_same)
    accept: tuple[str, ...] = option(
        "Allow calls in this dialect, too. Repeatable.", default=(), setting=_split, value="DIALECT"
    )
    strict: bool = option("Allow only the expected dialect, without any deviation.", default=False, setting=_same)


class RuleOptions(Options, group=True, section="Rules"):
    """The rules that are applied."""

    select: tuple[str, ...] = option(
        "Enable only these rules: codes, code prefixes or names, separated by commas.",
        default=(),
        setting=_split,
        value="RULE",
    )
    extend_select: tuple[str, ...] = option(
        "Enable these rules in addition to the selected ones.", default=(), setting=_split, value="RULE"
    )
    ignore: tuple[str, ...] = option(
        "Disable these rules: codes, code prefixes or names, separated by commas.",
        default=(),
        setting=_split,
        value="RULE",
    )
    severity: tuple[str, ...] = option(
        "Change the severity of a rule to `error`, `warning`, `info`, `hint` or `off`, as in `unknown-tool=warning`.",
        default=(),
        setting=_severities,
        value="RULE=LEVEL",
    )


class MarkupOptions(Options, group=True, section="Tools and dialect"):
    """How elements are written."""

    markup: str | None = option(
        "How the text of elements is written: `xml` (with entities and CDATA) or `raw` (literally).",
        default=None,
        setting=_same,
    )


class ReadingOptions(Options, group=True, section="Tools and dialect"):
    """What texts and transcripts are read as."""

    reasoning: str | None = option(
        "How to treat calls in reasoning such as `<think>`: `mentions` (ignore them) or `calls` (check them).",
        default=None,
        setting=_same,
        value="MODE",
    )
    provider: str | None = option(
        "Check transcripts against the rules of this provider, such as `openai` or `anthropic`; `none` turns this off.",
        default=None,
        setting=_same,
    )
    template: str | None = option(
        "Read files as templates of this language, such as `jinja`, or as plain text with `none`. A directive at the"
        " top of a file takes precedence.",
        default=None,
        setting=_same,
        value="LANGUAGE",
    )
    max_mistakes: str | None = option(
        "Report a transcript in which more than this number of calls fail in a row. Default: 3.",
        default=None,
        setting=counted,
        value="NUMBER",
    )


class ShippedOptions(Options, group=True, section="Tools and dialect"):
    """The tools of products that Callwright knows."""

    shipped: tuple[str, ...] = option(
        "Also use this shipped tool set, such as `cline`, or `all` of them. Repeatable.",
        default=(),
        setting=_sets,
        value="NAME",
    )


class FileOptions(Options, group=True, section="Input"):
    """The files that a folder means."""

    files: tuple[str, ...] = option(
        "Also check the files in folders that match this pattern, as in `docs/**`. Repeatable.",
        default=(),
        value="PATTERN",
    )
    exclude: tuple[str, ...] = option(
        "Skip the files in folders that match this pattern. Repeatable.", default=(), value="PATTERN"
    )
    force_exclude: bool = option(
        "Skip excluded files even when they are named on the command line, as a pre-commit hook does.", default=False
    )
    no_respect_gitignore: bool = option("Check files that `.gitignore` excludes, too.", default=False)


class InputOptions(Options, group=True, section="Input"):
    """What standard input is."""

    stdin_filename: str | None = option("Treat standard input as the content of this file.", default=None, value="PATH")


class JsonOptions(Options, group=True, section="Output"):
    """How results are printed."""

    json: bool = option("Print JSON.", default=False)


class PageOptions(Options, group=True, section="Output"):
    """The page that is written."""

    output_file: str = option(
        "Write the page to this file; `-` means standard output.", default="report.html", short="-o", value="PATH"
    )
    title: str | None = option("The title of the page. Default: the paths.", default=None, value="TEXT")


class TargetOptions(Options, group=True):
    """What calls become."""

    to: str = option("The dialect to convert to. `callwright dialect` lists all dialects.", value="DIALECT")


#: The severities, the most severe first.
Level = Literal["error", "warning", "info", "hint"]


class ExitOptions(Options, group=True, section="Output"):
    """What the exit code depends on."""

    exit_severity: Level = option(
        "Exit with 1 for diagnostics of this severity or a higher one. Default: warning.",
        default="warning",
        value="LEVEL",
    )
    exit_zero: bool = option("Exit with 0 even if there are diagnostics.", default=False)

    def exit_code(self, severities: Collection[str]) -> int:
        """Return the exit code where diagnostics of these severities are reported."""
        levels = get_args(Level)
        failing = levels[: levels.index(self.exit_severity) + 1]
        return HAS_DIAGNOSTICS if not self.exit_zero and any(level in severities for level in failing) else CLEAN


class ColorOptions(Options, group=True, section="Output"):
    """Colours on the terminal."""

    color: Literal["auto", "always", "never"] = option(
        "When to use colors; `auto` means only on a terminal.", default="auto", value="WHEN"
    )


class QuietOptions(Options, group=True, section="Output"):
    """What is printed beside results."""

    quiet: bool = option("Print nothing on success.", default=False, short="-q")
