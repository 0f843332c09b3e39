"""The scanners of values that arrive: what they report is what the whole value is, under any division."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callwright.calls.partial_values import JsonMembers, MarkedText

SIZES = st.lists(st.integers(1, 7), min_size=1, max_size=6)
KEYS = st.text(max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


def pieces(text: str, sizes: Sequence[int]) -> Iterable[str]:
    at = 0
    while at < len(text):
        for size in sizes:
            yield text[at : at + size]
            at += size


def members(text: str, sizes: Sequence[int]) -> tuple[list[tuple[str, str]], JsonMembers]:
    """Return the members that a scanner reports of the object that begins with `text`, and the scanner."""
    scanner = JsonMembers()
    found: list[tuple[str, str]] = []
    is_open = False
    for piece in pieces(text[1:], sizes):
        for kind, part in scanner.feed(piece):
            if kind == "open":
                assert not is_open
                found.append((part, ""))
            elif kind == "text":
                found[-1] = (found[-1][0], found[-1][1] + part)
            is_open = kind != "close"
    return found, scanner


@given(
    value=st.dictionaries(KEYS, VALUES, max_size=4),
    sizes=SIZES,
    escaped=st.booleans(),
    indent=st.sampled_from([None, 2]),
)
def test_members_of_any_object(value: dict[str, Any], sizes: list[int], *, escaped: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=escaped, indent=indent)
    found, scanner = members(text, sizes)
    assert [name for name, _ in found] == list(value)
    for (_, reported), one in zip(found, value.values(), strict=True):
        assert reported == one if isinstance(one, str) else json.loads(reported) == one
    assert scanner.done


@pytest.mark.parametrize("size", [1, 2, 3, 50])
def test_a_pair_of_surrogates_is_one_character_and_half_of_one_stays(size: int) -> None:
    found, _ = members('{"a": "\\ud83d\\ude00", "b": "\\ud83d", "c": "\\ud83d\\n\\u00e9"}', [size])
    assert found == [("a", "😀"), ("b", "\ud83d"), ("c", "\ud83d\né")]


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ('{"a": "x" "b": 1}', [("a", "x")]),
        ("{'a': 1}", []),
        ('{"a": "\\x"}', [("a", "")]),
        ('{"a": "\\u12zz"}', [("a", "")]),
        ('{"a" 1}', []),
        ('{"a": 1, b: 2}', [("a", "1")]),
        ('{"a": ' + "1" * 500 + "}", [("a", "")]),
    ],
)
def test_nothing_is_reported_after_what_no_sound_object_holds(text: str, reported: list[tuple[str, str]]) -> None:
    found, scanner = members(text, [1])
    assert found == reported
    assert scanner.done


def test_a_raw_line_break_in_a_string_is_reported_as_it_is() -> None:
    assert members('{"a": "x\ny"}', [1])[0] == [("a", "x\ny")]


def reported_of(scanner: MarkedText, text: str, size: int) -> str:
    """Return what a scanner reports of a text that is fed in pieces."""
    return "".join(scanner.feed(piece) for piece in pieces(text, [size]))


WORDS = frozenset({"parameter", "function", "tool_call"})


@pytest.mark.parametrize("size", [1, 2, 5, 100])
@pytest.mark.parametrize(
    ("edges", "text", "reported"),
    [
        ("one", "\na b\n</parameter>", "a b"),
        ("one", "\n\n a\n\n", "\n a"),
        ("led", " a \n</parameter>", " a"),
        ("space", "\n  a b \n</parameter>", "a b"),
        ("none", "\na</parameter>", "\na"),
        ("one", "\r\na\r\nb</parameter>", "a\nb"),
        (
            "one",
            "if a < b: <div>x</div> </p> <parameters> &amp;</parameter>",
            "if a < b: <div>x</div> </p> <parameters> &amp;",
        ),
        ("one", "a]<]minimax[>[</x>", "a"),
        ("one", "a] b]", "a] b"),
        ("one", "a<|im_end|>", "a"),
        ("one", "", ""),
    ],
)
def test_literal_text_goes_on_up_to_a_marker_of_its_format(edges: str, text: str, reported: str, size: int) -> None:
    scanner = MarkedText(edges, WORDS, xml=False, cdata=False)
    assert reported_of(scanner, text, size) == reported
    assert scanner.stalled == ("</parameter>" in text or "]<]" in text or "<|" in text)


@pytest.mark.parametrize("size", [1, 2, 5, 100])
@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("a &lt; b &#x1F600;&amp;&amp; c</x>", "a < b 😀&& c"),
        ("a && b &c</x>", "a && b &c"),
        ("\n<![CDATA[a </x> ]] b]]>\n</x>", "a </x> ]] b"),
        ("<![CDATA[a]]]]><![CDATA[> b]]></x>", "a]]> b"),
        ("<item>a</item>", ""),
        ("a\rb</x>", "a\nb"),
    ],
)
def test_text_of_an_element_is_decoded(text: str, reported: str, size: int) -> None:
    scanner = MarkedText("one", frozenset(), xml=True, cdata=True, old_lines=True)
    assert reported_of(scanner, text, size) == reported
    assert scanner.stalled


def test_what_a_reader_takes_for_text_is_reported_and_the_scanner_goes_on() -> None:
    scanner = MarkedText("one", WORDS, xml=False, cdata=False)
    assert reported_of(scanner, "a</parameter> b", 3) == "a"
    assert scanner.after == len("</parameter> b")
    assert scanner.resume() == "</parameter> b"
    assert reported_of(scanner, " c</function>", 3) == " c"
    assert scanner.stalled
    assert not scanner.unended


def test_a_tag_that_opens_something_does_not_end_a_text() -> None:
    scanner = MarkedText("one", WORDS, xml=False, cdata=False)
    assert reported_of(scanner, "a <parameter=b>", 1) == "a"
    assert scanner.stalled
    assert scanner.unended
