"""Budgets: how long a piece of work may continue, and whether it is cancelled.

Owns: the check that long loops make once per block, and the hook that it calls for work in time slices. Must not know:
what the work is, how it is divided.
"""

import time
from collections.abc import Callable


class BudgetExceededError(Exception):
    """The work was cancelled or ran past its deadline; its partial result is discarded."""


class AbandonedError(BaseException):
    """Work in time slices was abandoned. It is not a failure: code that catches failures must let it pass."""


#: The function called at each check of any budget; None without time slices.
_yield_hook: Callable[[], None] | None = None


def yield_point() -> None:
    """Let other work run here, if this work is done in time slices; cheap enough for every step of a long loop."""
    if _yield_hook is not None:
        _yield_hook()


def is_time_sliced() -> bool:
    """Return whether this work is done in slices: then work that cannot be interrupted should be avoided."""
    return _yield_hook is not None


def set_yield_hook(hook: Callable[[], None] | None) -> None:
    """Set the function that is called at each check, on any thread; None removes it."""
    global _yield_hook  # noqa: PLW0603 - read at every check, and only one thread works at a time if it is set
    _yield_hook = hook


class Budget:
    """A limit that parsers and rules check once per block, never once per character.

    `seconds` counts from construction; `cancelled` is called at every check. A budget without either never ends.
    """

    __slots__ = ("_cancelled", "_deadline")

    def __init__(self, seconds: float | None = None, cancelled: Callable[[], bool] | None = None) -> None:
        self._deadline = None if seconds is None else time.monotonic() + seconds
        self._cancelled = cancelled

    def check(self) -> None:
        """Return if there is budget left; raise BudgetExceededError otherwise."""
        if self._cancelled is not None and self._cancelled():
            raise BudgetExceededError("cancelled")
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise BudgetExceededError("out of time")
        if _yield_hook is not None:
            _yield_hook()


UNLIMITED = Budget()
