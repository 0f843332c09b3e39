"""Progress: how far a long run has come, on a terminal and nowhere else.

Owns: the bar, when it shows itself, and that it is gone when anything else is printed. Must not know: what is checked.
"""

import time
from collections.abc import Callable
from typing import Final, TextIO

from callwright.cli.support.terminal import cells, visible

#: A run that is over sooner needs no bar; and how often one is drawn at most. In seconds.
_AFTER: Final = 1.0
_EVERY: Final = 0.1
_WIDTH: Final = 24
#: Back to the beginning of the line, and nothing on it.
_WIPE: Final = "\r\x1b[2K"


class Progress:
    """A bar on one line of a terminal. `total` is asked for once, when the bar first shows."""

    def __init__(
        self,
        out: TextIO,
        total: Callable[[], int],
        width: int,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._out = out
        self._count = total
        self._total: int | None = None
        self._room = width - 1
        self._clock = clock
        self._next = clock() + _AFTER
        self._done = 0
        self._shown = False

    def advance(self, name: str) -> None:
        """Tell that one more file is done."""
        self._done += 1
        now = self._clock()
        if now < self._next:
            return
        self._next = now + _EVERY
        if self._total is None:
            self._total = self._count()
        total = max(self._total, self._done)
        filled = _WIDTH * self._done // total
        line = f"{'━' * filled}{'╌' * (_WIDTH - filled)} {self._done}/{total} {visible(name)}"
        self._out.write(_WIPE + _cut(line, self._room))
        self._out.flush()
        self._shown = True

    def clear(self) -> None:
        """Take the bar away, for something else is going to be printed."""
        if self._shown:
            self._out.write(_WIPE)
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
