"""Changes of one character that make calls in Python sound."""

from __future__ import annotations

import pytest

from callwright.syntax.python_corrections import corrections, open_string
from callwright.text.span import apply_edits


def fixed(body: str) -> list[str]:
    """Return the texts that the changes lead to."""
    found = corrections(body)
    assert found is not None
    return [apply_edits(body, syntax_error.edits) for syntax_error in found]


@pytest.mark.parametrize(
    ("body", "sound"),
    [
        ("[f(a=1; b=2)]", "[f(a=1, b=2)]"),
        ("[f(a='x'; b='y')]", "[f(a='x', b='y')]"),
        ("[f(a'x')]", "[f(a='x')]"),
        ("[f(a=='x')]", "[f(a='x')]"),
        ("[f(a=1]", "[f(a=1)]"),
        ("[f(a=1})]", "[f(a=1)]"),
        ("[f(a=1), g(b=2]", "[f(a=1), g(b=2)]"),
        ("[f(a=[1, 2, b=3)]", "[f(a=[1, 2], b=3)]"),
        ("[f(a={'k': 1, b=3)]", "[f(a={'k': 1}, b=3)]"),
        ("[f(a=x y', b=1)]", "[f(a='x y', b=1)]"),
        ("print(f(a==1))\ng()", "print(f(a=1))\ng()"),
    ],
)
def test_what_was_there_is_among_the_outcomes(body: str, sound: str) -> None:
    assert sound in fixed(body)


@pytest.mark.parametrize("body", ["[f(a=1), g()]", "f(a='x')\ng(b=[1, {'k': None}])", "[]"])
def test_sound_text_needs_no_change(body: str) -> None:
    assert corrections(body) == []


def test_the_place_covers_all_changes_that_come_to_the_same() -> None:
    (syntax_error,) = (each for each in corrections("[f(a=1  b=2)]") or () if "," in each.outcome)
    assert (syntax_error.place.start, syntax_error.place.end) == (6, 8)


def test_two_corrections_are_not_one() -> None:
    assert corrections("[f(a==1; b==2)]") == []


@pytest.mark.whole(reason="a text of many thousand changes")
def test_text_with_too_many_changes_is_given_up() -> None:
    assert corrections("[f(" + "a=[1, 2, 3], " * 3000) is None


def test_a_string_may_be_open_at_the_end() -> None:
    assert open_string("[f(a='x)]") == 5
    assert open_string("[f(a='x')]") == -1
