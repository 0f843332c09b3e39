"""What names a file in configurations, tool files and lock files, and the edits that let it follow the file.

Owns: `Moves`, `follow`. Must not know: the protocol, positions, which files there are.

A path is compared as it is written, links are not followed. A pattern follows the folder in front of its first
wildcard. A tool file that a pattern names no longer is named beside it. A file may itself be one of those that move:
then its paths are written relative to its new place.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from callwright.config.keys import KEYS, OVERRIDE_KEYS, Either, Kind, ListOf, Text
from callwright.path_patterns import is_pattern, matches
from callwright.syntax.toml_places import TomlPlaces
from callwright.text.span import Edit, Span

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.tools.documents import ToolDocument

#: Keys whose entries lead to files from the configuration's own folder; any other pattern without `/` means a name
#: wherever it is.
_FILES: Final = frozenset({"tools", "extend_tools", "extend"})
_TOOLS: Final = frozenset({"tools", "extend_tools"})
#: How many schemas of a tool file are read.
_MAX_COUNT: Final = 5_000


@dataclass(frozen=True, slots=True)
class Moves:
    """Files and folders that move: from which absolute path to which."""

    pairs: Sequence[tuple[str, str]]

    def of(self, path: str) -> str:
        """Return where a path leads afterwards: the path itself where nothing of it moves."""
        for old, new in self.pairs:
            if path == old:
                return new
            if path.startswith(old.rstrip("/\\") + os.sep):
                return new.rstrip("/\\") + path[len(old.rstrip("/\\")) :]
        return path


def follow(snapshot: Snapshot, moves: Moves) -> list[Edit]:
    """Return the edits that let a configuration or a tool file name the moved files as before."""
    if snapshot.path is None:
        return []
    match snapshot.host.holds:
        case "configuration":
            return sorted(_in_configuration(snapshot, snapshot.path, moves), key=lambda edit: edit.span)
        case "tools":
            return sorted(_in_tools(snapshot, snapshot.path, moves), key=lambda edit: edit.span)
        case _:
            return []


@dataclass(frozen=True, slots=True)
class _Folder:
    """The folder that paths are relative to, before and after."""

    old: str
    new: str
    moves: Moves

    @classmethod
    def of(cls, path: str, moves: Moves) -> _Folder:
        return cls(str(Path(path).parent), str(Path(moves.of(path)).parent), moves)

    def absolute(self, written: str) -> str:
        """Return what a path leads to before anything moves."""
        return os.path.normpath(Path(self.old) / written)

    def moved(self, written: str) -> str | None:
        """Return a path or pattern as it is to be written afterwards, None where it stays."""
        steps = written.replace("\\", "/").split("/")
        fixed = next((at for at, step in enumerate(steps) if is_pattern(step)), len(steps))
        if not fixed:
            # Wildcards from the first step on: whatever is in the folder.
            return None
        lead, rest = "/".join(steps[:fixed]), "/".join(steps[fixed:])
        before = self.absolute(lead or "/")
        after = self.moves.of(before)
        if os.path.normpath(Path(self.new) / (lead or "/")) == after:
            return None
        reported = self.reported(after, written)
        return None if reported is None else f"{reported}/{rest}" if rest else reported

    def reported(self, path: str, like: str) -> str | None:
        """Return an absolute path as it is written in the folder, in the manner of another one."""
        if like.startswith("~"):
            return None
        if Path(like).is_absolute():
            return path.replace(os.sep, "/") if "/" in like else path
        try:
            reported = os.path.relpath(path, self.new).replace(os.sep, "/")
        except ValueError:
            # Another drive.
            return path
        return f"./{reported}" if like.startswith("./") and not reported.startswith(".") else reported


def _in_configuration(snapshot: Snapshot, path: str, moves: Moves) -> Iterator[Edit]:
    from callwright.config.files import stated_in

    text = snapshot.document.text()
    stated = stated_in(text, path)
    if stated is None:
        return
    places = TomlPlaces(text)
    folder = _Folder.of(path, moves)
    prefix, table = stated
    for at, key, entries in _paths(table):
        before = [value for _, value in entries]
        left = []
        for step, value in entries:
            span = places.value((*prefix, *at, *step))
            written = _entry(key, value, folder)
            left.append(value if written is None else written)
            if span is not None and written is not None:
                yield Edit(span, _toml(written, text[span.start : span.end]))
        if key in _TOOLS:
            yield from _beside(before, left, [places.value((*prefix, *at, *step)) for step, _ in entries], folder)


def _entry(key: str, value: str, folder: _Folder) -> str | None:
    """Return one entry as it is to be written afterwards, None where it stays."""
    if "\0" in value:
        return None
    if key not in _FILES and "/" not in value.replace("\\", "/").rstrip("/"):
        # It names a file wherever one is; most likely the one beside it is meant.
        if is_pattern(value) or folder.old != folder.new:
            return None
        after = folder.moves.of(folder.absolute(value))
        return None if after == folder.absolute(value) else folder.reported(after, value)
    return folder.moved(value)


def _beside(
    before: Sequence[str], after: Sequence[str], places: Sequence[Span | None], folder: _Folder
) -> Iterator[Edit]:
    """Yield the edits that name tool files beside the patterns that name them no longer."""
    for old, new in folder.moves.pairs:
        if Path(old).suffix != Path(new).suffix or not Path(old).suffix:
            continue
        naming = next(
            (at for at, value in enumerate(before) if is_pattern(value) and _fits(value, old, folder.old)), None
        )
        place = places[naming] if naming is not None else None
        if place is None or any(_fits(value, new, folder.new) for value in after):
            continue
        reported = folder.reported(new, "")
        if reported is not None:
            yield Edit(Span(place.end, place.end), f", {_toml(reported, '')}")


def _fits(pattern: str, path: str, folder: str) -> bool:
    """Return whether a pattern of tool files names a file; it is relative to the folder, however it is written."""
    try:
        relative = os.path.relpath(path, folder).replace(os.sep, "/")
    except ValueError:
        return False
    written = pattern.replace("\\", "/").removeprefix("./")
    if relative.startswith("../") and not written.startswith("../"):
        return False
    return matches(f"./{written}", relative)


def _paths(table: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str, list[tuple[tuple[int, ...], str]]]]:
    """Yield the keys that hold paths, each with its place, its name and its entries: the step to one, and its text."""
    tables: list[tuple[tuple[str | int, ...], Any]] = [((), table)]
    overrides = table.get("overrides")
    tables += [(("overrides", at), one) for at, one in enumerate(overrides if isinstance(overrides, list) else ())]
    for at, one in tables:
        for key, value in one.items() if isinstance(one, Mapping) else ():
            name = key.replace("-", "_")
            if name not in _path_keys():
                continue
            if isinstance(value, str):
                yield (*at, key), name, [((), value)]
            elif isinstance(value, list):
                entries: list[tuple[tuple[int, ...], str]] = [
                    ((index,), each) for index, each in enumerate(value) if isinstance(each, str)
                ]
                yield (*at, key), name, entries


@cache
def _path_keys() -> frozenset[str]:
    """Return the names of the keys whose values are paths or patterns."""
    return frozenset(name for keys in (KEYS, OVERRIDE_KEYS) for name, key in keys.items() if _is_path(key.kind))


def _is_path(kind: Kind) -> bool:
    match kind:
        case Text():
            return kind.path
        case ListOf():
            return _is_path(kind.item)
        case Either():
            return _is_path(kind.one) or _is_path(kind.many)
        case _:
            return False


def _toml(text: str, like: str) -> str:
    """Return a text as TOML writes it, between the quote marks that are there where they can hold it."""
    if like.startswith("'") and not like.startswith("'''") and "'" not in text and text.isprintable():
        return f"'{text}'"
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _in_tools(snapshot: Snapshot, path: str, moves: Moves) -> Iterator[Edit]:
    from callwright.features.support.schema_places import references_of
    from callwright.prompt.named import document_of

    document = document_of(snapshot)
    folder = _Folder.of(path, moves)
    seen: set[Span] = set()
    references = ((each.place, each.written) for each in references_of(document))
    for place, written in (*references, *_origins(document)):
        file, marker, rest = written.partition("#")
        if not file or "://" in file or "\0" in file:
            continue
        reported = folder.moved(file)
        span = document.places.value(place)
        edit = _rewritten(span, document.text, written, f"{reported}{marker}{rest}") if reported is not None else None
        if edit is not None and edit.span not in seen:
            seen.add(edit.span)
            yield edit


def _origins(document: ToolDocument) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield the files that a lock file names as the sources of its servers, each with its place."""
    value = document.value
    servers = value.get("servers") if isinstance(value, Mapping) and "lockVersion" in value else None
    for name, server in servers.items() if isinstance(servers, Mapping) else ():
        origin = server.get("origin") if isinstance(server, Mapping) else None
        if isinstance(origin, Mapping) and isinstance(origin.get("file"), str):
            yield ("servers", name, "origin", "file"), origin["file"]


def _rewritten(span: Span, text: str, written: str, wanted: str) -> Edit | None:
    """Return the edit of a string that is as it is, without escapes; None for any other."""
    shown = text[span.start : span.end]
    quote = shown[:1] if shown[:1] in ("'", '"') else ""
    if shown != f"{quote}{written}{quote}" or not wanted.isprintable() or set("'\"\\") & set(wanted):
        return None
    if not quote and any(marker in wanted for marker in ": #,[]{}"):
        return None
    inner = len(quote)
    return Edit(Span(span.start + inner, span.end - inner), wanted)
