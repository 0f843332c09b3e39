"""A made row holds what its definition says, and nothing else: sound rows are silent, each fault is found as it is
named, in the message and the call that it was planted in."""

import json
from collections import Counter
from typing import Any

import pytest

from benchmarks.corpora.rows import Pool, Pooled
from benchmarks.corpora.shapes import SHAPES, Shape
from callwright.document.settings import Settings
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.tools.registry import EMPTY

POOLS = {name: Pool.of(shape, 20, 7) for name, shape in SHAPES.items()}
KINDS = [
    (name, fault)
    for name, pool in POOLS.items()
    for fault in dict.fromkeys(row.expected[0].fault for row in pool.faulty)
]


def found(row: Pooled, shape: Shape) -> Counter[tuple[int, str]]:
    """Return the index of the message and the rule of each diagnostic in the line of a row."""
    line = row.line(1).decode()
    spans = _messages(line, json.loads(line)[shape.messages])
    snapshot = open_snapshot(line, path="rows.jsonl", registry=EMPTY, settings=Settings())
    markers: Counter[tuple[int, str]] = Counter()
    for each in diagnostics(snapshot):
        [index] = [
            index for index, (start, end) in enumerate(spans) if start <= each.span.start and each.span.end <= end
        ]
        markers[index, each.code] += 1
    return markers


def _messages(line: str, messages: list[dict[str, Any]]) -> list[tuple[int, int]]:
    spans, at = [], 0
    for message in messages:
        text = json.dumps(message, ensure_ascii=False)
        start = line.index(text, at)
        at = start + len(text)
        spans.append((start, at))
    return spans


@pytest.mark.parametrize("name", POOLS)
def test_sound_rows_are_silent(name: str) -> None:
    for row in POOLS[name].sound:
        assert not found(row, SHAPES[name])


@pytest.mark.parametrize(("name", "fault"), KINDS)
def test_a_fault_is_found_as_it_is_named(name: str, fault: str) -> None:
    rows = [row for row in POOLS[name].faulty if row.expected[0].fault == fault]
    assert len(rows) > 1
    for row in rows:
        assert found(row, SHAPES[name]) == Counter((each.turn, each.rule) for each in row.expected)


@pytest.mark.parametrize("name", POOLS)
def test_the_same_seed_makes_the_same_rows(name: str) -> None:
    again = Pool.of(SHAPES[name], 20, 7)
    assert again == POOLS[name]
    assert Pool.of(SHAPES[name], 20, 8) != again


def test_every_kind_occurs_in_some_shape() -> None:
    assert len({fault for _, fault in KINDS}) >= 25
