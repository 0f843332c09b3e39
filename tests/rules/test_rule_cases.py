"""What each rule says about more texts than its page shows, and what every fix makes of them: the files `*.md` here."""

from collections.abc import Callable
from pathlib import Path

import pytest

from support.cases import Case, Producer, load_cases
from support.engine import PRODUCERS


@pytest.mark.parametrize("case", load_cases(Path(__file__).parent), ids=str)
def test_case(case: Case, check_case: Callable[[Case, dict[str, Producer]], None]) -> None:
    check_case(case, PRODUCERS)
