"""Single calls whose reading no property and no case of a dialect shows."""

import re
from collections.abc import Sequence

import pytest

from callwright.syntax.python_calls import PROBLEM_KINDS, read_calls, read_clean
from callwright.syntax.searches import Searches
from callwright.text.budget import Budget, BudgetExceededError
from callwright.text.holes import HOLE

KINDS = [
    ("f(x)", "positional-argument"),
    ("f(*x)", "argument-unpacking"),
    ("f(a=g(1))", "not-a-literal"),
    ("f(a: 1)", "missing-equals"),
    ("f(a=true)", "engines-differ"),
]


def kinds(text: str) -> list[str]:
    read = read_calls(text)
    return [problem.kind for call in read.calls for problem in call.read.problems]


def names(tool: str) -> Sequence[str] | None:
    return {"f": ("a", "b"), "one": ("settings",), "none": ()}.get(tool)


@pytest.mark.parametrize(("text", "kind"), KINDS)
def test_each_kind_of_its_own_is_reported(text: str, kind: str) -> None:
    assert kind in kinds(text)


def test_every_kind_is_shown() -> None:
    assert {kind for _, kind in KINDS} == set(PROBLEM_KINDS)


def test_what_is_nested_too_deep_is_passed_over() -> None:
    read = read_calls(f"[f(a={'[' * 300}{']' * 300}, b=1), g()]")
    assert [call.name for call in read.calls] == ["f", "g"]
    assert [problem.kind for problem in read.calls[0].read.problems] == ["too-deep"]
    assert read.calls[0].read.value["b"] == 1
    assert len(read.calls[0].read.wild) == 1


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("f(1, 2)", {"a": 1, "b": 2}),
        ("f(1, b=2)", {"a": 1, "b": 2}),
        ("f(1, a=2)", {"a": 2}),
        ("f(1, 2, 3)", {"a": 1, "b": 2}),
        ("f({'x': 1})", {"x": 1}),
        ("one({'x': 1})", {"settings": {"x": 1}}),
        ("one({'settings': 1})", {"settings": 1}),
        ("none(1)", {}),
        ("unknown(1)", {}),
    ],
)
def test_values_without_names_are_bound_by_their_place(text: str, value: object) -> None:
    assert read_calls(text, parameters=names).calls[0].read.value == value


def test_a_known_name_after_a_comma_begins_another_call() -> None:
    read = read_calls("[f(a=1, f(b=2)]", parameters=names)
    assert [call.read.value for call in read.calls] == [{"a": 1}, {"b": 2}]


def test_parts_of_a_clean_value_are_found_where_they_are() -> None:
    text = "[f(a={'k': [1, {'x': True}], 'l': \"z\"})]"
    read = read_calls(text).calls[0].read
    for path, shown in [(("a", "k", 1, "x"), "True"), (("a", "l"), '"z"'), (("a", "k"), "[1, {'x': True}]")]:
        node = read.locate(path)
        assert node is not None
        assert node.span.of(text) == shown
    key = read.locate_key(("a", "l"))
    assert key is not None
    assert key.of(text) == "'l'"


def test_a_hole_fits_anything() -> None:
    read = read_calls(f"[f(a={HOLE * 3}, b=[{HOLE}, 1], c='x{HOLE}')]").calls[0].read
    assert sorted(read.wild, key=str) == [("a",), ("b", 0), ("c",)]
    assert not read.problems


def test_a_marker_ends_the_text_unless_it_is_in_a_string() -> None:
    stop = re.compile("<end>")
    assert read_calls("f(a='<end>')<end> g()", stop=stop).calls[0].read.value == {"a": "<end>"}
    assert [call.name for call in read_calls("f(a='x')\n<end>\ng()", stop=stop).calls] == ["f"]


def test_a_fault_ends_the_reading_of_what_should_have_none() -> None:
    assert read_clean("[f(a=1 b=2)]")[0] is None
    assert read_clean("[f(a='''x)]", searches=Searches())[0] is None


def test_an_exhausted_budget_ends_the_reading() -> None:
    budget = Budget(cancelled=lambda: True)
    with pytest.raises(BudgetExceededError):
        read_calls("[" + "f(a=(1)), " * 400 + "]", budget=budget)


def test_only_so_many_problems_are_kept() -> None:
    read = read_calls("[" + "f(a=x), " * 300 + "]")
    assert len(read.calls) == 300
    assert [(problem.kind, problem.data["more"]) for problem in read.problems] == [("too-many-problems", 200)]
