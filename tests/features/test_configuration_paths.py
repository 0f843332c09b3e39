"""Paths in a configuration: what lies beside it, and nothing outside the project."""

from pathlib import Path

import pytest

from callwright.config import find_project
from callwright.features.base import Client, Request
from callwright.features.text_document_completion import handle
from callwright.lint.opening import open_snapshot
from callwright.text.span import Span, apply_edits


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in (".git", "package/tools", "public", "package/node_modules"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("package/tools/a.json", "package/b.yaml", "package/c.txt", "public/base.toml", "public/kit.json"):
        (tmp_path / name).write_text("", encoding="utf-8")
    (tmp_path / "package" / "callwright.toml").write_text("", encoding="utf-8")
    return tmp_path


def offered(folder: Path, text: str) -> dict[str, str]:
    """Return what is offered at the cursor, each with the text after taking it."""
    file = folder / "package" / "callwright.toml"
    project = find_project(file)
    source, offset = text.replace("‸", ""), text.index("‸")
    snapshot = open_snapshot(
        source,
        path=str(file),
        registry=project.registry,
        settings=project.settings,
        host=project.host_of(file),
        boundary=str(project.boundary),
    )
    items = handle(snapshot, Request(Span(offset, offset), Client(), None))
    return {item.label: apply_edits(source, [item.edit]) for item in items}


def test_tool_files_and_folders_are_offered(folder: Path) -> None:
    assert offered(folder, 'tools = ["‸"]') == {"b.yaml": 'tools = ["b.yaml"]', "tools/": 'tools = ["tools/"]'}
    assert offered(folder, 'extend_tools = ["tools/‸"]') == {"tools/a.json": 'extend_tools = ["tools/a.json"]'}


def test_configurations_are_offered_to_build_on(folder: Path) -> None:
    assert offered(folder, 'extend = "../public/‸"') == {"../public/base.toml": 'extend = "../public/base.toml"'}
    assert list(offered(folder, 'extend = ["../‸"]')) == ["../package/", "../public/"]


def test_nothing_outside_the_project_is_scanned(folder: Path) -> None:
    (folder / "package" / "link").symlink_to(folder.parent)
    for path in ("../../", "/", "/etc/", "~/", "link/", "none/"):
        assert offered(folder, f'tools = ["{path}‸"]') == {}


def test_patterns_are_not_completed(folder: Path) -> None:
    assert offered(folder, 'files = ["‸"]') == {}
