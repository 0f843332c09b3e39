"""One reading of typed values in any dialect: its text, the open part of the tree, the problems.

Owns: `Extent`, `Frame`, `State`, `ValueTree`, `ObjectTree`: adding values to what is open, how far a text was scanned,
where its surroundings end, the list of problems, and the problems of brackets. Must not know: how values, strings and
separators are written.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final, Generic, TypeVar

from callwright.syntax.json_fast import MAX_DEPTH
from callwright.syntax.json_nodes import JsonKind, JsonMember, JsonNode, JsonPath
from callwright.syntax.json_paths import open_paths
from callwright.syntax.json_stops import MAX_PROBLEMS
from callwright.syntax.problem import Problem
from callwright.text.budget import UNLIMITED, Budget
from callwright.text.holes import HOLE
from callwright.text.records import NamedTuple, dataclass, field
from callwright.text.span import Edit, Span, delete, insert


class Extent(NamedTuple):
    """What is read: `text[start:limit]`, up to the first match of `stop` outside strings."""

    text: str
    start: int
    limit: int
    stop: re.Pattern[str] | None = None
    budget: Budget = UNLIMITED


class State:
    """What is expected next in what is open; strings, since members of an enumeration are slower."""

    WANT: Final = "want"  # in Python a call, an argument, a key, an item, or the end
    KEY: Final = "key"  # an object wants a key or its end
    COLON: Final = "colon"
    PENDING: Final = "pending"  # in Python's braces, something that is a key or an item
    VALUE: Final = "value"
    AFTER: Final = "after"  # a value is complete; a comma or the end follows
    CUT: Final = "cut"  # the text ends after a key


NOWHERE: Final = Span(0, 0)


@dataclass(slots=True, eq=False)
class OpenValue:
    """An open value: `kind` is its kind, in the terms of the dialect's reader."""

    kind: str
    start: int
    node: JsonNode
    state: str
    comma: int = -1  # the comma whose next item is still to come
    last_comma: int = -1  # the comma in front of the latest member or item
    loose: bool = False  # the last item may include a comma: a hole, an elision, junk
    key: str = ""
    key_span: Span = NOWHERE
    keys: dict[str, int] = field(default_factory=dict)  # the index of the member of each name
    dropped: bool = False  # the next value has no key: it is read and dropped


F = TypeVar("F", bound=OpenValue)


class ValueTree(Generic[F]):
    """The text of one reading: where it continues, how far it was scanned, what is open, its problems."""

    #: Data that every problem has.
    reported: ClassVar[Mapping[str, Any]] = {}
    #: The closer of each kind of open value.
    closers: ClassVar[Mapping[str, str]] = {"object": "}", "array": "]"}

    #: The names in messages of characters that a string must not contain.
    names: ClassVar[Mapping[str, str]] = {
        "\n": "line break",
        "\r\n": "line break",
        "\r": "carriage return",
        "\t": "tab",
        "\0": "NUL character",
    }

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
        owner.append(Problem(kind, Span(start, end), {**self.reported, **data}, edits, certain))

    def _owner(self, kind: str) -> list[Problem] | None:
        """Return the list that a problem belongs to, None if there are too many already."""
        del kind
        return self.problems if len(self.problems) < MAX_PROBLEMS else None

    def _report_places(
        self, kind: str, places: Sequence[Span], string: Span, repair: Sequence[Edit], *, certain: bool = False
    ) -> None:
        """Report all places with the same error in one string."""
        text, spans = places[0].of(self.text), tuple(places)
        self._report(kind, *places[0], repair, certain=certain, text=text, spans=spans, string=string)

    def _report_controls(
        self, offsets: Sequence[int], string: Span, span: Span, repair: Sequence[Edit], *, certain: bool
    ) -> None:
        """Report raw characters that one string must not contain; a CR LF is one line break."""
        text = self.text
        first = "\r\n" if text.startswith("\r\n", offsets[0]) else text[offsets[0]]
        places = tuple(at for at in offsets if not text.startswith("\r\n", at - 1))
        self._report(
            "raw-newline",
            *span,
            repair,
            certain=certain,
            char=first,
            name=self.names.get(first) or f"control character U+{ord(first):04X}",
            escape="".join(edit.text for edit in repair[: len(first)]),
            offsets=places,
            string=string,
        )

    def _look(self, at: int) -> None:
        if at > self.reach:
            self.reach = min(at, self.limit)

    def _next_stop(self, at: int) -> int:
        found = self.stop.search(self.text, at, self.limit) if self.stop is not None else None
        return found.start() if found is not None else self.limit

    def _back(self, at: int, floor: int | None = None) -> int:
        """Return `at` without the space before it, not below `floor` or the start of the reading."""
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

    def _extra_closers(self, start: int, end: int, closers: str, *, certain: bool, **data: Any) -> None:
        """Report one run of superfluous closers."""
        # A bracket after anything but a complete list may end one whose opening bracket is missing.
        certain = certain and ("]" not in closers or self.text[self._back(start) - 1] == "]")
        repair = [delete(start, end)]
        self._report("extra-closers", start, end, repair, certain=certain, **self._counts(closers), **data)

    def _mismatched(self, at: int, frame: OpenValue, *, certain: bool) -> None:
        """Report a closer instead of the one that a frame needs."""
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
        """Report missing closers."""
        self._report(
            "missing-closers", span.start, span.end, [repair], certain=certain, **self._counts(closers), **data
        )


