"""Progress: how far a long run has come, on a terminal and nowhere else.

Owns: the text of the line, and when it is shown. Must not know: what is checked.
"""

import time
from collections.abc import Callable
from typing import Final, TextIO

from callwright.cli.support.status_line import StatusLine
from callwright.cli.support.terminal import visible

#: A run that is over sooner needs no bar; and how often one is drawn at most. In seconds.
_AFTER: Final = 1.0
_EVERY: Final = 0.1


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
        self._line = StatusLine(out, width, clock, every=_EVERY, after=_AFTER)
        self._count = total
        self._total: int | None = None
        self._done = 0

    def advance(self, name: str) -> None:
        """Count one more file as done."""
        self._done += 1
        if not self._line.is_due():
            return
        if self._total is None:
            self._total = self._count()
        total = max(self._total, self._done)
        self._line.draw(self._done, total, f"{self._done}/{total} {visible(name)}")

    def clear(self) -> None:
        """Take the bar away, for something else is going to be printed."""
        self._line.clear()
