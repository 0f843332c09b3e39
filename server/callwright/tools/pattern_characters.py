"""Sets of characters in patterns: classes, general categories, and their intersections.

Owns: `Ranges` and their operations. Must not know: how patterns are written, automata.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import groupby
from typing import Final

#: The last code point.
LAST: Final = 0x10FFFF
DIGITS: Final = ((0x30, 0x39),)
WORD: Final = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
SPACE: Final = (
    (0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029), (0x202F, 0x202F),
    (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF),
)  # fmt: skip
LINE_ENDS: Final = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))

Ranges = tuple[tuple[int, int], ...]


_GENERAL: Final = {
    "letter": "L", "uppercase_letter": "Lu", "lowercase_letter": "Ll", "number": "N", "decimal_number": "Nd",
    "punctuation": "P", "symbol": "S", "separator": "Z", "mark": "M", "other": "C",
    "digit": "Nd",
}  # fmt: skip


@lru_cache(maxsize=1)
def _categories() -> dict[str, list[tuple[int, int]]]:
    """Return the characters of every general category; this scans all code points, so it is done once."""
    import unicodedata

    found: dict[str, list[tuple[int, int]]] = {}
    begin = 0
    for name, run in groupby(map(unicodedata.category, map(chr, range(LAST + 1)))):
        end = begin + sum(1 for _ in run)
        found.setdefault(name, []).append((begin, end - 1))
        begin = end
    return found


@lru_cache(maxsize=64)
def category(name: str) -> Ranges | None:
    """Return the characters of a general category, None where there is no such category."""
    name = name.removeprefix("General_Category=").removeprefix("gc=")
    wanted = _GENERAL.get(name.lower(), name)
    if len(wanted) > 2:
        return None
    ranges = [one for known, these in _categories().items() if known.startswith(wanted) for one in these]
    return merged(ranges) or None


def merged(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Return ranges in order, with adjacent and overlapping ones joined."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return tuple(found)


def complement(ranges: Ranges) -> Ranges:
    """Return all characters that are not in a set."""
    found: list[tuple[int, int]] = []
    begin = 0
    for low, high in ranges:
        if low > begin:
            found.append((begin, low - 1))
        begin = high + 1
    if begin <= LAST:
        found.append((begin, LAST))
    return tuple(found)


def meets(one: Ranges, other: Ranges) -> bool:
    """Return whether two sets have a character in common."""
    left = right = 0
    while left < len(one) and right < len(other):
        if one[left][1] < other[right][0]:
            left += 1
        elif other[right][1] < one[left][0]:
            right += 1
        else:
            return True
    return False
