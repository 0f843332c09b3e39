"""How much of the tests runs: everything (`--whole`), or a sample that still touches all there is.

Owns: which parametrised values are kept, and how many examples a property tries. Must not know: what the values are.

`make test` runs a sample, `make test-all` the whole. A test says what must never be missing from a sample:

    @pytest.mark.parametrize("case", sampled(CASES, keep=2, by=lambda case: case.file))

keeps two cases of each file. With several keys, each value of each key keeps so many: `by=(dialect_of, shape_of)`. A
key may return a frozenset where a value belongs to several strata. `crossed(CALLS, PLACES)` is a product in which each
call and each place remain. A sample depends on the seed and the order of the values alone, so that all workers of
pytest-xdist choose the same one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import product
from operator import itemgetter
from random import Random
from typing import Any, Final, TypeVar

T = TypeVar("T")

#: A property tries this part of its examples in a sample, and at least `MIN_COUNT`.
PART: Final = 44
MIN_COUNT: Final = 3

#: The seed of the sample, None where everything runs: also where a program other than pytest imports tests.
_seed: int | None = None


def choose(seed: int | None) -> None:
    """Set the seed of the sample, None for everything; modules that are imported later depend on it."""
    global _seed  # noqa: PLW0603  # decorators read it while modules are imported
    _seed = seed


def whole() -> bool:
    """Return whether everything runs."""
    return _seed is None


def sampled(
    values: Iterable[T],
    keep: int = 1,
    by: Callable[[Any], Hashable] | Sequence[Callable[[Any], Hashable]] = (),
) -> list[T]:
    """Return the values that are tried, in their order: all of them, or at least `keep` for each stratum of each key.

    Without a key, `keep` of all values are kept.
    """
    values = list(values)
    if _seed is None:
        return values
    keys = (by,) if callable(by) else tuple(by)
    order = list(range(len(values)))
    Random(_seed).shuffle(order)  # noqa: S311  # chooses tests, keeps no secret
    counts: Counter[Hashable] = Counter()
    kept = set()
    for index in order:
        strata = _strata(values[index], keys)
        if any(counts[stratum] < keep for stratum in strata):
            kept.add(index)
            counts.update(strata)
    return [value for index, value in enumerate(values) if index in kept]


def _strata(value: object, keys: Sequence[Callable[[Any], Hashable]]) -> set[tuple[int, Hashable]]:
    """Return the strata of a value, each with the number of its key."""
    found: set[tuple[int, Hashable]] = set() if keys else {(0, None)}
    for number, key in enumerate(keys):
        own = key(value)
        found.update((number, each) for each in (own if isinstance(own, frozenset) else (own,)))
    return found


def crossed(*axes: Iterable[Any], keep: int = 1) -> list[tuple[Any, ...]]:
    """Return the product of the axes, or so much of it that each value of each axis remains at least `keep` times."""
    held = [list(axis) for axis in axes]
    places = product(*(range(len(axis)) for axis in held))
    kept = sampled(places, keep, [itemgetter(number) for number in range(len(held))])
    return [tuple(axis[index] for axis, index in zip(held, place, strict=True)) for place in kept]


def tries(number: int) -> int:
    """Return how many examples a property tries: the number, or its part in a sample."""
    return number if _seed is None else min(number, max(MIN_COUNT, number // PART))
