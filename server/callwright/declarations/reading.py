"""The declarations of a text: which tools it documents, and where.

Owns: `Declaration`, `Declarations`: locating declarations at the markers of styles, reading each text once, and keeping
them in step with edits. Must not know: any single style, documents, hosts, what the tools are used for.

A text is searched for the markers of all styles from its beginning to its end. At each marker after the declarations
found so far, the styles that have it are asked in the order of their ranks; the first that locates a declaration has
it. What is found at a marker depends on a segment around it: after an edit only markers whose segment was touched are
asked again.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from callwright.declarations.styles.catalogue import cores, find_style, markers, style_order
from callwright.text.budget import yield_point
from callwright.text.lru import Kept
from callwright.text.records import NamedTuple, dataclass, field, replace
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.text.document import TextDocument
    from callwright.text.projection import Projection
    from callwright.tools.definitions import Definition
    from callwright.tools.documents import ToolDocument

#: At most this many characters of a text are searched for markers at a time.
_STEP: Final = 8_192
#: At most this many attempts are moved together.
_PART: Final = 64


@dataclass(frozen=True, slots=True)
class Read:
    """What the text of a declaration says, in offsets of that text.

    `document` holds the definitions as a tool file does. `whole` and `broken` are those of `Body`. `checked` belongs to
    the linter: the settings of its latest check with what that found, at most one entry.
    """

    document: ToolDocument
    whole: bool
    broken: bool
    checked: list[tuple[Any, Any]] = field(default_factory=list, repr=False, compare=False)

    @property
    def definitions(self) -> Sequence[Definition]:
        """The definitions, in the order of the text."""
        return self.document.definitions

    def name_of(self, definition: Definition) -> Span:
        """Return the span of a tool's name, with quotes where it has any."""
        places = self.document.places
        return places.key(definition.name_path) if definition.name_is_key else places.value(definition.name_path)


@dataclass(frozen=True, slots=True)
class Declaration:
    """A segment of a text that documents tools, and what it says of them.

    `span` is in offsets of the text; those of `read` are relative to its start. Where the text is a part of a document,
    `projection` maps its offsets to those of the document.
    """

    span: Span
    style: str
    read: Read
    projection: Projection | None = None

    def shift(self, by: int) -> Declaration:
        """Return the same declaration, `by` further on in its text."""
        return Declaration(self.span.shift(by), self.style, self.read, self.projection) if by else self

    def place(self, span: Span) -> Span:
        """Return a span of what was read as one of the document."""
        own = span.shift(self.span.start)
        return own if self.projection is None else self.projection.raw_span(own)

    @property
    def whole_place(self) -> Span:
        """The span of the declaration in the document."""
        return self.span if self.projection is None else self.projection.raw_span(self.span)


class _Attempt(NamedTuple):
    """What was found at the marker `at`: it depends on `[low, high)`.

    `end` is where the search continues: the end of what was located, the marker itself where nothing was. `clipped` is
    true if more would have been read before `low`, had no declaration ended there.
    """

    at: int
    low: int
    high: int
    end: int
    clipped: bool = False
    declaration: Declaration | None = None

    def shift(self, by: int) -> _Attempt:
        if not by:
            return self
        found = None if self.declaration is None else self.declaration.shift(by)
        return _Attempt(self.at + by, self.low + by, self.high + by, self.end + by, self.clipped, found)

    def is_same_after(self, floor: int, by: int) -> bool:
        """Return whether the same would be found `by` further on, where the latest declaration ends at `floor`."""
        return floor == self.low + by if self.clipped else floor < self.low + by


class _Part(NamedTuple):
    """Attempts that follow each other, all of which are `by` further on in the text; they depend on `[low, high)`.

    `end` is where the latest declaration among them ends, 0 without one.
    """

    attempts: tuple[_Attempt, ...]
    by: int
    low: int
    high: int
    end: int

    @classmethod
    def of(cls, attempts: Sequence[_Attempt], by: int = 0) -> _Part:
        low, high = min(each.low for each in attempts), max(each.high for each in attempts)
        # Without a declaration in it, where it begins says no more than what is before it.
        ends = (each.end for each in attempts if each.end > each.at)
        return cls(tuple(attempts), by, low, high, max(ends, default=0))

    def shifted(self) -> Iterator[_Attempt]:
        return (each.shift(self.by) for each in self.attempts) if self.by else iter(self.attempts)


