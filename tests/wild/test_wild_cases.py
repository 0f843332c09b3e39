"""Cases of the kinds that real files hold, one file for each class: what must be silent, and what must be found.

A `source` fence marks what is found in it; one without marks must be silent. Nothing is configured unless it says so.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dialects.dialect_cases import prepared
from hosts.host_cases import PRODUCERS
from support.cases import Case, Producer, load_cases

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("*.md"))
#: So many cases of a class are silent at least, and in so many something is found.
SILENT, FOUND = 10, 5


def cases_of(file: Path) -> list[Case]:
    return [prepared(case) for case in load_cases(file)]


@pytest.mark.parametrize(
    "case",
    [case for file in FILES for case in cases_of(file)],
    ids=lambda case: f"{case.file.stem}: {case.title}",
)
def test_case(case: Case, check_case: Callable[[Case, dict[str, Producer]], None]) -> None:
    check_case(case, PRODUCERS)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.stem))
def test_a_class_has_silent_cases_and_others(file: Path) -> None:
    marks = [
        any(fence.name == "diagnostics" and " TC" in fence.body for fence in case.expected) for case in cases_of(file)
    ]
    assert marks.count(False) >= SILENT
    assert marks.count(True) >= FOUND
