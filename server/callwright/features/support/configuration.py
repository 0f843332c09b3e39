"""What can be written in a configuration file at a place, and what is known of what is there.

Owns: offers of keys, tables, values, rules and paths, and the description of a key or a rule. Must not know: the
protocol, positions, how a configuration is read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from callwright.config import CONFIGURATION_NAMES, PYPROJECT
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
    takes,
)
from callwright.config.tool_files import inside
from callwright.path_patterns import PRUNED
from callwright.syntax.toml_places import Role, TomlPlaces, TomlSpot, toml_spot
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot

#: Where the cursor goes in what an offer writes.
CURSOR: Final = "\0"
_TABLE: Final = ("tool", "callwright")
#: What a file of tools may end with.
_TOOL_ENDINGS: Final = (".json", ".jsonc", ".yaml", ".yml", ".py", ".toml")
#: How many entries of a folder are offered at most.
_MAX_PATHS: Final = 200


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that can be written: what is shown, what it replaces and is replaced by, and its documentation.

    `kind` is `key`, `table`, `value`, `rule`, `file` or `folder`. `text` contains `CURSOR` at most once.
    """

    label: str
    kind: str
    span: Span
    text: str
    detail: str = ""
    about: str = ""


@dataclass(frozen=True, slots=True)
class Described:
    """A description in Markdown of what is at a span."""

    markdown: str
    span: Span


def offers(snapshot: Snapshot, offset: int) -> list[Offer]:
    """Return what can be written in a configuration at an offset, in the order of the documentation."""
    text = snapshot.document.text()
    spot = toml_spot(text, offset)
    if spot is None:
        return []
    place = _place(snapshot, spot)
    if spot.role is Role.HEADER:
        return list(_headers(spot, place))
    if place is None:
        return []
    if spot.role is Role.KEY:
        return list(_keys(snapshot, spot, place, text))
    kind = _kind_at(place)
    return list(_values(snapshot, spot, kind, place[-1])) if kind is not None and place else []


def description(snapshot: Snapshot, offset: int) -> Described | None:
    """Return what is known of what is at an offset of a configuration."""
    spot = toml_spot(snapshot.document.text(), offset)
    if spot is None or spot.span.start == spot.span.end:
        return None
    if spot.role is Role.HEADER:
        own = _within(snapshot, (*spot.path, spot.text))
        key = KEYS.get(own[0]) if own is not None and len(own) == 1 else _key_at(own) if own else None
        return Described(_about(key), spot.span) if key is not None else None
    place = _place(snapshot, spot)
    if place is None:
        return None
    if spot.role is Role.KEY:
        if _is_selectors(place):
            return _described_rule(spot)
        key = _keys_of(place).get(spot.text)
        return Described(_about(key), spot.span) if key is not None else None
    return _described_rule(spot) if isinstance(_kind_at(place), Selector) else None


def _described_rule(spot: TomlSpot) -> Described | None:
    about = _about_rules().get(spot.text) or _about_rules().get(spot.text.upper())
    return Described(about, spot.span) if about is not None else None


# Places


