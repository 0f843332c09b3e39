"""A sample keeps what it must, is the same for the same seed, and is everything where everything runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product

import pytest

from support import sampling
from support.sampling import crossed, sampled, tries, whole

WORDS = [f"{room}{number}" for room in "abc" for number in range(10)]


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    before = sampling._seed
    yield
    sampling.choose(before)


def room_of(word: str) -> str:
    return word[0]


def test_everything_is_kept_where_everything_runs() -> None:
    sampling.choose(None)
    assert whole()
    assert sampled(WORDS, by=room_of) == WORDS
    assert crossed("ab", range(3)) == list(product("ab", range(3)))
    assert tries(300) == 300


@pytest.mark.parametrize("seed", range(20))
def test_each_stratum_keeps_its_number(seed: int) -> None:
    sampling.choose(seed)
    assert not whole()
    assert Counter(map(room_of, sampled(WORDS, keep=2, by=room_of))) == {"a": 2, "b": 2, "c": 2}
    assert len(sampled(WORDS, keep=3)) == 3
    assert sampled(["a"], keep=3) == ["a"]
    both = sampled(WORDS, by=(room_of, lambda word: word[1:]))
    assert {word[0] for word in both} == set("abc")
    assert {word[1:] for word in both} == set("0123456789")
    assert len(both) < 15


@pytest.mark.parametrize("seed", range(20))
def test_a_value_may_belong_to_several_strata(seed: int) -> None:
    sampling.choose(seed)
    kept = sampled(["a", "b", "ab", "c"], by=frozenset)
    assert set("".join(kept)) == set("abc")


@pytest.mark.parametrize("seed", range(20))
def test_a_product_keeps_each_value_of_each_axis(seed: int) -> None:
    sampling.choose(seed)
    kept = crossed([["unhashable"], ["too"]], range(7), "xyz", keep=2)
    assert [tuple(kept.count(each) for each in kept)] == [(1,) * len(kept)]
    for number, size in enumerate((2, 7, 3)):
        counts = Counter(str(each[number]) for each in kept)
        assert len(counts) == size
        assert min(counts.values()) >= 2
    assert len(kept) < 42


def test_a_seed_chooses_one_sample_and_keeps_the_order() -> None:
    samples = []
    for seed in (1, 1, 2, 3, 4):
        sampling.choose(seed)
        samples.append(sampled(WORDS, keep=5))
    assert samples[0] == samples[1]
    assert len({tuple(each) for each in samples}) > 1
    assert all(each == sorted(each) for each in samples)


def test_a_property_tries_fewer_examples_and_never_none() -> None:
    sampling.choose(1)
    assert [tries(number) for number in (1_400, 140, 20, 3)] == [31, 3, 3, 3]
