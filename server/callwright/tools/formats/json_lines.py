"""Tool files with one JSON value a line: pages of `tools/list`, and captures of what was said with a server.

Owns: the lines, and where their parts stand. Must not know: definitions, what is said on a line.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from callwright.syntax.problem import Problem
from callwright.text.span import Span
from callwright.tools.formats.base import Format, Parsed, invalid
from callwright.tools.json_places import JsonPlaces
from callwright.tools.sources.base import Path

_LINE: Final = re.compile(r"[^\r\n]++")


class JsonLinesFormat:
    """A list of the lines' values. Empty lines count for nothing, and a line that is no JSON for a fault of its own."""

    name = "json-lines"
    title = "JSON Lines"
    endings = (".jsonl", ".ndjson")

    def parse(self, text: str, start: int) -> Parsed:
        """Return the values as a list, with the first faulty line as its problem."""
        values: list[Any] = []
        lines: list[Span] = []
        problems: list[Problem] = []
        for line in _LINE.finditer(text, start):
            written = line[0].strip(" \t")
            if not written:
                continue
            at = line.start() + line[0].index(written)
            span = Span(at, at + len(written))
            try:
                values.append(json.loads(written))
            except (ValueError, RecursionError):
                if not problems:
                    problems.append(invalid(span, "this line is not valid JSON", "write one JSON value on it"))
                continue
            lines.append(span)
        if not values and not problems:
            problems.append(invalid(Span(start, len(text)), "the file is empty", "write one JSON value on each line"))
        value = values or None
        return Parsed(value, _Places(text, start, lines), tuple(problems), broken=bool(problems))


class _Places:
    """Where the parts of the lines stand; a line is looked into once somebody asks for a part of it."""

    def __init__(self, text: str, start: int, lines: list[Span]) -> None:
        self._text = text
        self._whole = Span(start, len(text))
        self._lines = lines
        self._known: dict[int, JsonPlaces] = {}

    def value(self, path: Path) -> Span:
        """Return the span of the value at `path`, or of the nearest value around it."""
        line = self._line(path)
        if line is None:
            return self._whole
        return self._places(line).value(path[1:]).shift(self._lines[line].start)

    def key(self, path: Path) -> Span:
        """Return the span of the key at the end of `path`, or of the value where there is no such key."""
        line = self._line(path)
        if line is None or len(path) < 2:
            return self.value(path)
        return self._places(line).key(path[1:]).shift(self._lines[line].start)

    def _line(self, path: Path) -> int | None:
        step = path[0] if path else None
        return step if isinstance(step, int) and 0 <= step < len(self._lines) else None

    def _places(self, line: int) -> JsonPlaces:
        known = self._known.get(line)
        if known is None:
            known = self._known[line] = JsonPlaces(self._lines[line].of(self._text))
        return known


FORMAT: Format = JsonLinesFormat()
