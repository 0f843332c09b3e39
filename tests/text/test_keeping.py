"""What is kept is bounded in number and in weight."""

from __future__ import annotations

from typing import Any

import pytest

from callwright.text.lru import Kept, weight_of


def test_the_oldest_goes_first_when_there_are_too_many() -> None:
    kept: Kept[str, int] = Kept(2, 100)
    for number, key in enumerate("abc"):
        assert kept.keep(key, number) == number
    assert [kept.get(key) for key in "abc"] == [None, 1, 2]
    assert len(kept) == kept.weight == 2


def test_as_many_go_as_weigh_what_comes() -> None:
    kept: Kept[str, str] = Kept(10, 10)
    kept.keep("a", "a", 4)
    kept.keep("b", "b", 3)
    kept.keep("c", "c", 3)
    kept.keep("d", "d", 5)
    assert [kept.get(key) for key in "abcd"] == [None, None, "c", "d"]
    assert kept.weight == 8


def test_what_is_kept_again_counts_once_and_is_the_newest() -> None:
    kept: Kept[str, str] = Kept(2, 10)
    kept.keep("a", "old", 4)
    kept.keep("b", "b", 4)
    kept.keep("a", "new", 6)
    assert (kept.get("a"), kept.get("b"), kept.weight) == ("new", "b", 10)
    kept.keep("c", "c", 4)
    assert (kept.get("a"), kept.get("b"), kept.get("c")) == ("new", None, "c")


def test_what_is_heavier_than_all_may_be_is_kept_alone() -> None:
    kept: Kept[str, str] = Kept(10, 10)
    kept.keep("a", "a", 1)
    kept.keep("b", "b", 50)
    assert (kept.get("a"), kept.get("b"), kept.weight) == (None, "b", 50)
    kept.keep("c", "c", 1)
    assert (kept.get("b"), kept.get("c"), kept.weight) == (None, "c", 1)


@pytest.mark.parametrize(
    ("value", "weight"),
    [
        (1, 1),
        ({}, 1),
        ([1, 2, 3], 4),
        ({"a": [1, 2]}, 5),
        ("x" * 640, 11),
        (["x" * 640], 12),
        ({"type": "object", "properties": {"a": {"type": "string"}}}, 9),
    ],
)
def test_parts_are_counted(value: Any, weight: int) -> None:
    assert weight_of(value) == weight


def test_a_value_that_holds_itself_or_is_deep_has_a_weight() -> None:
    own: list[Any] = []
    own.append(own)
    assert weight_of(own) >= 1_000_000
    deep: Any = 1
    for _ in range(50_000):
        deep = [deep]
    assert weight_of(deep) == 50_001
