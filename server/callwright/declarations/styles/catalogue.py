"""The list of styles, made by listing this room.

Owns: locating style modules and loading them on demand, and the markers to search for. Must not know: what any of them
reads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from functools import cache
from typing import TYPE_CHECKING, Final

from callwright.index import Entry, Room
from callwright.text.records import NamedTuple

if TYPE_CHECKING:
    from callwright.declarations.styles.base import Style

STYLES: Final[Room[Style]] = Room("declarations/styles", "STYLE", "markers", "rank")
#: What markers share has at least this length.
_SHORTEST_CORE: Final = 5


def describe() -> Sequence[Entry]:
    """Return the entry of every style, by loading them all, with the core of each of its markers."""
    described = STYLES.describe()
    shared = _shared({marker for entry in described for marker in entry["markers"]})
    return [{**entry, "cores": [shared[marker] for marker in entry["markers"]]} for entry in described]


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
    core_of = {
        marker: core for each in STYLES.entries for marker, core in zip(each["markers"], each["cores"], strict=True)
    }
    found: dict[str, list[tuple[str, int, Sequence[str]]]] = {}
    for marker, names in markers().items():
        if marker.isascii() or not plain:
            core = core_of[marker]
            found.setdefault(core, []).append((marker, marker.index(core), names))
    return [Core(*each) for each in found.items()]


def _shared(markers: Set[str]) -> dict[str, str]:
    """Return the core of each marker. Those in ASCII share theirs among themselves, since some texts have no others."""
    found: dict[str, str] = {}
    for plain in (True, False):
        left = {marker for marker in markers if marker.isascii() is plain}
        while left:
            counts = Counter(part for marker in left for part in _parts(marker))
            # The longest of those that most markers share is the rarest in a text.
            best = max(counts, key=lambda part: (counts[part], len(part), part))
            shared = {marker for marker in left if best in marker}
            found |= dict.fromkeys(shared, best)
            left -= shared
    return found


def _parts(marker: str) -> set[str]:
    """Return the parts of a marker that may be its core: short ones in ASCII are in every text."""
    size = len(marker)
    found = {marker[start:end] for start in range(size) for end in range(start + 1, size + 1)}
    return {part for part in found if len(part) >= min(size, _SHORTEST_CORE) or not part.isascii()}


@cache
def find_style(name: str) -> Style:
    """Return the style of that name; there is one."""
    style = STYLES.find(name)
    assert style is not None, f"{name} is no style"
    return style
