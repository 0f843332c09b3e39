"""What a test reaches is what runs while it runs, statement by statement; order and list follow from it."""

from __future__ import annotations

import ast
import importlib
import sys
from pathlib import Path

import pytest

from mutation.equivalents import keys, reasons
from mutation.learning import Learnt
from mutation.reach import Reach, marked
from mutation.sites import sites
from mutation.table import PACKAGE

SOURCE = '''"""A module."""
from __future__ import annotations


def sign(x):
    """Say which side."""
    if x < 0:
        return -1
    elif x > 0:
        return 1
    else:
        def nothing():
            return 0
        return nothing()


class Counter:
    """Counts."""

    step = 1

    def count(self, things):
        for each in things:
            try:
                self.step += int(each)
            except ValueError:
                match each:
                    case "one":
                        self.step += 1
                    case _:
                        raise
            finally:
                self.last = each
        return self.step
'''


@pytest.fixture
def reach(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reach:
    file = tmp_path / "sample_with_marks.py"
    file.write_text(SOURCE, encoding="utf-8")
    found = Reach({file.stem: file})
    monkeypatch.setattr(sys, "meta_path", [found, *sys.meta_path])
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    return found


def test_only_what_ran_is_reported_and_only_once(reach: Reach) -> None:
    sample = importlib.import_module("sample_with_marks")
    assert reach.taken() == {}
    assert sample.sign(-5) == -1
    assert reach.taken() == {"sample_with_marks": [7, 8]}
    assert sample.sign(5) == 1
    assert reach.taken() == {"sample_with_marks": [7, 9, 10]}
    assert sample.sign(0) == 0
    assert reach.taken() == {"sample_with_marks": [7, 9, 12, 13, 14]}
    assert reach.taken() == {}
    assert sample.Counter().count(["2", "one"]) == 4
    assert reach.taken() == {"sample_with_marks": [23, 24, 25, 27, 29, 33, 34]}


def test_a_docstring_stays_one() -> None:
    functions = [node for node in ast.walk(marked(SOURCE)) if isinstance(node, ast.FunctionDef)]
    assert [ast.get_docstring(each) for each in functions if each.name == "sign"] == ["Say which side."]


def test_a_change_knows_the_statement_whose_marker_is_for_it(reach: Reach) -> None:
    sample = importlib.import_module("sample_with_marks")
    sample.sign(-5)
    sample.sign(5)
    sample.sign(0)
    sample.Counter().count(["2", "one"])
    lines = set(reach.taken()["sample_with_marks"])
    assert {each.statement for each in sites(ast.parse(SOURCE)) if each.function} <= lines | {31}


def known(**tests: tuple[float, dict[str, list[int]]]) -> dict[str, object]:
    return {
        "tests/a.py": {
            "tests": {
                test: {"seconds": seconds, "failed": False, "reached": reached}
                for test, (seconds, reached) in tests.items()
            }
        }
    }


def test_those_that_reach_the_statement_are_asked_and_the_quickest_first() -> None:
    learnt = Learnt(
        known(slow=(3.0, {"m": [1, 2]}), quick=(0.1, {"m": [2]}), other=(0.1, {"m": [3], "n": [2]})), {"m": [2, 6]}
    )
    assert sorted(learnt.tests("m", 1, 2)) == ["quick", "slow"]
    assert sorted(learnt.tests("m", 0, 9)) == ["other", "quick", "slow"]
    assert sorted(learnt.tests("m", 1, 4)) == []
    assert sorted(learnt.tests("m", 5, 6)) == ["other", "quick", "slow"]
    assert sorted(learnt.tests("o", 0, 1)) == ["other", "quick", "slow"]
    assert learnt.stages("syntax", "m", 1, ["slow", "quick"], 9) == ([{}, {"quick": 0.1, "slow": 3.0}], 0)
    assert learnt.stages("syntax", "m", 1, ["slow", "quick"], 1) == ([{}, {"quick": 0.1}], 1)


def test_one_that_has_noticed_something_nearby_goes_in_front() -> None:
    learnt = Learnt(known(a=(0.1, {"m": [1]}), b=(0.2, {"m": [1]}), c=(0.3, {"m": [1]}), d=(8.0, {"m": [1]})), {})

    def order() -> list[str]:
        stages, _ = learnt.stages("syntax", "m", 5, ["a", "b", "c", "d"], 99)
        return list(stages[1])

    assert order() == ["a", "b", "c", "d"]
    learnt.noticed("m", 7, "b")
    assert order() == ["b", "a", "c", "d"]
    learnt.noticed("m", 5, "c")
    learnt.noticed("m", 5, "d")
    assert order() == ["c", "b", "a", "d"]


def test_each_change_of_the_list_is_there() -> None:
    assert reasons()
    for (file, line, what), reason in reasons().items():
        found = keys(file, sites(ast.parse((PACKAGE / file).read_text(encoding="utf-8"))))
        assert (file, line, what) in found, f"no change of {file} is {what} in the line: {line}"
        assert reason.endswith("."), f"the reason is a sentence: {reason}"
        assert found.count((file, line, what)) == 1
