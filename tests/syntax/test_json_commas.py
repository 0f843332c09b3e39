"""What lacks nothing but commas is fixed at once to what the tolerant reader makes of it, with the same problems."""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any

import pytest

from callwright.syntax import json_commas
from callwright.syntax.json import read_json
from callwright.syntax.json_commas import with_commas
from callwright.syntax.json_stops import MAX_PROBLEMS
from invariants.corpus import seeded

#: How many texts are broken in each way.
TEXTS = 1_500
WORDS = (
    "a",
    "role",
    "content",
    'say "b"',
    "x, y: {z}",
    "[1, 2]",
    '{"k": 1} {"l": 2}',
    "",
    "\\",
    "é\n",
    '", "',
    '"a": ',
)
_COMMA = re.compile(",")
_BETWEEN = re.compile(r',(?=\s*"\w+"\s*:)')


@pytest.fixture(autouse=True, params=[16_384, 40])
def _windows(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_commas, "_WINDOW", request.param)


def made(random: Random, depth: int = 0) -> Any:
    way = random.randrange(9 if depth < 4 else 5)
    if way < 3:
        return random.choice(WORDS)
    if way < 5:
        return random.choice((1, -2.5, True, None, 1e9, 12345678901234567890))
    if way < 7:
        return [made(random, depth + 1) for _ in range(random.choice((0, 1, 2, 5)))]
    return {f"{random.choice(WORDS)}{number}": made(random, depth + 1) for number in range(random.choice((0, 1, 3, 6)))}


def broken(text: str, random: Random) -> str:
    """Take commas out of a text, or change any other character of it."""
    for _ in range(random.choice((1, 1, 2, 3, 8))):
        way = random.random()
        pattern = _BETWEEN if way < 0.6 else _COMMA if way < 0.9 else None
        places = [match.start() for match in pattern.finditer(text)] if pattern is not None else range(len(text))
        if places:
            at = random.choice(places)
            text = text[:at] + ("" if pattern is not None else random.choice('{}[],:" ')) + text[at + 1 :]
    return text


@pytest.mark.parametrize("batch", range(4))
def test_what_is_fixed_is_what_the_tolerant_reader_makes_of_it(batch: int) -> None:
    random = seeded(f"mended {batch}")
    known = 0
    for _ in range(TEXTS // 4):
        value = [made(random) for _ in range(4)] if random.random() < 0.5 else {"a": made(random), "b": made(random)}
        text = broken(json.dumps(value, indent=random.choice((None, 2)), ensure_ascii=False), random)
        found = with_commas(text)
        if found is None:
            continue
        try:
            whole = json.loads(found.text, object_pairs_hook=_once)
        except ValueError:
            continue
        known += 1
        read = read_json(text)
        assert read.problems == found.problems, text
        assert read.value == whole, text
    assert known > 40


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError
    return dict(pairs)


def test_no_more_is_fixed_than_the_tolerant_reader_reports_of() -> None:
    item = '{"a": 1 "b": 2}'
    for number in (MAX_PROBLEMS - 1, MAX_PROBLEMS, MAX_PROBLEMS + 1):
        text = "[" + ", ".join([item] * number) + "]"
        found = with_commas(text)
        if number > MAX_PROBLEMS:
            assert found is None
        else:
            assert found is not None
            assert found.problems == read_json(text).problems
            assert json.loads(found.text) == [{"a": 1, "b": 2}] * number


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        '{"a": 1}',
        '{"a": 1',
        '{"a": 1 "b": 2',
        "[1 2]",
        '{"a": "b "c" d"}',
        "[{'a': 1}]",
        '[{"a": 1 b: 2}]',
        '[{"a": 1} {"b": 2}]',
        '[{"a": 1,}]',
        '[{"a": 1 "b": 2}}',
        "[" * 5_000,
    ],
    ids=range(13),
)
def test_other_faults_are_left_to_the_tolerant_reader(text: str) -> None:
    found = with_commas(text)
    if found is not None:
        with pytest.raises(ValueError, match="line 1"):
            json.loads(found.text)
