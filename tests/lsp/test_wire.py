"""The wire: positions and changes in every encoding, against a client that keeps its text as plainly as can be."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.features.base import Client
from callwright.lsp.connection import InvalidParamsError
from callwright.lsp.wire import DocumentEdge, OutOfStepError, from_lsp_change, from_lsp_range
from callwright.text.document import TextDocument
from callwright.text.positions import PositionEncoding
from callwright.text.span import Span, apply_edits
from lsp.conversation import between
from support.sampling import tries

TEXT = st.text(
    st.sampled_from(
        ["a", "b", " ", "\n", "\r", "\u2028", "\x0b", "\x0c", "\x85", "é", "€", "\N{GRINNING FACE}", "\u0301"]
    ),
    max_size=12,
)
ENCODINGS = st.sampled_from(list(PositionEncoding))
_WIDTH = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


def position(text: str, offset: int, encoding: str) -> dict[str, int]:
    """Return an offset as a client says it: a line ends at LF, CR or CRLF and at nothing else."""
    starts = [0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", text))]
    line = max(at for at, start in enumerate(starts) if start <= offset)
    codec, width = _WIDTH[encoding]
    return {"line": line, "character": len(text[starts[line] : offset].encode(codec)) // width}


def parts_a_line_ending(text: str, offset: int) -> bool:
    return text[offset - 1 : offset + 1] == "\r\n"


@given(TEXT, st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), TEXT), max_size=8), ENCODINGS)
@settings(deadline=None, max_examples=tries(300))
def test_a_session_of_changes_keeps_both_texts_equal(
    text: str, changes: list[tuple[int, int, str]], encoding: PositionEncoding
) -> None:
    document = TextDocument.from_text(text)
    for first, second, new in changes:
        start, end = sorted((min(first, len(text)), min(second, len(text))))
        if parts_a_line_ending(text, start) or parts_a_line_ending(text, end):
            continue
        where = {"start": position(text, start, encoding), "end": position(text, end, encoding)}
        edit = from_lsp_change(document, {"range": where, "text": new}, encoding)
        assert edit.span == Span(start, end)
        edge = DocumentEdge(document, uri="file:///a.md", version=1, encoding=encoding, client=Client.of({}))
        assert edge.to_lsp_range(edit.span) == where
        document = document.replace(edit.span, edit.text)
        text = apply_edits(text, [edit])
        assert document.text() == text


@given(
    TEXT,
    st.tuples(*[st.integers(0, 6)] * 4),
    TEXT,
    ENCODINGS,
)
@settings(deadline=None, max_examples=tries(300))
def test_a_change_is_applied_as_it_is_meant_or_not_at_all(
    text: str, numbers: tuple[int, int, int, int], new: str, encoding: PositionEncoding
) -> None:
    """Any range means what it means in the protocol, or it is refused: reversed, or inside a character."""
    document = TextDocument.from_text(text)
    where = {
        "start": {"line": numbers[0], "character": numbers[1]},
        "end": {"line": numbers[2], "character": numbers[3]},
    }
    try:
        edit = from_lsp_change(document, {"range": where, "text": new}, encoding)
    except OutOfStepError:
        return
    for name, offset in (("start", edit.span.start), ("end", edit.span.end)):
        meant = position(text, offset, encoding)
        if where[name] != meant:
            # Past the end of its line, or past the last one.
            assert (where[name]["line"], where[name]["character"]) > (meant["line"], meant["character"])
            assert text[offset : offset + 1] in ("", "\r", "\n")


PAST_THE_END: dict[str, tuple[dict[str, Any], Span]] = {
    "of a line": (between((0, 1), (0, 9)), Span(1, 2)),
    "of a line, by one": (between((0, 3), (0, 3)), Span(2, 2)),
    "of a line that ends with CR LF": (between((1, 2), (1, 3)), Span(5, 5)),
    "of a line of wide characters": (between((2, 2), (2, 3)), Span(8, 8)),
    "of the last line": (between((3, 0), (3, 2**31 - 1)), Span(9, 10)),
    "of the text, at the start of a line": (between((0, 0), (4, 0)), Span(0, 10)),
    "of the text, within a line": (between((9, 5), (2**31 - 1, 2**31 - 1)), Span(10, 10)),
}


@pytest.mark.parametrize("name", PAST_THE_END)
def test_a_place_past_the_end_is_that_end_in_an_edit_and_in_a_question(name: str) -> None:
    document = TextDocument.from_text("ab\ncd\r\n\N{GRINNING FACE}\nx")
    where, span = PAST_THE_END[name]
    assert from_lsp_change(document, {"range": where, "text": ""}, PositionEncoding.UTF16).span == span
    assert from_lsp_range(document, where, PositionEncoding.UTF16) == span


def test_what_is_only_asked_about_may_lie_anywhere() -> None:
    document = TextDocument.from_text("ab\ncd")
    where = {"start": {"line": 7, "character": 7}, "end": {"line": 0, "character": 1}}
    assert from_lsp_range(document, where, PositionEncoding.UTF16) == Span(1, 5)


@pytest.mark.parametrize(
    "change", [None, 5, [], {}, {"text": 5}, {"text": "x", "range": {}}, {"text": "x", "range": {"start": None}}]
)
def test_what_is_no_change_is_refused(change: Any) -> None:
    with pytest.raises(InvalidParamsError):
        from_lsp_change(TextDocument.from_text("a"), change, PositionEncoding.UTF16)
