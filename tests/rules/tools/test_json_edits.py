"""Edits of JSON texts change what they say and nothing else, in the layout that the text has."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callwright.rules.support.json_edits import change_array, change_object, remove, rename_key, replace_value
from callwright.text.span import Edit, apply_edits
from callwright.tools.documents import ToolDocument, read_tool_document


def document(text: str) -> ToolDocument:
    return read_tool_document(text, "tools.json")


def edited(text: str, edits: tuple[Edit, ...] | None) -> str:
    assert edits is not None
    return apply_edits(text, edits)


SPREAD = """{
  "a": 1,
  "list": [
    "x",
    "y"
  ],
  "empty": {}
}
"""


def test_a_member_is_put_after_the_last_with_its_indentation() -> None:
    edits = change_object(document(SPREAD), (), put={"b": True})
    assert edited(SPREAD, edits) == SPREAD.replace('"empty": {}', '"empty": {},\n  "b": true')


def test_a_member_of_an_empty_object_is_on_its_line() -> None:
    edits = change_object(document(SPREAD), ("empty",), put={"b": [], "c": None})
    assert edited(SPREAD, edits) == SPREAD.replace("{}", '{"b": [], "c": null}')


def test_several_members_and_one_that_goes() -> None:
    edits = change_object(document(SPREAD), (), put={"a": 2, "n": "x"}, drop=("empty",), rename={"list": "items"})
    wanted = '{\n  "a": 2,\n  "items": [\n    "x",\n    "y"\n  ],\n  "n": "x"\n}\n'
    assert edited(SPREAD, edits) == wanted


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        (("a",), SPREAD.replace('"a": 1,\n  ', "")),
        (("empty",), SPREAD.replace(',\n  "empty": {}', "")),
        (("list", 0), SPREAD.replace('"x",\n    ', "")),
        (("list", 1), SPREAD.replace(',\n    "y"', "")),
    ],
)
def test_what_is_removed_takes_its_comma_along(path: tuple[str | int, ...], wanted: str) -> None:
    assert edited(SPREAD, remove(document(SPREAD), path)) == wanted


def test_a_long_value_is_spread_as_the_file_is() -> None:
    value = {"type": "object", "properties": {"first": {"type": "string"}, "second": {"type": "string"}}}
    text = edited(SPREAD, change_object(document(SPREAD), (), put={"schema": value}))
    assert json.loads(text)["schema"] == value
    assert '\n  "schema": {\n    "type": "object",\n    "properties": {\n      "first"' in text


def test_a_compact_text_stays_compact() -> None:
    text = '{"a":{"b":[1]}}'
    assert edited(text, change_object(document(text), ("a",), put={"c": 2})) == '{"a":{"b":[1],"c":2}}'
    assert edited(text, change_array(document(text), ("a", "b"), add=[2])) == '{"a":{"b":[1,2]}}'


def test_line_ends_are_those_of_the_text() -> None:
    text = SPREAD.replace("\n", "\r\n")
    assert edited(text, change_object(document(text), (), put={"b": 1})) == SPREAD.replace(
        "{}", '{},\n  "b": 1'
    ).replace("\n", "\r\n")


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}',
        '{"a": 1, "b": 2,}',
        "{'a': 1}",
        '{"a": 1 "b": 2}',
        '{"a": 1, // one\n "b": 2}',
        "[1]",
        '{"b": 1',
    ],
)
def test_a_text_with_faults_around_is_left_alone(text: str) -> None:
    assert change_object(document(text), (), put={"c": 1}) is None
    assert rename_key(document(text), ("a",), "c") is None


def test_what_is_not_there_or_there_already_is_refused() -> None:
    read = document(SPREAD)
    assert remove(read, ("b",)) is None
    assert remove(read, ("list", 2)) is None
    assert replace_value(read, ("list", "x"), 1) is None
    assert rename_key(read, ("a",), "list") is None
    assert change_object(read, (), put={"b": 1}, rename={"a": "b"}) is None
    assert change_object(read, (), put={"x": float("nan")}) is None


SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
STYLES = st.sampled_from([{}, {"indent": 2}, {"indent": "\t"}, {"separators": (",", ":")}])


@given(data=st.data(), style=STYLES)
def test_an_object_is_changed_as_asked_and_nothing_else(data: st.DataObject, style: dict[str, Any]) -> None:
    members = data.draw(st.dictionaries(st.text(max_size=3), VALUES, max_size=4))
    around = {"before": [1, {}], "it": members, "behind": "}"}
    names = st.sets(st.sampled_from(sorted(members))) if members else st.just(set())
    drop = data.draw(names)
    put = {
        name: value
        for name, value in data.draw(st.dictionaries(st.text(max_size=3), VALUES, max_size=3)).items()
        if name not in drop
    }
    text = json.dumps(around, ensure_ascii=False, **style)
    after = edited(text, change_object(document(text), ("it",), put=put, drop=drop))
    wanted = {**{name: value for name, value in members.items() if name not in drop}, **put}
    assert json.loads(after) == {**around, "it": wanted}
    assert [*json.loads(after)["it"]] == [*wanted]


@given(data=st.data(), style=STYLES)
def test_an_array_is_changed_as_asked_and_nothing_else(data: st.DataObject, style: dict[str, Any]) -> None:
    items = data.draw(st.lists(VALUES, max_size=5))
    drop = data.draw(st.sets(st.sampled_from(range(len(items)))) if items else st.just(set()))
    add = data.draw(st.lists(VALUES, max_size=3))
    around = {"before": [1, {}], "it": items, "behind": "]"}
    text = json.dumps(around, ensure_ascii=False, **style)
    after = edited(text, change_array(document(text), ("it",), add=add, drop=drop))
    kept = [item for index, item in enumerate(items) if index not in drop]
    assert json.loads(after) == {**around, "it": [*kept, *add]}


@given(value=VALUES, new=VALUES, style=STYLES)
def test_a_value_is_replaced(value: Any, new: Any, style: dict[str, Any]) -> None:
    text = json.dumps([0, value, 0], **style)
    assert json.loads(edited(text, replace_value(document(text), (1,), new))) == [0, new, 0]
