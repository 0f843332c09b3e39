"""YAML: what is written reads back the same, any text is read inside its bounds, and scalars have YAML 1.2's types."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callwright.syntax.yaml_format import block_lines, one_line
from callwright.syntax.yaml_lexer import MAX_DEPTH
from callwright.syntax.yaml_values import MAX_ALIASED, YamlRead, read_yaml

TEXTS = st.text(max_size=12) | st.text(alphabet="ab:# -|>'\"\\\n\t{}[],&*!%@`~", max_size=12)
SCALARS = st.one_of(
    TEXTS,
    st.integers(),
    st.booleans(),
    st.none(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["null", "007", "yes", "1e3", "2026-01-01", "<<", "---", "...", "x\ny", "x\n y\n", "x\n\n"]),
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=12
)
FAULTS = ("engines-differ",)


def read(text: str) -> YamlRead:
    found = read_yaml(text, text.index(":") + 1, 0)
    assert found is not None
    return found


def kinds(found: YamlRead) -> list[str]:
    return [problem.kind for problem in found.problems if problem.kind not in FAULTS]


@given(value=VALUES, after=st.sampled_from(["", "\n", "\n\nmore\n", "\nk2: 1"]))
def test_a_block_that_is_written_reads_back(value: Any, after: str) -> None:
    lines = block_lines({"a": value, "b": value}, last=True)
    if lines is None:
        return
    text = "k:" + "\n".join([lines[0], *(f"  {line}" if line else line for line in lines[1:])])
    found = read(text + after)
    assert found.value == {"a": value, "b": value}
    assert kinds(found) == []
    assert found.end == len(text.rstrip("\n"))


@given(value=VALUES)
def test_a_line_that_is_written_reads_back(value: Any) -> None:
    line = one_line([value])
    if line is None:
        return
    found = read(f"k: {line}")
    assert (found.value, kinds(found), found.end) == ([value], [], len(line) + 3)


@given(text=st.text(alphabet="ab:# -|>'\"\\\n\t{}[],&*!%@.1", max_size=80))
def test_any_text_is_read_inside_its_bounds(text: str) -> None:
    source = f"k:{text}"
    found = read_yaml(source, 2, 0)
    if found is None:
        return
    assert 2 <= found.end <= len(source)
    for problem in found.problems:
        assert 0 <= problem.span.start <= problem.span.end <= len(source)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("~", None),
        ("Null", None),
        ("TRUE", True),
        ("yes", "yes"),
        ("-12", -12),
        ("+7", 7),
        ("012", 12),
        ("0o17", 15),
        ("0x1F", 31),
        ("1_000", "1_000"),
        (".5", 0.5),
        ("1.", 1.0),
        ("1e3", 1000.0),
        ("-.inf", -math.inf),
        ("2026-01-01", "2026-01-01"),
        ("1:30", "1:30"),
        ("http://x.y:80/z?a#b", "http://x.y:80/z?a#b"),
        ("a b # c", "a b"),
        ("a#b", "a#b"),
        ("-x", "-x"),
        ("!!str 12", "12"),
        ('!!int "3"', 3),
        ("'it''s'", "it's"),
        ('"\\x41\\u00e9\\U0001F600\\ud83d\\ude00\\e\\_"', "Aé😀😀\x1b\xa0"),
        ('"a\n  b\n\n  c"', "a b\nc"),
        ('"a\\\n   b"', "ab"),
        ('"a\\\n\n   b"', "a\nb"),
        ("!!str\n", ""),
        ("\n  a\n  b\n\n  c", "a b\nc"),
        ("|\n  a\n   b\n\n  c\n", "a\n b\n\nc\n"),
        ("|-\n  a\n\n", "a"),
        ("|+\n  a\n\n", "a\n\n"),
        ("|2\n   a\n  b", " a\nb"),
        (">\n  a\n  b\n\n  c\n   d\n  e\n", "a b\nc\n d\ne\n"),
        ("\n- a\n- - b\n  - c: 1\n    d: 2\n-\n", ["a", ["b", {"c": 1, "d": 2}], None]),
        ('[a b, {c: d, "e":1, f}, g: h, [\n i\n j,\n ]]', ["a b", {"c": "d", "e": 1, "f": None}, {"g": "h"}, ["i j"]]),
        ("\n  a: &x [1]\n  b: *x\n", {"a": [1], "b": [1]}),
        ("\n  # one\n\n  a: 1  # two\n\n  # three\n  b:\n", {"a": 1, "b": None}),
    ],
)
def test_values_of_every_style(written: str, value: Any) -> None:
    found = read(f"k: {written}")
    assert found.value == value
    assert type(found.value) is type(value)
    assert [kind for kind in kinds(found) if kind != "non-finite-number"] == []


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_line_ends_of_other_systems(newline: str) -> None:
    text = "k:\n  a: |\n    x\n    y\n  b: 'c\n    d'\n  e: f\n    g\n"
    found = read(text.replace("\n", newline))
    assert (found.value, kinds(found)) == ({"a": "x\ny\n", "b": "c d", "e": "f g"}, [])


def test_aliased_values_are_limited() -> None:
    lines = ["  a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"  a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    found = read("k:\n" + "\n".join(lines))
    assert found.failed
    assert kinds(found) == ["invalid-yaml"]
    assert str(MAX_ALIASED) in found.problems[-1].data["reason"]


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "\n{}a:"])
def test_what_is_too_deep_ends_the_reading(opening: str) -> None:
    if "{}" in opening:
        text = "k:" + "".join(opening.format("  " * (depth + 1)) for depth in range(MAX_DEPTH + 5))
    else:
        text = "k:\n  " + opening * (MAX_DEPTH + 5)
    found = read(text)
    assert found.failed
    assert "too-deep" in kinds(found)


def test_the_spans_of_values_and_keys() -> None:
    text = "k:\n  a: 'x'\n  b:\n    - |\n      y\n    - {c: z}\n"
    found = read(text)
    paths: list[tuple[str | int, ...]] = [("a",), ("b",), ("b", 0), ("b", 1), ("b", 1, "c")]
    nodes = [found.locate(path) for path in paths]
    assert [node.span.of(text) for node in nodes if node is not None] == [
        "'x'",
        "- |\n      y\n    - {c: z}",
        "|\n      y",
        "{c: z}",
        "z",
    ]
