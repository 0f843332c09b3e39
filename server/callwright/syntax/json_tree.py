"""The tree of a reading of faulty JSON: what was read, and what of it is open.

Owns: `JsonTree`: values given to what is open, closing, what of the tree is marked as wild or elided. Must not know:
how values, strings and runs of brackets are read.
"""

from typing import Any

from callwright.syntax.json_nodes import JsonKind, JsonMember, JsonNode, JsonPath
from callwright.syntax.json_paths import open_paths
from callwright.syntax.json_text import JsonText
from callwright.syntax.value_tree import Extent, Frame, State, opened
from callwright.text.holes import HOLE
from callwright.text.span import Span, delete, insert


class JsonTree(JsonText):
    """The tree of one reading as far as it was read, and what of it is open."""

    def __init__(self, extent: Extent, failed_at: int | None, patience: int | None = None) -> None:
        super().__init__(extent, failed_at, patience)
        self.root: JsonNode | None = None
        self._deep_open = 0
        place = Span(extent.start, extent.start)
        self._base = Frame("", extent.start, JsonNode("missing", place, None), State.VALUE)
        self._stack.append(self._base)

    def paths(self) -> tuple[list[JsonPath], list[JsonPath]]:
        """Return the paths of values that fit anything, and of objects and arrays that may hold more."""
        if self._too_deep:
            return [()], []  # what is down there may be anything
        if not self._marked or self.root is None:
            return [], []
        return open_paths(self.root)

    def _open(self, kind: JsonKind, at: int) -> Frame:
        frame = Frame(kind, at, opened(kind, at), State.KEY if kind == "object" else State.VALUE)
        self._stack.append(frame)
        return frame

    def _take(self, kind: JsonKind, at: int, end: int, value: Any) -> None:
        self._at = end
        self._give(JsonNode(kind, Span(at, end), value))

    def _give_marked(self, kind: JsonKind, at: int, end: int) -> None:
        self._marked = True
        self._give(JsonNode(kind, Span(at, end), None))
        if kind == "hole":
            self._stack[-1].loose = True

    def _give(self, node: JsonNode) -> None:
        """Put a complete value where it belongs in the innermost open object or array."""
        frame = self._stack[-1]
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

    def _add_member(self, frame: Frame, node: JsonNode) -> None:
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
            # Whatever the expression yields is the key, so any key may be there.
            self._mark_elided(frame)

    def _mark_elided(self, frame: Frame) -> None:
        frame.node.elided = self._marked = True

    def _keyed(self, frame: Frame, key: str, at: int, end: int) -> None:
        frame.key = key
        frame.key_span = Span(at, end)
        frame.state = State.COLON
        self._at = end
        self._last = max(self._last, end)

    def _elide(self, frame: Frame, end: int) -> None:
        self._mark_elided(frame)
        frame.state = State.AFTER
        frame.loose = True
        frame.comma = -1
        self._last = max(self._last, end)

    def _pop(self, frame: Frame, end: int) -> None:
        """Complete the innermost object or array; it ends at `end`."""
        self._stack.pop()
        last = frame.node.children[-1].span.end if frame.node.children else frame.start
        frame.node.span = Span(frame.start, max(end, last))
        self._last = max(self._last, end)
        self._give(frame.node)

    def _missing_closer(self, place: int, closers: str, *, certain: bool) -> None:
        at = self._back(place)
        self._missing_closers(closers, Span(at, at), insert(at, closers), certain=certain, truncated=False)
