"""Projections: decoded offsets map to raw ones and back, and an encoded edit does to the text what the edit says."""

import json
import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.text.holes import HOLE
from callwright.text.projection import (
    Composed,
    Identity,
    JsonString,
    Projection,
    SegmentProjection,
    Segments,
    decode_json_string,
    encode_all,
    encode_json_string,
)
from callwright.text.span import Edit, Span, apply_edits, delete, insert
from support.sampling import tries

# Escapes, what looks like one, halves of surrogate pairs, and what needs none.
PIECES = ["a", "uD", "0041", "é", "😀", "\u2028", "\x7f", "\\n", "\\\\", '\\"', "\\/", "\\u00e9", "\\u000A"]
PIECES += ["\\ud83d\\ude00", "\\uD83D", "\\uDE00", "\\b\\f\\r\\t", "n", "u"]
BROKEN = ["\\", "\\x", "\\u", "\\u12", "\\u00zz", '"', "\n", "\t", "\x00", "\\'", "\ud83d", "\ude00"]
VALID_RAW = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
ANY_RAW = st.lists(st.sampled_from(PIECES + BROKEN), max_size=12).map("".join)
NEW = st.lists(
    st.sampled_from(["", "x", "0", "00e9", "n", "u", '"', "\\", "\n", "\x01", "é", "😀", "/", "\ud83d", "\ude00"])
)


def edited(raw: str, edit: Edit) -> str:
    return apply_edits(raw, [edit])


def draw_edit(data: st.DataObject, length: int) -> Edit:
    start = data.draw(st.integers(0, length))
    end = data.draw(st.integers(start, length))
    return Edit(Span(start, end), "".join(data.draw(NEW)))


def assert_maps_there_and_back(projection: Projection, text: str, raw: str) -> None:
    """Every offset: round trip, order, escapes as wholes, and each raw character belongs to what it yields."""
    assert projection.length == len(text)
    starts = [projection.to_raw(offset) for offset in range(len(text) + 1)]
    assert starts == sorted(set(starts))
    for offset in range(len(text)):
        span = projection.raw_span(Span(offset, offset + 1))
        assert span.start == starts[offset] < span.end <= starts[offset + 1]
        assert all(projection.to_decoded(place) == offset for place in range(span.start, span.end))
        assert projection.raw_span(Span(offset, offset)) == Span(starts[offset], starts[offset])
        assert projection.raw_span(Span(offset, len(text))) == Span(starts[offset], starts[-1])
    assert projection.to_decoded(starts[-1]) == len(text)
    assert projection.to_decoded(starts[0] - 1) is None
    outside = [*range(starts[0]), *range(starts[-1] + 1, len(raw) + 3)]
    assert [place for place in outside if projection.to_decoded(place) is not None] == []


@settings(deadline=None, max_examples=tries(300))
@given(VALID_RAW)
def test_a_valid_string_decodes_as_json_does(raw: str) -> None:
    assert JsonString(raw, 1).text == json.loads(f'"{raw}"')


@settings(deadline=None, max_examples=tries(300))
@given(st.text(st.characters()), st.booleans())
def test_what_is_encoded_is_json_and_decodes_to_itself(text: str, ascii_only: bool) -> None:
    raw = encode_json_string(text, ascii_only=ascii_only)
    assert json.loads(f'"{raw}"') == decode_json_string(raw) == text
    assert raw.isascii() or not ascii_only


@settings(deadline=None, max_examples=tries(300))
@given(ANY_RAW, st.integers(0, 3))
def test_every_offset_of_any_string_maps_there_and_back(raw: str, start: int) -> None:
    projection = JsonString(raw, start)
    assert_maps_there_and_back(projection, projection.text, "-" * start + raw)


@settings(deadline=None, max_examples=tries(400))
@given(ANY_RAW, st.data())
def test_an_encoded_edit_does_to_the_decoded_text_what_the_edit_states(raw: str, data: st.DataObject) -> None:
    projection = JsonString(raw, 2)
    edit = draw_edit(data, projection.length)
    expected = apply_edits(projection.text, [edit])
    encoded = projection.encode(edit)
    if encoded is None:
        assert any("\ud800" <= one < "\udc00" <= other < "\ue000" for one, other in pairwise(expected))
    else:
        assert decode_json_string(edited("--" + raw + "--", encoded)[2:-2]) == expected


@settings(deadline=None, max_examples=tries(300))
@given(ANY_RAW, st.data())
def test_edits_encoded_together_do_what_they_report_together(raw: str, data: st.DataObject) -> None:
    projection = JsonString(raw, 0)
    cuts = sorted(data.draw(st.lists(st.integers(0, projection.length), min_size=4, max_size=4)))
    edits = [Edit(Span(low, high), "".join(data.draw(NEW))) for low, high in (cuts[:2], cuts[2:])]
    encoded = encode_all(projection, edits)
    if encoded is not None:
        assert decode_json_string(apply_edits(raw, encoded)) == apply_edits(projection.text, edits)


