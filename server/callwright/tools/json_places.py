"""The places of a value's parts, from the tree of its text.

Owns: the tree of a valid JSON text, `TreePlaces`. Must not know: formats, definitions, how a text with faults is read.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from callwright.syntax.json_nodes import JsonNode, clean_node
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.syntax.problem import Problem
    from callwright.tools.sources.base import Path

_SPACE = " \t\r\n"


def json_tree(text: str, start: int, end: int) -> tuple[JsonNode, Sequence[Problem]]:
    """Return the tree of a JSON text, and its duplicate keys. Raises ValueError or RecursionError where it is
    invalid.
    """
    end = start + len(text[start:end].rstrip(_SPACE))
    start = end - len(text[start:end].lstrip(_SPACE))
    twice = False

    def collect(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal twice
        members = dict(pairs)
        twice = twice or len(members) != len(pairs)
        return members

    value = json.loads(text[start:end], object_pairs_hook=collect)
    if not twice:
        return clean_node(text, Span(start, end), value), ()
    from callwright.syntax.json import read_json  # not needed for most files

    read = read_json(text, start, end)
    return read.root, [problem for problem in read.problems if problem.kind == "duplicate-key"]


class TreePlaces:
    """The places of the values of a tree; `by` is added to all offsets."""

    def __init__(self, root: JsonNode, by: int = 0) -> None:
        self._root = root
        self._by = by

    def value(self, path: Path) -> Span:
        """Return the span of the value at `path`, or of the nearest value around it."""
        return self._moved(self._walk(path)[0])

    def key(self, path: Path) -> Span:
        """Return the span of the key at the end of `path`, or of the value where there is no such key."""
        value, key = self._walk(path)
        return self._moved(key or value)

    def _moved(self, span: Span) -> Span:
        return span.shift(self._by) if self._by else span

    def _walk(self, path: Path) -> tuple[Span, Span | None]:
        """Return the span of the value at `path`, or of the nearest one around it, and that of its key.

        Containers on the way are indexed, so the places of all tools of a file cost one pass over it.
        """
        node = self._root
        key: Span | None = None
        for step in path:
            member = node.member(step) if isinstance(step, str) else None
            inner = member.value if member is not None else node.child(step) if isinstance(step, int) else None
            if inner is None:
                return node.span, None
            node, key = inner, member.key_span if member is not None else None
        return node.span, key
