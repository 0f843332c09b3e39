"""What comments suppress in every kind of document, and what is reported about the comments: the files `*.md` here.

Beside the fences of all cases: `ignored REASON`, the text after every diagnostic was suppressed, for that reason if
there is one. What could not be suppressed is listed below it.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from callwright.fix.ignoring import ignore
from callwright.text.span import apply_edits
from support.cases import Case, Fence, Producer, load_cases
from support.engine import PRODUCERS, case_snapshot

CASES = load_cases(Path(__file__).parent)


def _ignored(case: Case, fence: Fence) -> str:
    written = ignore(case_snapshot(case), reason=fence.about)
    text = apply_edits(case.source, written.edits).replace("\r\n", "\n").removesuffix("\n")
    return "\n".join([text, *(f"left: {each.code}" for each in written.left)])


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case, check_case: Callable[[Case, dict[str, Producer]], None]) -> None:
    check_case(case, {**PRODUCERS, "ignored": _ignored})
