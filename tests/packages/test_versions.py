"""The version: all places agree in this tree, a place that does not is found, and one command sets them all."""

from __future__ import annotations

import datetime
import json
import re
import shutil
import tomllib
from pathlib import Path

import pytest

import callwright
from packages.versions import (
    CHANGELOGS,
    NUMBER,
    ROOT,
    STATED,
    bump,
    current,
    disagreements,
    main,
    places,
    tracked,
    undated,
)

DAY = datetime.date(2030, 1, 2)
#: What a page or a file to copy says, and the version in it.
SAID = {
    "server/docs/page.md": "- uses: callwright/callwright@v{}\n\n    pip install 'callwright[mcp]=={}'\n",
    "server/docs/editors/mason.yaml": "source:\n  id: pkg:pypi/callwright@{}\n",
    ".github/hooks.yml": "- repo: https://github.com/callwright/callwright\n  rev: v{}\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Copy the files that state the version, and add some that name it."""
    for file in (*STATED, *CHANGELOGS, "README.md"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / file, tmp_path / file)
    for file, text in SAID.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text.replace("{}", current()), encoding="utf-8")
    return tmp_path


def files(tree: Path) -> list[str]:
    return sorted(path.relative_to(tree).as_posix() for path in tree.rglob("*") if path.is_file())


def test_all_places_of_this_tree_agree() -> None:
    assert list(disagreements(ROOT, tracked())) == []
    assert current() == callwright.__version__


@pytest.mark.parametrize("file", sorted({*STATED, *SAID} - {"pyproject.toml"}))
def test_a_place_that_disagrees_is_found(file: str, tree: Path) -> None:
    stated = [place for place in places(tree, files(tree)) if place.file == file]
    assert stated
    for place in stated:
        text = (tree / file).read_text(encoding="utf-8")
        changed = text[: place.start] + "9.9.9" + text[place.start + len(place.version) :]
        (tree / file).write_text(changed, encoding="utf-8")
        expected = f"{file}:{place.line}: states 9.9.9, and the version is {current()}"
        assert list(disagreements(tree, files(tree))) == [expected]
        (tree / file).write_text(text, encoding="utf-8")


def test_a_place_that_is_gone_is_found(tree: Path) -> None:
    (tree / "server/callwright/__init__.py").write_text("", encoding="utf-8")
    (found,) = disagreements(tree, files(tree))
    assert found.startswith("server/callwright/__init__.py: states the version not 1 times")


@pytest.mark.parametrize("version", ["7.8.9", "7.8.9rc1"])
def test_one_command_sets_them_all(version: str, tree: Path) -> None:
    written = bump(tree, files(tree), version, DAY)
    assert set(written) == {*STATED, *SAID, *CHANGELOGS, "README.md"}
    assert list(disagreements(tree, files(tree))) == []
    assert list(undated(tree)) == []
    assert {place.version for place in places(tree, files(tree))} == {version}
    assert tomllib.loads((tree / "pyproject.toml").read_text("utf-8"))["project"]["version"] == version
    lock = json.loads((tree / "client-vscode/package-lock.json").read_text("utf-8"))
    assert (lock["version"], lock["packages"][""]["version"]) == (version, version)
    # Nothing else changed.
    for file in written:
        if (ROOT / file).is_file() and file not in CHANGELOGS:
            before = (ROOT / file).read_text("utf-8").replace(current(), version)
            assert re.sub(NUMBER, "", (tree / file).read_text("utf-8")) == re.sub(NUMBER, "", before), file


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "# Changelog\n\n## 0.1.0 - 2029-01-01\n\nA.\n",
            "# Changelog\n\n## 0.2.0 - 2030-01-02\n\n## 0.1.0 - 2029-01-01\n\nA.\n",
        ),
        ("# Changelog\n\n## Unreleased\n\nB.\n", "# Changelog\n\n## 0.2.0 - 2030-01-02\n\nB.\n"),
        ("# Changelog\n\n## 0.2.0 - 2029-12-31\n\nB.\n", "# Changelog\n\n## 0.2.0 - 2030-01-02\n\nB.\n"),
        ("# Changelog\n\n## 0.2.0rc1 - 2029-12-31\n\nB.\n", "# Changelog\n\n## 0.2.0 - 2030-01-02\n\nB.\n"),
        ("# Changelog\n\n", "# Changelog\n\n## 0.2.0 - 2030-01-02\n\n"),
    ],
)
def test_the_first_section_of_a_changelog_is_dated(before: str, after: str, tree: Path) -> None:
    (tree / CHANGELOGS[0]).write_text(before, encoding="utf-8")
    bump(tree, files(tree), "0.2.0", DAY)
    assert (tree / CHANGELOGS[0]).read_text("utf-8") == after
    assert list(undated(tree)) == []


@pytest.mark.parametrize(
    "text", ["", "# Changelog\n", "## 0.1.0\n", "## 0.0.9 - 2029-01-01\n", "## Unreleased\n\n## 0.1.0 - 2029-01-01\n"]
)
def test_a_changelog_that_is_not_ready_is_found(text: str, tree: Path) -> None:
    bump(tree, files(tree), "0.1.0", DAY)
    (tree / CHANGELOGS[1]).write_text(text, encoding="utf-8")
    assert any(each.startswith(f"{CHANGELOGS[1]}: the first section is not") for each in undated(tree))


@pytest.mark.parametrize("arguments", [["v1.0.0"], ["1.0"], ["1.0.0", "2.0.0"], ["1.0.0; true"]])
def test_what_is_not_a_version_is_rejected(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith("usage:")
