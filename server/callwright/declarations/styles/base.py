"""What a declaration is, and the contract of a style in which authors write them.

Owns: `Style`, `View`, `Body`, and the limits of what a style may read. Must not know: any single style, documents,
hosts, calls, the registry.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol

from callwright.text.records import dataclass
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.tools.definitions import Places

#: How far before a marker, and after it, a style may look. A declaration that needs more is none.
MAX_BEFORE: Final = 32_768
MAX_AFTER: Final = 262_144


class View:
    """A text as a style reads it around one marker; it notes how far the style has read.

    Offsets are code points of `text`. Nothing before `floor` is read: another declaration ends there. `[low, high)` is
    what was read so far. Invariant: what a style finds depends on `[low, high)` and on `floor` alone, so a style that
    asks for `floor` itself notes it: `view.saw(view.floor, …)`.
    """

    __slots__ = ("floor", "high", "low", "text")

    def __init__(self, text: str, at: int, floor: int = 0) -> None:
        self.text = text
        self.floor = max(floor, at - MAX_BEFORE)
        self.low = self.high = at

    def read(self, start: int, end: int) -> str:
        """Return the characters of `[start, end)`, cut off where the view ends."""
        start, end = max(start, self.floor), min(end, len(self.text))
        self.saw(start, end)
        return self.text[start:end]

    def saw(self, start: int, end: int) -> None:
        """Note that `[start, end)` was read."""
        self.low = min(self.low, start)
        self.high = max(self.high, end)

    def line(self, at: int) -> Span:
        """Return the span of the line that holds the offset `at`, without its terminator (LF)."""
        start = max(self.text.rfind("\n", self.floor, at) + 1, self.floor)
        end = self.text.find("\n", at)
        end = len(self.text) if end < 0 else end
        self.saw(max(start - 1, self.floor), min(end + 1, len(self.text)))
        return Span(start, end)

    def lines_before(self, at: int) -> Iterator[Span]:
        """Yield the lines before the one that holds `at`, the nearest first."""
        start = self.line(at).start
        while start > self.floor:
            line = self.line(start - 1)
            yield line
            start = line.start

    def lines_after(self, at: int) -> Iterator[Span]:
        """Yield the lines after the one that holds `at`."""
        most = min(len(self.text), at + MAX_AFTER)
        end = self.text.find("\n", at, most)
        self.saw(at, most if end < 0 else end + 1)
        while 0 <= end < most - 1:
            line = self.line(end + 1)
            yield line
            end = self.text.find("\n", line.end, most)


@dataclass(frozen=True, slots=True)
class Body:
    """What one declaration says: `value` holds definitions in any shape that tool files have, `places` where its parts
    are, in offsets of the declaration's text.

    `whole` is true if the parameters which it lists are all there are; others are errors. `broken` is true if its text
    has faults, so that parts may be missing. `dialect` is the one that its samples of calls are written in, None where
    it shows none.
    """

    value: Any
    places: Places
    whole: bool = True
    broken: bool = False
    dialect: str | None = None


class Style(Protocol):
    """One way of documenting tools. A module in `styles` has exactly one, bound to the name `STYLE`.

    `markers` are strings of which one is in every declaration of the style, each on a line of its own kind; they make
    locating declarations cheap. `rank` is the order in which styles that share a marker are asked.
    """

    @property
    def name(self) -> str:
        """The style's name, in lower case with hyphens."""

    @property
    def title(self) -> str:
        """What a person calls a declaration of this style, such as `a TypeScript namespace`."""

    @property
    def markers(self) -> Sequence[str]:
        """The strings to search for."""

    @property
    def rank(self) -> int:
        """The order among styles: the lower one is asked first."""

    def locate(self, view: View, at: int) -> Span | None:
        """Return the segment of a declaration that holds the marker at the offset `at`, None where there is none.

        What it returns begins at or after the view's floor and holds `at`. Never raises, and reads little where it
        finds nothing.
        """

    def read(self, text: str) -> Body | None:
        """Return what the text of one declaration says, None where it defines no tool.

        `text` is the segment that `locate` found, and all that is known. Spans are offsets of it. Never raises.
        """
