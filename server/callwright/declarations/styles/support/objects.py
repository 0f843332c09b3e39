"""Definitions written as objects: a name and a schema between braces, in the format of some language.

Owns: which of the objects in a text is the one around a key, where a half-typed one ends, and which wrappers and lists
belong to it. Must not know: any single format, what defines tools, headings.

An object is sought outward from the key of its schema, brace by brace; an object without errors ends where it ends.
What has faults ends at the latest where the next definition begins, its fence closes, or its paragraph is not part of
it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Final, Protocol

from callwright.declarations.styles.base import Body, View
from callwright.declarations.styles.support.definition_shapes import DECLARATIONS, SCHEMAS, WORDS, is_definition
from callwright.syntax.json_nodes import JsonNode, JsonPath
from callwright.text.holes import HOLE
from callwright.text.patterns import compile_later
from callwright.text.records import NamedTuple
from callwright.text.span import Span
from callwright.tools.json_places import TreePlaces
from callwright.tools.sources.base import Path

#: How far before its schema a definition may begin.
_BEFORE: Final = 16_384
#: A definition without faults is no longer than that, and one with faults.
_MAX_LENGTH: Final = 131_072
_MAX_FAULTY_LENGTH: Final = 32_768
#: At most this many objects around a key are tried; more are braces in the strings of a text with faults.
_TRIES: Final = 3
#: At most this many characters before a key are searched for braces at a time, and so many braces are looked through at
#: most.
_STEP: Final = 2_048
_BRACES: Final = 1_000
#: What follows the key of a schema is in so many characters.
_HEAD: Final = 600

_SPACE: Final = compile_later(r"[ \t\r]*+")
_BRACE: Final = compile_later(r"[{}]")
_SPACE_BEFORE: Final = 200
#: What wraps one definition.
_WRAPPER: Final = compile_later(r"[\"'](function|toolSpec)[\"'][ \t\r\n]{0,80}+:[ \t\r\n]{0,80}+\Z")
_BLANK_LINE: Final = compile_later(r"\n[ \t]*+\n")
_FENCE: Final = compile_later(r"[ \t>]*+(`{3,}+|~{3,}+)[ \t]*+([^\n`]*+)")
#: A line that is not part of an object, whatever is in it.
_FOREIGN: Final = compile_later(r"[ \t>]*+(?:`{3}|~{3}|</|#{1,6}[ \t])")
#: How a line continues with what is open.
_GOES_ON: Final = "\"'}],"

_TEXTS: Final = frozenset({"name", "description", "title"})
_EXPRESSION: Final = compile_later(rf"\{{\{{|\$\{{|\{{%|{HOLE}")


@dataclass(frozen=True, slots=True)
class Reading:
    """A value that was read in a text: `span` and `places` are in offsets of it.

    `open` is true if more may be in it than is written, such as the members that a template puts there.
    """

    value: Any
    span: Span
    places: TreePlaces
    broken: bool = False
    open: bool = False

    @property
    def body(self) -> Body:
        """The same as what a declaration says."""
        return Body(self.value, self.places, whole=not self.open, broken=self.broken)


def without_open(value: Any, wild: Iterable[Path], elided: Iterable[Path]) -> Any:
    """Return a value without what it leaves open: `wild` values are not known, `elided` lists have more items."""
    whole = [path for path in elided if path[-1:] in (("enum",), ("required",))]
    for path in (*wild, *whole):
        names = [number for number, step in enumerate(path) if isinstance(step, str)]
        stated = _at(value, path)
        if not names or (isinstance(stated, str) and _TEXTS.issuperset(path[-1:]) and _EXPRESSION.search(stated)):
            # Words with a template's expression in them are words all the same.
            continue
        # A list of which an item is not known says nothing.
        owner = path[: names[-1]]
        around = _at(value, owner)
        key = path[names[-1]]
        if not isinstance(around, dict) or key not in around:
            continue
        if owner[-1:] == ("properties",):
            around[key] = {}
        elif key in SCHEMAS:
            around[key] = None
        else:
            del around[key]
    return value


def paths_of(root: JsonNode, spans: AbstractSet[Span]) -> Iterator[JsonPath]:
    """Yield the paths of the values that have one of these spans."""
    pending: list[tuple[JsonPath, JsonNode]] = [((), root)] if spans else []
    while pending:
        path, node = pending.pop()
        if node.span in spans:
            yield path
        elif node.kind == "object":
            pending += [((*path, member.key), member.value) for member in node.members]
        elif node.kind == "array":
            pending += [((*path, index), item) for index, item in enumerate(node.items)]


def _at(value: Any, path: Path) -> Any:
    for step in path:
        if isinstance(value, dict):
            value = value.get(step)
        else:
            value = value[step] if isinstance(value, list) and isinstance(step, int) and step < len(value) else None
    return value


class Attempt(NamedTuple):
    """What was read, None where nothing was, and how far the text was read."""

    reading: Reading | None
    reach: int


class ObjectFormat(Protocol):
    """How objects are written in some language."""

    @property
    def opener(self) -> re.Pattern[str]:
        """What an object begins with that has a member."""

    @property
    def schema(self) -> re.Pattern[str]:
        """The key of a schema, and what such a key is followed by; the key's text is its first group."""

    def sound(self, text: str, start: int, limit: int) -> Attempt:
        """Read the value at `start` if it has no faults."""

    def faulty(self, text: str, start: int, limit: int) -> Iterator[Attempt]:
        """Yield what the value at `start` can be read as, the likeliest first; None where another format does."""


