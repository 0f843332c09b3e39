"""Changes of one character: none is left out that makes a JSON text sound, and few others are given."""

import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.syntax.json_corrections import TOKEN, changes, closings
from callwright.text.span import Edit, Span, apply_edits, delete, insert

MARKERS = "{}[]:,"
WORDS = st.text("ab,:}]\\\"'”é{0", max_size=6)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.floats(-9, 9) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(WORDS, VALUES, min_size=1, max_size=3)


def meant(body: str, ways: Iterable[list[Edit]]) -> dict[str, list[Edit]]:
    """Return the objects and lists that changes lead to, each with the first change that does."""
    found: dict[str, list[Edit]] = {}
    for edits in ways:
        try:
            value = json.loads(apply_edits(body, edits), parse_constant=lambda _: 1 / 0)
        except (ValueError, ZeroDivisionError):
            continue
        if isinstance(value, dict | list):
            found.setdefault(json.dumps(value, sort_keys=True), edits)
    return found


def places(body: str) -> list[tuple[int, int, str]]:
    """Return the tokens that are not white space."""
    return [(*match.span(), match[0]) for match in TOKEN.finditer(body) if not match[0].isspace()]


def every_marker(body: str) -> Iterable[list[Edit]]:
    """Yield every insertion, removal and replacement of a symbol between tokens."""
    for start, end, token in places(body):
        yield from ([insert(start, marker)] for marker in MARKERS)
        if token in MARKERS:
            yield [delete(start, end)]
            yield from ([Edit(Span(start, end), marker)] for marker in MARKERS if marker != token)
    yield from ([insert(len(body), marker)] for marker in MARKERS)


@settings(deadline=None)
@given(OBJECTS, st.data())
def test_a_syntax_error_of_a_marker_is_found_with_every_other_one_that_explains_the_text(
    value: dict[str, Any], data: st.DataObject
) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=data.draw(st.sampled_from([None, 1])))
    start, end, token = data.draw(st.sampled_from([each for each in places(text) if each[2] in MARKERS]))
    instead = data.draw(st.sampled_from(["", token * 2, *MARKERS.replace(token, "")]))
    body = (text[:start] + instead + text[end:]).strip()
    found = meant(body, changes(body))
    assert meant(body, every_marker(body)).keys() <= found.keys()
    assert json.dumps(value, sort_keys=True) in found


@settings(deadline=None)
@given(OBJECTS, st.data())
def test_a_quote_that_was_left_out_is_found(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value, ensure_ascii=False).replace("”", "x")
    value = json.loads(text)
    start, end, _ = data.draw(st.sampled_from([each for each in places(text) if each[2][0] == '"']))
    at = data.draw(st.sampled_from([start, end - 1]))
    body = text[:at] + text[at + 1 :]
    assert json.dumps(value, sort_keys=True) in meant(body, changes(body))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('{"a": "say "hi"}', {'{"a": "say \\"hi"}'}),
        ('{"a": "C:\\dir"}', {'{"a": "C:\\\\dir"}', '{"a": "C:dir"}'}),
        ('{"a": "b”}', {'{"a": "b"}'}),
        ('{"a": [1; 2]}', {'{"a": [1, 2]}'}),
        ('{"a": -,5}', {'{"a": -5}'}),
        ('```json\n{"a": 1}\n```', {'{"a": 1}'}),
        ('{"a": JSON: {"b": 1}}', {'{"a": {"b": 1}}'}),
        ("{&quot;a&quot;: 1}", {'{"a": 1}'}),
        ('{"a": 1} x', set()),
        ("", set()),
    ],
)
def test_what_a_text_may_have_been(body: str, expected: set[str]) -> None:
    assert meant(body, changes(body)).keys() == expected


def test_few_changes_are_given_that_do_not_help() -> None:
    text = json.dumps({f"key{number}": ["a", {"b": number}] for number in range(40)})
    assert len(list(changes(text[:-1]))) < 5
    assert len(list(changes(text.replace('"key20"', 'key20"')))) < 10
    assert len(list(changes(text.replace("[", "(", 1)))) < 30


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('{"a": {"b": 1', ['{"a": {"b": 1}}']),
        ('{"a": {"b": 1, "c": 2', ['{"a": {"b": 1, "c": 2}}', *['{"a": {"b": 1}, "c": 2}'] * 2]),
        ('{"a": [1, 2, {"b": 1', ['{"a": [1, 2, {"b": 1}]}']),
        ('{"a": 1}', []),
        ('{"a" 1', []),
        ("[[[[[[[", []),
    ],
)
def test_what_is_open_is_closed_where_it_may_end(body: str, expected: list[str]) -> None:
    assert [apply_edits(body, edits) for edits in closings(body)] == expected