@settings(deadline=None, max_examples=tries(200))
@given(ANY_RAW, st.data())
def test_a_string_within_a_string_maps_and_encodes_through_both(inner_raw: str, data: st.DataObject) -> None:
    outer_raw = 'x\\n\\"' + encode_json_string(inner_raw, ascii_only=data.draw(st.booleans())) + '\\" \\u0041'
    outer = JsonString(outer_raw, 5)
    start = len('x\n"')
    inner = JsonString(outer.text[start : outer.length - len('" A')], start)
    projection = Composed(outer, inner)
    assert_maps_there_and_back(projection, inner.text, "-" * 5 + outer_raw)
    edit = draw_edit(data, projection.length)
    encoded = projection.encode(edit)
    if encoded is not None:
        outer_text = decode_json_string(edited("-" * 5 + outer_raw, encoded)[5:])
        assert outer_text.startswith('x\n"')
        assert outer_text.endswith('" A')
        assert decode_json_string(outer_text[start : -len('" A')]) == apply_edits(inner.text, [edit])


def test_a_diagnostic_in_a_json_string_lands_on_its_raw_characters() -> None:
    document = r'{"content": "say\n<read_file>\u00e9</read_file>"}'
    start = document.index("say")
    passage = JsonString(document[start:-2], start)
    assert passage.text == "say\n<read_file>é</read_file>"
    tag = passage.text.index("<read_file>")
    assert passage.raw_span(Span(tag, tag + 11)).of(document) == "<read_file>"
    assert passage.raw_span(Span(tag + 11, tag + 12)).of(document) == r"\u00e9"
    assert passage.raw_span(Span(3, 4)).of(document) == r"\n"
    assert passage.to_decoded(document.index("00e9")) == tag + 11


def test_a_surrogate_pair_is_one_code_point() -> None:
    passage = JsonString(r"a\ud83d\ude00b", 0)
    assert passage.text == "a😀b"
    assert passage.raw_span(Span(1, 2)) == Span(1, 13)
    assert {passage.to_decoded(place) for place in range(1, 13)} == {1}


def test_lone_surrogates_stay() -> None:
    assert JsonString(r"\ud83d \ude00", 0).text == "\ud83d \ude00"
    assert JsonString(r"\ude00\ud83d", 0).text == "\ude00\ud83d"


@pytest.mark.parametrize(
    "raw", ["\\", "\\x", "\\u12", "\\u00g0", "a\\'b", 'a"b', "tab\there", "line\nbreak", "\\u+123"]
)
def test_what_is_broken_is_for_itself(raw: str) -> None:
    assert JsonString(raw, 0).text == raw


def test_a_broken_escape_does_not_disturb_its_neighbours() -> None:
    assert JsonString(r"\x\n\u12\u0041", 0).text == "\\x\n\\u12A"


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        ('"', r"\""),
        ("\\", r"\\"),
        ("/", "/"),
        ("\b\f\n\r\t", r"\b\f\n\r\t"),
        ("\x00\x1f", r"\u0000\u001f"),
        ("\x7fé€😀\u2028", "\x7fé€😀\u2028"),
        ("\ud83d", r"\ud83d"),
    ],
)
def test_only_what_must_be_is_escaped(text: str, raw: str) -> None:
    assert JsonString("", 0).encode(insert(0, text)) == insert(0, raw)


def test_a_string_that_escapes_all_but_ascii_keeps_doing_so() -> None:
    assert JsonString(r"caf\u00e9 ", 0).encode(insert(5, "é😀")) == insert(10, r"\u00e9\ud83d\ude00")
    assert JsonString(r"caf\u00e9 ☕", 0).encode(insert(5, "é😀")) == insert(10, "é😀")
    assert JsonString(r"caf\u0065 ", 0).encode(insert(5, "é😀")) == insert(10, "é😀")


def test_what_an_edit_does_not_touch_keeps_its_spelling() -> None:
    raw = r"a\/b\u0041c"
    encoded = JsonString(raw, 0).encode(Edit(Span(2, 3), '"'))
    assert encoded is not None
    assert edited(raw, encoded) == r"a\/\"\u0041c"


def test_text_after_a_broken_escape_does_not_complete_it() -> None:
    assert JsonString("\\x", 0).encode(delete(1, 2)) == Edit(Span(0, 2), r"\\")
    assert JsonString("\\u12", 0).encode(insert(4, "34")) == Edit(Span(0, 4), r"\\u1234")
    assert JsonString(r"\\u12", 0).encode(insert(4, "34")) == insert(5, "34")


def test_lone_surrogates_are_never_joined() -> None:
    assert JsonString(r"\ud83d-\ude00", 0).encode(delete(1, 2)) is None
    assert JsonString("", 0).encode(insert(0, "\ud83d\ude00")) is None
    assert JsonString(r"\ud83d", 0).encode(insert(1, "\ude00")) is None


