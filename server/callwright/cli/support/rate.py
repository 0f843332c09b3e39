"""Rate: how far work on many bytes has come, how fast it goes and how long it will take, on a terminal.

Owns: the text of the line, and the form of rates and times. Must not know: what is in the bytes.
"""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TextIO

from callwright.cli.support.status_line import StatusLine

if TYPE_CHECKING:
    from callwright.corpus.run import Progress

#: How often the line is drawn at most, in seconds.
_EVERY: Final = 0.2
_STEP: Final = 1_000


class RateBar:
    """One line of a terminal with a bar, the rate since the work began, and the time that is left at that rate."""

    def __init__(self, out: TextIO, width: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._line = StatusLine(out, width, clock, every=_EVERY)
        self._clock = clock
        self._begun = clock()

    def reported(self, progress: "Progress") -> None:
        """Draw the line for the progress of a run over units."""
        what = f"{progress.units:,}/{progress.all_units:,} units"
        self.show(progress.bytes, progress.all_bytes, progress.before, what)

    def show(self, done: int, total: int, before: int, what: str) -> None:
        """Draw the line: `done` of `total` bytes, of which `before` were done when the work began."""
        if not self._line.is_due():
            return
        spent, fresh = self._clock() - self._begun, done - before
        if fresh > 0 and spent > 0:
            rate = fresh / spent
            what += f", {_bytes(rate)}/s, {_duration((total - done) / rate)} left"
        self._line.draw(done, total, what)

    def clear(self) -> None:
        """Take the line away."""
        self._line.clear()


def _bytes(number: float) -> str:
    for unit in ("B", "KB", "MB"):
        if number < _STEP:
            return f"{number:.0f} {unit}"
        number /= _STEP
    return f"{number:.1f} GB"


def _duration(seconds: float) -> str:
    whole = round(seconds)
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"
