"""What each host reads, finds and fixes: the files `<host>/*.md` here, and the whole documents in `<host>/corpus/`."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from pathlib import Path

import pytest

from hosts.host_cases import (
    HOSTS,
    PRODUCERS,
    add_entries,
    cases_in,
    corpus_cases,
    folders,
    host_names,
    missing,
    reader_failure,
    unlisted,
)
from support.cases import Case, Producer, may_update
from support.sampling import sampled


def case_id(case: Case) -> str:
    return f"{case.file.parent.name}/{case.file.stem}: {case.title}"


@pytest.mark.parametrize(
    "case", sampled([*cases_in(HOSTS), *corpus_cases(HOSTS)], keep=3, by=attrgetter("file")), ids=case_id
)
def test_case(case: Case, check_case: Callable[[Case, dict[str, Producer]], None]) -> None:
    check_case(case, PRODUCERS)
    failure = reader_failure(case)
    assert not failure, f"{case_id(case)}: {failure}"


@pytest.mark.parametrize("folder", folders(HOSTS), ids=lambda folder: str(folder.name))
def test_a_folder_is_named_after_a_host_and_lists_its_corpus(folder: Path, request: pytest.FixtureRequest) -> None:
    assert folder.name in host_names()
    names = unlisted(folder)
    if names and may_update(bool(request.config.getoption("--update-cases"))):
        add_entries(folder, names)
        pytest.fail("entries were added; run once more to fill them")
    assert names == [], f"{folder.name}/corpus.md has no entry for these; `--update-cases` adds them"


@pytest.mark.parametrize("host", host_names())
def test_every_host_has_cases_and_a_corpus(host: str) -> None:
    failure = missing(HOSTS / host)
    assert not failure, failure