class Declarations:
    """The declarations of one text, in order; none overlap. Immutable: an edit gives others (`edited`)."""

    __slots__ = ("_found", "_parts")

    def __init__(self, parts: tuple[_Part, ...] = ()) -> None:
        self._parts = parts
        self._found: tuple[Declaration, ...] | None = None

    def __iter__(self) -> Iterator[Declaration]:
        return iter(self.found)

    def __bool__(self) -> bool:
        return any(each.declaration is not None for part in self._parts for each in part.attempts)

    @property
    def found(self) -> tuple[Declaration, ...]:
        """All of them."""
        if self._found is None:
            self._found = tuple(
                each.declaration.shift(part.by)
                for part in self._parts
                for each in part.attempts
                if each.declaration is not None
            )
        return self._found

    def names_in(self, low: int, high: int) -> list[Span]:
        """Return the places of tools' names in the declarations that share characters with `[low, high)`, in order."""
        around = Span(low, high)
        return sorted(
            each.place(each.read.name_of(definition))
            for each in self
            if each.whole_place.overlaps(around)
            for definition in each.read.definitions
        )

    @classmethod
    def gathered(cls, parts: Iterable[tuple[Declarations, Projection]]) -> Declarations:
        """Return the declarations of several texts that are parts of one document, each with its projection."""
        found = [replace(each, projection=projection) for part, projection in parts for each in part]
        return cls(_divided(_Attempt(each.span.start, *each.span, each.span.end, declaration=each) for each in found))

    def edited(self, after: TextDocument, low: int, high: int, delta: int) -> Declarations:
        """Return the declarations of the text `after` edits, which changed `[low, high)` of it, grown by `delta`."""
        parts = self._parts
        first, last = 0, len(parts)
        while first < last and parts[first].high + parts[first].by < low:
            first += 1
        while last > first and parts[last - 1].low + parts[last - 1].by > high - delta:
            last -= 1
        before, following = parts[:first], parts[last:]
        if delta:
            following = tuple(part._replace(by=part.by + delta) for part in following)
        touched = [each for part in parts[first:last] for each in part.shifted()]
        start, stop = 0, len(touched)
        while start < stop and touched[start].high < low:
            start += 1
        while stop > start and touched[stop - 1].low > high - delta:
            stop -= 1
        clear = [each.shift(delta) for each in touched[stop:]]
        if start == stop and not _has_marker(after, low, high):
            # Nothing that was read has changed, and no marker is new.
            if not delta:
                return self
            return Declarations((*before, *_divided([*touched[:start], *clear]), *following))
        ends = [part.end + part.by for part in before if part.end]
        ends += [each.end for each in touched[:start] if each.end > each.at]
        at = touched[start - 1].at if start else before[-1].attempts[-1].at + before[-1].by if before else -1
        known = [*([_Part.of(clear)] if clear else []), *following]
        found = _Search(_plain(after.text()), at + 1, max(ends, default=0), known)
        return Declarations((*before, *_divided([*touched[:start], *found.attempts()]), *found.rest))


NONE: Final = Declarations()


def declarations_in(text: str) -> Declarations:
    """Return the declarations of a text."""
    if not may_declare(text):
        return NONE
    return Declarations(_divided(_Search(_plain(text)).attempts()))


def may_declare(text: str) -> bool:
    """Return whether a text has a marker of a declaration, without which it has none."""
    return any(
        core.text in text and any(marker in text for marker, _, _ in core.markers)
        for core in cores(plain=text.isascii())
    )


def declares_in_value(value: Any) -> bool:
    """Return whether a text in a JSON value declares a tool, those in text by a model left out."""
    pending, texts = [value], []
    while pending:
        one = pending.pop()
        if isinstance(one, str):
            texts.append(one)
        elif isinstance(one, list):
            pending += one
        elif isinstance(one, dict) and one.get("role") != "assistant" and one.get("from") != "gpt":
            pending += one.values()
    # Most values have no marker in any text, which one search in all of them tells.
    return may_declare("\n".join(texts)) and any(may_declare(text) and _declares(text) for text in texts)


def _declares(text: str) -> bool:
    """Return whether a text declares a tool; asked once of equal texts."""
    known = _declaring.get(text)
    return _declaring.keep(text, bool(declarations_in(text)), len(text) + 100) if known is None else known


#: Whether a text declares tools: many rows begin with the same prompt.
_declaring: Final[Kept[str, bool]] = Kept(256, 4_000_000)


def may_declare_in_data(text: bytes) -> bool:
    """Return whether a string in JSON data may have a marker of a declaration."""
    return any(core in text and any(marker in text for marker in found) for core, found in _cores_in_data())


@cache
def _cores_in_data() -> Sequence[tuple[bytes, Sequence[bytes]]]:
    """Return the cores of markers with the markers, as JSON strings hold them."""
    return [
        (each.encode(), [written for marker, _, _ in core.markers for written in _written(marker)])
        for core in cores(plain=False)
        for each in {json.dumps(core.text, ensure_ascii=escapes)[1:-1] for escapes in (True, False)}
    ]


def _written(marker: str) -> set[bytes]:
    """Return a marker as JSON strings hold it: characters beyond ASCII as they are, or escaped."""
    return {json.dumps(marker, ensure_ascii=escapes)[1:-1].encode() for escapes in (True, False)}


def markers_in_data(text: str) -> list[Span]:
    """Return the places of markers in a text whose strings may have escapes."""
    found: set[Span] = set()
    for marker in _markers_of_sources():
        at = text.find(marker)
        while at >= 0:
            found.add(Span(at, at + len(marker)))
            at = text.find(marker, at + len(marker))
    return sorted(found)


@cache
def _markers_of_sources() -> frozenset[str]:
    """Return the markers as they are, and as JSON strings hold them."""
    return frozenset(markers()) | {each.decode() for marker in markers() for each in _written(marker)}


