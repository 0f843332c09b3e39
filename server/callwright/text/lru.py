"""What is worked out once and kept for a while: so much and no more, however long a process lives.

Owns: `Kept`, `weight_of`. Must not know: what is kept, why it is asked for again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from threading import Lock
from typing import Any, Final, Generic, TypeVar

from callwright.text.budget import yield_point

K = TypeVar("K")
V = TypeVar("V")

#: So many characters of a text weigh as much as one more part of a value.
_CHARACTERS: Final = 64
#: No value is weighed further than this: whatever is kept is kept for less.
_HEAVIEST: Final = 1_000_000


class Kept(Generic[K, V]):
    """Answers by their keys, so many at most and of so much weight together: what was kept first goes first.

    Who keeps an answer says what it weighs, with all that it holds. One that is heavier than all may be together is
    kept alone, since it is what somebody is working with.

    Invariant: `get` is that of a `dict`, so to find what is kept costs no more than there.
    """

    __slots__ = ("_heaviest", "_kept", "_lock", "_most", "_weights", "get", "weight")

    def __init__(self, most: int, heaviest: int) -> None:
        self._most = most
        self._heaviest = heaviest
        self._kept: dict[K, V] = {}
        self._weights: dict[K, int] = {}
        self._lock = Lock()
        self.get: Callable[[K], V | None] = self._kept.get
        self.weight = 0

    def __len__(self) -> int:
        return len(self._kept)

    def keep(self, key: K, value: V, weight: int = 1) -> V:
        """Keep an answer, in place of an older one to the same key and of the oldest ones; return it."""
        with self._lock:
            self._forget(key)
            while self._kept and (len(self._kept) >= self._most or self.weight + weight > self._heaviest):
                self._forget(next(iter(self._kept)))
            self._kept[key] = value
            self._weights[key] = weight
            self.weight += weight
        return value

    def _forget(self, key: K) -> None:
        self._kept.pop(key, None)
        self.weight -= self._weights.pop(key, 0)


def weight_of(value: Any) -> int:
    """Return how many parts a value of objects, lists and texts has; long texts count for more than one.

    Takes time linear in the parts, and stops at a million: no value is too deep, and one that holds itself ends, too.
    """
    weight = 1
    pending = [value]
    while pending and weight < _HEAVIEST:
        yield_point()
        part = pending.pop()
        if isinstance(part, str):
            weight += len(part) // _CHARACTERS
            continue
        if isinstance(part, dict | Mapping):
            weight += len(part)
            members: Iterable[Any] = part.values()
        elif isinstance(part, list | tuple):
            members = part
        else:
            continue
        for member in members:
            weight += 1
            if isinstance(member, str):
                weight += len(member) // _CHARACTERS
            elif isinstance(member, dict | list | tuple | Mapping):
                pending.append(member)
    return weight
