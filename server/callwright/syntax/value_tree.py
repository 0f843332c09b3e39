"""One reading of typed values, whatever their notation: its text, what of the tree is open, what is wrong.

Owns: `Extent`, `Frame`, `State`, `ValueTree`: how far a text was looked at, where its surroundings end, the list of
problems, and what is told of brackets. Must not know: how values, strings and separators are written.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, ClassVar, Final, Generic, NamedTuple, TypeVar

from callwright.syntax.json_fast import MAX_DEPTH
from callwright.syntax.json_nodes import JsonKind, JsonNode
from callwright.syntax.json_stops import MAX_PROBLEMS
from callwright.syntax.problem import Problem
from callwright.text.budget import UNLIMITED, Budget
from callwright.text.span import Edit, Span, delete


class Extent(NamedTuple):
    """What is read: `text[start:limit]`, up to the first match of `stop` that lies in no string."""

    text: str
    start: int
    limit: int
    stop: re.Pattern[str] | None = None
    budget: Budget = UNLIMITED


class State(Enum):
    """What is wanted next in what is open."""

    WANT = auto()  # in Python a call, an argument, a key, an item, or the end
    KEY = auto()  # an object wants a key or its end
    COLON = auto()
    PENDING = auto()  # in Python's braces, something that is a key or an item
    VALUE = auto()
    AFTER = auto()  # a value is complete; a comma or the end follows
    CUT = auto()  # the text ends behind a key


NOWHERE: Final = Span(0, 0)


@dataclass(slots=True, eq=False)
class Frame:
    """Something that is open: `kind` says what, as the notation's reader calls it."""

    kind: str
    start: int
    node: JsonNode
    state: State
    comma: int = -1  # the comma that waits for what it separates
    last_comma: int = -1  # the comma in front of the latest member or item
    loose: bool = False  # what was read last may have brought its own comma: a hole, an elision, junk
    key: str = ""
    key_span: Span = NOWHERE
    keys: dict[str, int] = field(default_factory=dict)  # where the member of each name stands among the members
    dropped: bool = False  # the value about to come has no key: it is read and left out


F = TypeVar("F", bound=Frame)


class ValueTree(Generic[F]):
    """The text of one reading: where it goes on, how far it was looked at, what is open, what is wrong."""

    #: What the data of every problem tell.
    told: ClassVar[Mapping[str, Any]] = {}
    #: What closes each kind of what may be open.
    closers: ClassVar[Mapping[str, str]] = {"object": "}", "array": "]"}

    def __init__(self, extent: Extent) -> None:
        self.text, start, self.limit, self.stop, self.budget = extent
        self.problems: list[Problem] = []
        self.end = self.reach = start
        self._begin = self._at = start
        self._stack: list[F] = []
        self._dropped_problems = 0
        self._marked = False  # something in the tree is wild or elided
        self._too_deep = False
        self._stop_at = self._next_stop(start)

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
        owner = self._owner(kind)
        if owner is None:
            self._dropped_problems += 1
            return
        edits = tuple(repair)
        certain = certain and (bool(edits) or kind == "engines-differ")
        owner.append(Problem(kind, Span(start, end), {**self.told, **data}, edits, certain))

    def _owner(self, kind: str) -> list[Problem] | None:
        """Return the list that a problem belongs to, None where there are too many already."""
        del kind
        return self.problems if len(self.problems) < MAX_PROBLEMS else None

    def _look(self, at: int) -> None:
        if at > self.reach:
            self.reach = min(at, self.limit)

    def _next_stop(self, at: int) -> int:
        found = self.stop.search(self.text, at, self.limit) if self.stop is not None else None
        return found.start() if found is not None else self.limit

    def _back(self, at: int, floor: int | None = None) -> int:
        """Return `at` without the space before it, not below `floor` or where reading began."""
        floor = self._begin if floor is None else floor
        while at > floor and self.text[at - 1] in " \t\r\n":
            at -= 1
        return at

    def _needed(self) -> str:
        """Return what closes all that is open."""
        return "".join(self.closers.get(frame.kind, "") for frame in reversed(self._stack))

    def _counts(self, closers: str) -> dict[str, Any]:
        braces = closers.count("}")
        return {"braces": braces, "brackets": len(closers) - braces, "text": closers[:MAX_DEPTH]}

    def _extra_closers(self, start: int, end: int, closers: str, *, certain: bool) -> None:
        """Report one run of superfluous closers."""
        self._report("extra-closers", start, end, [delete(start, end)], certain=certain, **self._counts(closers))

    def _mismatched(self, at: int, frame: Frame, *, certain: bool) -> None:
        """Report a closer in place of the one that a frame needs."""
        expected = self.closers[frame.kind]
        self._report(
            "mismatched-bracket",
            at,
            at + 1,
            [Edit(Span(at, at + 1), expected)],
            certain=certain,
            found=self.text[at],
            expected=expected,
            opener=Span(frame.start, frame.start + 1),
        )

    def _missing_closers(self, closers: str, span: Span, repair: Edit, *, certain: bool, **data: Any) -> None:
        """Report closers that are not there."""
        self._report(
            "missing-closers", span.start, span.end, [repair], certain=certain, **self._counts(closers), **data
        )


def opened(kind: JsonKind, at: int) -> JsonNode:
    """Return the node of an object or an array that begins at a place."""
    return JsonNode(kind, Span(at, at), {} if kind == "object" else [])
