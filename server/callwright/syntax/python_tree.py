"""The tree of a reading of Python calls: what was read, and which part of it is open.

Owns: `PythonTree`, `CallDraft`: adding values and members to what is open, closing, positional arguments bound to
names. Must not know: how values and strings are read.
"""

from collections.abc import Callable, Sequence
from typing import Any

from callwright.syntax.json import JsonRead
from callwright.syntax.json_nodes import JsonMember, JsonNode
from callwright.syntax.json_paths import open_paths
from callwright.syntax.problem import Problem
from callwright.syntax.python_format import PYTHON, PYTHON_DICT, string_literal
from callwright.syntax.python_text import PythonFrame, PythonText
from callwright.syntax.value_tree import Extent, State
from callwright.text.holes import HOLE
from callwright.text.span import Edit, Span, delete, insert

#: The names of a function's parameters, in order; None if the function is unknown.
Parameters = Callable[[str], Sequence[str] | None]


class CallDraft:
    """One call as it was read."""

    __slots__ = ("closed", "end", "name", "name_span", "read")

    def __init__(self, name: str, name_span: Span, end: int, closed: bool, read: JsonRead) -> None:
        self.name = name
        self.name_span = name_span
        self.end = end
        self.closed = closed
        self.read = read


class PythonTree(PythonText):
    """The tree of one reading: the values that are open, and the complete calls."""

    closed = False
    _done = False

    def __init__(self, extent: Extent, parameters: Parameters | None, mild: frozenset[str] | None) -> None:
        super().__init__(extent, mild)
        self.parameters = parameters
        self.calls: list[CallDraft] = []
        self.span = Span(extent.start, extent.start)

    def _missing_value(self, frame: PythonFrame, at: int) -> None:
        start, end = frame.key_span.start, max(self._back(at), frame.key_span.end)
        if self.text[at] == ",":
            repair = delete(start, self._skip(at + 1))
        else:
            repair = delete(start if frame.comma < 0 else frame.comma, end)
        self._report("missing-value", start, end, [repair], key=frame.key, colon=-1)
        self._marked = True
        self._attach(frame, JsonNode("missing", Span(end, end), None))

    def _last_end(self, frame: PythonFrame) -> int:
        return frame.last.span.end if frame.last is not None else frame.start

    def _missing_comma(self, frame: PythonFrame) -> None:
        place = max(self._last_end(frame), frame.start + 1)
        if frame.kind == "calls" and self.calls:
            place = self.calls[-1].end
        self._report("missing-comma", place, place, [insert(place, ",")], certain=True, found="", key="")
        frame.state = State.WANT

    def _close_down(self, depth: int, place: int, at: int) -> None:
        """Close the frames above `depth` of the stack, whose closers are missing, at `place`."""
        closers = "".join(self.closers[frame.kind] for frame in reversed(self._stack[depth:]))
        span = Span(place, place)
        self._missing_closers(closers, span, insert(place, closers), certain=True, truncated=False, dangling=False)
        while len(self._stack) > depth:
            self._pop(place, closed=False)
        self._at = at

    def _pop(self, end: int, *, closed: bool = True) -> None:
        """Close the innermost frame, whose text ends at `end`."""
        frame = self._stack[-1]
        if not closed:
            if frame.pending is not None:
                self._settle_quietly(frame)
            if frame.state == State.VALUE:
                self._marked = True
                self._attach(frame, JsonNode("missing", Span(end, end), None))
        self._stack.pop()
        self._at = end
        node = frame.node
        node.span = Span(frame.start, max(end, frame.start))
        if frame.kind == "call":
            self._end_call(frame, end, closed)
            return
        if frame.kind in ("calls", "lines"):
            self._done = True
            self.closed = closed
            self.span = Span(self.span.start, end)
            return
        parent = self._stack[-1]
        if frame.kind == "{":
            if frame.braces == "array":
                node = frame.node = _as_array(node)
                self._foreign(node.span, frame, "a set is read as a list, in the order written")
        elif frame.kind == "(":
            if len(node.items) == 1 and not frame.commas:
                node = node.items[0]
            else:
                self._foreign(node.span, frame, "a tuple is read as a list")
        self._attach(parent, node)

    def _foreign(self, span: Span, frame: PythonFrame, reading: str) -> None:
        if frame.braces == "array" or frame.kind == "(":
            self._report(
                "engines-differ",
                span.start,
                span.end,
                certain=True,
                reading=reading[0].upper() + reading[1:],
                others="parsers that accept only JSON types reject the call",
            )

    def _attach(self, frame: PythonFrame, node: JsonNode) -> None:
        """Add a complete value."""
        frame.last = node
        frame.comma = -1
        state, frame.state = frame.state, State.AFTER
        if frame.kind == "call":
            if not frame.key:
                frame.positional.append(node)
                return
            if frame.key == "**":
                for member in node.members:
                    self._member(frame, member)
                return
        elif frame.kind == "{":
            if state != State.VALUE:
                frame.pending = node
                frame.state = State.PENDING
                return
        else:
            frame.node.items.append(node)
            frame.node.value.append(node.value)
            return
        self._member(frame, JsonMember(frame.key, frame.key_span, node))

    def _member(self, frame: PythonFrame, member: JsonMember) -> None:
        key = member.key
        members = frame.node.members
        earlier = frame.keys.get(key)
        if earlier is not None:
            following = members[earlier + 1] if earlier + 1 < len(members) else member
            first = members[earlier].key_span
            edits = [delete(first.start, following.span.start)]
            self._report("duplicate-key", *member.key_span, edits, key=key, first=first)
        frame.keys[key] = len(members)
        members.append(member)
        frame.node.value[key] = member.value.value

    def _take_key(self, frame: PythonFrame, node: JsonNode) -> None:
        frame.braces = "object"
        frame.pending = None
        frame.state = State.VALUE
        frame.key_span = node.span
        if node.kind == "string" or node.kind == "hole":
            frame.key = str(node.value)
            return
        written = node.span.of(self.text)
        frame.key = _key_text(node, written)
        quoted = string_literal(frame.key)
        edits = [] if quoted is None else [Edit(node.span, quoted)]
        self._report("unquoted-key", node.span.start, node.span.end, edits, certain=True, key=written)

    def _settle_pending(self, frame: PythonFrame) -> None:
        """Read a possible key as an item of a set, or as a key without a value."""
        node = frame.pending
        assert node is not None, "there is something to decide on"
        frame.pending = None
        if frame.braces == "object":
            self._take_key(frame, node)
            end = node.span.end
            self._report("missing-value", node.span.start, end, [], key=frame.key, colon=-1)
            self._attach(frame, JsonNode("missing", Span(end, end), None))
            return
        frame.braces = "array"
        frame.state = State.AFTER
        frame.last = node
        frame.node.items.append(node)

    def _string_node(self, span: Span, value: str) -> JsonNode:
        if not value.isascii() and HOLE in value:
            self._marked = True
        return JsonNode("string", span, value)

    def _settle_quietly(self, frame: PythonFrame) -> None:
        node = frame.pending
        assert node is not None, "there is something to decide on"
        frame.pending = None
        frame.state = State.AFTER
        if frame.braces == "array":
            frame.node.items.append(node)
        elif node.kind in ("string", "hole"):
            frame.braces = "object"
            frame.state = State.VALUE
            frame.key, frame.key_span = str(node.value), node.span

    def _end_call(self, frame: PythonFrame, end: int, closed: bool) -> None:
        """Build a call from a frame: bind positional arguments, and keep its problems with it."""
        self._stack.append(frame)  # whose problems these are
        root, format_ = frame.node, PYTHON
        if frame.positional:
            self._fault()
            root, format_ = self._bind(frame)
        self._stack.pop()
        wild, elided = open_paths(root) if self._marked or self._too_deep else ([], [])
        read = JsonRead(root, end, min(end + 1, self.limit), frame.problems, wild, elided, format_)
        self.calls.append(CallDraft(frame.name, frame.name_span, end, closed, read))
        if self._stack:
            owner = self._stack[-1]
            owner.comma = -1
            owner.state = State.AFTER if owner.kind == "calls" else State.WANT

    def _bind(self, frame: PythonFrame) -> tuple[JsonNode, Any]:
        """Give positional arguments their parameters' names; one dictionary alone is the arguments themselves."""
        names = self.parameters(frame.name) if self.parameters is not None else None
        first = frame.positional[0]
        if (
            len(frame.positional) == 1
            and first.kind == "object"
            and not frame.node.members
            and (names is None or len(names) != 1 or names[0] in first.value)
        ):
            written = PYTHON.value(first.value, ()) if not self._marked else None
            edits = [Edit(first.span, written[1:-1])] if written is not None else []
            text = first.span.of(self.text)
            self._report("positional-argument", *first.span, edits, certain=True, text=text, name=None, all=True)
            return first, PYTHON_DICT
        members: list[JsonMember] = []
        for index, node in enumerate(frame.positional):
            name = names[index] if names is not None and index < len(names) else None
            if name is not None and name in frame.keys:
                name = None
            start, end = node.span
            edits = [insert(start, f"{name}=")] if name is not None else []
            self._report(
                "positional-argument", start, end, edits, certain=True, text=self.text[start:end], name=name, all=False
            )
            if name is not None:
                members.append(JsonMember(name, Span(start, start), node))
        root = frame.node
        kept = sorted([*root.members, *members], key=lambda member: member.span.start)
        made = JsonNode("object", root.span, {member.key: member.value.value for member in kept})
        made.members.extend(kept)
        made.elided = root.elided
        return made, PYTHON

    def _limit_problems(self) -> None:
        if not self._dropped_problems:
            return
        owner = self.calls[-1].read.problems if self.calls else self.problems
        if not owner:
            owner = self.problems
        span = owner[-1].span if owner else self.span
        owner.append(Problem("too-many-problems", span, {"more": self._dropped_problems, **self.reported}))


def _as_array(node: JsonNode) -> JsonNode:
    made = JsonNode("array", node.span, [item.value for item in node.items])
    made.items.extend(node.items)
    made.elided = node.elided
    return made


def _key_text(node: JsonNode, written: str) -> str:
    """Return the text in JSON of a key that is not a string."""
    if node.kind == "literal":
        return {True: "true", False: "false", None: "null"}[node.value]
    if node.kind == "number":
        return str(node.value)
    return written
