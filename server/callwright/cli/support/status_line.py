"""The status line: one line of a terminal that is redrawn, and is cleared when anything else is printed.

Owns: `StatusLine`, how often it is drawn, its bar. Must not know: what it is about.
"""

from collections.abc import Callable
from typing import Final, TextIO

from callwright.cli.support.terminal import cells, command

_WIDTH: Final = 24
#: Back to the beginning of the line, and nothing on it.
_WIPE: Final = "\r\x1b[2K"


class StatusLine:
    """A line on `out` of at most `width` cells, drawn once in `every` seconds at most, and not in the first `after`."""

    def __init__(
        self, out: TextIO, width: int, clock: Callable[[], float], *, every: float, after: float = 0.0
    ) -> None:
        self._out = out
        self._room = width - 1
        self._clock = clock
        self._every = every
        self._next = clock() + after
        self._shown = False

    def is_due(self) -> bool:
        """Return whether it is time to draw; the caller then draws."""
        now = self._clock()
        if now < self._next:
            return False
        self._next = now + self._every
        return True

    def draw(self, done: int, total: int, text: str) -> None:
        """Draw a bar of `done` of `total`, and a text after it, as much as fits."""
        filled = _WIDTH * done // total if total else _WIDTH
        line = f"{'━' * filled}{'╌' * (_WIDTH - filled)} {text}"
        command(self._out, _WIPE)
        self._out.write(_cut(line, self._room))
        self._out.flush()
        self._shown = True

    def clear(self) -> None:
        """Take the line away, for something else is going to be printed."""
        if self._shown:
            command(self._out, _WIPE)
            self._out.flush()
            self._shown = False


def _cut(line: str, room: int) -> str:
    """Return as much of a line as fits."""
    taken = 0
    for index, width in enumerate(cells(line)):
        taken += width
        if taken > room:
            return line[:index]
    return line
