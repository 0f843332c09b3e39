"""Cases of the kinds that real files hold, one file for each class: what must be silent, and what must be found.

A `source` fence marks what is found in it; one without marks must be silent. Nothing is configured unless it says so.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from callwright.declarations.load import read_tools
from callwright.document.settings import Settings
from callwright.hosts.catalogue import find_host
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.tools.documents import holds_tools
from dialects.dialect_cases import prepared
from hosts.host_cases import PRODUCERS
from support.cases import Case, Fence, Producer, annotate, diagnostics_of, load_cases

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("*.md"))
#: How many cases of a class must be silent at least, and in how many something must be found.
SILENT, FOUND = 10, 5


def marked(case: Case, fence: Fence) -> str:
    """Return the source with what is found in it: as a tool file, where it plainly is one."""
    path = case.info.get("path", "")
    if not holds_tools(case.source, path):
        return PRODUCERS["diagnostics"](case, fence)
    registry = read_tools(case.source, path)
    tool_file = open_snapshot(
        case.source, path=path, registry=registry, settings=Settings(), host=find_host("tool-file")
    )
    return annotate(case.source, diagnostics_of(diagnostics(tool_file)))


def cases_of(file: Path) -> list[Case]:
    return [prepared(case) for case in load_cases(file)]


@pytest.mark.parametrize(
    "case",
    [case for file in FILES for case in cases_of(file)],
    ids=lambda case: f"{case.file.stem}: {case.title}",
)
def test_case(case: Case, check_case: Callable[[Case, dict[str, Producer]], None]) -> None:
    check_case(case, {**PRODUCERS, "diagnostics": marked})


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.stem))
def test_a_class_has_silent_cases_and_others(file: Path) -> None:
    markers = [
        any(fence.name == "diagnostics" and " TC" in fence.body for fence in case.expected) for case in cases_of(file)
    ]
    assert markers.count(False) >= SILENT
    assert markers.count(True) >= FOUND
