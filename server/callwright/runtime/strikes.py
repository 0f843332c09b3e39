"""Strikes: how many replies in a row were rejected, and what that means for the next.

Owns: `Strikes`. Must not know: how a reply is read, how a model is asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from threading import Lock
from typing import Any, Final

from callwright.rules.base import ErrorType
from callwright.runtime.errors import ParseError

#: How many failures in a row are reported under their own types; the next one is `MAX_MISTAKES`.
MAXIMUM: Final = 3


class Strikes:
    """Counts failures in a row: up to the maximum each has its own type, each further one is `MAX_MISTAKES`.

    A success resets the count to zero. Counting is atomic, so that threads and tasks may share one counter.
    """

    def __init__(self, maximum: int = MAXIMUM, *, count: int = 0) -> None:
        """Begin at `count`. Raises ValueError where `maximum` is less than 1 or `count` less than 0."""
        if type(maximum) is not int or maximum < 1:
            raise ValueError(f"the maximum number of mistakes is {maximum!r}: it must be a whole number of at least 1")
        if type(count) is not int or count < 0:
            raise ValueError(f"the count of mistakes is {count!r}: it must be a whole number of at least 0")
        self.maximum = maximum
        self._count = count
        self._lock = Lock()

    @property
    def count(self) -> int:
        """How many failures there were since the last success."""
        return self._count

    @property
    def left(self) -> int:
        """How many more failures have their own type before `MAX_MISTAKES`."""
        return max(self.maximum - self._count, 0)

    @property
    def exceeded(self) -> bool:
        """Whether there were more failures in a row than the maximum."""
        return self._count > self.maximum

    def failed(self, error: ParseError) -> ParseError:
        """Count a failure and return the error to report: the error itself, or `MAX_MISTAKES` with it as cause."""
        with self._lock:
            self._count += 1
            count = self._count
        if count <= self.maximum:
            return error
        message = f"Maximum mistakes reached ({self.maximum}). The last one: {error.message}"
        rejection = replace(error.rejection, type=ErrorType.MAX_MISTAKES, message=message, dispute=None)
        return ParseError(rejection, cause=error)

    def succeeded(self) -> None:
        """Reset the count to zero after a success."""
        with self._lock:
            self._count = 0

    def reset(self) -> None:
        """Reset the count to zero."""
        self.succeeded()

    def to_dict(self) -> dict[str, int]:
        """Return the counter as plain data: `count` and `maximum`."""
        return {"count": self._count, "maximum": self.maximum}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Strikes:
        """Return the counter from the result of `to_dict`. Raises ValueError where `data` is something else."""
        count, maximum = data.get("count"), data.get("maximum")
        if type(count) is not int or type(maximum) is not int:
            raise ValueError("strikes must be an object with the integers `count` and `maximum`")
        return cls(maximum, count=count)

    def __reduce__(self) -> tuple[Any, ...]:
        return Strikes.from_dict, (self.to_dict(),)

    def __repr__(self) -> str:
        return f"<Strikes {self._count} of {self.maximum}>"


def check_strikes(strikes: Any) -> None:
    """Raise TypeError where `strikes` is neither None nor a counter."""
    if strikes is not None and not callable(getattr(strikes, "failed", None)):
        raise TypeError(f"`strikes` is a `{type(strikes).__name__}`: pass `Strikes(…)` or None")
