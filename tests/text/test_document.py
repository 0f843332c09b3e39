"""The line-array document behaves like the string it represents, under any sequence of edits."""

import re
from collections.abc import Iterator
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.text import document as document_module
from callwright.text.document import TextDocument, content_length
from callwright.text.span import Span
from support.sampling import tries

# Everything that some program reads as the end of a line, of which only three are; and what is wide or combines.
FRAGMENTS = [
    "\r",
    "\n",
    "\r\n",
    "\u2028",
    "\u2029",
    "\x0b",
    "\x0c",
    "\x85",
    "\x1c",
    "a",
    "word",
    "😀",
    "e\u0301",
    "\ud83d",
]
TEXTS = st.lists(st.sampled_from(FRAGMENTS), max_size=30).map("".join)
EDITS = st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6), TEXTS), max_size=12)


@pytest.fixture(autouse=True, scope="module")
def _small_chunks() -> Iterator[None]:
    """With chunks of a few lines, short texts have as many borders as huge ones."""
    with mock.patch.multiple(document_module, _TARGET=3, _MAX_COUNT=6, _MIN_COUNT=2):
        yield


def lines_of(text: str) -> list[str]:
    """The oracle: cut after each terminator, whatever remains is the last line."""
    return re.sub(r"(\r\n|\r|\n)", "\\1\0", text).split("\0")


