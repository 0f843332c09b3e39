"""The keys of the configuration: the one place that says which there are, what each takes and what it does.

Owns: `KEYS`, `OVERRIDE_KEYS` and the kinds of values. The reader, the JSON Schema, the page of the documentation and
completion are made from this table. Must not know: files, how a value is read, what a key changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from callwright.templates.catalogue import template_names

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
    """One of a few texts; `what` says in words what they are."""

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
    """A value of one kind, or a list of another; `what` says in words what is expected."""

    one: Kind
    many: ListOf
    what: str


class Overrides(NamedTuple):
    """A list of tables with `OVERRIDE_KEYS`."""


Kind: TypeAlias = Text | Flag | Count | Word | Selector | ListOf | TableOf | Either | Overrides


class Key(NamedTuple):
    """One key: what it takes, what it does, what holds without it, and examples of its values.

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
    """Return the names of the rules, by listing their room; their codes stand inside the files."""
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

#: What may be said for every file and for some.
_COMMON: Final = (
    Key(
        "tools",
        _PATHS,
        "Tool files, as paths or patterns relative to the configuration file. A prompt that documents its tools is one,"
        " too. With them a name that no tool has is an error.",
        (["tools/*.json"],),
    ),
    Key(
        "extend_tools",
        _PATHS,
        "Tool files beside those that are named already.",
        (["tools/more.json"],),
        adds_to="tools",
    ),
    Key(
        "shipped",
        Either(Flag(), ListOf(Word(_shipped_sets, "a shipped tool set")), "`true`, `false` or a list of tool sets"),
        "Whether the tool sets that travel with Callwright are offered too, or the names of those that are. Sets that"
        " are named are as closed as tool files: a name that no tool has is an error. Without the key all sets are"
        " offered where no tool file is named.",
        (["cline"], False),
    ),
    Key("dialect", _DIALECT, "The dialect that every call should be written in; any where absent.", ("xml-json",)),
    Key(
        "accept",
        ListOf(_DIALECT),
        "Further dialects that are read without complaint, while a migration lasts.",
        (["xml-children"],),
    ),
    Key(
        "extend_accept",
        ListOf(_DIALECT),
        "Dialects to accept beside those that are accepted already.",
        (["invoke"],),
        adds_to="accept",
    ),
    Key(
        "strict",
        Flag(),
        "Zero tolerance: one dialect, every call perfect, and what is written like a call of an unknown tool is an"
        " error: a tag that holds JSON or only elements, an object with a call's keys, a result that no tool gave.",
        (True,),
        default=False,
    ),
    Key(
        "select",
        ListOf(Selector()),
        "Codes, beginnings of codes or names of the only rules to apply. An empty list stands for every rule.",
        (["TC2", "unknown-tool"],),
    ),
    Key(
        "extend_select",
        ListOf(Selector()),
        "Rules to apply beside those that are selected already; where none are, every rule applies.",
        (["TC401"],),
        adds_to="select",
    ),
    Key(
        "ignore",
        ListOf(Selector()),
        "Codes, beginnings of codes or names of rules not to apply. It goes before `select`.",
        (["TC401"],),
    ),
    Key(
        "extend_ignore",
        ListOf(Selector()),
        "Rules not to apply beside those that are ignored already.",
        (["unknown-argument"],),
        adds_to="ignore",
    ),
    Key(
        "severity",
        TableOf(Word(lambda: SEVERITIES, "a severity")),
        "Severity of rules, by code, name or beginning of a code: what names a rule wholly goes before a beginning of"
        " its code, a longer one before a shorter one. Said again elsewhere, the table changes the entries it holds"
        " and leaves the others.",
        ({"unknown-argument": "warning", "TC113": "off"},),
    ),
    Key(
        "markup",
        Word(lambda: MARKUPS, "a markup"),
        "How text in elements is written, whatever the tool sets say. Without it, the tool set, the dialect or the"
        " document may say it; where none does, `<` and `&` in a value are no finding, but where reading is strict.",
        ("raw",),
    ),
    Key(
        "reasoning",
        Word(lambda: REASONINGS, "a way to take reasoning"),
        "What calls inside reasoning blocks (`<think>` and its kin) are: mentions, which nobody carries out and which"
        " are not checked, or calls like all others.",
        ("calls",),
        default="mentions",
    ),
    Key(
        "answer_tags",
        ListOf(Text()),
        "Tags that an answer may hold. Where `strict` is set, any other tag that is written like a call is taken for"
        " one.",
        (["answer", "plan"],),
    ),
    Key(
        "provider",
        Word(_providers, "a provider"),
        "The provider whose demands transcripts and tool files are held against, in place of the one that their shape"
        " belongs to; `none` demands nothing.",
        ("anthropic",),
    ),
    Key(
        "template",
        Word(_template_languages, "a template language"),
        "The template language that texts are written in, in place of what a file's name says; `none` for no language."
        " A line at the top of a file, such as `{# callwright: template=jinja #}`, goes before it.",
        ("jinja",),
    ),
    Key(
        "placeholders",
        Flag(),
        "Whether `...` and texts such as `File path here` stand for values, as they do in prompts. Where a model has"
        " written the text, nothing stands for anything.",
        (False,),
        default=True,
    ),
    Key(
        "max_mistakes",
        Count(),
        "How many calls of a transcript may fail in a row, the last one counted, before it is a finding. A success"
        " begins anew.",
        (5,),
        default=3,
    ),
)

