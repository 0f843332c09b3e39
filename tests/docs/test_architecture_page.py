"""The handwritten pages name tests, files and rooms that exist."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from callwright.index import HERE
from support.pages import fences

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "server" / "docs"
ARCHITECTURE = (DOCS / "architecture.md").read_text(encoding="utf-8")
_TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")
_INVARIANT = re.compile(r"^(\d+)\. \*\*", re.MULTILINE)

#: A part of the package: a file of it, and what that defines.
_PART = re.compile(r"`((?!tests/)[\w/]+\.py)::([\w.]+)`")

NAMED = sorted(set(_TEST.findall(ARCHITECTURE)))
PARTS = sorted(set(_PART.findall(ARCHITECTURE)))


@pytest.mark.parametrize(("file", "function"), NAMED, ids=["::".join(filter(None, each)) for each in NAMED])
def test_a_test_that_is_named_exists(file: str, function: str) -> None:
    module = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    tests = {node.name for node in ast.walk(module) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    assert function in tests if function else any(name.startswith("test_") for name in tests)


def defined_in(tree: ast.Module | ast.ClassDef, lead: str = "") -> Iterator[str]:
    """Yield the names that a module gives to functions, classes and values; those in a class after its name."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield lead + node.name
        if isinstance(node, ast.ClassDef):
            yield from defined_in(node, f"{lead}{node.name}.")
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (lead + target.id for target in targets if isinstance(target, ast.Name))


@pytest.mark.parametrize(("file", "name"), PARTS, ids=["::".join(each) for each in PARTS])
def test_a_part_that_is_named_exists(file: str, name: str) -> None:
    module = ast.parse((HERE / file).read_text(encoding="utf-8"))
    assert name in defined_in(module)


@pytest.mark.parametrize("way", ["an edit", "a text", "a completion"])
def test_a_way_has_ten_steps_at_most_and_each_leads_to_its_file(way: str) -> None:
    section = ARCHITECTURE.split(f"## The way of {way}\n")[1].split("\n## ")[0]
    steps = re.findall(r"^\d+\. .*$", section, re.MULTILINE)
    assert 5 < len(steps) <= 10
    for step in steps:
        named = _PART.findall(step)
        assert named, step
        # The text of each link is the part, its target the part's file.
        assert re.findall(r"\[`([\w/]+\.py)::[\w.]+`\]", step) == [file for file, _ in named]
        assert re.findall(r"\]\(\.\./callwright/([^)]+)\)", step) == [file for file, _ in named]


def test_every_invariant_is_numbered_and_names_its_test() -> None:
    section = ARCHITECTURE.split("## Invariants\n")[1].split("\n## ")[0]
    parts = _INVARIANT.split(section)[1:]
    numbers, bodies = parts[::2], parts[1::2]
    assert numbers == [str(number) for number in range(1, len(numbers) + 1)]
    assert [number for number, body in zip(numbers, bodies, strict=True) if not _TEST.search(body)] == []


def test_every_test_of_an_invariant_is_named() -> None:
    guards = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests" / "invariants").glob("test_*.py")}
    assert guards <= {file for file, _ in NAMED}


def test_every_room_is_described() -> None:
    rooms = {path.parent.name for path in HERE.glob("*/__init__.py")}
    described = set(re.findall(r"^\| `(\w+)/` \|", ARCHITECTURE, re.MULTILINE))
    # A room may hold nothing yet but its docstring.
    empty = {room for room in rooms if len(list((HERE / room).glob("*.py"))) == 1}
    assert rooms - empty == described


@pytest.mark.parametrize("page", ["architecture.md", "contributing.md"])
def test_paths_that_are_named_exist(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    paths = re.findall(r"`((?:server|tests|schemas)/[\w./-]+)`", text)
    paths += [f"server/callwright/{path}" for path in re.findall(r"`((?:document|hosts|callwright)/\w+\.\w+)`", text)]
    missing = [path for path in paths if not (ROOT / path.replace("callwright/callwright", "callwright")).exists()]
    shown = {fence.words.get("file") for fence in fences(text)}
    assert [path for path in missing if path not in shown] == []
