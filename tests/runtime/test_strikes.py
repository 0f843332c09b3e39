"""Strikes: counting, the fourth failure, resets, threads, and the way through JSON."""

from __future__ import annotations

import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from callwright.runtime import ErrorType, ParseError, StrictParser, Strikes

PARSER = StrictParser(tools=[{"name": "list_files", "input_schema": {"type": "object"}}], dialect="xml-json")


def failure(name: str = "list_file") -> ParseError:
    error = PARSER.parse(f"<{name}>{{}}</{name}>").error
    assert error is not None
    return error


def test_failures_up_to_the_maximum_report_themselves() -> None:
    strikes = Strikes()
    for count in (1, 2, 3):
        error = failure()
        assert strikes.failed(error) is error
        assert (strikes.count, strikes.left, strikes.exceeded) == (count, 3 - count, False)


def test_each_further_failure_is_max_mistakes_with_its_cause() -> None:
    strikes = Strikes(2, count=2)
    for _ in range(2):
        error = failure()
        last = strikes.failed(error)
        assert last.type is ErrorType.MAX_MISTAKES
        assert last.cause is error
        assert str(last) == (
            "MAX_MISTAKES: Maximum mistakes reached (2). The last one: `list_file` is not a tool; did you mean "
            "`list_files`?"
        )
        assert (last.codes, last.spans, last.text) == (error.codes, error.spans, error.text)
        assert strikes.exceeded


@pytest.mark.parametrize("count", [1, 3, 7])
def test_a_success_or_a_hand_sets_the_count_to_zero(count: int) -> None:
    for reset in (Strikes.succeeded, Strikes.reset):
        strikes = Strikes(count=count)
        reset(strikes)
        assert (strikes.count, strikes.left, strikes.exceeded) == (0, 3, False)
        error = failure()
        assert strikes.failed(error) is error


def test_no_failure_is_lost_among_threads() -> None:
    strikes = Strikes(1_000)
    error = failure()
    with ThreadPoolExecutor(8) as pool:
        reported = list(pool.map(lambda _: strikes.failed(error), range(1_500)))
    assert strikes.count == 1_500
    assert sum(each.type is ErrorType.MAX_MISTAKES for each in reported) == 500


def test_the_counter_survives_json_and_processes() -> None:
    strikes = Strikes(5, count=4)
    for again in (
        Strikes.from_dict(json.loads(json.dumps(strikes.to_dict()))),
        pickle.loads(pickle.dumps(strikes)),  # noqa: S301  # what we have just written
    ):
        assert again.to_dict() == {"count": 4, "maximum": 5}


@pytest.mark.parametrize(
    "data",
    [{}, {"count": 1}, {"count": "1", "maximum": 3}, {"count": 1, "maximum": 3.0}, {"count": True, "maximum": 3}],
)
def test_what_is_no_counter_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="`count` and `maximum`"):
        Strikes.from_dict(data)


@pytest.mark.parametrize(("maximum", "count"), [(0, 0), (-1, 0), (3, -1), (1.5, 0), ("3", 0), (3, None)])
def test_numbers_that_make_no_sense_are_refused(maximum: Any, count: Any) -> None:
    with pytest.raises(ValueError, match=r"it must be a whole number"):
        Strikes(maximum, count=count)
