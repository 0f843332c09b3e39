"""Each kind of change is made, and nothing is changed that no test could notice."""

from __future__ import annotations

import ast
from types import FunctionType

import pytest

from mutation.sites import mutant, sites
from mutation.table import GROUPS, PACKAGE, files_of_tests, modules, name


def changed(source: str) -> list[str]:
    """Return what each change of a source gives."""
    found = []
    for number in range(len(sites(ast.parse(source)))):
        tree = ast.parse(source)
        sites(tree)[number].change()
        found.append(ast.unparse(ast.fix_missing_locations(tree)))
    return found


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("a < b", ["a <= b"]),
        ("a == b", ["a != b"]),
        ("a in b", ["a not in b"]),
        ("a is b", ["a is not b"]),
        ("a and b", ["a or b"]),
        ("a + b", ["a - b"]),
        ("a % b", ["a * b"]),
        ("not a", ["not not a"]),
        ("a[b:]", ["a[b + 1:]", "a[b + -1:]"]),
        ("a[:-1]", ["a[:-1 + -1]"]),
        ("True", ["False"]),
        ("7", ["8"]),
        ("'word'", ["'wor'"]),
        ("'x'", ["'~'"]),
        ("f'{a} and {b - 1}'", ["f'{a} and {b + 1}'", "f'{a} and {b - 2}'"]),
        ("a if b else c", ["a if not b else c"]),
        ("[a for a in b if c]", ["[a for a in b if not c]"]),
        ("cast('int', a)", []),
        ("a", []),
        ("''", []),
    ],
    ids=str,
)
def test_an_expression(expression: str, expected: list[str]) -> None:
    assert changed(f"x = {expression}") == [f"x = {each}" for each in expected]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return x", ["return None"]),
        ("return None", []),
        ("return", []),
        ("x()", ["pass"]),
        ("x.y = z", ["pass"]),
        ("x = z", []),
        ("x = y\n    x = z", ["pass\n    x = z", "x = y\n    pass"]),
        ("x += z", ["pass", "x -= z"]),
        ("raise ValueError('no')", ["pass"]),
        ("'A docstring.'", []),
        ("assert x > 1, 'words'", []),
        ("x: int", []),
        ("if x:\n        continue", ["if not x:\n        continue", "if x:\n        pass"]),
        ("if not x:\n        break", ["if not not x:\n        break", "if not x:\n        pass"]),
        (
            "while x > y:\n        z",
            ["while not x > y:\n        z", "while x >= y:\n        z", "while x > y:\n        pass"],
        ),
    ],
    ids=str,
)
def test_a_statement_in_a_function(body: str, expected: list[str]) -> None:
    assert changed(f"def f():\n    {body}") == [f"def f():\n    {each}" for each in expected]


def test_what_only_a_type_checker_reads_is_left_alone() -> None:
    source = """
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    a = 1 + 2
__all__ = ['a']
@decorated(frozen=True)
class C:
    'A docstring.'
    name: 'Literal["x"]'
Both = int | str
"""
    assert changed(source) == []


def test_a_change_knows_its_function() -> None:
    source = "A = 1\n@cached\ndef f(x=2):\n    def g():\n        return 3\n    return 4\n"
    found = {(each.what, each.line): each.function for each in sites(ast.parse(source))}
    assert found["`2` for `1`", 1] == 0
    assert found["`3` for `2`", 3] == 0
    assert found["`4` for `3`", 5] == 4
    # A decorated function begins at its decorator, as its code object does.
    assert found["`5` for `4`", 6] == 2
    outer: dict[str, object] = {"cached": lambda function: function}
    exec(compile(source, "m", "exec"), outer)  # noqa: S102
    function = outer["f"]
    assert isinstance(function, FunctionType)
    assert function.__code__.co_firstlineno == 2


def test_a_mutant_runs() -> None:
    space: dict[str, object] = {}
    exec(mutant("x = 1 + 1", 0, "m"), space)  # noqa: S102
    assert space["x"] == 0


@pytest.mark.parametrize("group", GROUPS)
def test_every_module_of_the_table_can_be_changed(group: str) -> None:
    for file in modules(group):
        source = file.read_text(encoding="utf-8")
        assert sites(ast.parse(source)) or source.count("\n") < 50
        if file.name != "__init__.py":
            assert name(file) == "callwright." + file.relative_to(PACKAGE).with_suffix("").as_posix().replace("/", ".")


def test_every_file_of_the_table_is_there() -> None:
    files = files_of_tests()
    assert len(files) == len(set(files)) > 30
    assert "tests/syntax/test_json.py" in files
