"""The tree of a JSON text: nodes with spans, and the cheap way to one node of a clean text.

Owns: `JsonNode`, `JsonMember`, and skipping along a path with the C scanner. Must not know: problems, repairs, what
surrounds the text.
"""

import json
import re
from collections.abc import Sequence
from json.decoder import scanstring  # type: ignore[attr-defined]  # typeshed leaves the C string scanner out
from typing import Any, ClassVar, Final, Literal, TypeAlias

from callwright.text.budget import yield_point
from callwright.text.span import Span

#: Keys of objects and indexes of arrays, from the root down.
JsonPath: TypeAlias = tuple[str | int, ...]

#: `hole`: a template expression. `elision`: `...` where a value is. `missing`: an empty place for a value.
JsonKind: TypeAlias = Literal["object", "array", "string", "number", "literal", "hole", "elision", "missing"]

#: How often a clean value is walked from its start before its members are read and indexed.
_FEW: Final = 8
SPACE: Final = re.compile(r"[ \t\n\r]*+")
# The type stubs do not know the scanner.
_DECODER: Any = json.JSONDecoder()
_SCAN: Final = _DECODER.scan_once


class JsonMember:
    """One member of an object: `key_span` covers the key with its quotes, `span` the key's start to the value's end."""

    __slots__ = ("key", "key_span", "span", "value")

    def __init__(self, key: str, key_span: Span, value: "JsonNode") -> None:
        self.key = key
        self.key_span = key_span
        self.value = value
        self.span = Span(key_span.start, max(key_span.end, value.span.end))


class JsonNode:
    """One value with its place: `span` in code points of the text that was read, `value` as Python sees it.

    `elided` says whether an object or array contains an elision, so that members or items may be omitted in the text.
    Invariant: the spans of members and items are inside the node's own, in order, and do not overlap.
    """

    __slots__ = ("_asked", "_index", "_items", "_members", "_text", "elided", "kind", "span", "value")

    #: Whether a value whose parts are not read yet is JSON, so that one part can be found without the others.
    is_json: ClassVar[bool] = True

    def __init__(self, kind: JsonKind, span: Span, value: Any, text: str | None = None) -> None:
        self.kind = kind
        self.span = span
        self.value = value
        self.elided = False
        self._text = text  # not None: what an object or array is read from that has not been taken apart yet
        self._members: list[JsonMember] = []
        self._items: list[JsonNode] = []
        self._asked = 0
        self._index: tuple[int, dict[str, JsonMember]] | None = None

    def __repr__(self) -> str:
        return f"JsonNode({self.kind!r}, {self.span.start}..{self.span.end})"

    @property
    def is_clean(self) -> bool:
        """Whether this is an object or array that the C parser read as a whole: no problems, holes or elisions
        below."""
        return self._text is not None

    @property
    def members(self) -> list[JsonMember]:
        """The members of an object in order, duplicates included; empty for every other kind."""
        if self._text is not None:
            self._take_apart(self._text)
        return self._members

    @property
    def items(self) -> list["JsonNode"]:
        """The items of an array in order; empty for every other kind."""
        if self._text is not None:
            self._take_apart(self._text)
        return self._items

    @property
    def children(self) -> list["JsonNode"]:
        """The values of the members, or the items."""
        return [member.value for member in self.members] if self.kind == "object" else self.items

    def child(self, step: str | int) -> "JsonNode | None":
        """Return the node right below this one that `step` leads to; of members with one name the last."""
        if isinstance(step, int):
            items = self.items
            return items[step] if 0 <= step < len(items) else None
        member = self.member(step)
        return member.value if member is not None else None

    def locate(self, path: Sequence[str | int]) -> "JsonNode | None":
        """Return the node at `path` below this one, or None where the text has no such value."""
        found = self._find(path)
        return found[0] if found is not None else None

    def locate_key(self, path: Sequence[str | int]) -> Span | None:
        """Return the span of the key that the last step of `path` names; None for an item and for a missing member."""
        found = self._find(path)
        return found[1] if found is not None else None

    def detach(self, own: str, whole: str) -> None:
        """Refer to `own` in place of `whole`, which begins with it and may be far longer; no parts are read."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            node._release(own, whole)  # noqa: SLF001 - a node below this one, which is not to be taken apart
            waiting.extend(node._items)  # noqa: SLF001
            waiting.extend(member.value for member in node._members)  # noqa: SLF001

    def _release(self, own: str, whole: str) -> None:
        if self._text is whole:
            self._text = own

    def _find(self, path: Sequence[str | int]) -> "tuple[JsonNode, Span | None] | None":
        node = self
        key_span: Span | None = None
        for depth, step in enumerate(path):
            if node._text is not None and node.is_json:
                node._asked += 1
                if node._asked <= _FEW:
                    return _skip_to(node, node._text, path[depth:])
            if isinstance(step, str):
                member = node.member(step)
                if member is None:
                    return None
                node, key_span = member.value, member.key_span
            else:
                if not 0 <= step < len(node.items):
                    return None
                node, key_span = node.items[step], None
        return node, key_span

    def member(self, name: str) -> JsonMember | None:
        """Return the member of a name: of duplicates the last, which counts."""
        members = self.members
        if len(members) <= _FEW:
            return next((member for member in reversed(members) if member.key == name), None)
        if self._index is None or self._index[0] != len(members):
            self._index = (len(members), {member.key: member for member in members})
        return self._index[1].get(name)

    def _take_apart(self, text: str) -> None:
        self._text = None
        if self.kind == "object":
            found = _FIRST_KEY.match(text, self.span.start)
            while found is not None:
                key, after = scanstring(text, found.end(), True)
                node = _node_of(text, _end(_COLON, text, after), self.value[key])
                self._members.append(JsonMember(key, Span(found.end() - 1, after), node))
                found = _NEXT_KEY.match(text, node.span.end)
        else:
            at = _space(text, self.span.start + 1)
            for value in self.value:
                node = _node_of(text, at, value)
                self._items.append(node)
                at = _next_item(text, node.span.end)


def clean_node(text: str, span: Span, value: Any) -> JsonNode:
    """Return the node of the clean JSON value that `span` covers exactly; its parts are looked up on demand."""
    kind = _KINDS.get(text[span.start], "number")
    return JsonNode(kind, span, value, text if kind in ("object", "array") else None)


_KINDS: Final[dict[str, JsonKind]] = {
    "{": "object",
    "[": "array",
    '"': "string",
    "t": "literal",
    "f": "literal",
    "n": "literal",
}


#: What is before the first key of an object and before each further one, up to its quote, and after a key.
_FIRST_KEY: Final = re.compile(r'\{[ \t\r\n]*+"')
_NEXT_KEY: Final = re.compile(r'[ \t\r\n]*+,[ \t\r\n]*+"')
_COLON: Final = re.compile(r"[ \t\r\n]*+:[ \t\r\n]*+")


def _space(text: str, at: int) -> int:
    return _end(SPACE, text, at)


def _next_item(text: str, end: int) -> int:
    """Return where the item begins that follows one which ends at `end`; if there is none, the bracket's place."""
    at = _space(text, end)
    return _space(text, at + 1) if text[at] == "," else at