def assert_holds(document: TextDocument, text: str) -> None:
    lines = lines_of(text)
    assert [document.line(index) for index in range(document.line_count)] == lines
    assert list(document.lines()) == lines
    assert len(document) == len(text)
    start = 0
    for index, line in enumerate(lines):
        assert document.line_start(index) == start
        inside = range(start, start + len(line) + (index == len(lines) - 1))
        assert all(document.line_at(offset) == index for offset in inside)
        assert all(document.line_holding(offset) == (index, start, line) for offset in inside)
        start += len(line)
    for start in range(0, len(text) + 1, 3):
        assert document.excerpt(start, len(text)).text() == text[start:]
        assert document.excerpt(start // 2, start).text() == text[start // 2 : start]
    # Slices first: once the text is joined they are cut out of it.
    assert document.slice(0, len(text)) == text
    assert document.text() == text
    assert document.slice(len(text) // 3, len(text)) == text[len(text) // 3 :]


@settings(deadline=None, max_examples=tries(200))
@given(TEXTS, EDITS)
def test_a_document_is_the_string_it_is_for_after_any_edits(text: str, edits: list[tuple[int, int, str]]) -> None:
    document = TextDocument.from_text(text)
    assert_holds(document, text)
    for one, other, new in edits:
        start, end = sorted((one % (len(text) + 1), other % (len(text) + 1)))
        before, before_text = document, text
        document = document.replace(Span(start, end), new)
        text = text[:start] + new + text[end:]
        assert_holds(document, text)
        assert before.slice(0, len(before)) == before_text


@settings(deadline=None, max_examples=tries(200))
@given(TEXTS, st.data())
def test_every_slice_is_the_strings_slice(text: str, data: st.DataObject) -> None:
    document = TextDocument.from_text(text).replace(Span(0, 0), "x").replace(Span(0, 1), "")
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert document.slice(start, end) == text[start:end]


def replaced(text: str, start: int, end: int, new: str) -> list[str]:
    return list(TextDocument.from_text(text).replace(Span(start, end), new).lines())


def test_only_lf_cr_and_crlf_end_a_line() -> None:
    text = "a\x0bb\x0cc\x85d\u2028e\u2029f\x1cg\nh\ri\r\nj"
    assert list(TextDocument.from_text(text).lines()) == ["a\x0bb\x0cc\x85d\u2028e\u2029f\x1cg\n", "h\r", "i\r\n", "j"]


def test_a_text_that_ends_in_a_newline_has_an_empty_last_line() -> None:
    document = TextDocument.from_text("a\n")
    assert (document.line_count, document.line(1), document.line_start(1), document.line_at(2)) == (2, "", 2, 1)


def test_an_empty_text_has_one_empty_line() -> None:
    document = TextDocument.from_text("")
    assert (document.line_count, document.line(0), document.line_at(0), document.text()) == (1, "", 0, "")


def test_removing_what_is_between_cr_and_lf_joins_them() -> None:
    assert replaced("a\rxx\nb", 2, 4, "") == ["a\r\n", "b"]


def test_a_lf_typed_after_a_cr_joins_it() -> None:
    assert replaced("a\rb", 2, 2, "\n") == ["a\r\n", "b"]
    assert replaced("a\r", 2, 2, "\n") == ["a\r\n", ""]


def test_a_cr_typed_before_a_lf_joins_it() -> None:
    assert replaced("a\nb", 1, 1, "\r") == ["a\r\n", "b"]
    assert replaced("\nb", 0, 0, "\r") == ["\r\n", "b"]


def test_text_typed_between_cr_and_lf_splits_them() -> None:
    assert replaced("a\r\nb", 2, 2, "x") == ["a\r", "x\n", "b"]


def test_removing_the_cr_or_the_lf_of_a_pair_leaves_one_terminator() -> None:
    assert replaced("a\r\nb", 1, 2, "") == ["a\n", "b"]
    assert replaced("a\r\nb", 2, 3, "") == ["a\r", "b"]


@pytest.mark.parametrize("count", range(1, 12))
def test_cr_and_lf_join_across_a_chunks_border(count: int) -> None:
    text = "a\r" * count + "x\n" + "b\n" * 5
    assert replaced(text, 2 * count, 2 * count + 1, "") == ["a\r"] * (count - 1) + ["a\r\n"] + ["b\n"] * 5 + [""]


def test_removing_everything_leaves_one_empty_line() -> None:
    document = TextDocument.from_text("a\n" * 100).replace(Span(0, 200), "")
    assert_holds(document, "")


def test_removing_all_but_the_last_terminator_keeps_the_empty_last_line() -> None:
    assert replaced("a\nb\nc\n", 0, 5, "") == ["\n", ""]


def test_an_edit_that_changes_nothing_gives_the_same_document() -> None:
    document = TextDocument.from_text("a\nb")
    assert document.replace(Span(1, 1), "") is document


def test_chunks_stay_of_moderate_size_whatever_is_inserted_and_removed() -> None:
    document = TextDocument.from_text("x").replace(Span(0, 0), "line\n" * 1000)
    assert max(len(chunk.lines) for chunk in document._chunks) <= 6
    for _ in range(990):
        document = document.replace(Span(0, 5), "")
    assert document.line_count == 11
    assert len(document._chunks) <= 6
    for _ in range(100):
        document = document.replace(Span(20, 20), "\n")
    assert max(len(chunk.lines) for chunk in document._chunks) <= 6


def test_an_edit_keeps_the_lines_of_other_chunks_and_joins_nothing() -> None:
    document = TextDocument.from_text("".join(f"line {number}\n" for number in range(100)))
    edited = document.replace(Span(3, 3), "é")
    assert edited._text is None
    kept = {id(chunk) for chunk in document._chunks} & {id(chunk) for chunk in edited._chunks}
    assert len(kept) == len(document._chunks) - 1


@pytest.mark.parametrize("filler", ["x", "é", "😀"])
def test_a_single_line_of_a_million_characters_is_edited(filler: str) -> None:
    text = filler * 1_000_000
    document = TextDocument.from_text(text).replace(Span(500_000, 500_001), "yy")
    assert document.line_count == 1
    assert document.slice(499_999, 500_003) == f"{filler}yy{filler}"
    assert document.replace(Span(500_000, 500_002), "\r\n").line_start(1) == 500_002


@pytest.mark.parametrize("span", [Span(-1, 0), Span(0, 4), Span(4, 4), Span(2, 1)])
def test_what_lies_outside_is_refused(span: Span) -> None:
    document = TextDocument.from_text("a\nb")
    with pytest.raises(ValueError, match="outside"):
        document.replace(span, "x")
    with pytest.raises(ValueError, match="outside"):
        document.slice(*span)
    with pytest.raises(ValueError, match="outside"):
        document.lines(*span)


@pytest.mark.parametrize("index", [-1, 2])
def test_a_line_that_does_not_exist_is_refused(index: int) -> None:
    document = TextDocument.from_text("a\nb")
    with pytest.raises(ValueError, match="not in the document"):
        document.line(index)
    with pytest.raises(ValueError, match="not in the document"):
        document.line_start(index)


@pytest.mark.parametrize("offset", [-1, 4])
def test_an_offset_outside_lies_in_no_line(offset: int) -> None:
    with pytest.raises(ValueError, match="outside"):
        TextDocument.from_text("a\nb").line_at(offset)
    with pytest.raises(ValueError, match="outside"):
        TextDocument.from_text("a\nb").line_holding(offset)


@pytest.mark.parametrize(("line", "length"), [("", 0), ("a", 1), ("a\n", 1), ("a\r", 1), ("a\r\n", 1), ("a\u2028", 2)])
def test_the_content_of_a_line_ends_before_its_terminator(line: str, length: int) -> None:
    assert content_length(line) == length
