"""Every case file of this folder: what is completed, shown and offered at a place, and the text after taking it."""

import pytest

from features.feature_cases import FOLDER, REWRITE, Case, read_cases, rewrite, with_newline

FILES = sorted(FOLDER.glob("*.md"))
if REWRITE:
    for _file in FILES:
        rewrite(_file)
CASES = [case for file in FILES for case in read_cases(file)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.file.stem}: {case.title}")
def test_case(case: Case) -> None:
    assert case.source.count("‸") == 1
    assert case.expected, "a case without an expectation cannot fail"
    for kind, expected, _ in case.expected:
        assert with_newline(case.answer(kind)) == expected