def _end_of(text: str, start: int) -> int:
    yield_point()
    end: int = _SCAN(text, start)[1]
    return end


def _node_of(text: str, start: int, value: Any) -> JsonNode:
    return clean_node(text, Span(start, _end_of(text, start)), value)


def _skip_to(node: JsonNode, text: str, path: Sequence[str | int]) -> tuple[JsonNode, Span | None] | None:
    """Walk from a clean node down `path`; each character is passed at most twice.

    The last member of an object ends where the object does, so its end is known without reading.
    """
    at, value, key_span = node.span.start, node.value, None
    end: int | None = node.span.end
    for step in path:
        place = _step(text, at, step)
        if place is None:
            return None
        if end is not None:
            is_last = isinstance(step, str) and next(reversed(value)) == step
            end = at + len(text[at : end - 1].rstrip(" \t\r\n")) if is_last else None
        at, key_span = place
        value = value[step]
    return clean_node(text, Span(at, _end_of(text, at) if end is None else end), value), key_span


def _step(text: str, at: int, step: str | int) -> tuple[int, Span | None] | None:
    if isinstance(step, str):
        found = _FIRST_KEY.match(text, at)
        while found is not None:
            key, after = scanstring(text, found.end(), True)
            begin = _end(_COLON, text, after)
            if key == step:
                return begin, Span(found.end() - 1, after)
            found = _NEXT_KEY.match(text, _end_of(text, begin))
        return None
    if text[at] != "[" or step < 0:
        return None
    at = _space(text, at + 1)
    for _ in range(step):
        if text[at] == "]":
            return None
        at = _next_item(text, _end_of(text, at))
    return None if text[at] == "]" else (at, None)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found is not None else at