#: What is said once for all files.
_ONCE: Final = (
    Key(
        "extend",
        Either(Text(path=True), _PATHS, "a path or a list of paths"),
        "Configuration files that this one builds on, relative to it: what they say counts as if it stood above. Of"
        " several, a later one goes before an earlier one. Paths in such a file are relative to that file.",
        ("../callwright.toml",),
    ),
    Key(
        "files",
        _PATHS,
        "Patterns of files to check besides `*.prompt`, `*.prompty`, `*.poml` and `*.toolcall`. Without it, the files"
        " of a folder are found: by the names that prompts have, and by calls and documented tools in them.",
        (["prompts/**"],),
    ),
    Key(
        "extend_files",
        _PATHS,
        "Patterns of files to check beside those that are named already, or are found.",
        (["*.md"],),
        adds_to="files",
    ),
    Key("exclude", _PATHS, "Patterns of files never to check.", (["prompts/old/**"],)),
    Key(
        "extend_exclude",
        _PATHS,
        "Patterns of files never to check beside those that are named already.",
        (["drafts/**"],),
        adds_to="exclude",
    ),
    Key(
        "respect_gitignore",
        Flag(),
        "Whether a folder that is checked on the command line leaves out what git ignores.",
        (False,),
        default=True,
    ),
    Key(
        "max_characters",
        Count(),
        "How long a document may be for an editor to have all of it read. Of a longer one nothing is checked, which is"
        " said at its top; completion, hover and signatures look at what stands around the cursor. The command line"
        " reads it all the same, and says beforehand that this takes long.",
        (50_000_000,),
        default=MAX_CHARACTERS,
    ),
)

_OVERRIDES: Final = Key(
    "overrides",
    Overrides(),
    "What differs for some files: tables with `files`, patterns of the files that a table is for, and the keys that"
    " differ. Tables are gone through from top to bottom, and a later one that fits goes before an earlier one.",
    ([{"files": ["legacy/**"], "dialect": "xml-children", "extend_ignore": ["TC401"]}],),
)

#: What an override needs besides.
_WHERE: Final = (
    Key("files", _PATHS, "Patterns of the files that the table is for.", (["legacy/**"],)),
    Key("exclude", _PATHS, "Patterns of files that it is not for all the same.", (["legacy/new/**"],)),
)

KEYS: Final[Mapping[str, Key]] = {
    key.name: key for key in (_ONCE[0], *_COMMON[:2], *_ONCE[1:], *_COMMON[2:], _OVERRIDES)
}
OVERRIDE_KEYS: Final[Mapping[str, Key]] = {key.name: key for key in (*_WHERE, *_COMMON)}
#: Which key the values of another are added to.
ADDS_TO: Final[Mapping[str, str]] = {key.name: key.adds_to for key in (*_COMMON, *_ONCE) if key.adds_to is not None}


def takes(kind: Kind) -> str:
    """Return in words which values a key takes."""
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
            return "the code or name of a rule, the beginning of a code, or `ALL`"
        case ListOf():
            return f"a list of strings, each {takes(kind.item)}"
        case TableOf():
            return f"a table whose keys name rules, and whose values are each {takes(kind.value)}"
        case Either():
            return f"{takes(kind.one)}, or {takes(kind.many)}"
        case Overrides():
            return "a list of tables"
