"""Garbage: when the collector runs, so that it never does in the middle of an answer.

Owns: `Garbage`, and what is given back to the system. Must not know: what makes objects, messages.

A long document is millions of objects, and a collection of all of them takes many times what a slice may. So objects
that have outlived a few small collections are frozen. They are collected again only once no long document is open, or
when there are twice as many as were left the last time. The latter waits for a moment without requests, but not for
ever.

The memory of a long document is free once it is closed, but it is fragmented, and the C library keeps it for later,
often more than the process needs otherwise. So the library is asked to return it.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

#: After how many small collections the survivors are taken out of sight.
_YOUNG: Final = 4
#: How often that happens before it is counted what is out of sight, which takes a while itself.
_OFTEN: Final = 50
#: So many objects may come together however few were left, some tens of megabytes.
_FEW: Final = 300_000
#: How long a quiet moment is waited for, in seconds.
_PATIENCE: Final = 60.0
#: How many things that were dropped are released at once.
_AT_ONCE: Final = 16


class Garbage:
    """The collector, for work in slices."""

    def __init__(self) -> None:
        self._hidden = 0
        self._left = 0
        self._dropped: list[Any] = []
        self._rests = False
        #: How many requests are under way that forget each document once it is read.
        self._passes = 0
        #: Since when a full collection is due.
        self._due: float | None = None

    @property
    def overdue(self) -> bool:
        """Whether a full collection is due once nothing has been requested for a while."""
        return self._due is not None

    @property
    def pending(self) -> bool:
        """Whether anything that was dropped is still there, or not yet given back."""
        return bool(self._dropped) or self._rests

    def drop(self, things: Iterable[Any]) -> None:
        """Release many things a few at a time: to free the blocks of a long document takes longer than a slice."""
        self._dropped.extend(things)

    def sweep(self) -> None:
        """Free a few of the dropped objects; after the last ones run a full collection where one is due."""
        if self._dropped:
            del self._dropped[-_AT_ONCE:]
        elif self._rests:
            self._rests = False
            if self._hidden:
                self.look_at_all()
            give_back()

    def after_slice(self) -> None:
        """Take notice that a slice of long work was done."""
        if self._passes or gc.get_count()[1] < _YOUNG:
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

    @contextmanager
    def passing(self) -> Iterator[Callable[[], None]]:
        """While many documents are read and forgotten, free each where what is given is called.

        The parts of a document refer to each other. So nothing of one is taken out of sight before it is forgotten, and
        all else is, which leaves little to examine.
        """
        self._hide()
        self._passes += 1
        try:
            yield self._collect_new
        finally:
            self._passes -= 1

    def _collect_new(self) -> None:
        gc.collect()
        self._hide()

    def _hide(self) -> None:
        gc.freeze()
        self._hidden += 1

    def look_at_all(self) -> None:
        """Collect what is garbage of everything there is: it takes as long as there is much."""
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._hidden = 0
        self._left = gc.get_freeze_count()
        self._due = None

    def rest(self) -> None:
        """Request a full collection, now that no long document is open: once the dropped objects are freed."""
        self._rests = True


def give_back() -> None:
    """Let the C library return free memory to the system; only glibc keeps so much, and can be asked to."""
    if not sys.platform.startswith("linux"):
        return
    with suppress(ImportError, OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).malloc_trim(0)