def key_of_schema(quotes: str, nothing: str) -> re.Pattern[str]:
    """Return a pattern of the key of a schema, in its groups, and of what shows that a schema is its value."""
    quote, other = f"[{quotes}]", f"[^{quotes}\\n]"
    space = r"[ \t\r\n]{0,400}+"
    words = "|".join(re.escape(word) for word in sorted(WORDS))
    value = (
        rf"\{{\{{?{space}(?:#[^\n]{{0,200}}+{space})?"
        rf"(?:\}}|{HOLE}|{quote}(?:{words}|json|jsonSchema){quote}{space}:"
        rf"|{quote}{other}{{1,100}}+{quote}{space}:{space}\{{|\Z|{quote}(?:{other}{{0,100}}+(?:\n|\Z)))"
        rf"|\{{\{{-?[ \t]*+[A-Za-z_]|{HOLE}"
    )
    keys = "|".join(SCHEMAS)
    return re.compile(
        rf"{quote}({keys}){quote}{space}:{space}(?:{value}|{nothing})"
        rf"|{quote}({'|'.join(DECLARATIONS)}){quote}{space}:{space}\["
    )


def locate_definition(view: View, at: int, value_format: ObjectFormat) -> Span | None:
    """Return the span of the definitions, one or a list, that the key of a schema at `at` belongs to."""
    text = view.text
    key = value_format.schema.match(text, at, min(at + _HEAD, len(text)))
    view.saw(at, min(at + _HEAD, len(text)))
    if key is None:
        return None
    name = key[1] or key[2]
    own = _object_around(view, at, name, key[0][: len(name) + 2], value_format)
    if own is None or not is_definition(own.value):
        return None
    if own.broken or name in DECLARATIONS:
        return own.span
    whole = _wrapper(view, own, value_format) or own
    return (_list_around(view, whole, value_format) or whole).span


def _object_around(view: View, at: int, key: str, marker: str, value_format: ObjectFormat) -> Reading | None:
    """Return the nearest object that has the key at `at` for its own."""
    text = view.text
    low = max(view.floor, at - _BEFORE)
    # What begins before another such key belongs to that one.
    low = max(low, text.rfind(marker, low, at) + 1)
    view.saw(max(low - 1, view.floor), at)
    limit = _end_of_clean(view, at, marker)
    end = -1
    for number, start in enumerate(_openers(view, at, low)):
        if number == _TRIES:
            return None
        if value_format.opener.match(text, start) is None:
            continue
        found, reach = value_format.sound(text, start, min(limit, start + _MAX_LENGTH))
        view.saw(start, min(reach, len(text)))
        if found is not None:
            if _has_key(found, key, at):
                return found
            continue
        if key in DECLARATIONS:
            # Those in the list are read one by one.
            return None
        if end < 0:
            end = _end_of_faulty(view, start, at, marker, value_format)
        for found, reach in value_format.faulty(text, start, end):
            view.saw(start, min(reach, len(text)))
            if found is not None and _has_key(found, key, at) and is_definition(found.value):
                return found
    return None


def _end_of_clean(view: View, at: int, marker: str) -> int:
    """Return where a definition without faults ends at the latest: some have parameters that are called so."""
    text = view.text
    most = min(len(text), at + _MAX_LENGTH)
    place = at
    for _ in range(_TRIES):
        place = text.find(marker, place + len(marker), most)
        if place < 0:
            view.saw(at, most)
            return most
    view.saw(at, place + len(marker))
    return place


def _has_key(read: Reading, key: str, at: int) -> bool:
    """Return whether an object has a key for its own that is at an offset."""
    return isinstance(read.value, dict) and key in read.value and read.places.key((key,)).start == at


def _openers(view: View, at: int, low: int) -> Iterator[int]:
    """Yield the braces before `at` that nothing closes there, the nearest first."""
    text = view.text
    depth = seen = 0
    end = at
    while end > low:
        start = max(low, end - _STEP)
        view.saw(start, end)
        for found in reversed([*_BRACE.finditer(text, start, end)]):
            seen += 1
            if seen > _BRACES:
                return
            if found[0] == "}":
                depth += 1
            elif depth:
                depth -= 1
            else:
                yield found.start()
        end = start


