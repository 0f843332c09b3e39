"""Garbage: when the collector goes through what there is, so that it never does in the middle of an answer.

Owns: `Garbage`. Must not know: what makes objects, messages.

A long document is millions of objects, and a collection of all of them takes many times what a slice may. So what has
outlived a few small collections is taken out of the collector's sight, and is looked at again only once no long
document is open, or when twice as much has come together as was left the last time: some of it may be garbage.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable
from typing import Any, Final

#: After how many small collections the survivors are taken out of sight.
_YOUNG: Final = 4
#: How often that happens before it is counted what is out of sight, which takes a while itself.
_OFTEN: Final = 50
#: So many objects may come together however few were left, some tens of megabytes.
_FEW: Final = 300_000
#: How many things that were dropped are let go of at once.
_AT_ONCE: Final = 16


class Garbage:
    """The collector, as whoever works in slices needs it."""

    def __init__(self) -> None:
        self._hidden = 0
        self._left = 0
        self._dropped: list[Any] = []

    @property
    def pending(self) -> bool:
        """Whether anything that was dropped is still there."""
        return bool(self._dropped)

    def drop(self, things: Iterable[Any]) -> None:
        """Let go of many things a few at a time: to free the blocks of a long document takes longer than a slice."""
        self._dropped.extend(things)

    def sweep(self) -> None:
        """Let go of a few things that were dropped."""
        del self._dropped[-_AT_ONCE:]

    def after_slice(self) -> None:
        """Take notice that a slice of long work was done."""
        if gc.get_count()[1] < _YOUNG:
            return
        gc.collect(0)
        gc.freeze()
        self._hidden += 1
        if self._hidden % _OFTEN == 0 and gc.get_freeze_count() > 2 * self._left + _FEW:
            self._look_at_all()

    def rest(self) -> None:
        """Look at everything, now that no long document is open."""
        if self._hidden:
            self._look_at_all()

    def _look_at_all(self) -> None:
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._hidden = 0
        self._left = gc.get_freeze_count()
