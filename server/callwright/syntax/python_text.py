"""The text of a reading of Python calls: where it goes on, and how far it was looked at.

Owns: `PythonText`, `Frame`, `State`, `FaultyError`: space, what is open, the list of problems. Must not know: values,
strings, calls.
"""

import re
from collections.abc import Iterable
from enum import Enum, auto
from typing import Any, Final

from callwright.syntax.json_nodes import JsonKind, JsonNode
from callwright.syntax.json_stops import MAX_PROBLEMS
from callwright.syntax.problem import Problem
from callwright.syntax.python_notation import PYTHON
from callwright.text.budget import Budget
from callwright.text.holes import HOLE
from callwright.text.span import Edit, Span

SPACE: Final = re.compile(r"[ \t\r\n\f]*+(?:(?:#[^\r\n]*+|\\(?:\r\n|[\r\n]))[ \t\r\n\f]*+)*+")
_TOKEN: Final = re.compile(rf"{SPACE.pattern}[\w.{HOLE}]*+[ \t\r\n\f]*+")
#: What is looked for behind a name or a string is no longer.
LONGEST_AHEAD: Final = 300


class FaultyError(Exception):
    """The text has a fault, and only faultless text was asked for."""


class State(Enum):
    """What is wanted next in what is open."""

    WANT = auto()  # a call, an argument, a key, an item, or the end
    VALUE = auto()  # what belongs to a keyword or key
    PENDING = auto()  # in braces, something that is a key or an item
    AFTER = auto()  # a comma or the end


class Frame:
    """Something that is open: `kind` is its bracket, or `call`, or `calls` for the outermost list, or `lines`."""

    __slots__ = (
        "braces",
        "comma",
        "commas",
        "key",
        "key_span",
        "keys",
        "kind",
        "last",
        "name",
        "name_span",
        "node",
        "pending",
        "positional",
        "problems",
        "start",
        "state",
    )

    def __init__(self, kind: str, start: int, node: JsonNode) -> None:
        self.kind = kind
        self.start = start
        self.node = node
        self.state = State.WANT
        self.comma = -1  # the comma that waits for what it separates
        self.commas = 0
        self.key: str | None = None
        self.key_span = Span(start, start)
        self.keys: dict[str, int] = {}  # where the member of each name stands among the members
        self.braces = ""  # of braces: `object` or `array` once that is known
        self.pending: JsonNode | None = None
        self.last: JsonNode | None = None  # the value read last
        self.positional: list[JsonNode] = []
        self.name = ""
        self.name_span = Span(start, start)
        self.problems: list[Problem] = []


class PythonText:
    """The text of one reading: where it goes on, how far it was looked at, what is open, what is wrong."""

    def __init__(
        self,
        text: str,
        start: int,
        limit: int,
        stop: re.Pattern[str] | None,
        budget: Budget,
        *,
        mild: frozenset[str] | None = None,
    ) -> None:
        self.text = text
        self.limit = limit
        self.stop = stop
        self.budget = budget
        self.problems: list[Problem] = []
        self.span = Span(start, start)
        self.end = start
        self.reach = start
        self._at = start
        self._mild = mild  # not None: the first other fault ends it all
        self._stack: list[Frame] = []
        self._reported = 0
        self._dropped = 0
        self._stop_at = self._next_stop(start)

    def _push(self, kind: str, start: int) -> Frame:
        shape: JsonKind = "object" if kind in ("call", "{") else "array"
        frame = Frame(kind, start, JsonNode(shape, Span(start, start), {} if shape == "object" else []))
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

    def _look(self, to: int) -> None:
        if to > self.reach:
            self.reach = min(to, self.limit)

    def _report(
        self,
        kind: str,
        start: int,
        end: int,
        repair: Iterable[Edit] = (),
        *,
        certain: bool = False,
        **data: Any,
    ) -> None:
        if self._mild is not None and kind not in self._mild:
            raise FaultyError
        if self._reported >= MAX_PROBLEMS:
            self._dropped += 1
            return
        self._reported += 1
        edits = tuple(repair)
        problem = Problem(
            kind,
            Span(start, end),
            {"notation": PYTHON.name, **data},
            edits,
            certain and (bool(edits) or kind == "engines-differ"),
        )
        owner = self._stack[1].problems if len(self._stack) > 1 else self.problems
        owner.append(problem)

    def _back(self, at: int) -> int:
        """Return `at` without the space before it."""
        floor = self.span.start
        while at > floor and self.text[at - 1] in " \t\r\n":
            at -= 1
        return at

    def look_at_fault(self) -> None:
        """Note how far was looked for the token at which reading was given up, strings left out: they are noted."""
        found = _TOKEN.match(self.text, max(self._at, self.reach), self.limit)
        self._look((self._at if found is None else found.end()) + LONGEST_AHEAD)

    def _fault(self) -> None:
        """Give up before a costly search where only faultless text is of interest."""
        if self._mild is not None:
            raise FaultyError
