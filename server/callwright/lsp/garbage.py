"""Garbage: when the collector goes through what there is, so that it never does in the middle of an answer.

Owns: `Garbage`, and what is given back to the system. Must not know: what makes objects, messages.

A long document is millions of objects, and a collection of all of them takes many times what a slice may. So what has
outlived a few small collections is taken out of the collector's sight, and is looked at again only once no long
document is open, or when twice as much has come together as was left the last time: some of it may be garbage. The
latter waits for a quiet moment, in which nobody waits for anything, but not for ever.

What a long document took is free once it is closed, but it lies between what is still held, and the C library keeps it
for later, often more than the process needs otherwise. So it is told to give that back.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final

#: After how many small collections the survivors are taken out of sight.
_YOUNG: Final = 4
#: How often that happens before it is counted what is out of sight, which takes a while itself.
_OFTEN: Final = 50
#: So many objects may come together however few were left, some tens of megabytes.
_FEW: Final = 300_000
#: How long a quiet moment is waited for, in seconds.
_PATIENCE: Final = 60.0
#: How many things that were dropped are let go of at once.
_AT_ONCE: Final = 16


class Garbage:
    """The collector, as whoever works in slices needs it."""

    def __init__(self) -> None:
        self._hidden = 0
        self._left = 0
        self._dropped: list[Any] = []
        self._rests = False
        #: Since when everything should be looked at.
        self._due: float | None = None

    @property
    def overdue(self) -> bool:
        """Whether everything should be looked at once nothing has been asked for a while."""
        return self._due is not None

    @property
    def pending(self) -> bool:
        """Whether anything that was dropped is still there, or not yet given back."""
        return bool(self._dropped) or self._rests

    def drop(self, things: Iterable[Any]) -> None:
        """Let go of many things a few at a time: to free the blocks of a long document takes longer than a slice."""
        self._dropped.extend(things)

    def sweep(self) -> None:
        """Let go of a few things that were dropped; after the last ones look at everything where that is due."""
        if self._dropped:
            del self._dropped[-_AT_ONCE:]
        elif self._rests:
            self._rests = False
            if self._hidden:
                self.look_at_all()
            give_back()

    def after_slice(self) -> None:
        """Take notice that a slice of long work was done."""
        if gc.get_count()[1] < _YOUNG:
            return
        gc.collect(0)
        gc.freeze()
        self._hidden += 1
        if self._hidden % _OFTEN != 0 or gc.get_freeze_count() <= 2 * self._left + _FEW:
            return
        now = time.monotonic()
        self._due = self._due or now
        if now - self._due > _PATIENCE:
            self.look_at_all()

    def look_at_all(self) -> None:
        """Collect what is garbage of everything there is: it takes as long as there is much."""
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._hidden = 0
        self._left = gc.get_freeze_count()
        self._due = None

    def rest(self) -> None:
        """Have everything looked at, now that no long document is open: once what was dropped is gone."""
        self._rests = True


def give_back() -> None:
    """Let the C library return to the system what is free; only that of GNU keeps so much, and can be told to."""
    if not sys.platform.startswith("linux"):
        return
    with suppress(ImportError, OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).malloc_trim(0)
