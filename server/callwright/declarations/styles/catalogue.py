"""The list of styles, made by listing this room.

Owns: locating style modules and loading them on demand, and the markers to search for. Must not know: what any of them
reads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from callwright.declarations.styles.base import Style
from callwright.index import Room

STYLES: Final = Room[Style]("declarations/styles", "STYLE", "markers", "rank")
describe = STYLES.describe
#: What markers share has at least this length.
_SHORTEST_CORE: Final = 5


@cache
def markers() -> Mapping[str, Sequence[str]]:
    """Return the markers to search for, each with the names of its styles in the order in which they are asked."""
    found: dict[str, list[str]] = {}
    order = style_order()
    for entry in sorted(STYLES.entries, key=lambda entry: order[entry["name"]]):
        for marker in entry["markers"]:
            found.setdefault(marker, []).append(entry["name"])
    return found


@cache
def style_order() -> Mapping[str, int]:
    """Return the number of each style in the order in which they are asked."""
    ordered = sorted(STYLES.entries, key=lambda entry: (entry["rank"], entry["name"]))
    return {entry["name"]: number for number, entry in enumerate(ordered)}


class Core(NamedTuple):
    """A string that several markers share: each marker with the offset of the core in it, and the styles that have
    it."""

    text: str
    markers: Sequence[tuple[str, int, Sequence[str]]]


@cache
def cores(*, plain: bool) -> Sequence[Core]:
    """Return few strings of which one is in every marker, so that most texts are searched for these alone.

    With `plain`, markers with characters beyond ASCII are left out: a text in ASCII has none of them.
    """
    left = {marker: names for marker, names in markers().items() if marker.isascii() or not plain}
    found: list[Core] = []
    while left:
        counts = Counter(part for marker in left for part in _parts(marker))
        # The longest of those that most markers share is the rarest in a text.
        best = max(counts, key=lambda part: (counts[part], len(part), part))
        shared = [(marker, marker.index(best), names) for marker, names in left.items() if best in marker]
        found.append(Core(best, shared))
        for marker, _, _ in shared:
            del left[marker]
    return found


def _parts(marker: str) -> set[str]:
    """Return the parts of a marker that may be its core: short ones are in every text."""
    least = min(len(marker), _SHORTEST_CORE if marker.isascii() else 1)
    return {marker[start:end] for start in range(len(marker)) for end in range(start + least, len(marker) + 1)}


@cache
def find_style(name: str) -> Style:
    """Return the style of that name; there is one."""
    style = STYLES.find(name)
    assert style is not None, f"{name} is no style"
    return style
