"""What each rule says about more texts than its page shows, and what every fix makes of them: the files `*.md` here."""

from collections.abc import Callable
from pathlib import Path

import pytest

from support.cases import Case, Producer, load_cases
from support.engine import PRODUCERS

HERE = Path(__file__).parent
#: Tool files have a runner of their own.
CASES = [case for case in load_cases(HERE) if HERE / "tools" not in case.file.parents]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case, check_case: Callable[[Case, dict[str, Producer]], None]) -> None:
    check_case(case, PRODUCERS)
