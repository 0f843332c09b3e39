"""Spans, and edits applied to a string."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callwright.text.span import Edit, Span, apply_edits, delete, insert, line_and_column, lines_and_columns


def test_a_span_is_half_open() -> None:
    assert Span(1, 3).of("abcd") == "bc"
    assert not Span(0, 2).overlaps(Span(2, 4))
    assert Span(0, 2).touches(Span(2, 4))
    assert Span(0, 4).covers(Span(4, 4))
    assert Span(1, 2).shift(3) == Span(4, 5)


def test_edits_refer_to_the_text_as_it_was() -> None:
    assert apply_edits("abcd", [delete(2, 3), insert(0, "<"), Edit(Span(3, 4), "DD")]) == "<abDD"


def test_insertions_at_one_place_keep_their_order() -> None:
    assert apply_edits("ab", [insert(1, "1"), insert(1, "2")]) == "a12b"


@pytest.mark.parametrize("edits", [[delete(0, 2), delete(1, 3)], [delete(3, 5)], [Edit(Span(2, 1), "")]])
def test_edits_that_overlap_or_lie_outside_are_refused(edits: list[Edit]) -> None:
    with pytest.raises(ValueError, match="overlaps another or lies outside"):
        apply_edits("abcd", edits)


@given(st.text("a\r\n", max_size=12), st.lists(st.integers(0, 12), max_size=6))
def test_lines_and_columns_of_many_places_are_those_of_each(text: str, offsets: list[int]) -> None:
    inside = [offset for offset in offsets if offset <= len(text)]
    assert lines_and_columns(text, inside) == {offset: line_and_column(text, offset) for offset in inside}
