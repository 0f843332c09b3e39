"""Histograms: how often values of about one size were counted, so that counts of many units add up to those of all.

Owns: the bounds of the sizes, quantiles. Must not know: what is counted.

Up to 15 each value has a size of its own; from there on eight sizes make a doubling, so the bounds of one are at most
an eighth apart. A quantile is the upper bound of the size in which it lies, so it is too large by less than an eighth.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

#: At most this many bits of a value determine its size.
_BITS: Final = 4
_STEPS: Final = 1 << (_BITS - 1)


def size_of(value: int) -> int:
    """Return the number of the size that a value has, which is not negative."""
    shift = max(value.bit_length() - _BITS, 0)
    return shift * _STEPS + (value >> shift)


def bounds_of(size: int) -> tuple[int, int]:
    """Return the least and the greatest value that has a size."""
    shift = max(size // _STEPS - 1, 0)
    lead = size - shift * _STEPS
    return lead << shift, ((lead + 1) << shift) - 1


def quantile(counts: Iterable[tuple[int, int]], share: float) -> int | None:
    """Return a value that at least `share` of the counted values do not exceed; None where nothing was counted.

    `counts` are sizes in rising order, each with how many values have it.
    """
    known = list(counts)
    total = sum(count for _, count in known)
    seen = 0
    for size, count in known:
        seen += count
        if seen >= share * total:
            return bounds_of(size)[1]
    return None
