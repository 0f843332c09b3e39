"""The fuzz targets: each takes its corpus and some hundred inputs made from it; `make fuzz` continues from there.

The inputs are the same in every run. One that was once a fault is in the corpus.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fuzz.inputs import Input, decoded, encoded
from fuzz.mutation import LARGEST, mutated, seeds, target_names, target_of
from fuzz.run import fault_of, shortened
from invariants.corpus import seeded

#: How many inputs a target is given: those that cost more are given fewer.
COUNTS = {"json_reader": 400, "python_reader": 300, "xml_reader": 400, "wire": 150}
OTHERS = 100


@pytest.mark.parametrize("name", target_names())
def test_a_target_takes_its_corpus(name: str) -> None:
    target = target_of(name)
    assert len(seeds(name)) > 5
    for data in seeds(name):
        target(data)


@pytest.mark.parametrize("name", target_names())
def test_a_target_takes_inputs_made_from_its_corpus(name: str) -> None:
    target, random = target_of(name), seeded(f"test {name}")
    for _ in range(COUNTS.get(name, OTHERS)):
        data = mutated(random.choice(seeds(name)), name, random)
        try:
            target(data)
        except Exception as error:
            raise AssertionError(f"{name} fails on {shortened(target, data, 200)!r}") from error


def test_bytes_of_all_kinds_are_an_input() -> None:
    for data in (
        b"",
        b"\n",
        b"\xff\xfe",
        b"path=a.md x\n\xed\xa0\xbd\xc3",
        b"=\n",
        b"dialect=nothing\n" + b"x" * 9_000,
    ):
        given = Input(data, 100)
        assert len(given.text) <= 100
        assert given.pick("path", ("a", "b")) in ("a", "b")
        assert given.pick("path", ("a.md", "b")) == Input(data).pick("path", ("a.md", "b"))
    assert Input(b"path=b\n").pick("path", ("a", "b")) == "b"
    for text in ("", "é😀\ud800", "a\udfff\ud83d"):
        assert decoded(encoded(text)) == text


def test_inputs_do_not_grow_without_end() -> None:
    random = seeded("grow")
    data = seeds("hosts")[0]
    for _ in range(300):
        data = mutated(data, "hosts", random)
        assert len(data) <= LARGEST


def picky(error: type[Exception]) -> Callable[[bytes], None]:
    def target(data: bytes) -> None:
        if b"bad" in data:
            raise error("so it is")
        if b"worse" in data:
            raise KeyError(data)

    return target


def test_a_fault_is_reported_and_made_short() -> None:
    target = picky(ValueError)
    assert fault_of(target, b"good") is None
    fault = fault_of(target, b"x bad y worse")
    assert fault is not None
    assert fault.startswith("ValueError at test_targets.py:")
    assert shortened(target, b"worse, or only bad: " * 9) == b"bad"
