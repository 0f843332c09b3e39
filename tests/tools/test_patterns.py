"""Patterns of schemas: what they cost, what is foreign in them, and the same in Python's words."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.tools.patterns import MAX_LENGTH, read_pattern
from callwright.tools.schema_check import fast_validator
from support.sampling import tries

EXPONENTIAL = {
    "^(a+)+$": "a+",
    "^([a-z]+)*@": "[a-z]+",
    "^(a|aa)+$": "(a|aa)+",
    "^(a|a)*$": "(a|a)*",
    "^(ab|a|b)*$": "(ab|a|b)*",
    r"^(\w+\s?)*$": r"(\w+\s?)*",
    r"^(\d+,?)*$": r"(\d+,?)*",
    r"^([a-z]+|[0-9]+)*$": "([a-z]+|[0-9]+)*",
    r"^[\w.-]+(\.[\w.-]+)*$": r"(\.[\w.-]+)*",
    r"^(\s*[a-z]\s*)*$": r"(\s*[a-z]\s*)*",
    "^(x+x+)+y$": "(x+x+)+",
    "^(.*)*x": ".*",
    "^(.*?,){11}P": "(.*?,){11}",
    "^(?:a?){50}a{50}$": "(?:a?){50}",
    "^(?:a{1,50}){1,50}$": "a{1,50}",
    r"^(([a-z])+.)+[A-Z]([a-z])+$": "(([a-z])+.)+",
}


@pytest.mark.parametrize("pattern", EXPONENTIAL)
def test_a_loop_that_can_take_one_text_in_many_ways_is_exponential(pattern: str) -> None:
    known = read_pattern(pattern)
    assert known.exponential
    assert known.degree is None
    assert pattern[slice(*known.ambiguous)] == EXPONENTIAL[pattern]


@pytest.mark.parametrize(
    ("pattern", "inner", "searching"),
    [
        ("^abc$", 0, 0),
        (r"^\d{4}-\d{2}-\d{2}$", 0, 0),
        (r"^\d{1,3}(\.\d{1,3}){3}$", 0, 0),
        ("^#([0-9a-f]{3}|[0-9a-f]{6})$", 0, 0),
        ("^[a-zA-Z0-9_-]{1,64}$", 1, 1),
        ("^(a|b)*$", 1, 1),
        (r"^(\d+,)*\d+$", 1, 1),
        ("^(/[^/]+)+$", 1, 1),
        (r"^(?:[^\"\\]|\\.)*$", 1, 1),
        (r"^\s*\S+\s*$", 1, 1),
        (r"^\w+([-+.']\w+)*@\w+([-.]\w+)*\.\w+([-.]\w+)*$", 1, 1),
        # Nothing after the loop can fail, so nothing is tried again.
        ("^(a+)+", 1, 1),
        (r"(\w+\s?)*", 1, 1),
        # A search begins at each place, and a loop that fails there goes over the same text.
        (r"\s+$", 1, 2),
        ("^.*,.*$", 2, 2),
        (r"^.+@.+\..+$", 3, 3),
        (r"^\s*\s*\s*x$", 3, 3),
        ("^(a|b|c)*(a|b|c)*$", 2, 2),
    ],
)
def test_other_patterns_grow_with_a_power_of_the_length(pattern: str, inner: int, searching: int) -> None:
    known = read_pattern(pattern)
    assert not known.exponential
    assert (known.inner_degree, known.degree) == (inner, searching)


@pytest.mark.parametrize(
    ("pattern", "fault"),
    [
        ("(", "`(` is never closed"),
        ("a)", "unmatched `)`"),
        ("[a", "`[` is never closed"),
        ("[b-a]", "the range in `[…]` is out of order"),
        ("a{2,1}", "`{2,1}` is out of order"),
        ("+a", "`+` has nothing to repeat"),
        ("^*", "`*` has nothing to repeat"),
        ("a\\", "the `\\` at the end escapes nothing"),
        ("(?i)a", "`(?i)` is a flag inside the pattern, which JSON Schema's patterns do not have"),
        ("(?>a)", "`(?>` is an atomic group of other languages"),
        ("(?#x)", "`(?#` is a comment of other languages"),
        ("a++", "`+` has nothing to repeat"),
        (r"\u{110000}", "`\\u{…}` is not a code point"),
        ("(" * 5_000, "groups are nested too deep"),
    ],
)
def test_what_is_no_pattern_has_a_reason(pattern: str, fault: str) -> None:
    assert read_pattern(pattern).fault == fault


@pytest.mark.parametrize(
    ("pattern", "foreign"),
    [
        (r"\Aabc\Z", [(r"\A", "^"), (r"\Z", "$")]),
        (r"abc\z", [(r"\z", "$")]),
        ("(?P<year>a)", [("(?P<", "(?<")]),
        ("(?P=year)", [("(?P", None)]),
        ("a++", [("+", None)]),
        ("[[:alpha:]]", [("[:alpha:]", None)]),
        (r"^(?<year>\d+)\k<year>[\]\\A-Z]\$\/\-$", []),
        (r"\cA\x41\u0041\u{41}\0\t", []),
        ("x{,3}{}", []),
    ],
)
def test_what_other_languages_write_is_named(pattern: str, foreign: list[tuple[str, str | None]]) -> None:
    assert [(one.text, one.instead) for one in read_pattern(pattern).foreign] == foreign


HOSTILE = {
    "groups": "(a|" * 500 + ")" * 500,
    "loops": "(a*" * 50 + ")*" * 50 + "$",
    "row": "a*" * 4_999 + "$",
    "optional": "a?" * 4_999 + "$",
    "classes": "(a|b|c)*" * 150 + "$",
    "variants": "(" + "|".join(f"ab{number}" for number in range(300)) + ")*$",
    "same": "(?:" + "a|" * 1_500 + "b)*$",
    "counts": "((((((a{4}){4}){4}){4}){4}){4}){4}",
    "long": "x" * 1_000_000,
    "brackets": "[" * 9_000,
    "around": "(?=a*)" * 1_000,
    "numbers": "a{99999999999999999999}",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_patterns_are_read_within_bounds(name: str) -> None:
    known = read_pattern(HOSTILE[name])
    assert known.source == HOSTILE[name]


def test_an_overlong_pattern_is_not_read() -> None:
    known = read_pattern("a" * (MAX_LENGTH + 1))
    assert (known.degree, known.python, known.exponential) == (None, None, False)


plain = ["a", "b", "_", "-", "0", "é", ".", r"\.", r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"\t", r"\cA"]
classes = ["[ab]", "[^a]", r"[\d_]", r"[^\w]", "[a-]", r"[\s-]", r"\u00e9", r"\x41", r"\p{L}", r"\P{Lu}", "(?:ab)"]
atoms = st.sampled_from([*plain, *classes])
quantified = st.builds(
    lambda atom, marker: atom + (marker if atom != r"\b" else ""),
    atoms,
    st.sampled_from(["", "", "*", "+", "?", "{2}", "{0,2}"]),
)
rows = st.lists(quantified, min_size=1, max_size=3).map("".join)
patterns = st.builds(
    lambda start, rows, end: start + ("(?:" + "|".join(rows) + ")" if len(rows) > 1 else rows[0]) + end,
    st.sampled_from(["", "^"]),
    st.lists(rows, min_size=1, max_size=2),
    st.sampled_from(["", "$"]),
)
# The fast library's `.` takes CR, U+2028 and U+2029, which ECMA 262's does not.
texts = st.text(st.sampled_from("abA_0é٣ \n-.\x01Ω\ufeff\u200b"), max_size=5)


@settings(deadline=None, max_examples=tries(400))
@given(patterns, texts)
def test_python_finds_what_the_fast_library_finds(pattern: str, text: str) -> None:
    known = read_pattern(pattern)
    assert known.python is not None
    validator: Any = fast_validator({"pattern": pattern})
    assert (re.search(known.python, text) is not None) == validator.is_valid(text)


@settings(deadline=None, max_examples=tries(300))
@given(st.text(st.sampled_from("ab()[]{}|*+?^$\\.-,:=!<>P19dwpZ\u00e9/"), max_size=14))
def test_any_text_is_read(pattern: str) -> None:
    known = read_pattern(pattern)
    assert (known.fault is None) or known.python is None
    if known.python is not None:
        # A number of times may be beyond what `re` counts to; nothing else of it is unknown to Python.
        re.compile(known.python)
