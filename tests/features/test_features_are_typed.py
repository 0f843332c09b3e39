"""Every file of the room exports one frozen `FEATURE`, and nothing asks whether a feature has a member."""

import ast
import dataclasses
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

from callwright import features, lsp
from callwright.features import all_features, commands
from callwright.features.base import Feature
from callwright.features.support.commanding import Command

FILES = sorted(info.name for info in pkgutil.iter_modules(features.__path__) if not info.ispkg and info.name != "base")
COMMANDS = sorted(info.name for info in pkgutil.iter_modules(commands.__path__))
ROOMS = [*map(Path, [*features.__path__, *lsp.__path__])]
PROGRAMS = sorted(path for room in ROOMS for path in room.rglob("*.py"))


def words(name: str) -> str:
    """Return a method of the protocol as a file is named after it."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name.replace("/", "_")).lower()


@pytest.mark.parametrize("name", FILES)
def test_a_file_exports_the_feature_that_it_is_named_after(name: str) -> None:
    module = importlib.import_module(f"callwright.features.{name}")
    assert [key for key, value in vars(module).items() if isinstance(value, Feature)] == ["FEATURE"]
    assert words(module.FEATURE.method) == name
    assert module.FEATURE in all_features()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_file_exports_one_command(name: str) -> None:
    module = importlib.import_module(f"callwright.features.commands.{name}")
    assert [key for key, value in vars(module).items() if isinstance(value, Command)] == ["COMMAND"]


def test_a_feature_cannot_be_changed() -> None:
    for feature in all_features():
        with pytest.raises(dataclasses.FrozenInstanceError):
            feature.handle = None  # type: ignore[misc, assignment]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_member_is_probed_and_no_attribute_is_made_lazily(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    probed = [
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("getattr", "hasattr")
        and re.search(r"\b(feature|result|module|command)\b", ast.unparse(node.args[0]))
    ]
    assert probed == []
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == "__dict__"]
