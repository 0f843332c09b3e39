"""What is read of each shape of transcripts: the files `<shape>/*.md` here, and the documents in `<shape>/corpus/`."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from pathlib import Path

import pytest

from hosts.host_cases import (
    PRODUCERS,
    SHAPES,
    add_entries,
    cases_in,
    corpus_cases,
    folders,
    missing,
    reader_failure,
    shape_names,
    unlisted,
)
from support.cases import Case, Producer, may_update
from support.sampling import sampled


def case_id(case: Case) -> str:
    return f"{case.file.parent.name}/{case.file.stem}: {case.title}"


@pytest.mark.parametrize(
    "case", sampled([*cases_in(SHAPES), *corpus_cases(SHAPES)], keep=2, by=attrgetter("file")), ids=case_id
)
def test_case(case: Case, check_case: Callable[[Case, dict[str, Producer]], None]) -> None:
    check_case(case, PRODUCERS)
    failure = reader_failure(case)
    assert not failure, f"{case_id(case)}: {failure}"


@pytest.mark.parametrize("folder", folders(SHAPES), ids=lambda folder: str(folder.name))
def test_a_folder_is_named_after_a_shape_and_lists_its_corpus(folder: Path, request: pytest.FixtureRequest) -> None:
    assert folder.name in shape_names()
    names = unlisted(folder)
    if names and may_update(bool(request.config.getoption("--update-cases"))):
        add_entries(folder, names)
        pytest.fail("entries were added; run once more to fill them")
    assert names == [], f"{folder.name}/corpus.md has no entry for these; `--update-cases` adds them"


@pytest.mark.parametrize("shape", shape_names())
def test_every_shape_has_cases_and_a_corpus(shape: str) -> None:
    failure = missing(SHAPES / shape)
    assert not failure, failure
