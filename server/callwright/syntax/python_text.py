"""The text of a reading of Python calls: where it goes on, and how far it was looked at.

Owns: `PythonText`, `PythonFrame`, `FaultyError`: space, what is open, whose a problem is. Must not know: values,
strings, calls.
"""

import re
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from callwright.syntax.json_nodes import JsonNode
from callwright.syntax.json_stops import MAX_PROBLEMS
from callwright.syntax.problem import Problem
from callwright.syntax.python_format import PYTHON
from callwright.syntax.value_tree import NOWHERE, Extent, OpenValue, State, ValueTree, opened
from callwright.text.holes import HOLE
from callwright.text.span import Span

SPACE: Final = re.compile(r"[ \t\r\n\f]*+(?:(?:#[^\r\n]*+|\\(?:\r\n|[\r\n]))[ \t\r\n\f]*+)*+")
_TOKEN: Final = re.compile(rf"{SPACE.pattern}[\w.{HOLE}]*+[ \t\r\n\f]*+")
#: What is looked for behind a name or a string is no longer.
MAX_AHEAD_LENGTH: Final = 300


class FaultyError(Exception):
    """The text has a fault, and only faultless text was asked for."""


@dataclass(slots=True, eq=False)
class PythonFrame(OpenValue):
    """Something that is open: `kind` is its bracket, or `call`, or `calls` for the outermost list, or `lines`.

    `key` is empty for a positional argument.
    """

    commas: int = 0
    positional: list[JsonNode] = field(default_factory=list)
    braces: str = ""  # of braces: `object` or `array` once that is known
    pending: JsonNode | None = None
    last: JsonNode | None = None  # the value read last
    name: str = ""
    name_span: Span = NOWHERE
    problems: list[Problem] = field(default_factory=list)


class PythonText(ValueTree[PythonFrame]):
    """The text of one reading: where it goes on behind space, and which problems are wanted.

    With `mild`, the first problem of another kind ends it all.
    """

    reported = MappingProxyType({"format": PYTHON.name})
    closers = MappingProxyType({"(": ")", "[": "]", "{": "}", "call": ")", "calls": "]"})
    names = MappingProxyType({**ValueTree.names, "\r": "line break"})
    _reported = 0

    def __init__(self, extent: Extent, mild: frozenset[str] | None = None) -> None:
        self._mild = mild
        super().__init__(extent)

    def _push(self, kind: str, start: int) -> PythonFrame:
        node = opened("object" if kind in ("call", "{") else "array", start)
        frame = PythonFrame(kind, start, node, State.WANT)
        self._stack.append(frame)
        return frame

    def _skip(self, at: int) -> int:
        if at > self._stop_at:
            self._stop_at = self._next_stop(at)
        found = SPACE.match(self.text, at, self._stop_at)
        end = found.end() if found is not None else at
        if end > at or self.text.startswith("\\", end, self._stop_at):
            # Whatever is made of it: more is space where a comment goes on, or a line end stands behind a backslash.
            self._look(end + 3)
        return end

    def _next_stop(self, at: int) -> int:
        if self.stop is None:
            return self.limit
        found = self.stop.search(self.text, at, self.limit)
        if found is None:
            self._look(self.limit)
            return self.limit
        self._look(found.end())
        return found.start()

    def _owner(self, kind: str) -> list[Problem] | None:
        """Return the list of the call that a problem belongs to; raise FaultyError where none is wanted."""
        if self._mild is not None and kind not in self._mild:
            raise FaultyError
        if self._reported >= MAX_PROBLEMS:
            return None
        self._reported += 1
        return self._stack[1].problems if len(self._stack) > 1 else self.problems

    def look_at_fault(self) -> None:
        """Note how far was looked for the token at which reading was given up, strings left out: they are noted."""
        found = _TOKEN.match(self.text, max(self._at, self.reach), self.limit)
        self._look((self._at if found is None else found.end()) + MAX_AHEAD_LENGTH)

    def _fault(self) -> None:
        """Give up before a costly search where only faultless text is of interest."""
        if self._mild is not None:
            raise FaultyError
