"""Budgets: how long a piece of work may go on, and whether anybody still wants it.

Owns: the check that long loops make once per block. Must not know: what the work is.
"""

import time
from collections.abc import Callable


class BudgetExceededError(Exception):
    """The work was cancelled or ran past its deadline; what was done so far is thrown away."""


class Budget:
    """A limit that readers and rules ask once per block, never once per character.

    `seconds` counts from construction; `cancelled` is asked at every check. A budget without either never ends.
    """

    __slots__ = ("_cancelled", "_deadline")

    def __init__(self, seconds: float | None = None, cancelled: Callable[[], bool] | None = None) -> None:
        self._deadline = None if seconds is None else time.monotonic() + seconds
        self._cancelled = cancelled

    def check(self) -> None:
        """Return where there is budget left; raise BudgetExceededError where there is none."""
        if self._cancelled is not None and self._cancelled():
            raise BudgetExceededError("cancelled")
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise BudgetExceededError("out of time")


UNLIMITED = Budget()
