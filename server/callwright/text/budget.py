"""Budgets: how long a piece of work may go on, and whether anybody still wants it.

Owns: the check that long loops make once per block, and the breath that whoever does work in slices takes there.
Must not know: what the work is, how it is divided.
"""

import time
from collections.abc import Callable


class BudgetExceededError(Exception):
    """The work was cancelled or ran past its deadline; what was done so far is thrown away."""


class AbandonedError(BaseException):
    """Work that is done in slices is not wanted any more. No failure: whoever catches those must let it pass."""


#: What is done at each check of any budget; None where nobody works in slices.
_yield_hook: Callable[[], None] | None = None


def yield_point() -> None:
    """Let others work here, where this work is done in slices; cheap enough for every step of a long loop."""
    if _yield_hook is not None:
        _yield_hook()


def is_time_sliced() -> bool:
    """Return whether this work is done in slices: then what cannot be stopped in its middle is better left."""
    return _yield_hook is not None


def set_yield_hook(hook: Callable[[], None] | None) -> None:
    """Have `breath` called at each check from now on, on whichever thread; None for no longer."""
    global _yield_hook  # noqa: PLW0603 - asked at every check, and only one thread works at a time where it is set
    _yield_hook = hook


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
        if _yield_hook is not None:
            _yield_hook()


UNLIMITED = Budget()
