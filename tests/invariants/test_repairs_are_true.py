"""Safe fixes of damaged calls: they give back the call that was there, or nothing.

Each kind of fault is done to calls of all dialects, the same ones every time. `tests/benchmarks/repair.py` does it to
more of them and shows the cases.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache

import pytest

from benchmarks.faults.base import Kind, Sample
from benchmarks.faults.catalogue import all_kinds
from benchmarks.faults.corpora import samples
from benchmarks.repair import MODES, Tally, Trial, attempt, draw, shown
from support.sampling import crossed

PER_KIND = 6
SEED = "held"
#: How often a fault is found, reported where it is, and fixed where what was there is still known, in each group of
#: kinds at least. No safe fix removes words, so comments and text beside the JSON stay.
FLOORS = {
    "frame": (0.98, 0.95, 0.72),
    "json": (0.99, 0.96, 0.84),
    "python": (0.99, 0.96, 0.9),
    "schema": (1.0, 0.97, 0.95),
    "xml": (0.98, 0.96, 0.82),
}
GROUPS = tuple(FLOORS)


@cache
def pool() -> tuple[Sample, ...]:
    return tuple(samples(("dialects", "hard", "invariants", "shipped")))


@cache
def trials(group: str, mode: str) -> tuple[Trial, ...]:
    kinds: list[Kind] = [kind for kind in all_kinds() if kind.group == group]
    drawn = draw(kinds, pool(), PER_KIND, SEED)
    return tuple(attempt(kind, sample, injected, mode) for kind, sample, injected in drawn if injected is not None)


@pytest.mark.parametrize(("group", "mode"), crossed(GROUPS, MODES))
def test_no_safe_fix_makes_another_call_of_it(group: str, mode: str) -> None:
    wrong = [shown(trial) for trial in trials(group, mode) if trial.wrong]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("group", GROUPS)
def test_faults_are_found_and_fixed(group: str) -> None:
    tallies: dict[str, Tally] = defaultdict(Tally)
    for trial in trials(group, "demanded"):
        tallies["all"].add(trial)
        tallies[trial.kind.name].add(trial)
    found, located, restored = FLOORS[group]
    assert len(tallies) > 5
    assert tallies["all"].share("found") >= found
    assert tallies["all"].share("located") >= located
    assert tallies["all"].share("restored") >= restored


def test_the_benchmark_has_kinds_of_every_group() -> None:
    names = [kind.name for kind in all_kinds()]
    assert len(names) == len(set(names))
    assert len(names) >= 30
