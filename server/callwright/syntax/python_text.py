"""The text of a reading of Python calls: where it continues, and how far it was scanned.

Owns: `PythonText`, `PythonFrame`, `FaultyError`: space, what is open, which call a problem belongs to. Must not know:
values, strings, calls.
"""

import re
from types import MappingProxyType
from typing import Final

from callwright.syntax.json_nodes import JsonNode
from callwright.syntax.json_stops import MAX_PROBLEMS
from callwright.syntax.problem import Problem
from callwright.syntax.python_format import PYTHON
from callwright.syntax.value_tree import NOWHERE, Extent, OpenValue, State, ValueTree, opened
from callwright.text.holes import HOLE
from callwright.text.records import dataclass, field
from callwright.text.span import Span

SPACE: Final = re.compile(r"[ \t\r\n\f]*+(?:(?:#[^\r\n]*+|\\(?:\r\n|[\r\n]))[ \t\r\n\f]*+)*+")
_TOKEN: Final = re.compile(rf"{SPACE.pattern}[\w.{HOLE}]*+[ \t\r\n\f]*+")
#: The maximum length of the text that is checked after a name or a string.
MAX_AHEAD_LENGTH: Final = 300


class FaultyError(Exception):
    """The text has an error, and only clean text is accepted."""


@dataclass(slots=True, eq=False)
class PythonFrame(OpenValue):
    """An open value: `kind` is its bracket, or `call`, or `calls` for the outermost list, or `lines`.

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
    """The text of one reading: where it continues after space, and which problems are reported.

    With `mild`, the first problem of another kind ends the reading.
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
            # In any case: more is space if a comment continues, or a line end is after a backslash.
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
        """Return the list of the call that a problem belongs to; raise FaultyError if no problems are accepted."""
        if self._mild is not None and kind not in self._mild:
            raise FaultyError
        if self._reported >= MAX_PROBLEMS:
            return None
        self._reported += 1
        return self._stack[1].problems if len(self._stack) > 1 else self.problems

    def look_at_fault(self) -> None:
        """Note how far the text was scanned for the token at which reading stopped, except strings, which are noted
        already."""
        found = _TOKEN.match(self.text, max(self._at, self.reach), self.limit)
        self._look((self._at if found is None else found.end()) + MAX_AHEAD_LENGTH)

    def _fault(self) -> None:
        """Raise before a costly search if only clean text is accepted."""
        if self._mild is not None:
            raise FaultyError
