"""What each rule says about more texts than its page shows, and what every fix makes of them: the files `*.md` here."""

import re
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path

import pytest

from support.cases import Case, Producer, load_cases
from support.engine import PRODUCERS
from support.sampling import sampled

HERE = Path(__file__).parent
#: Tool files have a runner of their own.
CASES = [case for case in load_cases(HERE) if HERE / "tools" not in case.file.parents]


def codes(case: Case) -> frozenset[str]:
    """Return the codes that a case expects."""
    return frozenset(re.findall(r"\bTC\d{3}\b", "\n".join(each.body for each in case.expected)))


@pytest.mark.parametrize("case", sampled(CASES, keep=2, by=(attrgetter("file"), codes)), ids=str)
def test_case(case: Case, check_case: Callable[[Case, dict[str, Producer]], None]) -> None:
    check_case(case, PRODUCERS)
