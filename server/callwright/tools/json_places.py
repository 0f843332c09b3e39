"""Where the parts of a JSON text stand, and those of a tree that a tolerant reader made.

Owns: `JsonPlaces`, `TreePlaces`. Must not know: formats, definitions, how a tree is read.
"""

from __future__ import annotations

import json

from callwright.syntax.json_nodes import JsonNode
from callwright.text.span import Span
from callwright.tools.sources.base import Path

_WHITE = json.decoder.WHITESPACE  # type: ignore[attr-defined] # the pattern that the C scanner itself skips


class JsonPlaces:
    """Where the values of a valid JSON text stand, found by walking along a path with the C scanner.

    The members of every container on the way are remembered, so that asking for all tools of a file costs one pass over
    it, not one for each.
    """

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._top = start
        self._spans: dict[Path, Span] = {}
        self._keys: dict[Path, Span] = {}
        self._opened: set[Path] = set()
        self._scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined] # the C scanner: value and end at an offset

    def value(self, path: Path) -> Span:
        """Return the span of the value at `path`, or of the nearest value around it."""
        self._walk(path)
        while path not in self._spans:
            path = path[:-1]
        return self._spans[path]

    def key(self, path: Path) -> Span:
        """Return the span of the key at the end of `path`, or of the value where there is no such key."""
        self._walk(path)
        return self._keys.get(path) or self.value(path)

    def _walk(self, path: Path) -> None:
        if () not in self._spans:
            begin = self._skip(self._top)
            self._spans[()] = Span(begin, self._end(begin))
        for length in range(len(path)):
            at = path[:length]
            if at not in self._spans:
                return
            if at not in self._opened:
                self._opened.add(at)
                self._open(at)

    def _open(self, at: Path) -> None:
        """Remember where the members of the container at `at` stand."""
        text, begin = self._text, self._spans[at].start
        closer = {"{": "}", "[": "]"}.get(text[begin])
        if closer is None:
            return
        offset = self._skip(begin + 1)
        index = 0
        while text[offset] != closer:
            step: str | int = index
            if closer == "}":
                step, end = self._scan(text, offset)
                self._keys[(*at, step)] = Span(offset, end)
                offset = self._skip(self._skip(end) + 1)
            end = self._end(offset)
            self._spans[(*at, step)] = Span(offset, end)
            offset = self._skip(end)
            if text[offset] == ",":
                offset = self._skip(offset + 1)
            index += 1

    def _end(self, offset: int) -> int:
        end: int = self._scan(self._text, offset)[1]
        return end

    def _skip(self, offset: int) -> int:
        end: int = _WHITE.match(self._text, offset).end()
        return end


class TreePlaces:
    """Where the values of a tree stand."""

    def __init__(self, root: JsonNode) -> None:
        self._root = root

    def value(self, path: Path) -> Span:
        """Return the span of the value at `path`, or of the nearest value around it."""
        node = self._root
        for step in path:
            inner = node.locate((step,))
            if inner is None:
                break
            node = inner
        return node.span

    def key(self, path: Path) -> Span:
        """Return the span of the key at the end of `path`, or of the value where there is no such key."""
        return self._root.locate_key(path) or self.value(path)
