"""Positions agree with a naive encoder, in every encoding, and there and back again."""

from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.text import positions
from callwright.text.document import TextDocument, content_length
from callwright.text.positions import Located, PositionEncoding, PositionWriter, locate, to_offset
from support.sampling import tries

UTF8, UTF16, UTF32 = PositionEncoding.UTF8, PositionEncoding.UTF16, PositionEncoding.UTF32
TEXTS = st.lists(
    st.sampled_from(["a", "bc", "é", "€", "😀", "\ud83d", "\udc00", "e\u0301", "\u2028", "\x0b", "\n", "\r", "\r\n"]),
    max_size=40,
).map("".join)


def to_position(document: TextDocument, offset: int, encoding: PositionEncoding) -> tuple[int, int]:
    return PositionWriter(document, encoding).position(offset)


def naive_width(text: str, encoding: PositionEncoding) -> int:
    """The oracle: count what each code point takes, by the definition of the encoding."""
    bounds = {UTF8: (0x80, 0x800, 0x10000), UTF16: (0x10000,), UTF32: ()}[encoding]
    return sum(1 + sum(ord(character) >= bound for bound in bounds) for character in text)


@pytest.mark.parametrize("encoding", PositionEncoding)
@pytest.mark.parametrize("step", [2, 5, 256])
@settings(deadline=None, max_examples=tries(60))
@given(TEXTS)
def test_every_offset_has_its_position_and_comes_back(encoding: PositionEncoding, step: int, text: str) -> None:
    document = TextDocument.from_text(text)
    positions._table.cache_clear()
    with mock.patch.object(positions, "_STEP", step):
        for number in range(document.line_count):
            line, start = document.line(number), document.line_start(number)
            for column in range(content_length(line) + 1):
                expected = number, naive_width(line[:column], encoding)
                assert to_position(document, start + column, encoding) == expected
                assert locate(document, *expected, encoding) == Located(start + column, in_bounds=True)
    positions._table.cache_clear()


@pytest.mark.parametrize("encoding", PositionEncoding)
@pytest.mark.parametrize("step", [2, 5, 256])
@settings(deadline=None, max_examples=tries(60))
@given(TEXTS)
def test_every_character_of_a_line_leads_to_the_nearest_offset(
    encoding: PositionEncoding, step: int, text: str
) -> None:
    document = TextDocument.from_text(text)
    positions._table.cache_clear()
    with mock.patch.object(positions, "_STEP", step):
        for number in range(document.line_count):
            line, start = document.line(number), document.line_start(number)
            content = line[: content_length(line)]
            widths = [naive_width(content[:column], encoding) for column in range(len(content) + 1)]
            for character in range(widths[-1] + 4):
                column = max(column for column, width in enumerate(widths) if width <= character)
                found = locate(document, number, character, encoding)
                assert found == Located(start + column, in_bounds=character in widths)
    positions._table.cache_clear()


@pytest.mark.parametrize(
    ("encoding", "character"), [(UTF8, [0, 1, 3, 7, 8]), (UTF16, [0, 1, 2, 4, 5]), (UTF32, [0, 1, 2, 3, 4])]
)
def test_what_a_unit_is_depends_on_the_encoding(encoding: PositionEncoding, character: list[int]) -> None:
    document = TextDocument.from_text("aé😀b")
    assert [to_position(document, offset, encoding)[1] for offset in range(5)] == character


def test_a_position_inside_a_character_snaps_to_its_start() -> None:
    document = TextDocument.from_text("😀b")
    assert locate(document, 0, 1, UTF16) == Located(0, in_bounds=False)
    assert [to_offset(document, 0, unit, UTF8) for unit in range(6)] == [0, 0, 0, 0, 1, 2]


@pytest.mark.parametrize("terminator", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("encoding", PositionEncoding)
def test_a_character_after_the_lines_end_means_its_end_before_the_terminator(
    terminator: str, encoding: PositionEncoding
) -> None:
    document = TextDocument.from_text(f"é{terminator}b")
    assert locate(document, 0, 2**31, encoding) == Located(1, in_bounds=False)


def test_an_offset_between_cr_and_lf_is_the_lines_end() -> None:
    document = TextDocument.from_text("ab\r\nc")
    assert to_position(document, 3, UTF16) == to_position(document, 2, UTF16) == (0, 2)


def test_a_line_after_the_last_means_the_documents_end() -> None:
    document = TextDocument.from_text("a\nb")
    assert locate(document, 2, 0, UTF16) == Located(3, in_bounds=False)
    assert locate(document, 1, 1, UTF16) == Located(3, in_bounds=True)


def test_negative_numbers_lead_to_the_beginning_and_are_out_of_bounds() -> None:
    document = TextDocument.from_text("a\nb")
    assert locate(document, -1, 5, UTF16) == Located(0, in_bounds=False)
    assert locate(document, 1, -1, UTF32) == Located(2, in_bounds=False)


def test_an_unusual_separator_does_not_begin_a_line() -> None:
    assert to_position(TextDocument.from_text("a\u2028b\x0bc\x85d"), 6, UTF16) == (0, 6)


@pytest.mark.parametrize("offset", [-1, 4])
def test_an_offset_outside_has_no_position(offset: int) -> None:
    with pytest.raises(ValueError, match="outside"):
        to_position(TextDocument.from_text("a\nb"), offset, UTF16)


@pytest.mark.parametrize("encoding", [UTF8, UTF16])
def test_a_long_line_is_measured_once_for_many_positions(encoding: PositionEncoding) -> None:
    line = "abé😀" * 50_000
    document = TextDocument.from_text(line)
    positions._table.cache_clear()
    with mock.patch.object(positions, "_width", wraps=positions._width) as width:
        for offset in range(0, len(line), 199):
            assert to_position(document, offset, encoding)[1] == naive_width(line[:4], encoding) * (
                offset // 4
            ) + naive_width(line[: offset % 4], encoding)
    measured = sum(len(call.args[0]) for call in width.call_args_list)
    assert measured < 2 * len(line)
    positions._table.cache_clear()


def test_an_ascii_line_needs_no_measuring() -> None:
    document = TextDocument.from_text("x" * 10_000)
    with mock.patch.object(positions, "_width", side_effect=AssertionError):
        assert to_position(document, 9_999, UTF8) == (0, 9_999)
        assert to_offset(document, 0, 9_999, UTF16) == 9_999


@given(st.text(alphabet="a\u00e9\U0001f600\r\n\u2028", max_size=60), st.sampled_from(PositionEncoding), st.data())
def test_many_positions_are_written_as_each_alone(text: str, encoding: PositionEncoding, data: st.DataObject) -> None:
    document = TextDocument.from_text(text)
    writer = PositionWriter(document, encoding)
    for offset in data.draw(st.lists(st.integers(0, len(text)), max_size=12)):
        assert writer.position(offset) == to_position(document, offset, encoding)
