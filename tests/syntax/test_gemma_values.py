"""Gemma's values: what is written reads back the same, whatever is cut off or added, and nothing is read twice."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callwright.syntax.gemma_values import ESCAPE, FORMATS, GEMMA, QUOTE, read_gemma
from callwright.syntax.json import MAX_DEPTH

# U+FDD0 means a placeholder in every text.
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\ufdd0"), max_size=12)
SCALARS = st.one_of(
    TEXTS, st.integers(), st.booleans(), st.none(), st.floats(allow_nan=False, allow_infinity=False), st.just("{}[],:")
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=12
)
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=4)


@given(value=OBJECTS, quote=st.sampled_from([QUOTE, ESCAPE]))
def test_what_is_written_reads_back(value: dict[str, Any], quote: str) -> None:
    written = FORMATS[quote].value(value, ())
    if written is None:
        assert quote in json.dumps(value, ensure_ascii=False).replace('\\"', '"')
        return
    read = read_gemma(written, 0, quote=quote)
    assert (read.value, read.end, read.closed) == (value, len(written), True)
    assert [problem.kind for problem in read.problems if problem.kind != "engines-differ"] == []


@given(value=OBJECTS, cut=st.integers(0, 200))
def test_a_prefix_is_read_and_reported(value: dict[str, Any], cut: int) -> None:
    written = GEMMA.value(value, ())
    if written is None or not 1 <= cut < len(written):
        return
    read = read_gemma(written[:cut], 0, ending="<tool_call|>")
    assert not read.closed
    assert read.problems
    assert read.end <= cut


@given(text=st.text(alphabet="{}[],:<|\"> \n\\a1'.-e", max_size=60))
def test_any_text_is_read_inside_its_bounds(text: str) -> None:
    source = "{" + text
    read = read_gemma(source, 0)
    assert 1 <= read.end <= len(source)
    for problem in read.problems:
        assert 0 <= problem.span.start <= problem.span.end <= len(source)
        for span, _ in problem.repair:
            assert 0 <= span.start <= span.end <= len(source)


def test_the_spans_of_values_and_keys() -> None:
    text = '{a:<|"|>x<|"|>, <|"|>b c<|"|> : [1, {d:true}]}'
    read = read_gemma(text, 0)
    assert read.value == {"a": "x", "b c": [1, {"d": True}]}
    paths: list[tuple[str | int, ...]] = [("a",), ("b c",), ("b c", 0), ("b c", 1, "d")]
    found = [read.locate(path) for path in paths]
    assert [node.span.of(text) for node in found if node is not None] == [
        '<|"|>x<|"|>',
        "[1, {d:true}]",
        "1",
        "true",
    ]
    keys = [read.locate_key(path) for path in [("a",), ("b c",), ("b c", 1, "d")]]
    assert [span.of(text) for span in keys if span is not None] == ["a", '<|"|>b c<|"|>', "d"]


@pytest.mark.parametrize("quote", [QUOTE, ESCAPE])
def test_a_string_that_cannot_be_written_is_refused(quote: str) -> None:
    for value in (f"a{quote}b", "a\rb", "\ud800", float("nan")):
        assert FORMATS[quote].value({"k": value}, ()) is None
    assert FORMATS[quote].key(quote, ()) is None


def test_what_is_too_deep_is_passed_over() -> None:
    depth = MAX_DEPTH + 20
    text = "{a:" + "[" * depth + '<|"|>]<|"|>' + "]" * depth + ",b:1}"
    read = read_gemma(text, 0)
    assert [problem.kind for problem in read.problems] == ["too-deep"]
    assert (read.value["b"], read.end, read.wild) == (1, len(text), [()])


def test_a_member_covers_its_value_where_a_string_is_cut_off() -> None:
    (outer,) = read_gemma('{a:{b:<|"|>x , c', 0).root.members
    (inner,) = outer.value.members
    assert outer.span.covers(inner.span)
    assert inner.span.end == inner.value.span.end
