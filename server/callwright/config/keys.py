"""The keys of the configuration: the only list of their names, values and meanings.

Owns: `KEYS`, `OVERRIDE_KEYS` and the kinds of values. The reader, the JSON Schema, the page of the documentation and
completion are made from this table. Must not know: files, how a value is read, what a key changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

from callwright.templates.catalogue import template_names
from callwright.text.records import NamedTuple

SEVERITIES: Final = ("error", "warning", "info", "hint", "off")
MARKUPS: Final = ("xml", "raw")
REASONINGS: Final = ("mentions", "calls")
#: A document of 10 MB is read as a whole.
MAX_CHARACTERS: Final = 10 * 1024 * 1024


def _providers() -> tuple[str, ...]:
    """Return the profiles of transcripts and of tools; imported only where the key is used."""
    from callwright.tools.profiles import TOOL_PROVIDERS
    from callwright.transcripts.support.profiles import PROVIDERS

    return (*dict.fromkeys((*PROVIDERS[:-1], *TOOL_PROVIDERS, PROVIDERS[-1])),)


class Text(NamedTuple):
    """Any text but the empty one; `path` where it names files."""

    path: bool = False


class Flag(NamedTuple):
    """`true` or `false`."""


class Count(NamedTuple):
    """A whole number of 1 or more."""


class Word(NamedTuple):
    """One of a few texts; `what` describes them."""

    words: Callable[[], tuple[str, ...]]
    what: str


class Selector(NamedTuple):
    """The code or name of a rule, the beginning of a code, or `ALL`."""


class ListOf(NamedTuple):
    """A list of values of one kind."""

    item: Kind


class TableOf(NamedTuple):
    """A table with rules for keys and values of one kind."""

    value: Kind


class Either(NamedTuple):
    """A value of one kind, or a list of another; `what` describes both."""

    one: Kind
    many: ListOf
    what: str


class Overrides(NamedTuple):
    """A list of tables with `OVERRIDE_KEYS`."""


Kind: TypeAlias = Text | Flag | Count | Word | Selector | ListOf | TableOf | Either | Overrides


class Key(NamedTuple):
    """One key: its kind of values, its meaning, its default, and examples of its values.

    `adds_to` is the key that its values are added to.
    """

    name: str
    kind: Kind
    about: str
    examples: tuple[Any, ...] = ()
    default: Any = None
    adds_to: str | None = None


@cache
def known_dialects() -> tuple[str, ...]:
    """Return the names of the dialects, by listing their room."""
    return _names_in("dialects")


@cache
def known_rule_names() -> tuple[str, ...]:
    """Return the names of the rules, by listing their room; their codes are inside the files."""
    return _names_in("rules")


def _names_in(room: str) -> tuple[str, ...]:
    files = (Path(__file__).parents[1] / room).glob("*.py")
    others = ("__init__", "base", "catalogue")
    return tuple(sorted(file.stem.replace("_", "-") for file in files if file.stem not in others))


def _template_languages() -> tuple[str, ...]:
    return (*template_names(), "none")


def _shipped_sets() -> tuple[str, ...]:
    from callwright.tools.shipped import shipped_sets

    return shipped_sets()


_PATHS: Final = ListOf(Text(path=True))
_DIALECT: Final = Word(known_dialects, "a dialect")

#: Keys for all files that an override can also set.
_COMMON: Final = (
    Key(
        "tools",
        _PATHS,
        "Tool files, as paths or patterns relative to the configuration file. A prompt that documents its tools is "
        "one, too. If set, a call of an unknown tool is an error.",
        (["tools/*.json"],),
    ),
    Key(
        "extend_tools",
        _PATHS,
        "Tool files to add to those in `tools`.",
        (["tools/more.json"],),
        adds_to="tools",
    ),
    Key(
        "shipped",
        Either(Flag(), ListOf(Word(_shipped_sets, "a shipped tool set")), "`true`, `false` or a list of tool sets"),
        "Whether to use the tool sets shipped with Callwright, or the names of those to use. If sets are named, a "
        "call of an unknown tool is an error, as with tool files. By default all sets are offered for completion "
        "where no tool file is configured.",
        (["cline"], False),
    ),
    Key(
        "dialect",
        _DIALECT,
        "The dialect that every call should be written in. By default any dialect is accepted.",
        ("xml-json",),
    ),
    Key(
        "accept",
        ListOf(_DIALECT),
        "Dialects to accept in addition to `dialect`, for example during a migration.",
        (["xml-children"],),
    ),
    Key(
        "extend_accept",
        ListOf(_DIALECT),
        "Dialects to add to those in `accept`.",
        (["invoke"],),
        adds_to="accept",
    ),
    Key(
        "strict",
        Flag(),
        "Strict mode: every call must be valid and in one dialect, and text that is written like a call of an "
        "unknown tool is an error: a tag that contains JSON or only elements, an object with a call's keys, a result "
        "that no tool returned.",
        (True,),
        default=False,
    ),
    Key(
        "select",
        ListOf(Selector()),
        "Rules to enable, as codes, code prefixes or names; all other rules are disabled. An empty list enables"
        " every rule.",
        (["TC2", "unknown-tool"],),
    ),
    Key(
        "extend_select",
        ListOf(Selector()),
        "Rules to add to those in `select`. If `select` is not set, every rule is enabled.",
        (["TC401"],),
        adds_to="select",
    ),
    Key(
        "ignore",
        ListOf(Selector()),
        "Rules to disable, as codes, code prefixes or names. Takes precedence over `select`.",
        (["TC401"],),
    ),
    Key(
        "extend_ignore",
        ListOf(Selector()),
        "Rules to add to those in `ignore`.",
        (["unknown-argument"],),
        adds_to="ignore",
    ),
    Key(
        "severity",
        TableOf(Word(lambda: SEVERITIES, "a severity")),
        "Severity of rules, by code, name or code prefix. A code or name takes precedence over a prefix, a longer "
        "prefix over a shorter one. A table in an override or an extending file changes only the entries it contains.",
        ({"unknown-argument": "warning", "TC113": "off"},),
    ),
    Key(
        "markup",
        Word(lambda: MARKUPS, "a markup"),
        "How text in elements is written: `xml` (escaped) or `raw` (literal). Overrides the tool set, the dialect "
        "and the document. If none of them states it, `<` and `&` in a value are only reported in strict mode.",
        ("raw",),
    ),
    Key(
        "reasoning",
        Word(lambda: REASONINGS, "a way to treat reasoning"),
        "How to treat calls inside reasoning blocks such as `<think>`: ignore them, or check them like all other "
        "calls.",
        ("calls",),
        default="mentions",
    ),
    Key(
        "answer_tags",
        ListOf(Text()),
        "Tags that an answer may contain. In strict mode, any other tag that is written like a call is read as one.",
        (["answer", "plan"],),
    ),
    Key(
        "provider",
        Word(_providers, "a provider"),
        "The provider rules to validate transcripts and tool files against, instead of those of the format they are "
        "in; `none` disables them.",
        ("anthropic",),
    ),
    Key(
        "template",
        Word(_template_languages, "a template language"),
        "The template language of the files, instead of the one that the file name implies; `none` for no language. "
        "A line at the top of a file, such as `{# callwright: template=jinja #}`, takes precedence.",
        ("jinja",),
    ),
    Key(
        "placeholders",
        Flag(),
        "Whether `...` and texts such as `File path here` are placeholders for values, as in prompts. Set it to "
        "false for text written by a model.",
        (False,),
        default=True,
    ),
    Key(
        "max_mistakes",
        Count(),
        "Number of calls in a row that must fail in a transcript before it is reported. A success resets the count.",
        (5,),
        default=3,
    ),
)

#: Keys that an override cannot set.
_ONCE: Final = (
    Key(
        "extend",
        Either(Text(path=True), _PATHS, "a path or a list of paths"),
        "Configuration files to extend, relative to this file. Settings in this file override theirs, and later "
        "files override earlier ones. Paths in such a file are relative to that file.",
        ("../callwright.toml",),
    ),
    Key(
        "files",
        _PATHS,
        "Patterns of files to check in addition to `*.prompt`, `*.prompty`, `*.poml` and `*.toolcall`. By default, "
        "files are discovered by the usual names of prompts, and by calls and documented tools in them.",
        (["prompts/**"],),
    ),
    Key(
        "extend_files",
        _PATHS,
        "Patterns of files to check in addition to those in `files` or those discovered.",
        (["*.md"],),
        adds_to="files",
    ),
    Key("exclude", _PATHS, "Patterns of files never to check.", (["prompts/old/**"],)),
    Key(
        "extend_exclude",
        _PATHS,
        "Patterns of files to add to those in `exclude`.",
        (["drafts/**"],),
        adds_to="exclude",
    ),
    Key(
        "baseline",
        Text(path=True),
        "Baseline file with known diagnostics, which `callwright check` does not report. `--write-baseline` writes it; "
        "`--baseline` takes precedence. An editor shows all diagnostics.",
        ("known.json",),
    ),
    Key(
        "respect_gitignore",
        Flag(),
        "Whether to skip files that git ignores when a folder is checked on the command line.",
        (False,),
        default=True,
    ),
    Key(
        "max_characters",
        Count(),
        "Maximum length of a document, in characters, for full checking in an editor. A longer document is not "
        "checked, and a diagnostic at its top says so; completion, hover and signature help use the text around the "
        "cursor. The command line checks it anyway, and warns that this takes long.",
        (50_000_000,),
        default=MAX_CHARACTERS,
    ),
)

_OVERRIDES: Final = Key(
    "overrides",
    Overrides(),
    "Settings for some files: tables with `files`, patterns of the files that a table applies to, and the keys that"
    " differ. If several tables match a file, later ones take precedence.",
    ([{"files": ["legacy/**"], "dialect": "xml-children", "extend_ignore": ["TC401"]}],),
)

#: Further keys of an override.
_WHERE: Final = (
    Key("files", _PATHS, "Patterns of the files that the table applies to.", (["legacy/**"],)),
    Key("exclude", _PATHS, "Patterns of files that the table does not apply to.", (["legacy/new/**"],)),
)

KEYS: Final[Mapping[str, Key]] = {
    key.name: key for key in (_ONCE[0], *_COMMON[:2], *_ONCE[1:], *_COMMON[2:], _OVERRIDES)
}
OVERRIDE_KEYS: Final[Mapping[str, Key]] = {key.name: key for key in (*_WHERE, *_COMMON)}
#: Which key the values of another are added to.
ADDS_TO: Final[Mapping[str, str]] = {key.name: key.adds_to for key in (*_COMMON, *_ONCE) if key.adds_to is not None}


def takes(kind: Kind) -> str:
    """Return a description of the values that a key accepts."""
    match kind:
        case Text():
            return "a path" if kind.path else "a string"
        case Flag():
            return "`true` or `false`"
        case Count():
            return "a whole number of 1 or more"
        case Word():
            words = " or ".join(f'`"{word}"`' for word in kind.words())
            return f"{kind.what}: {words}"
        case Selector():
            return "the code or name of a rule, a code prefix, or `ALL`"
        case ListOf():
            return f"a list of strings, each {takes(kind.item)}"
        case TableOf():
            return f"a table of rules, each with {takes(kind.value)}"
        case Either():
            return f"{takes(kind.one)}, or {takes(kind.many)}"
        case Overrides():
            return "a list of tables"
