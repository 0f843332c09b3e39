"""YAML scalars: what they mean is what ruamel.yaml reads, and an encoded edit does to it what the edit says."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode

from callwright.text.holes import HOLE
from callwright.text.projection import encode_all
from callwright.text.span import Edit, Span, apply_edits, delete, insert
from callwright.text.yaml_scalars import (
    VERIFIED,
    BlockHeader,
    DoubleQuoted,
    Plain,
    SingleQuoted,
    YamlScalar,
    read_block,
)
from support.sampling import tries

WORDS = ["a", "bc", "<t>", "</t>", "#", ":", "-", "'", "{", "é", "e\u0301", "😀", "x: y", "---", "&amp;"]
SPACES = [" ", "  ", "\t"]
EDITS = ["", "x", "<y>", "\n", " ", "\t", "'", '"', "\\", "#", ": ", "é", "😀", "\x01", "\u2028"]
NEW = st.lists(st.sampled_from(EDITS), max_size=5).map("".join)
DOUBLE = ["\\n", "\\\\", '\\"', "\\x41", "\\u00e9", "\\U0001F600", "\\ ", "\\t", "\\\n  ", "\\\n\n ", "\\e", "\\ud83d"]
SINGLE = [*(word for word in WORDS if word != "'"), "''", '"', "\\"]
FOLDS = ["\n", "\n  ", " \n ", "\n\n  ", "\n \n\n  ", "\r\n  ", "\r  "]
slow = settings(deadline=None, max_examples=tries(250), suppress_health_check=list(HealthCheck))


def values(document: str) -> dict[str, str] | None:
    """Return the texts of the members of a mapping as ruamel.yaml reads them; None where it refuses."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            root = YAML(typ="safe", pure=True).compose(document)
        except (YAMLError, ValueError):
            return None
    if not isinstance(root, MappingNode):
        return None
    return {key.value: value.value if isinstance(value, ScalarNode) else "(no scalar)" for key, value in root.value}


def assert_maps(projection: YamlScalar, document: str) -> None:
    """Every offset: round trip, order, and each raw character belongs to what it yields."""
    length = projection.length
    starts = [projection.to_raw(offset) for offset in range(length + 1)]
    assert starts == sorted(set(starts))
    for offset in range(length):
        span = projection.raw_span(Span(offset, offset + 1))
        assert span.start == starts[offset] < span.end <= starts[offset + 1]
        assert all(projection.to_decoded(place) == offset for place in range(span.start, span.end))
    assert projection.to_decoded(starts[-1]) == length
    assert projection.to_decoded(projection.start - 1) is None
    assert projection.to_decoded(len(document) + 1) is None


def assert_edits(scalar: YamlScalar, document: str, edit: Edit) -> bool:
    """An encoded edit changes the member `k` as it says, and nothing else; return whether there is one."""
    encoded = scalar.encode(edit)
    if encoded is None:
        return False
    before, after = values(document), values(apply_edits(document, [encoded]))
    assert before is not None
    assert after == {**before, "k": apply_edits(scalar.text, [edit])}
    return True


def draw_edit(data: st.DataObject, length: int) -> Edit:
    start = data.draw(st.integers(0, length))
    end = data.draw(st.integers(start, min(length, start + 6)))
    return Edit(Span(start, end), data.draw(NEW))


BLOCK_LINES = st.lists(
    st.tuples(st.sampled_from([0, 0, 0, 1, 2]), st.lists(st.sampled_from(WORDS + SPACES), max_size=4).map("".join)),
    min_size=1,
    max_size=6,
)


@st.composite
def blocks(draw: st.DrawFn) -> tuple[str, int, BlockHeader]:
    """Return a document with a block under `k`, where the block's lines begin, and its header."""
    folded, chomp = draw(st.booleans()), draw(st.sampled_from(["", "-", "+"]))
    depth = draw(st.integers(1, 3))
    explicit = draw(st.sampled_from([0, 0, depth]))
    newline = draw(st.sampled_from(["\n", "\n", "\r\n", "\r"]))
    lines = []
    for more, content in draw(BLOCK_LINES):
        blank = not content.strip(" ")
        lines.append(" " * draw(st.integers(0, depth + 1)) if blank else " " * (depth + more) + content)
    head = f"k: {'>' if folded else '|'}{chomp}{explicit or ''}{newline}"
    tail = draw(st.sampled_from(["", newline, f"{newline}next: 1", f"{newline}{newline}# c{newline}next: 1"]))
    return head + newline.join(lines) + tail, len(head), BlockHeader(folded, chomp, explicit)


@slow
@given(blocks(), st.data())
def test_a_block_is_for_what_ruamel_reads_and_takes_edits(
    drawn: tuple[str, int, BlockHeader], data: st.DataObject
) -> None:
    document, at, header = drawn
    scalar = read_block(document, at, 0, header)
    known = values(document)
    if known is None:
        return
    assert scalar.text == known["k"]
    assert_maps(scalar, document)
    assert_edits(scalar, document, draw_edit(data, scalar.length))


