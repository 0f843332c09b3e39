"""The source distribution: what builds the package, the same bytes each time, and the same wheel from it."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import tarfile
from pathlib import Path

import pytest

from packages.test_wheel import PROJECT, SECRETS, build, copied

NAME = f"callwright-{PROJECT['version']}"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied(tmp_path_factory.mktemp("tree"))


@pytest.fixture(scope="module")
def content(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return build(tree, tmp_path_factory.mktemp("sdist"), "sdist")


def test_it_holds_what_builds_the_package_and_nothing_else(content: bytes) -> None:
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        names = [member.name for member in archive if member.isfile()]
        inside = {name.split("/")[1] for name in names}
        assert {name.split("/")[0] for name in names} == {NAME}
        assert inside == {
            *(".gitignore", "CHANGELOG.md", "LICENSE", "PKG-INFO", "README.md", "pyproject.toml", "schemas", "server"),
        }
        for member in archive:
            text = file.read() if (file := archive.extractfile(member)) else b""
            assert not any(pattern.search(text) for pattern in SECRETS.values()), member.name


def test_two_archives_are_the_same_bytes(content: bytes, tree: Path, tmp_path: Path) -> None:
    """Wherever the tree lies; neither a user's name nor the time of the build is in it."""
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(tree, elsewhere)
    for file in elsewhere.rglob("*.py"):
        os.utime(file, (1_000_000_000, 1_000_000_000))
    again = build(elsewhere, tmp_path / "sdist", "sdist")
    assert again == content
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(content))) as archive:
        assert {(each.uname, each.gname, each.uid, each.mtime) for each in archive} == {("", "", 0, 1_700_000_000)}


def test_the_wheel_from_it_is_that_of_the_tree(content: bytes, tree: Path, tmp_path: Path) -> None:
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        archive.extractall(tmp_path, filter="data")
    assert build(tmp_path / NAME, tmp_path / "from-sdist") == build(tree, tmp_path / "from-tree")