def _wrapper(view: View, inner: Reading, value_format: ObjectFormat) -> Reading | None:
    """Return the object around a definition that has nothing but it and its type."""
    text, start = view.text, inner.span.start
    low = max(view.floor, start - _SPACE_BEFORE)
    view.saw(low, start)
    key = _WRAPPER.search(text, low, start)
    if key is None:
        return None
    for opener in _openers(view, key.start(), low):
        found, reach = value_format.sound(text, opener, min(len(text), opener + _MAX_LENGTH))
        view.saw(opener, min(reach, len(text)))
        if found is None or not is_definition(found.value):
            return None
        return found if found.places.value((key[1],)) == inner.span else None
    return None


def _list_around(view: View, item: Reading, value_format: ObjectFormat) -> Reading | None:
    """Return the list that a definition is in, where all of it is free of errors and defines tools."""
    text, start = view.text, item.span.start
    low = max(view.floor, start - _BEFORE)
    before = start
    while before > low and text[before - 1] in " \t\r\n":
        before -= 1
    view.saw(max(before - 1, low), start)
    if before == low or text[before - 1] not in "[,":
        return None
    place = before
    for _ in range(_TRIES):
        place = text.rfind("[", low, place)
        view.saw(max(place, low), start)
        if place < 0:
            return None
        if text[place + 1 : place + _SPACE_BEFORE].lstrip()[:1] != "{":
            continue
        found, reach = value_format.sound(text, place, min(len(text), place + _MAX_LENGTH))
        view.saw(place, min(reach, len(text)))
        if found is not None and found.span.end >= item.span.end:
            return found if is_definition(found.value) else None
    return None


def _end_of_faulty(view: View, start: int, at: int, marker: str, value_format: ObjectFormat) -> int:
    """Return where a definition with faults ends at the latest; `at` is the key of its schema."""
    text = view.text
    most = min(len(text), start + _MAX_FAULTY_LENGTH)
    following = text.find(marker, at + len(marker), most)
    if following >= 0:
        most = following
        for opener in _openers(view, following, at + len(marker)):
            if value_format.opener.match(text, opener) is not None:
                wrapped = _WRAPPER.search(text, max(at, opener - _SPACE_BEFORE), opener)
                outer = text.rfind("{", at, wrapped.start()) if wrapped is not None else -1
                most = outer if outer >= 0 else opener
                break
    return end_of_faulty(view, start, at, most)


def end_of_faulty(view: View, start: int, at: int, most: int | None = None) -> int:
    """Return where a value that begins at `start` and has faults ends at the latest, if it continues after `at`."""
    text = view.text
    most = min(len(text), start + _MAX_FAULTY_LENGTH) if most is None else most
    previous = view.line(at)
    if previous.end >= most:
        return most
    first = view.line(start)
    closing = _closing_fence(view, first, most)
    if closing is not None:
        most = closing
    indent = _indent(text, first)
    quotes = _quotes(text, start, previous.end)
    blank = False
    for line in view.lines_after(at):
        if line.start >= most:
            break
        width = _indent(text, line)
        if line.start + width == line.end:
            blank = True
            continue
        character = text[line.start + width]
        opens, goes_on, outside = character in "{[", character in _GOES_ON, not quotes & 1
        if closing is None and _FOREIGN.match(text, line.start, line.end) is not None:
            return previous.end
        if width <= indent and opens and outside and text[previous.start : previous.end].rstrip()[-1:] not in ":[":
            # The next value begins.
            return previous.end
        prose = closing is None and not goes_on and not opens and (blank or width <= indent)
        if prose and (outside or blank or not _closes(view, line, most)):
            # No string is open that ends in it.
            return previous.end
        quotes += _quotes(text, line.start, line.end)
        previous = line
        blank = False
    return most if closing is not None else min(previous.end, most)


def _closes(view: View, line: Span, most: int) -> bool:
    """Return whether a string that is open before a line ends in its paragraph."""
    blank = _BLANK_LINE.search(view.text, line.start, most)
    end = blank.start() if blank is not None else most
    view.saw(line.start, end)
    return '"' in view.text[line.start : end]


def _quotes(text: str, start: int, end: int) -> int:
    return text.count('"', start, end) - text.count('\\"', start, end)


def _closing_fence(view: View, line: Span, most: int) -> int | None:
    """Return where the fence closes that a line is in; None where it is in none that closes."""
    text = view.text
    opening: re.Match[str] | None = None
    for number, before in enumerate(view.lines_before(line.start)):
        opening = _FENCE.match(text, before.start, before.end)
        if opening is not None and number and not opening[2].strip():
            # It closes another one.
            return None
        if opening is not None or number == _TRIES:
            break
    if opening is None:
        return None
    for after in view.lines_after(line.start):
        if after.start >= most:
            return None
        found = _FENCE.match(text, after.start, after.end)
        if found is not None and found[1].startswith(opening[1]):
            # What opens another one shows that this one is not closed yet.
            return after.start if not found[2].strip() else None
    return None


def _indent(text: str, line: Span) -> int:
    found = _SPACE.match(text, line.start, line.end)
    return found.end() - line.start if found is not None else 0
