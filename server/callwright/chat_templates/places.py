"""Where the tokens of a template are: Jinja's own tokens, found again in the source they were read from.

Owns: `Place`, `Source`. Must not know: the syntax tree, rendering, what a place is used for.

Jinja's nodes have line numbers. Its lexer yields all of the source in order, but for white space that tags take away,
so each token is found again without guessing. A token's line number is then a `Place`, an integer which also knows the
token's offsets, and Jinja's parser hands it to the nodes that it makes.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import Final

from callwright.text.span import Span

_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_NO_SPACE: Final = re.compile(r"\S")
#: An escape as Python reads it, or any other character.
_CHARACTER: Final = re.compile(
    r"\\(?:(?P<nothing>\n)|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\}|(?P<other>[\s\S]))"
    r"|[\s\S]"
)
#: What may follow a backslash and is one character with it; else the backslash is a character of its own.
_ESCAPES: Final = frozenset("\\'\"abfnrtv")


class Place(int):
    """The number of a line, which also knows the offsets of a token on it; they are those of the normalized source."""

    start: int
    end: int

    def __new__(cls, line: int, start: int, end: int) -> Place:
        """Return the number `line` with the offsets of a token."""
        place = super().__new__(cls, line)
        place.start = start
        place.end = end
        return place


class Source:
    """The source of one template as Jinja reads it, and where its tags, strings and parentheses are."""

    def __init__(self, text: str) -> None:
        self.original = text
        #: Each line ends with LF.
        self.text = _LINE_END.sub("\n", text) if "\r" in text else text
        #: The places of LF that were CR LF.
        self._pairs: list[int] = []
        if "\r\n" in text:
            for number, found in enumerate(re.finditer("\r\n", text)):
                self._pairs.append(found.start() - number)
        self._lines = [0, *(found.end() for found in re.finditer("\n", self.text))]
        #: Whether all tokens so far were found in the text.
        self.certain = True
        #: The starts and ends of `{{ }}` and `{% %}`, without the white space that they take away.
        self._starts: list[int] = []
        self._ends: list[int] = []
        #: Where the string that starts at an offset ends, together with the strings right after it.
        self._strings: dict[int, int] = {}
        #: Where the parenthesis that opens at an offset closes.
        self._closed: dict[int, int] = {}

    def tokens(self, stream: Iterable[tuple[int, str, str]]) -> Iterator[tuple[int, str, str]]:
        """Yield the raw tokens of Jinja's lexer, with a `Place` as the line of each that is found."""
        text = self.text
        at = 0
        parentheses: list[int] = []
        string: int | None = None
        for line, kind, value in stream:
            if self.certain and kind != "data" and not text.startswith(value, at):
                # White space in front of a tag belongs to no token where the tag takes it away.
                found = _NO_SPACE.search(text, at)
                at = found.start() if found is not None else at
            if not self.certain or not text.startswith(value, at):
                self.certain = False
                yield line, kind, value
                continue
            end = at + len(value)
            if kind in ("variable_begin", "block_begin"):
                self._starts.append(at)
                parentheses.clear()
            elif kind in ("variable_end", "block_end"):
                self._ends.append(at + len(value.rstrip()))
            elif kind == "operator":
                if value == "(":
                    parentheses.append(at)
                elif value == ")" and parentheses:
                    self._closed[parentheses.pop()] = end
            if kind == "string":
                string = at if string is None else string
                self._strings[string] = end
            elif kind != "whitespace":
                string = None
            yield Place(line, at, end), kind, value
            at = end

    def span(self, start: int, end: int) -> Span:
        """Return a span of the source as it was given, for one of the normalized source."""
        if not self._pairs:
            return Span(start, end)
        return Span(start + bisect_left(self._pairs, start), end + bisect_left(self._pairs, end))

    def tag(self, at: int) -> tuple[int, int] | None:
        """Return the start and the end of the tag around an offset."""
        number = bisect_right(self._starts, at) - 1
        if number < 0 or number >= len(self._ends) or self._ends[number] <= at:
            return None
        return self._starts[number], self._ends[number]

    def line(self, number: int) -> tuple[int, int]:
        """Return the start and the end of a line, without its end."""
        index = min(max(number, 1), len(self._lines)) - 1
        end = self._lines[index + 1] - 1 if index + 1 < len(self._lines) else len(self.text)
        return self._lines[index], end

    def string(self, place: Place) -> tuple[int, int]:
        """Return the start and the end of a string, together with strings right after it, for they are one value."""
        return place.start, self._strings.get(place.start, place.end)

    def call(self, start: int, place: Place) -> tuple[int, int]:
        """Return the start and the end of a call which begins at `start`, by the place of its parenthesis."""
        return start, self._closed.get(place.start, place.end)

    def characters(self, start: int, end: int, value: str) -> list[int] | None:
        """Return where each character of a string is written, and where the last one ends.

        Return None where that is not known.
        """
        text = self.text
        places: list[int] = []
        at = start + 1
        while at < end - 1:
            found = _CHARACTER.match(text, at, end - 1)
            if found is None:
                return None
            if found["other"] is not None and found["other"] not in _ESCAPES:
                places += [at, at + 1]
            elif found["nothing"] is None:
                places.append(at)
            at = found.end()
        places.append(end - 1)
        return places if len(places) == len(value) + 1 else None