@slow
@given(st.lists(st.sampled_from(WORDS + SPACES + DOUBLE + FOLDS), max_size=8).map("".join), st.data())
def test_double_quotes_mean_what_ruamel_reads_and_take_edits(raw: str, data: st.DataObject) -> None:
    document = f'k: "{raw}"\nnext: 1\n'
    known = values(document)
    scalar = DoubleQuoted(raw, 4)
    if known is None or "\ud83d" in str(known["k"]):
        return
    assert scalar.text == known["k"]
    assert_maps(scalar, document)
    assert assert_edits(scalar, document, draw_edit(data, scalar.length))


@slow
@given(st.lists(st.sampled_from(SINGLE + SPACES + FOLDS), max_size=8).map("".join), st.data())
def test_single_quotes_mean_what_ruamel_reads_and_take_edits(raw: str, data: st.DataObject) -> None:
    document = f"k: '{raw}'\nnext: 1\n"
    known = values(document)
    scalar = SingleQuoted(raw, 4)
    if known is None:
        return
    assert scalar.text == known["k"]
    assert_maps(scalar, document)
    assert_edits(scalar, document, draw_edit(data, scalar.length))


@slow
@given(
    st.lists(st.sampled_from([*WORDS, " ", "\n  ", "\n\n  ", " \n   ", "\r\n  "]), min_size=1, max_size=7).map("".join),
    st.data(),
)
def test_plain_text_is_for_what_ruamel_reads_and_takes_edits(raw: str, data: st.DataObject) -> None:
    raw = raw.strip()
    document = f"k: {raw}\nnext: 1\n"
    known = values(document)
    if known is None or known.keys() != {"k", "next"} or not raw or raw[0] in "'\"[{&*!|>#":
        return
    scalar = Plain(raw, 3)
    if len(known["k"] or "") < len(raw) and " #" in raw.replace("\n", " "):
        return
    assert scalar.text == known["k"]
    assert_maps(scalar, document)
    assert_edits(scalar, document, draw_edit(data, scalar.length))


def literal(lines: Sequence[str], header: str = "|", indent: int = 0) -> tuple[str, YamlScalar]:
    document = f"k: {header}\n" + "\n".join(lines) + "\nnext: 1\n"
    at = document.index("\n") + 1
    chomp = "".join(char for char in header if char in "+-")
    return document, read_block(document, at, indent, BlockHeader(header[0] == ">", chomp))


def test_new_lines_in_a_literal_block_are_indented() -> None:
    document, scalar = literal(["    <a>", "    </a>"])
    assert scalar.encode(insert(4, "<b>\n\n</b>\n")) == insert(scalar.to_raw(4), "<b>\n\n    </b>\n    ")
    assert assert_edits(scalar, document, insert(4, "<b>\n\n</b>\n"))


def test_an_empty_line_of_a_block_is_indented_before_it_is_written_on() -> None:
    document, scalar = literal(["  a", "", "  b"])
    assert scalar.text == "a\n\nb\n"
    assert scalar.encode(insert(2, "x")) == insert(document.index("\n\n") + 1, "  x")
    assert assert_edits(scalar, document, insert(2, "x"))


def test_text_is_added_after_the_last_line_of_a_block() -> None:
    document, scalar = literal(["  a"])
    assert assert_edits(scalar, document, insert(2, "b\n"))
    assert not assert_edits(scalar, document, insert(2, "b"))
    assert not assert_edits(scalar, document, insert(2, "\n"))
    document, scalar = literal(["  a"], "|-")
    assert assert_edits(scalar, document, insert(1, "\nb"))
    assert not assert_edits(scalar, document, insert(1, "\n"))


def test_the_first_line_of_a_block_may_not_begin_with_a_space() -> None:
    document, scalar = literal(["  a", "  b"])
    assert not assert_edits(scalar, document, insert(0, " "))
    assert assert_edits(scalar, document, insert(2, " "))
    assert assert_edits(scalar, document, insert(0, "\n"))


def test_a_block_never_becomes_empty() -> None:
    document, scalar = literal(["  a"])
    assert scalar.encode(delete(0, 2)) is None
    assert scalar.encode(delete(0, 1)) is None
    assert assert_edits(scalar, document, Edit(Span(0, 1), "b"))


def test_lines_of_a_folded_block_are_written_apart() -> None:
    document, scalar = literal(["  a", "  b", "", "  c"], ">")
    assert scalar.text == "a b\nc\n"
    assert assert_edits(scalar, document, insert(1, "\nx"))
    assert assert_edits(scalar, document, delete(3, 4))
    assert assert_edits(scalar, document, insert(3, "\n"))
    assert not assert_edits(scalar, document, insert(1, "\n "))


