"""The walk-throughs for contributors: each is carried out in a copy of the project, and prints what the page says.

A walk-through is a section of the page that begins with `Add `. Its files are those of its fences, and nothing else is
added to the copy.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.checkout import copied, environment_of
from support.pages import carried_out, fences
from support.sampling import sampled

PAGE = Path(__file__).parents[2] / "server" / "docs" / "contributing.md"
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)


def sections(page: str) -> dict[str, str]:
    """Return the walk-throughs of the page by their titles; a heading in a fence begins none."""
    found: dict[str, str] = {}
    shown = [(fence.at, fence.at + len(fence.body)) for fence in fences(page)]
    heads = [head for head in _HEADING.finditer(page) if not any(start <= head.start() < end for start, end in shown)]
    for head, following in zip(heads, [*heads[1:], None], strict=True):
        if head[1].startswith("Add "):
            found[head[1]] = page[head.start() : following.start() if following else len(page)]
    return found


def written(section: str) -> set[str]:
    """Return the names of the files that a walk-through writes."""
    return {fence.words["file"] for fence in fences(section) if "file" in fence.words}


SECTIONS = sections(PAGE.read_text(encoding="utf-8"))


def test_there_is_a_walk_through_for_each_kind_of_part() -> None:
    package = Path("server/callwright")
    parts = [Path(name).parent for section in SECTIONS.values() for name in written(section)]
    rooms = ("declarations/styles", "dialects", "features", "hosts", "rules")
    assert sorted(each for each in parts if each.is_relative_to(package)) == [package / room for room in rooms]


@pytest.mark.parametrize("title", sampled(SECTIONS))
def test_a_walk_through_prints_what_it_states(request: pytest.FixtureRequest, tmp_path: Path, title: str) -> None:
    section = SECTIONS[title]
    folder = copied(tmp_path)
    reported = carried_out(section, folder, environment=environment_of(folder))
    if request.config.getoption("--update-cases"):
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(page.replace(section, reported.page), encoding="utf-8")
    assert reported.commands
    assert reported.page == section
    programs = sorted(name for name in written(section) if name.endswith(".py"))
    for check in (["check"], ["format", "--check"]):
        ruff = subprocess.run(
            [sys.executable, "-m", "ruff", *check, *programs],
            cwd=folder,
            capture_output=True,
            check=False,
            encoding="utf-8",
        )
        assert ruff.returncode == 0, ruff.stdout
