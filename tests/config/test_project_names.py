"""The names that other files of a project document are evidence that a tag is a call."""

from __future__ import annotations

from pathlib import Path

import pytest

from callwright.config import find_project
from callwright.config.project_names import MAX_FILE, ProjectNames
from callwright.document.snapshot import Snapshot
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot

CALL = "# Use\n\n<read_note>\n<path>a</path> a remark\n</read_note>\n"


def found(file: Path) -> list[str]:
    return [each.code for each in diagnostics(opened(file))]


def opened(file: Path) -> Snapshot:
    project = find_project(file)
    return open_snapshot(
        file.read_text(encoding="utf-8"), path=str(file), registry=project.registry, settings=project.settings
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "use.md").write_text(CALL, encoding="utf-8")
    (tmp_path / "tools.md").write_text("## read_note\n\nReads a note.\n", encoding="utf-8")
    return tmp_path


def test_a_repository_is_a_project(folder: Path) -> None:
    assert found(folder / "prompts" / "use.md") == []
    (folder / ".git").mkdir()
    assert found(folder / "prompts" / "use.md") == ["TC107"]


def test_a_configuration_makes_a_project(folder: Path) -> None:
    (folder / "callwright.toml").write_text("", encoding="utf-8")
    assert found(folder / "prompts" / "use.md") == ["TC107"]


@pytest.mark.parametrize("place", ["node_modules/a.md", ".venv/a.md", "a.bin"])
def test_what_others_wrote_is_no_part_of_it(folder: Path, place: str) -> None:
    (folder / ".git").mkdir()
    (folder / "tools.md").unlink()
    (folder / place).parent.mkdir(exist_ok=True)
    (folder / place).write_text("## read_note\n", encoding="utf-8")
    assert found(folder / "prompts" / "use.md") == []


def test_links_and_long_files_are_not_read(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "a.md"
    outside.write_text("## read_other\n", encoding="utf-8")
    (folder / "link.md").symlink_to(outside)
    (folder / "long.md").write_text("## read_long\n" + "x" * MAX_FILE, encoding="utf-8")
    names = ProjectNames(folder)
    assert [name in names for name in ("read_note", "read_other", "read_long")] == [True, False, False]


def test_nothing_is_read_before_a_name_is_asked_for(folder: Path) -> None:
    (folder / ".git").mkdir()
    project = find_project(folder / "tools.md")
    assert found(folder / "tools.md") == []
    assert isinstance(project.registry.elsewhere, ProjectNames)
    assert project.registry.elsewhere.asked == {}
