"""The faults of JSON that people and models make, as Markdown cases in `json/*.md`.

Each case has its `problems` (the kind under the carets, and whether its repair is certain, a guess, or none), the
`value` that is read all the same, and, where there are repairs, the text with all of them `fixed`. `</tool>` ends a
text.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from callwright.syntax.json import PROBLEM_KINDS, JsonRead, read_json
from callwright.syntax.problem import Problem
from callwright.text.holes import HOLE
from callwright.text.span import apply_edits
from support.cases import Case, Fence, FoundDiagnostic, Producer, annotate, load_cases

STOP = re.compile(r"</tool\s*>")
CASES = load_cases(Path(__file__).parent / "json")


def read(case: Case) -> JsonRead:
    return read_json(case.source, stop=STOP)


def visible(text: str) -> str:
    shown = re.sub(f"{HOLE}+", lambda run: "{{" + "x" * (len(run[0]) - 4) + "}}", text)
    return shown.encode(errors="backslashreplace").decode()


def certainty(problem: Problem) -> str:
    return ("certain" if problem.certain else "a guess") if problem.repair else "none"


def problems(case: Case, fence: Fence) -> str:
    found = read(case).problems
    return visible(annotate(case.source, [FoundDiagnostic(each.kind, each.span, certainty(each)) for each in found]))


def value(case: Case, fence: Fence) -> str:
    return visible(json.dumps(read(case).value, ensure_ascii=False))


def fixed(case: Case, fence: Fence) -> str:
    edits = [edit for problem in read(case).problems for edit in problem.repair]
    return visible(apply_edits(case.source, edits))


PRODUCERS: dict[str, Producer] = {"problems": problems, "value": value, "fixed": fixed}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case, check_case: Callable[[Case, dict[str, Producer]], None]) -> None:
    assert {fence.name for fence in case.expected} >= {"problems", "value"}
    check_case(case, PRODUCERS)


def test_every_kind_has_a_case() -> None:
    seen = {problem.kind for case in CASES for problem in read(case).problems}
    # Two kinds need texts too long for a page; tests in code cover them.
    assert seen == set(PROBLEM_KINDS) - {"too-deep", "too-many-problems"}
