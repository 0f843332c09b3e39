"""JSON values with the places of their parts, for formats that build them piece by piece.

Owns: `Part`, `PartPlaces`. Must not know: any format, what a definition looks like.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from callwright.text.span import Span
from callwright.tools.sources.base import Path


class LocatedValue:
    """A value with its span; `keys` and `parts` are those of its members, by step.

    Parts may be shared: a part of the text may be in a value several times.
    """

    __slots__ = ("keys", "parts", "size", "span", "value")

    def __init__(self, value: Any, span: Span) -> None:
        self.value = value
        self.span = span
        self.keys: dict[str | int, Span] = {}
        self.parts: dict[str | int, LocatedValue] = {}
        #: How many values it contains, itself included; a shared one counts each time.
        self.size = 1

    def put(self, step: str | int, part: LocatedValue, key: Span | None = None) -> None:
        """Add a member to a collection; items of a list must be added in order."""
        if isinstance(self.value, list):
            self.value.append(part.value)
        else:
            self.value[step] = part.value
        self.parts[step] = part
        if key is not None:
            self.keys[step] = key
        self.size += part.size

    def cover(self, end: int) -> None:
        """Extend the span to `end` at least."""
        if self.span.end < end:
            self.span = Span(self.span.start, end)

    def at(self, span: Span) -> LocatedValue:
        """Return the same value at another place; its parts keep their places."""
        part = LocatedValue(self.value, span)
        part.keys, part.parts, part.size = self.keys, self.parts, self.size
        return part


def record(span: Span, members: Mapping[str, LocatedValue | Any]) -> LocatedValue:
    """Return an object at a place, of parts and of plain values that are at the same place."""
    part = LocatedValue({}, span)
    for key, value in members.items():
        part.put(key, value if isinstance(value, LocatedValue) else plain(value, span))
    return part


def sequence(span: Span, items: Sequence[LocatedValue | Any]) -> LocatedValue:
    """Return a list at a place, of parts and of plain values that are at the same place."""
    part = LocatedValue([], span)
    for index, value in enumerate(items):
        part.put(index, value if isinstance(value, LocatedValue) else plain(value, span))
    return part


def plain(value: Any, span: Span) -> LocatedValue:
    """Return a deep copy of a plain value, all of it at one place."""
    if isinstance(value, Mapping):
        return record(span, value)
    return sequence(span, value) if isinstance(value, list | tuple) else LocatedValue(value, span)


class PartPlaces:
    """The places of a value's parts in its text."""

    def __init__(self, top: LocatedValue) -> None:
        self._top = top

    def value(self, path: Path) -> Span:
        """Return the span of the value at `path`, or of the nearest value around it."""
        part = self._top
        for step in path:
            inner = part.parts.get(step)
            if inner is None:
                break
            part = inner
        return part.span

    def key(self, path: Path) -> Span:
        """Return the span of the key at the end of `path`, or of the value where there is no such key."""
        part = self._top
        for step in path[:-1]:
            inner = part.parts.get(step)
            if inner is None:
                return part.span
            part = inner
        return (part.keys.get(path[-1]) if path else None) or self.value(path)


def with_members(part: LocatedValue, members: Mapping[str, tuple[LocatedValue, Span | None]]) -> LocatedValue:
    """Return a copy of an object with members added or replaced, each with the place of its key if it has one."""
    if not members:
        return part
    whole = LocatedValue({}, part.span)
    for step, inner in part.parts.items():
        if step not in members:
            whole.put(step, inner, part.keys.get(step))
    for key, (value, at) in members.items():
        whole.put(key, value, at)
    return whole
