"""Edits of JSON texts: members added, removed and renamed, values replaced, items added and removed.

Owns: separators between members, indentation, and which texts can be edited at all. Must not know: any single rule,
what tools or schemas are.

Paths lead from the top of the file's value. Every function returns None where the text cannot be edited so: it is not
JSON, it has faults there, or nothing is at the path. Make all changes of one object or array in one call, so that the
commas between new, old and removed parts come out right; edits of different containers can be joined.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from callwright.syntax.value_format import JSON
from callwright.text.records import NamedTuple
from callwright.text.span import Edit, Span

if TYPE_CHECKING:
    from callwright.tools.documents import ToolDocument

Path = tuple[str | int, ...]

_SPACE: Final = re.compile(r"[ \t\r\n]*+")
_COMMA: Final = re.compile(r"[ \t\r\n]*+,[ \t\r\n]*+")
_COLON: Final = re.compile(r"[ \t\r\n]*+:[ \t\r\n]*+")
_INDENT: Final = re.compile(r"[ \t]*+")
#: A new value of fewer characters is written on one line.
_SHORT: Final = 72
#: How many characters of a file are scanned to learn its style.
_LOOK: Final = 4_000
_NOTHING: Final = object()


class _Layout(NamedTuple):
    """A container in the text: its span, the spans of its parts, and for an object those of the keys."""

    span: Span
    parts: list[Span]
    keys: list[Span]


def value_at(value: Any, path: Sequence[str | int], default: Any = None) -> Any:
    """Return the value at `path` inside a JSON value, `default` where there is none."""
    for step in path:
        if isinstance(value, Mapping):
            found = isinstance(step, str) and step in value
        else:
            found = isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value)
        if not found:
            return default
        value = value[step]
    return value


def can_edit(document: ToolDocument) -> bool:
    """Return whether the text is in the format that edits are written in."""
    return document.format == "json"


def replace_value(document: ToolDocument, path: Path, value: Any) -> tuple[Edit, ...] | None:
    """Return the edit that writes `value` in place of another value."""
    if not can_edit(document) or value_at(document.value, path, _NOTHING) is _NOTHING:
        return None
    span = document.places.value(path)
    if not _is_at(document, span, value_at(document.value, path)):
        return None
    text = _written(document, value, _line_indent(document.text, span.start), spread="\n" in span.of(document.text))
    return None if text is None else (Edit(span, text),)


def rename_key(document: ToolDocument, path: Path, name: str) -> tuple[Edit, ...] | None:
    """Return the edit that gives the member at `path` another key; None where the object has that key already."""
    return change_object(document, path[:-1], rename={str(path[-1]): name}) if path else None


def remove(document: ToolDocument, path: Path) -> tuple[Edit, ...] | None:
    """Return the edit that removes the member or item at `path`, with the comma that it no longer needs."""
    if not path:
        return None
    last = path[-1]
    if isinstance(last, int):
        return change_array(document, path[:-1], drop=(last,))
    return change_object(document, path[:-1], drop=(last,))


def change_object(
    document: ToolDocument,
    path: Path,
    *,
    put: Mapping[str, Any] | None = None,
    drop: Collection[str] = (),
    rename: Mapping[str, str] | None = None,
) -> tuple[Edit, ...] | None:
    """Return the edits that change one object: values replaced or added at its end, members removed, keys renamed.

    A member to be removed or renamed must exist; no member may get the key of another.
    """
    members = value_at(document.value, path)
    put, rename = dict(put or {}), dict(rename or {})
    if not isinstance(members, Mapping) or not members.keys() >= {*drop, *rename}:
        return None
    kept = [rename.get(name, name) for name in members if name not in drop]
    if len(set(kept)) != len(kept) or put.keys() & rename.values() or not set(drop).isdisjoint({*put, *rename}):
        return None
    layout = _object_layout(document, path, members)
    if layout is None:
        return None
    edits: list[Edit] = []
    names = list(members)
    for old, new in rename.items():
        key = JSON.key(new, path)
        if key is None:
            return None
        edits.append(Edit(layout.keys[names.index(old)], key))
    colon = _colon(document.text, layout)
    new_members: list[str] = []
    spread, indent = _spread(document.text, layout), _part_indent(document, layout)
    for name, value in put.items():
        if name in members:
            replaced = replace_value(document, (*path, name), value)
            if replaced is None:
                return None
            edits += replaced
            continue
        key, text = JSON.key(name, path), _written(document, value, indent, spread=spread)
        if key is None or text is None:
            return None
        new_members.append(key + colon + text)
    changed = _changed(document, layout, {names.index(name) for name in drop}, new_members)
    return (*edits, *changed)


def change_array(
    document: ToolDocument, path: Path, *, add: Sequence[Any] = (), drop: Collection[int] = ()
) -> tuple[Edit, ...] | None:
    """Return the edits that add items at the end of one array and remove others by their index."""
    items = value_at(document.value, path)
    if not isinstance(items, list) or any(not 0 <= index < len(items) for index in drop):
        return None
    layout = _array_layout(document, path, items)
    if layout is None:
        return None
    spread, indent = _spread(document.text, layout), _part_indent(document, layout)
    written = [_written(document, value, indent, spread=spread) for value in add]
    if None in written:
        return None
    return tuple(_changed(document, layout, set(drop), [text for text in written if text is not None]))


def _changed(document: ToolDocument, layout: _Layout, drop: set[int], new: list[str]) -> list[Edit]:
    """Return the edits that remove parts of a container, with their commas, and write new ones after the last."""
    text, parts = document.text, layout.parts
    inside = Span(layout.span.start + 1, layout.span.end - 1)
    between = _separator(text, layout)
    if len(drop) == len(parts):
        # No old part is left: new parts replace the old ones; without new parts the container becomes empty.
        if not parts or not new:
            return [Edit(inside, f",{between}".join(new))] if parts or new else []
        return [Edit(Span(parts[0].start, parts[-1].end), f",{between}".join(new))]
    edits: list[Edit] = []
    first_kept = next(index for index in range(len(parts)) if index not in drop)
    if first_kept:
        edits.append(Edit(Span(parts[0].start, parts[first_kept].start), ""))
    edits += [
        Edit(Span(parts[index - 1].end, parts[index].end), "")
        for index in range(first_kept + 1, len(parts))
        if index in drop
    ]
    if new:
        edits.append(Edit(Span(parts[-1].end, parts[-1].end), "".join(f",{between}{part}" for part in new)))
    return edits


def _object_layout(document: ToolDocument, path: Path, members: Mapping[str, Any]) -> _Layout | None:
    keys = [document.places.key((*path, name)) for name in members]
    values = [document.places.value((*path, name)) for name in members]
    text = document.text
    for name, key, value in zip(members, keys, values, strict=True):
        if _COLON.fullmatch(text, key.end, value.start) is None or not _is_at(document, key, name):
            return None
    parts = [Span(key.start, value.end) for key, value in zip(keys, values, strict=True)]
    return _checked(document, path, parts, keys, "{}")


def _array_layout(document: ToolDocument, path: Path, items: Sequence[Any]) -> _Layout | None:
    parts = [document.places.value((*path, index)) for index in range(len(items))]
    return _checked(document, path, parts, [], "[]")


def _checked(document: ToolDocument, path: Path, parts: list[Span], keys: list[Span], brackets: str) -> _Layout | None:
    """Return the layout of a container without faults: one comma between parts and nothing else, no key twice; else
    None.
    """
    if not can_edit(document):
        return None
    text, span = document.text, document.places.value(path)
    if span.end - span.start < 2 or text[span.start] + text[span.end - 1] != brackets:
        return None
    at = span.start + 1
    for index, part in enumerate(parts):
        if part.start < at or (_COMMA if index else _SPACE).fullmatch(text, at, part.start) is None:
            return None
        at = part.end
    return _Layout(span, parts, keys) if _SPACE.fullmatch(text, at, span.end - 1) is not None else None


def _is_at(document: ToolDocument, span: Span, value: Any) -> bool:
    try:
        return bool(json.loads(span.of(document.text)) == value)
    except (ValueError, RecursionError):
        return False


def _separator(text: str, layout: _Layout) -> str:
    """Return the white space that this container has between a comma and the part after it."""
    parts = layout.parts
    if len(parts) > 1:
        return text[parts[-2].end : parts[-1].start].partition(",")[2]
    if parts and "\n" in (before := text[layout.span.start + 1 : parts[0].start]):
        return before
    colon = _colon(text, layout) if layout.keys else ": " if '": ' in text[:_LOOK] or '":' not in text[:_LOOK] else ":"
    return colon.partition(":")[2]


def _colon(text: str, layout: _Layout) -> str:
    """Return the text that this object has between a key and its value."""
    if not layout.keys:
        return ": "
    end = layout.keys[-1].end
    found = _COLON.match(text, end)
    return found[0] if found is not None and "\n" not in found[0] else ": "


def _spread(text: str, layout: _Layout) -> bool:
    """Return whether the container has its parts on lines of their own."""
    return bool(layout.parts) and "\n" in text[layout.span.start : layout.parts[0].start]


def _line_indent(text: str, at: int) -> str:
    """Return the space at the beginning of the line that holds the offset `at`."""
    begin = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    found = _INDENT.match(text, begin, at)
    return found[0] if found is not None else ""


def _part_indent(document: ToolDocument, layout: _Layout) -> str:
    return _line_indent(document.text, layout.parts[-1].start if layout.parts else layout.span.start)


def _written(document: ToolDocument, value: Any, indent: str, *, spread: bool) -> str | None:
    """Return a value in the style of the file: on one line where it is short, else one part per line."""
    text = JSON.value(value, ())
    if text is None or not spread or len(text) <= _SHORT or not isinstance(value, dict | list):
        return text
    step = _step(document.text)
    lines = json.dumps(value, ensure_ascii=False, indent=step).split("\n")
    return ("\n" + indent).join(lines)


def _step(text: str) -> str:
    """Return the first indentation of the file as its step."""
    found = re.search(r"\n([ \t]++)", text[:_LOOK])
    return found[1] if found is not None else "  "
