"""Which closing bracket belongs to which open one, if they do not match.

Owns: the cheapest alignment of a run of closers with the objects and arrays that are open.
Must not know: anything but brackets.
"""

from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import Final

from callwright.text.records import NamedTuple

#: Longer runs are aligned piece by piece, so that the work stays linear in the text.
MAX_RUN_LENGTH: Final = 24


class Step(Enum):
    """What to do with a closer: accept it, drop it as unmatched, add a missing one, read it as another."""

    TAKE = auto()
    DROP = auto()
    ADD = auto()
    SWAP = auto()


class Alignment(NamedTuple):
    """The steps in order, how many open brackets they close, and how many closers differ from what was needed."""

    steps: tuple[Step, ...]
    closed: int
    faults: int


def align(
    given: str,
    needed: str,
    allowed: Callable[[int], bool],
    surplus: Callable[[str], int],
    *,
    at_end: bool,
) -> Alignment | None:
    """Return the cheapest way to read the closers `given` if `needed` would close everything, innermost first.

    `allowed(n)` says whether n brackets may be closed before what follows; with `at_end` all are, and missing closers
    after the last one given cost the same as any and are left out of the steps. `surplus(closer)` is how many more of a
    closer the whole text has than it needs, negative if it has too few: among equal costs it decides. Returns None
    where no number of closed brackets is allowed.
    """
    rows, columns = len(given), len(needed)

    def bias(favoured: bool) -> int:
        return 0 if favoured else 1

    drop = {closer: 8 + bias(surplus(closer) > 0) for closer in "}]"}
    add = {closer: 8 + bias(surplus(closer) < 0) for closer in "}]"}
    # Reading one closer as the other is right if the text has too many of the one and too few of the other.
    swap = {closer: 8 + bias(surplus(closer) > 0 and surplus(other) < 0) for closer, other in (("}", "]"), ("]", "}"))}
    cost = [[0] * (columns + 1) for _ in range(rows + 1)]
    for row in range(1, rows + 1):
        cost[row][0] = cost[row - 1][0] + drop[given[row - 1]]
    for column in range(1, columns + 1):
        cost[0][column] = cost[0][column - 1] + add[needed[column - 1]]
    for row in range(1, rows + 1):
        closer, line, above = given[row - 1], cost[row], cost[row - 1]
        for column in range(1, columns + 1):
            same = above[column - 1] + (0 if closer == needed[column - 1] else swap[closer])
            line[column] = min(same, above[column] + drop[closer], line[column - 1] + add[needed[column - 1]])
    ends: Sequence[int] = [columns] if at_end else [n for n in range(columns + 1) if allowed(n)]
    if not ends:
        return None
    best = min(ends, key=lambda n: cost[rows][n])
    return _trace(cost, given, needed, best, drop, add, trim=at_end)


def _trace(
    cost: list[list[int]],
    given: str,
    needed: str,
    column: int,
    drop: dict[str, int],
    add: dict[str, int],
    *,
    trim: bool,
) -> Alignment:
    steps: list[Step] = []
    row = len(given)
    while row or column:
        here = cost[row][column]
        # Backwards, so the last of several equal closers is the superfluous one, and what is missing is put in last.
        if column and here == cost[row][column - 1] + add[needed[column - 1]]:
            column -= 1
            steps.append(Step.ADD)
        elif row and here == cost[row - 1][column] + drop[given[row - 1]]:
            row -= 1
            steps.append(Step.DROP)
        else:
            row, column = row - 1, column - 1
            steps.append(Step.TAKE if given[row] == needed[column] else Step.SWAP)
    faults = sum(step is not Step.TAKE for step in steps)
    if trim:
        while steps and steps[0] is Step.ADD:
            steps.pop(0)
    steps.reverse()
    return Alignment(tuple(steps), sum(step is not Step.DROP for step in steps), faults)
