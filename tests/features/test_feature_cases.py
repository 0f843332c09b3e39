"""Every case file of this folder: what is completed, shown and offered at a place, and the text after taking it."""

from collections.abc import Callable
from operator import attrgetter
from pathlib import Path

import pytest

from features.feature_cases import PRODUCERS
from support.cases import CURSOR, Case, Producer, load_cases
from support.sampling import sampled

#: Of each file some, and of each fence that a feature fills.
CASES = sampled(
    load_cases(Path(__file__).parent),
    keep=6,
    by=(attrgetter("file"), lambda case: frozenset(each.name for each in case.expected)),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case, check_case: Callable[[Case, dict[str, Producer]], None]) -> None:
    assert case.text.count(CURSOR) == 1
    check_case(case, PRODUCERS)