@pytest.mark.parametrize(
    "projection", [Identity(3, 4), JsonString("abcd", 3), Composed(Identity(1, 9), Identity(2, 4))]
)
def test_a_text_with_a_hole_is_refused_by_every_projection(projection: Projection) -> None:
    assert projection.encode(insert(1, f"x{HOLE}")) is None
    assert projection.encode(insert(1, "x")) == insert(4, "x")


@pytest.mark.parametrize(
    "projection", [Identity(3, 4), JsonString("abcd", 3), Composed(Identity(1, 9), Identity(2, 4))]
)
def test_what_lies_outside_the_passage(projection: Projection) -> None:
    assert [projection.to_decoded(place) for place in (2, 3, 7, 8)] == [None, 0, 4, None]
    assert projection.raw_span(Span(1, 3)) == Span(4, 6)
    for span in (Span(-1, 0), Span(4, 5), Span(5, 5), Span(3, 2)):
        with pytest.raises(ValueError, match="outside"):
            projection.raw_span(span)
        with pytest.raises(ValueError, match="outside"):
            projection.encode(Edit(span, ""))
    with pytest.raises(ValueError, match="outside"):
        projection.to_raw(5)


def test_the_escape_that_follows_a_nested_string_is_outside_it() -> None:
    outer = JsonString(r"{\"a\"}", 0)
    nested = Composed(outer, Identity(2, 1))
    assert [nested.to_decoded(place) for place in range(2, 7)] == [None, 0, 1, None, None]


def test_edits_that_touch_are_encoded_as_one() -> None:
    passage = JsonString(r"a\nb", 0)
    assert encode_all(passage, [insert(1, "x"), delete(1, 2), insert(2, '"')]) == (Edit(Span(1, 3), r"x\""),)
    assert encode_all(passage, [insert(3, "y"), insert(0, "x")]) == (insert(0, "x"), insert(4, "y"))
    assert encode_all(passage, [insert(0, "x"), insert(3, HOLE)]) is None
    assert encode_all(JsonString("", 0), [insert(0, "\ud83d"), insert(0, "\ude00")]) is None


class Indented(SegmentProjection):
    """A block whose lines are indented by two: a format in which raw text yields nothing, as YAML has it."""

    def __init__(self, raw: str, start: int) -> None:
        self.raw = raw
        self.start = start
        self.text = "".join(line[2:] for line in raw.splitlines(keepends=True))

    @property
    def raw_length(self) -> int:
        return len(self.raw)

    def split(self) -> Segments:
        lengths = [length for line in self.raw.splitlines(keepends=True) for length in (2, len(line) - 2)]
        return Segments([0 if number % 2 == 0 else length for number, length in enumerate(lengths)], lengths)

    def escape(self, text: str) -> str | None:
        return text.replace("\n", "\n  ") if text.isprintable() or "\n" in text else None


def test_a_format_may_hold_raw_text_that_yields_nothing() -> None:
    block = Indented("  ab\n  cd\n", 10)
    assert block.text == "ab\ncd\n"
    assert [block.to_raw(offset) for offset in range(7)] == [12, 13, 14, 17, 18, 19, 20]
    assert block.raw_span(Span(0, 3)) == Span(12, 15)
    assert [block.to_decoded(place) for place in range(9, 22)] == [None, 0, 0, 0, 1, 2, 3, 3, 3, 4, 5, 6, None]
    assert block.encode(insert(1, "x\ny")) == insert(13, "x\n  y")
    assert block.encode(insert(1, "\x00")) is None


class Entities(SegmentProjection):
    """A format in which one escape yields several code points: `&ab;` is `AB`."""

    def __init__(self, raw: str, start: int) -> None:
        self.raw = raw
        self.start = start
        self.text = raw.replace("&ab;", "AB")

    @property
    def raw_length(self) -> int:
        return len(self.raw)

    def split(self) -> Segments:
        pieces = re.split("(&ab;)", self.raw)
        return Segments([2 if piece == "&ab;" else len(piece) for piece in pieces], map(len, pieces))

    def escape(self, text: str) -> str | None:
        return text.replace("AB", "&ab;")


def test_an_edit_that_cuts_an_escape_rewrites_what_is_left_of_it() -> None:
    text = Entities("x&ab;y&ab;", 0)
    assert text.text == "xAByAB"
    assert text.raw_span(Span(2, 4)) == Span(1, 6)
    assert text.encode(insert(2, "-")) == Edit(Span(1, 5), "A-B")
    assert text.encode(delete(2, 5)) == Edit(Span(1, 10), "&ab;")
    assert text.encode(insert(3, "-")) == insert(5, "-")
    assert text.encode(delete(1, 3)) == delete(1, 5)


def test_a_large_string_with_many_escapes_maps_everywhere() -> None:
    raw = r"line\n\u00e9\ud83d\ude00" * 20_000
    passage = JsonString(raw, 7)
    assert passage.length == 7 * 20_000
    assert [passage.to_raw(offset) - 7 for offset in range(7 * 9_999, 7 * 10_000)] == [
        24 * 9_999 + place for place in (0, 1, 2, 3, 4, 6, 12)
    ]
