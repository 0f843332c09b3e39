"""The names of XML inside patterns: exact, without the cost of the exact alphabet where no such character occurs.

Owns: which characters a name may have, and `NamePattern`. Must not know: tags, trees.

A character class with ranges all over Unicode costs milliseconds to compile, and names that need one are rare. So a
pattern is compiled with a class that is exact for ASCII and accepts all other characters, and the exact pattern
confirms matches with characters beyond ASCII.
"""

import re
from collections.abc import Callable, Iterable
from functools import cache, cached_property
from sys import maxsize
from typing import Final

from callwright.text.holes import HOLE

# ASCII characters that names cannot have: at the start, and after it.
_ASCII_START: Final = "\\x00-9;-@\\[-\\^`{-\\x7f"
_ASCII_CHAR: Final = "\\x00-,/;-@\\[-\\^`{-\\x7f"
# XML 1.0, fifth edition, beyond ASCII, and holes: a template expression may be a name or part of one.
_START: Final = [
    *((0xC0, 0xD6), (0xD8, 0xF6), (0xF8, 0x2FF), (0x370, 0x37D), (0x37F, 0x1FFF), (0x200C, 0x200D), (0x2070, 0x218F)),
    *((0x2C00, 0x2FEF), (0x3001, 0xD7FF), (0xF900, 0xFDCF), (0xFDF0, 0xFFFD), (0x10000, 0xEFFFF)),
    (ord(HOLE), ord(HOLE)),
]
_CHAR: Final = [*_START, (0xB7, 0xB7), (0x300, 0x36F), (0x203F, 0x2040)]

#: A name inside the source of a `NamePattern`.
NAME: Final = f"[^{_ASCII_START}][^{_ASCII_CHAR}]*+"


def _beside(ranges: Iterable[tuple[int, int]]) -> str:
    """Return the inside of a class of the characters beyond ASCII that are outside the ranges.

    These are fewer than those in them, and a class is the faster to compile the fewer characters it lists.
    """
    gaps = []
    at = 0x80
    for low, high in sorted(ranges):
        if low > at:
            gaps.append(f"{chr(at)}-{chr(low - 1)}")
        at = high + 1
    return "".join(gaps) + f"{chr(at)}-{chr(0x10FFFF)}"


@cache
def exactly(source: str) -> re.Pattern[str]:
    """Return the pattern of a source in which `NAME` means an XML name, compiled with the exact alphabet."""
    start = f"[^{_ASCII_START}{_beside(_START)}]"
    char = f"[^{_ASCII_CHAR}{_beside(_CHAR)}]"
    return re.compile(source.replace(NAME, f"{start}{char}*+"))


class NamePattern:
    """A pattern in whose source `NAME` means an XML name; it finds what the exact class would find.

    Invariant of the sources: what must follow a name is an ASCII character, or may be any, so a name that is matched
    too long never hides a match; no name is in a negative look-ahead (`exactly` is for those).
    """

    def __init__(self, source: str) -> None:
        self._source = source

    def match(self, text: str, pos: int = 0, end: int = maxsize) -> re.Match[str] | None:
        """Return the match at `pos`, or None."""
        found = self._quick.match(text, pos, end)
        if found is None or text.isascii() or found[0].isascii():
            return found
        return self._exact.match(text, pos, end)

    def search(self, text: str, pos: int = 0, end: int = maxsize) -> re.Match[str] | None:
        """Return the first match at or after `pos`, or None."""
        while True:
            found = self._quick.search(text, pos, end)
            if found is None or text.isascii() or found[0].isascii():
                return found
            exact = self._exact.match(text, found.start(), end)
            if exact is not None:
                return exact
            pos = found.start() + 1

    def sub(self, replacement: Callable[[re.Match[str]], str], text: str) -> str:
        """Return `text` with every match replaced."""
        return (self._quick if text.isascii() else self._exact).sub(replacement, text)

    @cached_property
    def _quick(self) -> re.Pattern[str]:
        return re.compile(self._source)

    @cached_property
    def _exact(self) -> re.Pattern[str]:
        return exactly(self._source)
