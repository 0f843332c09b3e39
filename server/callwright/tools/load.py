"""Loading tool files: bytes to a registry part that remembers where everything stood.

Owns: `load_tools` (a file), `read_tools` (a text that is open in an editor). Must not know: configuration, which files
to load, calls.
"""

from __future__ import annotations

import json
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

from callwright.syntax.problem import Problem
from callwright.text.span import Span
from callwright.tools.definitions import NO_NAME, NOT_UNDERSTOOD, read_definitions
from callwright.tools.registry import EMPTY, ToolProblem, ToolRegistry

if TYPE_CHECKING:
    from callwright.syntax.json import JsonRead
    from callwright.tools.sources.base import Path

UNREADABLE = "tools-unreadable"
INVALID_JSON = "tools-invalid-json"

#: A tool file beyond this size in bytes is refused: it is not one.
LARGEST = 16 * 1024 * 1024

_WHITE = json.decoder.WHITESPACE  # type: ignore[attr-defined] # the pattern that the C scanner itself skips


def load_tools(path: str | FilePath, *, name: str | None = None) -> ToolRegistry:
    """Return the tools of one file; whatever is wrong with it is in `problems`, with spans of the file's text.

    `name` is the file's name in origins and problems, the path as given where absent. Never raises for a bad file.
    """
    file = FilePath(path)
    shown = name if name is not None else str(path)
    try:
        if not file.is_file():
            reason = "this is a folder" if file.is_dir() else "there is no such file"
            return _unreadable(shown, reason, "correct the path")
        if file.stat().st_size > LARGEST:
            return _unreadable(
                shown, f"the file is larger than {LARGEST // 1024 // 1024} MB", "give a file that holds only tools"
            )
        data = file.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "the path is not usable"
        return _unreadable(shown, reason, "correct the path, or the rights to it")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return _unreadable(shown, f"byte {error.start} is not UTF-8", "save the file as UTF-8")
    return read_tools(text, shown)


def read_tools(text: str, file: str) -> ToolRegistry:
    """Return the tools that the text of a file defines.

    A text that is no valid JSON is reported once, at its first fault, and read as far as it goes: an author who is in
    the middle of an edit keeps the other tools. The set is called by its own name or, without one, by the file's stem.
    """
    start = 1 if text.startswith("\ufeff") else 0
    if not text[start:].strip():
        problem = _problem(
            INVALID_JSON, Span(start, len(text)), "the file is empty", "write the tools' definitions as JSON"
        )
        return ToolRegistry(problems=[ToolProblem(file, problem)])
    problems: list[Problem] = []
    try:
        value = json.loads(text[start:])
        places: _Places = _Places(text, start)
    except (ValueError, RecursionError):
        from callwright.syntax.json import read_json

        read = read_json(text, start)
        value, places = read.value, _BrokenPlaces(text, start, read)
        first = min(read.problems, key=lambda problem: problem.span, default=None)
        span = first.span if first is not None else read.span
        reason = (
            f"the file is not valid JSON ({first.kind.replace('-', ' ')})" if first else "the file is not valid JSON"
        )
        problems.append(_problem(INVALID_JSON, span, reason, "correct the file there"))
    if problems and not isinstance(value, dict | list):
        return ToolRegistry(problems=[ToolProblem(file, problem) for problem in problems])
    tools, more = read_definitions(value, places=places, file=file, tool_set=FilePath(file).stem)
    broken = bool(problems)
    problems.extend(problem for problem in more if not (broken and problem.kind in (NOT_UNDERSTOOD, NO_NAME)))
    return ToolRegistry(tools, problems=[ToolProblem(file, problem) for problem in problems])


def _unreadable(file: str, reason: str, remedy: str) -> ToolRegistry:
    return EMPTY.merge(ToolRegistry(problems=[ToolProblem(file, _problem(UNREADABLE, Span(0, 0), reason, remedy))]))


def _problem(kind: str, span: Span, reason: str, remedy: str) -> Problem:
    return Problem(kind, span, {"pointer": "", "reason": reason, "remedy": remedy})


class _Places:
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


class _BrokenPlaces(_Places):
    """The same for a text with faults, asked of the tolerant reader's tree."""

    def __init__(self, text: str, start: int, read: JsonRead) -> None:
        super().__init__(text, start)
        self._read = read

    def value(self, path: Path) -> Span:
        """Return the span of the value at `path`, or of the nearest value around it."""
        for length in range(len(path), -1, -1):
            node = self._read.locate(path[:length])
            if node is not None:
                return node.span
        return self._read.span

    def key(self, path: Path) -> Span:
        """Return the span of the key at the end of `path`, or of the value where there is no such key."""
        return self._read.locate_key(path) or self.value(path)