class ObjectTree(ValueTree[OpenValue]):
    """The tree of one reading of objects and arrays; the frame around the root has no kind."""

    def __init__(self, extent: Extent) -> None:
        super().__init__(extent)
        self.root: JsonNode | None = None
        self._last = extent.start  # after the last valid token
        place = Span(extent.start, extent.start)
        self._base = OpenValue("", extent.start, JsonNode("missing", place, None), State.VALUE)
        self._stack.append(self._base)

    def paths(self) -> tuple[list[JsonPath], list[JsonPath]]:
        """Return the paths of values that fit anything, and of objects and arrays that may contain more."""
        if self._too_deep:
            return [()], []  # the values in it may be anything
        if not self._marked or self.root is None:
            return [], []
        return open_paths(self.root)

    def _open(self, kind: JsonKind, at: int) -> OpenValue:
        frame = OpenValue(kind, at, opened(kind, at), State.KEY if kind == "object" else State.VALUE)
        self._stack.append(frame)
        return frame

    def _take(self, kind: JsonKind, at: int, end: int, value: Any) -> None:
        self._at = end
        self._give(JsonNode(kind, Span(at, end), value))

    def _give_marked(self, kind: JsonKind, at: int, end: int) -> None:
        self._give(JsonNode(kind, Span(at, end), None))
        if kind == "hole":
            self._stack[-1].loose = True

    def _give(self, node: JsonNode) -> None:
        """Add a complete value to the innermost open object or array."""
        frame = self._stack[-1]
        if node.kind in ("hole", "elision", "missing") or (node.kind == "string" and HOLE in node.value):
            self._marked = True
        self._last = max(self._last, node.span.end)
        frame.state = State.AFTER
        frame.loose = False
        frame.last_comma, frame.comma = frame.comma, -1
        if frame.kind == "object":
            if frame.dropped:
                frame.dropped = False
                return
            self._add_member(frame, node)
        elif frame.kind == "array":
            frame.node.items.append(node)
            frame.node.value.append(node.value)
        else:
            self.root = node
            self.end = node.span.end

    def _add_member(self, frame: OpenValue, node: JsonNode) -> None:
        member = JsonMember(frame.key, frame.key_span, node)
        members = frame.node.members
        earlier = frame.keys.get(member.key)
        if earlier is not None and HOLE not in member.key:
            follower = members[earlier + 1].key_span.start if earlier + 1 < len(members) else member.key_span.start
            first = members[earlier]
            self._report(
                "duplicate-key",
                member.key_span.start,
                member.key_span.end,
                [delete(first.key_span.start, follower)],
                certain=first.value.span.of(self.text) == node.span.of(self.text),
                key=member.key,
                first=first.key_span,
            )
        frame.keys[member.key] = len(members)
        members.append(member)
        frame.node.value[member.key] = node.value
        if HOLE in member.key:
            # The expression gives the key, so it may be any key.
            self._marker_elided(frame)

    def _marker_elided(self, frame: OpenValue) -> None:
        frame.node.elided = self._marked = True

    def _keyed(self, frame: OpenValue, key: str, at: int, end: int) -> None:
        frame.key = key
        frame.key_span = Span(at, end)
        frame.state = State.COLON
        self._at = end
        self._last = max(self._last, end)

    def _elide(self, frame: OpenValue, end: int) -> None:
        self._marker_elided(frame)
        frame.state = State.AFTER
        frame.loose = True
        frame.comma = -1
        self._last = max(self._last, end)

    def _pop(self, frame: OpenValue, end: int) -> None:
        """Complete the innermost object or array; it ends at `end`."""
        self._stack.pop()
        last = frame.node.children[-1].span.end if frame.node.children else frame.start
        frame.node.span = Span(frame.start, max(end, last))
        self._last = max(self._last, end)
        self._give(frame.node)

    def _missing_closer(self, place: int, closers: str, *, certain: bool) -> None:
        at = self._back(place)
        self._missing_closers(closers, Span(at, at), insert(at, closers), certain=certain, truncated=False)


def opened(kind: JsonKind, at: int) -> JsonNode:
    """Return the node of an object or an array that begins at a place."""
    return JsonNode(kind, Span(at, at), {} if kind == "object" else [])
