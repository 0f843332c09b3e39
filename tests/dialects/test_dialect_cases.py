"""What each dialect reads, finds, fixes and converts: the files `<name>/*.md` here."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from pathlib import Path

import pytest

from callwright.dialects.catalogue import dialect_names
from dialects.dialect_cases import FOLDER, KINDS, PRODUCERS, expected_dialects, found_dialects, prepared
from support.cases import Case, Producer, annotated, load_cases, read_cases
from support.sampling import sampled

FOLDERS = sorted(path for path in FOLDER.iterdir() if any(path.glob("*.md")))


def case_id(case: Case) -> str:
    return f"{case.file.parent.name}/{case.file.stem}: {case.title}"


@pytest.mark.parametrize("case", sampled(load_cases(*FOLDERS), keep=3, by=attrgetter("file")), ids=case_id)
def test_case(case: Case, check_case: Callable[[Case, dict[str, Producer]], None]) -> None:
    case = prepared(case)
    check_case(case, PRODUCERS)
    if case.file.stem in KINDS:
        assert any(fence.name == "tree" for fence in case.expected), f"{case_id(case)} shows no tree"
    own, wanted, found = case.file.parent.name, expected_dialects(case), found_dialects(case)
    if wanted is None:
        assert own not in found, f"{case_id(case)} is read as a call in {own}"
    else:
        assert found == wanted, f"{case_id(case)} is read as {sorted(found)}; say so with `reads=` if that is right"


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.name))
def test_a_folder_is_named_after_a_dialect(folder: Path) -> None:
    assert folder.name in dialect_names()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dialect", dialect_names())
def test_every_dialect_has_cases_of_every_kind(dialect: str, kind: str) -> None:
    file = FOLDER / dialect / f"{kind}.md"
    assert file.exists(), f"the dialect {dialect} needs the file {file.relative_to(FOLDER.parent)}"
    assert read_cases(file, file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("dialect", dialect_names())
def test_every_dialect_has_a_case_without_diagnostics(dialect: str) -> None:
    file = FOLDER / dialect / "calls.md"
    cases = [prepared(case) for case in read_cases(file, file.read_text(encoding="utf-8"))]
    marked = [fence for case in cases for fence in case.expected if fence.name == "diagnostics"]
    assert any(not annotated(fence.body).markers for fence in marked), f"{dialect}/calls.md shows no faultless call"
