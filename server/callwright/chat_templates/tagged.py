"""Text that knows where it comes from, through what templates do with text.

Owns: `Tagged`, the tree of its origins, and reading that tree into segments. Must not know: Jinja, where sites are.

A *site* is a number for a place in a template that writes text. The origins of a text are a *node*, which knows lengths
and sites but no text: it is built in constant time for each operation, and read once at the end, or where a text is
cut. An integer is a node, too: so many characters of which nothing is known.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Any, Final, SupportsIndex, TypeAlias

from callwright.text.records import NamedTuple

Node: TypeAlias = "int | tuple[Any, ...]"

#: Kinds of nodes, with what comes after the kind and the length.
_LEAF: Final = 0  # a site, and how far into what the site writes the text begins
_JOIN: Final = 1  # nodes one after the other
_WITHIN: Final = 2  # a site, and a node: what is not known of it comes from the site, the rest came through it
_FLAT: Final = 3  # where each segment ends, and the segments

#: Beyond so many repetitions of a text its origins are not kept.
_MAX_TIMES: Final = 10_000


class Via(NamedTuple):
    """The sites that a text came through, the innermost first."""

    site: int
    outer: Via | None


class Segment(NamedTuple):
    """The origin of some characters: `site` is -1 where it is not known."""

    site: int
    offset: int
    via: Via | None


def size(node: Node) -> int:
    """Return the number of characters that a node is about."""
    return node if isinstance(node, int) else int(node[1])


def leaf(text: str, site: int) -> Tagged:
    """Return text that a site writes."""
    return _made(text, (_LEAF, len(text), site, 0))


def within(text: str, site: int) -> str:
    """Return what came through a site; what is no text as it is."""
    if type(text) is Tagged:
        return _made(text, (_WITHIN, len(text), site, text.origin_))
    return text


def written(text: Any, site: int) -> Any:
    """Return plain text as one that a site writes, and tagged text as one that came through it."""
    if type(text) is str or type(text) is Tagged:
        origin = node_of(text)
        return _made(text, (_WITHIN, len(text), site, origin))
    return text


def lifted(text: Any) -> Any:
    """Return plain text as one whose methods keep the origins of what they are given; anything else as it is."""
    return _made(text, len(text)) if type(text) is str else text


def node_of(piece: str | tuple[int, str]) -> Node:
    """Return the origins of a text, or of one that a site wrote."""
    if type(piece) is tuple:
        site, text = piece
        if type(text) is Tagged:
            return (_WITHIN, len(text), site, text.origin_)
        return (_LEAF, len(text), site, 0)
    return piece.origin_ if type(piece) is Tagged else len(piece)


def joined(pieces: Iterable[str | tuple[int, str]]) -> str:
    """Return pieces as one text; a piece is a text, or a pair of a site and what it writes."""
    listed = list(pieces)
    if len(listed) == 1 and type(listed[0]) is Tagged:
        return listed[0]
    text = "".join([piece[1] if type(piece) is tuple else piece for piece in listed])  # type: ignore[misc]
    return _made(text, (_JOIN, len(text), [node_of(piece) for piece in listed]))


def segments(node: Node) -> tuple[list[int], list[Segment]]:
    """Return where each segment of a text ends, and the segments; takes time linear in the operations that made it."""
    if not isinstance(node, int) and node[0] == _FLAT:
        return node[2], node[3]
    ends: list[int] = []
    found: list[Segment] = []
    at = 0
    waiting: list[tuple[Node, Via | None]] = [(node, None)]
    while waiting:
        node, via = waiting.pop()
        if isinstance(node, int):
            if node:
                at += node
                ends.append(at)
                found.append(Segment(via.site, 0, via.outer) if via is not None else Segment(-1, 0, None))
            continue
        kind, length = node[0], node[1]
        if not length:
            continue
        if kind == _LEAF:
            site, offset = node[2], node[3]
            at += length
            if found and (last := found[-1]).site == site and last.via is via:
                begin = ends[-2] if len(ends) > 1 else 0
                if last.offset + ends[-1] - begin == offset:
                    ends[-1] = at
                    continue
            ends.append(at)
            found.append(Segment(site, offset, via))
        elif kind == _JOIN:
            waiting += [(child, via) for child in reversed(node[2])]
        elif kind == _WITHIN:
            waiting.append((node[3], Via(node[2], via)))
        else:
            memo: dict[int, Via | None] = {}
            for end, segment in zip(node[2], node[3], strict=True):
                ends.append(at + end)
                found.append(_through(segment, via, memo))
            at += length
    return ends, found


def _through(segment: Segment, via: Via | None, memo: dict[int, Via | None]) -> Segment:
    """Return the origin of characters that came through more sites."""
    if via is None:
        return segment
    if segment.site < 0:
        return Segment(via.site, 0, via.outer)
    inner = segment.via
    if id(inner) not in memo:
        passed: list[int] = []
        while inner is not None:
            passed.append(inner.site)
            inner = inner.outer
        whole: Via | None = via
        for site in reversed(passed):
            whole = Via(site, whole)
        memo[id(segment.via)] = whole
    return Segment(segment.site, segment.offset, memo[id(segment.via)])


class Tagged(str):
    """A text with its origins; it is equal to the plain text, and hashes as it does.

    Methods that are not here return plain text, of which nothing is known.
    """

    # A template reaches what begins with no underscore, but hardly anything that ends with one.
    __slots__ = ("origin_",)
    origin_: Node

    def __new__(cls, text: object = "", origin: Node | None = None) -> Tagged:
        """Return `text` with its origins, of which nothing is known where they are not given."""
        made = str.__new__(cls, text)
        made.origin_ = len(made) if origin is None else origin
        return made

    def __str__(self) -> str:
        return self

    def part_(self, start: int, stop: int) -> str:
        """Return the characters in `[start, stop)`."""
        text = str.__getitem__(self, slice(start, stop))
        length = len(text)
        stop = start + length
        node = self.origin_
        if isinstance(node, int) or not length:
            return text
        if length == len(self):
            return self
        if node[0] == _LEAF:
            return _made(text, (_LEAF, length, node[2], node[3] + start))
        if node[0] != _FLAT:
            self.origin_ = node = (_FLAT, len(self), *segments(node))
        ends, found = node[2], node[3]
        number = bisect_right(ends, start)
        new_ends: list[int] = []
        new: list[Segment] = []
        while start < stop:
            end = min(ends[number], stop)
            site, offset, via = found[number]
            begin = ends[number - 1] if number else 0
            new_ends.append(end - stop + length)
            new.append(Segment(site, offset + start - begin, via) if site >= 0 else found[number])
            start = end
            number += 1
        return _made(text, (_FLAT, length, new_ends, new))

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        if isinstance(key, slice):
            start, stop, step = key.indices(len(self))
            if step == 1:
                return self.part_(start, max(start, stop))
            return joined([self.part_(at, at + 1) for at in range(start, stop, step)])
        text = str.__getitem__(self, key)
        at = key.__index__()
        at += len(self) if at < 0 else 0
        part = self.part_(at, at + 1)
        return part if part == text else text

    def __iter__(self) -> Iterator[str]:
        return (self.part_(at, at + 1) for at in range(len(self)))

    def __add__(self, other: str) -> str:
        if type(other) is not str and type(other) is not Tagged:
            return NotImplemented if hasattr(other, "__html__") else str.__add__(self, other)
        return _made(str.__add__(self, other), (_JOIN, len(self) + len(other), (self.origin_, node_of(other))))

    def __radd__(self, other: object) -> str:
        if type(other) is not str:
            return NotImplemented
        return _made(str.__add__(other, self), (_JOIN, len(self) + len(other), (len(other), self.origin_)))

    def __mul__(self, times: SupportsIndex) -> str:
        text = str.__mul__(self, times)
        node, count = self.origin_, times.__index__()
        if not isinstance(node, int) and node[0] == _LEAF:
            return _made(text, (_LEAF, len(text), node[2], node[3]))
        if count > _MAX_TIMES or count < 1:
            return text
        return _made(text, (_JOIN, len(text), (node,) * count))

    __rmul__ = __mul__

    def strip(self, chars: str | None = None, /) -> str:
        """Return the text without white space, or other characters, at both ends."""
        start = len(self) - len(str.lstrip(self, chars))
        return self.part_(start, start + len(str.strip(self, chars)))

    def lstrip(self, chars: str | None = None, /) -> str:
        """Return the text without white space, or other characters, at its start."""
        return self.part_(len(self) - len(str.lstrip(self, chars)), len(self))

    def rstrip(self, chars: str | None = None, /) -> str:
        """Return the text without white space, or other characters, at its end."""
        return self.part_(0, len(str.rstrip(self, chars)))

    def removeprefix(self, prefix: str, /) -> str:
        """Return the text without a prefix."""
        return self.part_(len(self) - len(str.removeprefix(self, prefix)), len(self))

    def removesuffix(self, suffix: str, /) -> str:
        """Return the text without a suffix."""
        return self.part_(0, len(str.removesuffix(self, suffix)))

    def split(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:
        """Return the words, or what is between separators."""
        return self._found(str.split(self, sep, maxsplit), sep)

    def rsplit(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:
        """Return the words, or what is between separators, from the end."""
        return self._found(str.rsplit(self, sep, maxsplit), sep)

    def _found(self, texts: list[str], sep: str | None) -> list[str]:
        """Return the parts of this text that are equal to `texts`, one after the other."""
        parts: list[str] = []
        at = 0
        for text in texts:
            if sep is None:
                at = str.find(self, text, at)
            parts.append(self.part_(at, at + len(text)))
            at += len(text) + len(sep or "")
        return parts

    def splitlines(self, keepends: bool = False) -> list[str]:
        """Return the lines."""
        parts: list[str] = []
        at = 0
        for whole, text in zip(str.splitlines(self, True), str.splitlines(self, keepends), strict=True):
            parts.append(self.part_(at, at + len(text)))
            at += len(whole)
        return parts

    def partition(self, sep: str, /) -> tuple[str, str, str]:
        """Return what is before the first separator, the separator, and what is after it."""
        return self._three(str.partition(self, sep))

    def rpartition(self, sep: str, /) -> tuple[str, str, str]:
        """Return what is before the last separator, the separator, and what is after it."""
        return self._three(str.rpartition(self, sep))

    def _three(self, texts: tuple[str, str, str]) -> tuple[str, str, str]:
        first, second = len(texts[0]), len(texts[0]) + len(texts[1])
        return self.part_(0, first), self.part_(first, second), self.part_(second, len(self))

    def replace(self, old: str, new: str, count: SupportsIndex = -1, /) -> str:
        """Return the text with `old` replaced by `new`, which keeps its own origins."""
        text = str.replace(self, old, new, count)
        if not old:
            return text
        pieces: list[str] = []
        at, left = 0, count.__index__()
        while left and (found := str.find(self, old, at)) >= 0:
            pieces += (self.part_(at, found), new)
            at = found + len(old)
            left -= 1
        if not pieces:
            return self
        pieces.append(self.part_(at, len(self)))
        return _made(text, (_JOIN, len(text), [node_of(piece) for piece in pieces]))

    def join(self, texts: Iterable[str], /) -> str:
        """Return texts as one, with this text between them."""
        listed = list(texts)
        text = str.join(self, listed)
        nodes: list[Node] = []
        for number, each in enumerate(listed):
            if number:
                nodes.append(self.origin_)
            nodes.append(node_of(each))
        return _made(text, (_JOIN, len(text), nodes))

    def upper(self) -> str:
        """Return the text in upper case."""
        return self._changed(str.upper(self))

    def lower(self) -> str:
        """Return the text in lower case."""
        return self._changed(str.lower(self))

    def title(self) -> str:
        """Return the text with each word beginning in upper case."""
        return self._changed(str.title(self))

    def capitalize(self) -> str:
        """Return the text with its first character in upper case."""
        return self._changed(str.capitalize(self))

    def swapcase(self) -> str:
        """Return the text with upper and lower case exchanged."""
        return self._changed(str.swapcase(self))

    def casefold(self) -> str:
        """Return the text for comparing it without regard to case."""
        return self._changed(str.casefold(self))

    def _changed(self, text: str) -> str:
        return _made(text, self.origin_) if len(text) == len(self) else text


def _made(text: str, origin: Node) -> Tagged:
    made = str.__new__(Tagged, text)
    made.origin_ = origin
    return made