def read_declaration(style: str, text: str) -> Read | None:
    """Return what the text of one declaration says, None where it defines no tool; read once for equal texts."""
    key = (style, text)
    known = _read.get(key)
    if known is None:
        known = _read.keep(key, (_reread(style, text),), 4 * len(text) + 200)
    return known[0]


#: By style and text: the same prompt is opened in many files and rows, and is there again after each edit.
_read: Final[Kept[tuple[str, str], tuple[Read | None]]] = Kept(4_096, 16_000_000)


def _reread(style: str, text: str) -> Read | None:
    from callwright.tools.definitions import locate_definitions
    from callwright.tools.documents import ToolDocument

    body = find_style(style).read(text)
    if body is None:
        return None
    found, problems = locate_definitions(body.value, places=body.places)
    if not found:
        return None
    if body.dialect is not None or not body.whole:
        own = [replace(each.tool, whole=body.whole, dialect=body.dialect or each.tool.dialect) for each in found]
        found = [replace(each, tool=tool) for each, tool in zip(found, own, strict=True)]
    document = ToolDocument(text, "", style, body.value, body.places, found, problems)
    return Read(document, body.whole, body.broken)


def _divided(attempts: Iterable[_Attempt]) -> tuple[_Part, ...]:
    """Return attempts in parts: what follows an edit is moved part by part."""
    every = [*attempts]
    return tuple(_Part.of(every[first : first + _PART]) for first in range(0, len(every), _PART))


class _Search:
    """A search of a text for declarations, after what was found `before`, up to where it comes to what is known.

    `known` are parts that an edit has left as they are; those of them that still hold are in `rest` at the end.
    """

    def __init__(self, text: str, at: int = 0, floor: int = 0, known: Sequence[_Part] = ()) -> None:
        """Search from `at` on; `floor` is where the latest declaration before that ends."""
        self.rest: Sequence[_Part] = ()
        self._text = text
        self._at = at
        self._floor = floor
        self._known = [*known]

    def attempts(self) -> Iterator[_Attempt]:
        """Yield what is found at each marker."""
        floor = self._floor
        for place, names in _markers(self._text, max(self._at, floor)):
            if place < floor:
                continue
            if self._is_known(place, floor):
                return
            yield_point()
            attempt = _attempt(self._text, place, floor, names)
            floor = attempt.end if attempt.end > place else floor
            yield attempt

    def _is_known(self, place: int, floor: int) -> bool:
        """Return whether all that follows from a place on is what it was before."""
        while self._known:
            part = self._known[0]
            index = bisect_left(part.attempts, place - part.by, key=_place_of)
            if index == len(part.attempts):
                del self._known[0]
                continue
            if part.attempts[index].at + part.by != place:
                return False
            rest = [_Part.of(part.attempts[index:], part.by), *self._known[1:]]
            for each, by in ((each, part.by) for part in rest for each in part.attempts):
                if not each.is_same_after(floor, by):
                    return False
                if each.end > each.at:
                    # What follows is searched from its end on.
                    break
            self.rest = rest
            return True
        return False


def _place_of(attempt: _Attempt) -> int:
    return attempt.at


def _attempt(text: str, at: int, floor: int, names: Sequence[str]) -> _Attempt:
    from callwright.declarations.styles.base import View

    view = View(text, at, floor)
    for name in names:
        span = find_style(name).locate(view, at)
        if span is None:
            continue
        assert floor <= span.start <= at < span.end, f"{name} locates {span} at {at}, after {floor}"
        read = read_declaration(name, span.of(text))
        found = Declaration(span, name, read) if read is not None else None
        low = min(view.low, span.start)
        return _Attempt(at, low, max(view.high, span.end), span.end, low <= floor, found)
    return _Attempt(at, view.low, view.high, at, view.low <= floor)


def _markers(text: str, start: int) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield the places of markers from `start` on, each with the styles to ask there."""
    known = cores(plain=text.isascii())
    if start == 0:
        known = [core for core in known if core.text in text]
    for first in range(start, len(text), _STEP):
        last = first + _STEP
        found: dict[int, list[str]] = {}
        for core, markers_of_core in known:
            # A marker that begins in this step may have its core after it.
            at = text.find(core, first, last + _longest_marker())
            while at >= 0:
                for marker, offset, names in markers_of_core:
                    place = at - offset
                    if first <= place < last and text.startswith(marker, place):
                        found.setdefault(place, []).extend(names)
                at = text.find(core, at + 1, last + _longest_marker())
        for place in sorted(found):
            names = found[place]
            yield place, names if len(names) < 2 else sorted({*names}, key=style_order().__getitem__)


@cache
def _longest_marker() -> int:
    return max(map(len, markers()))


def _has_marker(document: TextDocument, low: int, high: int) -> bool:
    """Return whether a marker touches `[low, high]` of a text."""
    most = _longest_marker()
    return may_declare(document.slice(max(low - most, 0), min(high + most, len(document))))


def _plain(text: str) -> str:
    """Return a text of the same length in which LF alone ends lines."""
    return text.replace("\r\n", " \n").replace("\r", "\n") if "\r" in text else text