def _within(snapshot: Snapshot, path: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return a path as our table has it, None where it leads elsewhere."""
    if _name(snapshot) != PYPROJECT:
        return path
    return path[len(_TABLE) :] if path[: len(_TABLE)] == _TABLE else None


def _name(snapshot: Snapshot) -> str:
    return os.path.basename(snapshot.path or snapshot.uri)  # noqa: PTH119 - it may be an address


def _place(snapshot: Snapshot, spot: TomlSpot) -> tuple[str, ...] | None:
    return _within(snapshot, spot.path)


def _keys_of(table: tuple[str, ...]) -> Mapping[str, Key]:
    """Return the keys that a table may have."""
    return KEYS if not table else OVERRIDE_KEYS if table == ("overrides",) else {}


def _key_at(path: tuple[str, ...] | None) -> Key | None:
    """Return the key that a path leads to."""
    return _keys_of(path[:-1]).get(path[-1]) if path else None


def _is_selectors(table: tuple[str, ...]) -> bool:
    """Return whether the keys of a table name rules."""
    key = _key_at(table)
    return key is not None and isinstance(key.kind, TableOf)


def _kind_at(path: tuple[str, ...]) -> Kind | None:
    """Return what is expected of a value at a path; expected of a list, what of its items."""
    key = _key_at(path)
    if key is not None:
        kind = key.kind
        return kind.item if isinstance(kind, ListOf) else kind
    parent = _key_at(path[:-1])
    return parent.kind.value if parent is not None and isinstance(parent.kind, TableOf) else None


# Offers


def _keys(snapshot: Snapshot, spot: TomlSpot, table: tuple[str, ...], text: str) -> Iterator[Offer]:
    if _is_selectors(table):
        for name, about in _about_rules().items():
            yield Offer(name, "rule", spot.span, name if spot.ended else f'{name} = "{CURSOR}"', about=about)
        return
    present = _present(text, table, snapshot, spot)
    alone = _alone(text, spot.span)
    for name, key in _keys_of(table).items():
        if name in present:
            continue
        if isinstance(key.kind, Overrides):
            if alone and not spot.ended:
                yield Offer(
                    name, "table", spot.span, f'[[{_full(snapshot, name)}]]\nfiles = ["{CURSOR}"]', about=_about(key)
                )
            continue
        written = name if spot.ended else f"{name} = {_blank_of(key.kind)}"
        yield Offer(name, "key", spot.span, written, about=_about(key))


def _present(text: str, table: tuple[str, ...], snapshot: Snapshot, spot: TomlSpot) -> set[str]:
    """Return the keys that the table around a key holds already, without the one that is being written."""
    places = TomlPlaces(text)
    base: tuple[str | int, ...] = _TABLE if _name(snapshot) == PYPROJECT else ()
    base = (*base, *table)
    if table == ("overrides",):
        base = (*base, _number(places, base, spot.span.start))
    return {
        name
        for name in _keys_of(table)
        if (span := places.key((*base, name))) is not None and span != spot.span and name != "overrides"
    }


def _number(places: TomlPlaces, base: tuple[str | int, ...], offset: int) -> int:
    """Return the index of the table of a list that an offset lies in: the last one that begins before it."""
    number = 0
    while (span := places.value((*base, number + 1))) is not None and span.start < offset:
        number += 1
    return number


def _alone(text: str, span: Span) -> bool:
    """Return whether a name is all that its line holds."""
    start = text.rfind("\n", 0, span.start) + 1
    end = text.find("\n", span.end)
    return not text[start : span.start].strip() and not text[span.end : end if end >= 0 else len(text)].strip()


def _blank_of(kind: Kind) -> str:
    """Return the beginning of a value of a kind."""
    match kind:
        case Flag():
            return f"true{CURSOR}"
        case Count():
            return CURSOR
        case ListOf():
            return f'["{CURSOR}"]'
        case TableOf():
            return f"{{ {CURSOR} }}"
        case Either(one, many):
            return f'["{CURSOR}"]' if isinstance(one, Flag) else _blank_of(one) if one != many else ""
        case _:
            return f'"{CURSOR}"'


def _headers(spot: TomlSpot, place: tuple[str, ...] | None) -> Iterator[Offer]:
    if place is None:
        if _TABLE[: len(spot.path)] == spot.path:
            rest = ".".join(_TABLE[len(spot.path) :])
            yield Offer(rest, "table", spot.span, rest)
        return
    for name, key in _keys_of(place).items():
        if isinstance(key.kind, Overrides) if spot.list_header else isinstance(key.kind, TableOf):
            yield Offer(name, "table", spot.span, name, about=_about(key))
    if not spot.list_header and not place:
        # A header in single brackets may also lead into the newest override.
        yield Offer("overrides.severity", "table", spot.span, "overrides.severity")


def _full(snapshot: Snapshot, name: str) -> str:
    return ".".join((*_TABLE, name)) if _name(snapshot) == PYPROJECT else name


def _values(snapshot: Snapshot, spot: TomlSpot, kind: Kind, name: str) -> Iterator[Offer]:
    match kind:
        case Either(one, many):
            yield from _values(snapshot, spot, many.item if spot.in_list else one, name)
        case Flag():
            for word in ("true", "false"):
                yield Offer(word, "value", spot.span, word)
        case Word():
            for word in kind.words():
                yield Offer(word, "value", spot.span, json.dumps(word, ensure_ascii=False))
        case Selector():
            for rule, about in _about_rules().items():
                yield Offer(rule, "rule", spot.span, json.dumps(rule), about=about)
        case Text() if kind.path and name in ("tools", "extend_tools", "extend"):
            yield from _paths(snapshot, spot, configurations=name == "extend")
        case _:
            return


def _paths(snapshot: Snapshot, spot: TomlSpot, *, configurations: bool) -> Iterator[Offer]:
    """Yield what lies in the folder that a path leads to so far; nothing outside the project is read."""
    if snapshot.path is None:
        return
    lead = spot.text[: spot.text.rfind("/") + 1]
    folder = Path(snapshot.path).parent / lead
    boundary = snapshot.origin.boundary or str(Path(snapshot.path).parent)
    if "\0" in lead or lead.startswith("~") or not inside(folder, boundary):
        return
    try:
        with os.scandir(folder) as entries:
            found = sorted((entry.name, entry.is_dir()) for entry in entries if not entry.name.startswith("."))
    except OSError:
        return
    given = 0
    for name, is_folder in found:
        own = name in CONFIGURATION_NAMES or (configurations and name.endswith(".toml"))
        wanted = own if configurations else name.endswith(_TOOL_ENDINGS) and not own
        if (
            given >= _MAX_PATHS
            or (name in PRUNED if is_folder else not wanted)
            or (folder / name) == Path(snapshot.path)
        ):
            continue
        given += 1
        label = f"{lead}{name}/" if is_folder else f"{lead}{name}"
        yield Offer(label, "folder" if is_folder else "file", spot.span, json.dumps(label, ensure_ascii=False))


# Descriptions


def _about(key: Key) -> str:
    """Return what a key does and takes, as Markdown."""
    parts = [f"**`{key.name}`**", key.about, f"Takes {takes(key.kind)}."]
    if key.default is not None:
        parts[-1] += f" Without it: `{json.dumps(key.default)}`."
    return "\n\n".join(parts)


@cache
def known_rules() -> Sequence[tuple[tuple[str, str], str]]:
    """Return the code and the name of each rule, with its documentation."""
    from callwright.rules.catalogue import all_rules
    from callwright.rules.support.documentation import documentation_of

    stated = []
    for rule in all_rules():
        about = f"**{rule.code}** `{rule.name}` ({rule.severity.value})\n\n{documentation_of(rule).summary}"
        stated.append(((rule.code, rule.name), about))
    return stated


def _about_rules() -> dict[str, str]:
    """Return the documentation of each rule, by name and by code; the names come first."""
    stated = known_rules()
    return {name: about for (_, name), about in stated} | {code: about for (code, _), about in stated}
