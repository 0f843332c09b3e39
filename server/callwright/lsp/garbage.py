"""Garbage: when the collector goes through what there is, so that it never does in the middle of an answer.

Owns: `Garbage`. Must not know: what makes objects, messages.

A long document is millions of objects, and a collection of all of them takes many times what a slice may. So what has
outlived a few small collections is taken out of the collector's sight, and is looked at again only once no long
document is open, or when so much has come together that memory counts for more.
"""

from __future__ import annotations

import gc
from typing import Final

#: After how many small collections the survivors are taken out of sight.
_YOUNG: Final = 4
#: How often that happens before everything is looked at whatever is open.
_MOST: Final = 1_000


class Garbage:
    """The collector, as whoever works in slices needs it."""

    def __init__(self) -> None:
        self._hidden = 0

    def after_slice(self) -> None:
        """Take notice that a slice of long work was done."""
        if gc.get_count()[1] < _YOUNG:
            return
        gc.collect(0)
        gc.freeze()
        self._hidden += 1
        if self._hidden >= _MOST:
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
