"""Reading: a table of the configuration, as TOML or an editor gives it, becomes values that hold and problems.

Owns: `Reader`, `Source`, the words of what is wrong with a key or a value. Must not know: files on disk, which table
goes before which.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from callwright.config.keys import (
    KEYS,
    OVERRIDE_KEYS,
    Count,
    Either,
    Flag,
    Key,
    Kind,
    ListOf,
    Overrides,
    Selector,
    TableOf,
    Text,
    Word,
    known_rule_names,
)
from callwright.config.tables import Pattern, Table
from callwright.syntax.problem import Problem
from callwright.text.patterns import compile_later
from callwright.text.records import replace
from callwright.text.span import Edit, Span
from callwright.tools.names import nearest

if TYPE_CHECKING:
    from callwright.syntax.toml_places import Path as KeyPath
    from callwright.syntax.toml_places import TomlPlaces

UNKNOWN_KEY: Final = "config-unknown-key"
INVALID_VALUE: Final = "config-invalid-value"

#: How many problems of one file are reported; more are of no use, and the search for what was meant takes time.
MAX_PROBLEMS: Final = 500
#: How many overrides one file may hold.
MAX_OVERRIDES: Final = 1000

#: What other tools call the severities.
_SYNONYMS: Final = {"warn": "warning", "information": "info", "none": "off", "disabled": "off", "err": "error"}
#: What other tools call our keys.
_OTHER_NAMES: Final = {
    "extends": "extend", "include": "files", "includes": "files", "ignores": "exclude", "ignore-patterns": "exclude",
    "rules": "severity", "override": "overrides", "per-file-ignores": "overrides",
}  # fmt: skip
_FLAGS: Final = {
    "true": "true", "yes": "true", "on": "true", "1": "true", "false": "false", "no": "false", "off": "false",
    "0": "false",
}  # fmt: skip
_NUMBER = compile_later(r"[1-9][0-9]{0,8}")
_SELECTOR = compile_later(r"TC[0-9]{0,3}|ALL", re.IGNORECASE)

Names: TypeAlias = Collection[str] | None
FileProblem: TypeAlias = tuple[str | None, Problem]


class ConfigSource:
    """A configuration file as it was read; `prefix` leads to our table in it."""

    __slots__ = ("_places", "file", "prefix", "text")

    def __init__(self, file: Path, text: str, prefix: KeyPath = ()) -> None:
        self.file = file
        self.text = text
        self.prefix = prefix
        self._places: TomlPlaces | None = None

    @property
    def places(self) -> TomlPlaces:
        """Where its keys and values are; looked for when a problem with one is reported."""
        if self._places is None:
            from callwright.syntax.toml_places import TomlPlaces

            self._places = TomlPlaces(self.text)
        return self._places

    def span(self, path: KeyPath, *, at_key: bool = False) -> Span:
        """Return where a value (or its key) is, or the nearest thing around it."""
        whole = self.prefix + path
        return (self.places.key(whole) if at_key else None) or self.places.nearest(whole)


class Reader:
    """Checks the values of one file's tables, key by key, and keeps what can be used.

    `source` is None for a command line or an editor: there is nothing to edit, and problems are in no file.
    """

    def __init__(self, source: ConfigSource | None, folder: Path, known_rules: Names) -> None:
        self.problems: list[FileProblem] = []
        self._source = source
        self._folder = folder
        self._known_rules = known_rules

    def read(self, stated: Any) -> list[Table]:
        """Return the table for all files and those for some, with what holds of them."""
        if not isinstance(stated, Mapping):
            self.invalid((), "this must be a table", "write the keys under `[tool.callwright]`")
            return []
        values = self._values(stated, KEYS, ())
        if self._source is None and values.pop("extend", None) is not None:
            self.invalid(("extend",), "`extend` is allowed only in a configuration file", "move it there")
        overrides = values.pop("overrides", [])
        return [Table(values, self._source, self._folder), *overrides]

    def _values(self, stated: Mapping[str, Any], keys: Mapping[str, Key], path: KeyPath) -> dict[str, Any]:
        """Return the keys of a table that hold what they should; of a list with a wrong item, the right ones."""
        values: dict[str, Any] = {}
        for name, value in stated.items():
            key = keys.get(name)
            if key is None:
                self._unknown_key(name, keys, path, stated)
                continue
            checked = self._checked(key.kind, (*path, name), value)
            if checked is not None:
                values[name] = checked
        return values

    def invalid(
        self, path: KeyPath, reason: str, remedy: str, meant: str | None = None, *, at_key: bool = False
    ) -> None:
        """Note that the value (or the key) at a path is not what it should be.

        `meant` is the one that it was meant to be, as TOML has it.
        """
        span = self._span(path, at_key=at_key)
        data = {"key": shown(path), "reason": reason, "remedy": remedy}
        repair = (Edit(span, meant),) if meant is not None and span.start < span.end else ()
        self._add(Problem(INVALID_VALUE, span, data, repair, bool(repair)))

    def note(self, kind: str, path: KeyPath, data: Mapping[str, Any]) -> None:
        """Note a problem at the value of a path."""
        self._add(Problem(kind, self._span(path), {"key": shown(path), **data}))

    def _span(self, path: KeyPath, *, at_key: bool = False) -> Span:
        return self._source.span(path, at_key=at_key) if self._source is not None else Span(0, 0)

    def _near(self, name: str, candidates: Iterable[str]) -> str | None:
        return nearest(name, tuple(candidates)) if len(self.problems) < MAX_PROBLEMS else None

    def _add(self, problem: Problem) -> None:
        if len(self.problems) >= MAX_PROBLEMS:
            return
        if self._source is not None:
            self.problems.append((str(self._source.file), problem))
        else:
            self.problems.append((None, replace(problem, repair=(), certain=False)))

    def _unknown_key(self, name: str, keys: Mapping[str, Key], path: KeyPath, stated: Mapping[str, Any]) -> None:
        where = (*path, name)
        if path and name in KEYS:
            self._misplaced(name, where)
            return
        if not path and name == "tool":
            value = stated[name]
            if isinstance(value, Mapping) and isinstance(value.get("callwright"), Mapping):
                self._in_table(where)
                return
        other = _OTHER_NAMES.get(name)
        meant = other if other in keys else self._near(name, keys)
        remedy = f"write `{meant}`" if meant else f"the keys are {listed(keys)}"
        if meant in stated:
            remedy, meant = f"`{meant}` is already set: remove one of the two", None
        spans = self._source.places.keys((*self._source.prefix, *where)) if self._source is not None else ()
        repair = tuple(Edit(span, meant) for span in spans) if meant else ()
        # Below its right name a key may turn out to have a wrong value: then it is a guess what was meant.
        certain = bool(repair) and meant is not None and self._holds(keys[meant].kind, (*path, meant), stated[name])
        what = "not a key of an override" if path else "not a configuration key"
        data = {"key": shown(where), "reason": f"`{name}` is {what}", "remedy": remedy}
        self._add(Problem(UNKNOWN_KEY, self._span(where, at_key=True), data, repair, certain))

    def _in_table(self, where: KeyPath) -> None:
        reason = "the table `[tool.callwright]` belongs in `pyproject.toml` and is ignored here"
        data = {"key": shown(where), "reason": reason, "remedy": "remove its header and keep its keys"}
        self._add(Problem(UNKNOWN_KEY, self._span(where, at_key=True), data))

    def _misplaced(self, name: str, where: KeyPath) -> None:
        reason = f"`{name}` applies to all files and cannot be set in an override"
        data = {"key": shown(where), "reason": reason, "remedy": "move it above the first override"}
        self._add(Problem(UNKNOWN_KEY, self._span(where, at_key=True), data))

    def _checked(self, kind: Kind, path: KeyPath, value: Any) -> Any:
        """Return a value as it is used, None where nothing of it is."""
        match kind:
            case Text():
                return self._text(path, value)
            case Flag():
                return self._flag(path, value)
            case Count():
                return self._count(path, value)
            case Word():
                return self._word(path, value, kind)
            case Selector():
                return self._selector(path, value)
            case ListOf():
                return self._list(kind, path, value)
            case TableOf():
                return self._table(kind, path, value)
            case Either():
                return self._either(kind, path, value)
            case Overrides():
                return self._overrides(path, value)

    def _text(self, path: KeyPath, value: Any) -> str | None:
        if isinstance(value, str) and value and "\0" not in value:
            return value
        self.invalid(path, f"`{shown(path)}` is {_what(value)}; expected a string", 'write it in quotes: `"…"`')
        return None

    def _flag(self, path: KeyPath, value: Any) -> bool | None:
        if isinstance(value, bool):
            return value
        reason = f"`{shown(path)}` is {_what(value)}; expected `true` or `false`"
        meant = _FLAGS.get(value.lower()) if isinstance(value, str) else None
        self.invalid(path, reason, f"write `{meant}`" if meant else "write `true` or `false`", meant)
        return None

    def _count(self, path: KeyPath, value: Any) -> int | None:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if number and value >= 1 and value == value // 1 and value != float("inf"):
            return int(value)
        given = str(value) if number else _what(value)
        reason = f"`{shown(path)}` is {given}; expected a whole number of 1 or more"
        meant = value if isinstance(value, str) and _NUMBER.fullmatch(value) else None
        self.invalid(path, reason, f"write `{meant or 3}`", meant)
        return None

    def _word(self, path: KeyPath, value: Any, kind: Word) -> str | None:
        known = kind.words()
        if isinstance(value, str) and value in known:
            return value
        if not isinstance(value, str):
            reason = f"`{shown(path)}` is {_what(value)}; expected {kind.what}"
            self.invalid(path, reason, f"write one of {listed(known)}")
            return None
        meant = self._near(_SYNONYMS.get(value.lower(), value), known)
        remedy = f"write `{meant}`" if meant else f"write one of {listed(known)}"
        self.invalid(path, f"`{value}` is not {kind.what}", remedy, f'"{meant}"' if meant else None)
        return None

    def _list(self, kind: ListOf, path: KeyPath, value: Any) -> list[Any] | None:
        if not isinstance(value, list):
            reason = f"`{shown(path)}` is {_what(value)}; expected a list"
            # Only an item that is right by itself is put into brackets.
            alone = isinstance(value, str) and self._holds(kind.item, (*path, 0), value)
            written = self._written(path) if alone else None
            self.invalid(path, reason, "write it in brackets" if written else 'write a list: `["…"]`', written)
            return None
        checked = [(index, self._checked(kind.item, (*path, index), item)) for index, item in enumerate(value)]
        kept = [(index, item) for index, item in checked if item is not None]
        name = path[-1]
        if name in ("tools", "extend_tools", "extend"):
            # The search for the files reports what is wrong at the entry itself.
            return kept
        if name in ("files", "exclude", "extend_files", "extend_exclude"):
            return [Pattern(self._folder, item) for _, item in kept]
        return [item for _, item in kept]

    def _holds(self, kind: Kind, path: KeyPath, value: Any) -> bool:
        """Return whether a value holds what it should, and note nothing."""
        trial = Reader(None, self._folder, self._known_rules)
        return trial._checked(kind, path, value) is not None and not trial.problems

    def _written(self, path: KeyPath) -> str | None:
        """Return the value at a path in brackets, as it is written."""
        span = self._span(path)
        return f"[{span.of(self._source.text)}]" if self._source is not None else None

    def _selector(self, path: KeyPath, value: Any, *, among: Mapping[str, Any] | None = None) -> str | None:
        """Return what selects rules; `among` is the table whose key it is."""
        text = self._text(path, value)
        names = self._known_rules if self._known_rules is not None else known_rule_names()
        if text is None or text in names:
            return text
        if self._is_selector(text):
            # Codes are compared in capitals.
            return text.upper()
        meant = self._near(text, names)
        remedy = f"write `{meant}`" if meant else "`callwright rule --all` lists the rules"
        if among is not None and meant in among:
            remedy, meant = f"`{meant}` is already set: remove one of the two", None
        written = f'"{meant}"' if meant else None
        self.invalid(path, f"`{text}` is not the code or name of a rule", remedy, written, at_key=among is not None)
        return None

    def _is_selector(self, text: str) -> bool:
        """Return whether a text that is no rule's name is a code, the beginning of one, or `ALL`."""
        if self._known_rules is None:
            return _SELECTOR.fullmatch(text) is not None
        prefix = text.upper()
        known = prefix.startswith("TC"[: len(prefix)]) and any(rule.startswith(prefix) for rule in self._known_rules)
        return prefix == "ALL" or known

    def _table(self, kind: TableOf, path: KeyPath, value: Any) -> dict[str, Any] | None:
        if not isinstance(value, Mapping):
            remedy = f'write a table: `[{shown(path)}]`, with lines such as `unknown-tool = "warning"`'
            self.invalid(path, f"`{shown(path)}` is {_what(value)}; expected a table", remedy)
            return None
        kept: dict[str, Any] = {}
        for rule, each in value.items():
            checked = self._checked(kind.value, (*path, rule), each)
            selector = self._selector((*path, rule), rule, among=value)
            if selector is not None and checked is not None:
                kept[selector] = checked
        return kept

    def _either(self, kind: Either, path: KeyPath, value: Any) -> Any:
        if isinstance(value, list):
            return self._list(kind.many, path, value)
        if isinstance(value, str if isinstance(kind.one, Text) else bool):
            checked = self._checked(kind.one, path, value)
            # A list of one; the place is the value's own.
            return [(None, checked)] if isinstance(checked, str) else checked
        # A set's name alone is meant as a list of one.
        alone = isinstance(value, str) and self._holds(kind.many.item, (*path, 0), value)
        written = self._written(path) if alone else None
        if written is not None:
            self.invalid(
                path, f"`{shown(path)}` is {_what(value)}; expected {kind.what}", "write it in brackets", written
            )
            return None
        remedy = "write a path in quotes" if isinstance(kind.one, Text) else "write `true`, or name the sets in a list"
        self.invalid(path, f"`{shown(path)}` is {_what(value)}; expected {kind.what}", remedy)
        return None

    def _overrides(self, path: KeyPath, value: Any) -> list[Table] | None:
        if not isinstance(value, list):
            reason = f"`{shown(path)}` is {_what(value)}; expected a list of tables"
            # A table by itself, inline or below a header, is one of a list when it is in brackets.
            alone = isinstance(value, Mapping) and self._holds(Overrides(), path, [value])
            written = self._written(path) if alone else None
            meant = written if written is not None and written[1:2] in ("[", "{") else None
            self.invalid(path, reason, "write `[[overrides]]` above the keys of each", meant)
            return None
        tables: list[Table] = []
        for index, entry in enumerate(value):
            where = (*path, index)
            if index >= MAX_OVERRIDES:
                self.invalid(where, f"there are more than {MAX_OVERRIDES} overrides", "write fewer")
                break
            if not isinstance(entry, Mapping):
                reason = f"`{shown(where)}` is {_what(entry)}; expected a table"
                self.invalid(where, reason, "write `[[overrides]]` above the keys of each")
                continue
            values = self._values(entry, OVERRIDE_KEYS, where)
            only, but = values.pop("files", None), values.pop("exclude", ())
            if "files" not in entry:
                reason = "this override does not say which files it applies to"
                self.invalid(where, reason, 'write `files = ["…"]`, with patterns of paths')
            if only is not None:
                tables.append(Table(values, self._source, self._folder, where, tuple(only), tuple(but)))
        return tables


def shown(path: KeyPath) -> str:
    """Return a path as a person writes it: `tools[0]`, `severity.unknown-tool`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def listed(names: Iterable[str]) -> str:
    """Return names as a person lists them."""
    return ", ".join(f"`{name}`" for name in names)


def _what(value: Any) -> str:
    if isinstance(value, bool):
        return "`true`" if value else "`false`"
    if isinstance(value, str):
        return "an empty string" if not value else "a text"
    if isinstance(value, int | float):
        return "a number"
    if value is None:
        return "nothing"
    return "a list" if isinstance(value, list) else "a table" if isinstance(value, Mapping) else "a date"