def test_quotes_are_escaped_as_the_style_does() -> None:
    assert DoubleQuoted("a", 0).encode(insert(1, '"\\\n\t\x00é😀\u2028')) == insert(1, '\\"\\\\\\n\\t\\0é😀\\L')
    assert SingleQuoted("a", 0).encode(insert(1, "'\"\\")) == insert(1, "''\"\\")
    assert SingleQuoted("a", 0).encode(insert(1, "\x00")) is None
    assert SingleQuoted("ab", 0, 4).encode(insert(1, "\n")) == insert(1, "\n\n    ")


def test_space_beside_a_line_end_in_quotes_is_kept_by_rewriting_the_line_end() -> None:
    document = 'k: "a b\n  c"\n'
    scalar = DoubleQuoted("a b\n  c", 4)
    assert scalar.text == "a b c"
    assert assert_edits(scalar, document, delete(2, 3))
    document = "k: 'a b\n  c'\n"
    assert assert_edits(SingleQuoted("a b\n  c", 4), document, delete(2, 3))


def test_a_pair_of_escapes_is_one_code_point() -> None:
    scalar = DoubleQuoted(r"a\ud83d\ude00b", 0)
    assert scalar.text == "a😀b"
    assert scalar.raw_span(Span(1, 2)) == Span(1, 13)
    assert DoubleQuoted(r"\ud83d", 0).encode(insert(1, "\ude00")) is None


@pytest.mark.parametrize("raw", ["\\q", "\\x4", "\\u12", "\\UFFFFFFFF", "\\"])
def test_what_is_broken_is_for_itself(raw: str) -> None:
    assert DoubleQuoted(raw, 0).text == raw


@pytest.mark.parametrize("text", [": ", " #", "\x01", "\n- ", " "])
def test_text_without_quotes_refuses_what_would_end_it(text: str) -> None:
    assert Plain("Call <a> now", 0).encode(insert(12, text)) is None


@pytest.mark.parametrize("text", ["[a]", "&a", "*a", "!a", "- a", "'a'", "# a", "true", "7", "2026-01-01", "~", "a: b"])
def test_text_without_quotes_refuses_to_become_something_else(text: str) -> None:
    assert Plain("<a>", 0).encode(Edit(Span(0, 3), text)) is None


def test_text_without_quotes_in_brackets_holds_no_comma() -> None:
    assert Plain("<a>", 0, flow=True).encode(insert(3, ", b")) is None
    assert Plain("<a>", 0).encode(insert(3, ", b")) == insert(3, ", b")


@pytest.mark.parametrize(
    "scalar",
    [
        DoubleQuoted("ab", 1),
        SingleQuoted("ab", 1),
        Plain("ab", 1),
        read_block("\nab", 1, -1, BlockHeader(folded=False)),
    ],
)
def test_a_text_with_a_hole_is_refused(scalar: YamlScalar) -> None:
    assert scalar.encode(insert(1, HOLE)) is None
    assert scalar.encode(insert(1, "x")) == insert(2, "x")
    with pytest.raises(ValueError, match="outside"):
        scalar.encode(insert(9, "x"))


def test_edits_are_encoded_together() -> None:
    document, scalar = literal(["  <a>", "  </b>"])
    edits = [Edit(Span(1, 2), "name"), Edit(Span(6, 7), "name"), insert(0, "x\n")]
    encoded = encode_all(scalar, edits)
    assert encoded is not None
    assert values(apply_edits(document, encoded)) == {"k": "x\n<name>\n</name>\n", "next": "1"}


def test_a_long_literal_block_takes_edits_in_its_middle() -> None:
    document, scalar = literal(["  <a>text</a>"] * 20_000)
    assert len(document) > VERIFIED
    middle = 12 * 10_000 - 1
    assert scalar.text[middle] == "\n"
    for edit in (insert(middle, "\nx\n\n"), delete(middle - 3, middle + 5), insert(middle + 1, " ")):
        encoded = scalar.encode(edit)
        assert encoded is not None
        again = read_block(apply_edits(document, [encoded]), 5, 0, BlockHeader(folded=False))
        assert again.text == apply_edits(scalar.text, [edit])
    assert scalar.encode(insert(0, " ")) is None
    assert scalar.encode(insert(scalar.length, "x\n")) is None
    long = DoubleQuoted("a\n" * 50_000, 0)
    encoded = long.encode(insert(3, "\n "))
    assert encoded is not None
    assert DoubleQuoted(apply_edits(long.raw, [encoded]), 0).text == apply_edits(long.text, [insert(3, "\n ")])


def test_offsets_rise_through_every_style() -> None:
    document, scalar = literal(["   <a>", "", "     😀", "   </a>"])
    starts = [scalar.to_raw(offset) for offset in range(scalar.length + 1)]
    assert all(low < high for low, high in pairwise(starts))
    assert scalar.raw_span(Span(scalar.text.index("😀"), scalar.text.index("😀") + 1)).of(document) == "😀"
