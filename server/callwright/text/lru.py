"""A cache with limits on the number and weight of its values.

Owns: `Kept`, `weight_of`. Must not know: what is cached, and for whom.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from threading import Lock
from typing import Any, Final, Generic, TypeVar

from callwright.text.budget import yield_point

K = TypeVar("K")
V = TypeVar("V")

#: The number of characters of a text that weigh as much as one part of a value.
_CHARACTERS: Final = 64
#: The weight at which weighing stops: all limits are lower.
_HEAVIEST: Final = 1_000_000


class Kept(Generic[K, V]):
    """Values by their keys, with a maximum number and total weight: the oldest are evicted first.

    Callers give the weight of a value with all its parts. One that is heavier than the limit is kept alone, since it is
    in use.

    Invariant: `get` is that of a `dict`, so a look-up costs the same.
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
        """Store a value, replace an older one of the same key, evict the oldest; return the value."""
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

    Takes time linear in the parts, and stops at a million: values may be deep, and may contain themselves.
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
