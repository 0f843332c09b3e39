"""What folds is the same wherever blocks end: after any line end, in comments over many blocks, after edits."""

from __future__ import annotations

from typing import Any

import pytest

from lsp.conversation import at
from lsp.driven import Driven

URI = "file:///nowhere/a.prompt"
ASKED = {"textDocument": {"uri": URI}}


def folds(driven: Driven) -> Any:
    return driven.request("textDocument/foldingRange", ASKED)


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_a_comment_a_tag_and_a_heading_fold_whatever_ends_their_lines(end: str) -> None:
    driven = Driven()
    lines = ["# One", "", "<!--", "x", "-->", "", "<rules>", "more", "</rules>", "", "# Two", "", "text"]
    driven.open(URI, end.join(lines))
    found = [(fold["startLine"], fold["endLine"]) for fold in folds(driven)]
    assert {(2, 4), (6, 8)} <= {*found}
    assert any(start == 0 and 8 <= last <= 9 for start, last in found)


def test_an_edit_in_front_of_a_block_leaves_its_folds() -> None:
    edited, fresh = Driven(), Driven()
    edited.open(URI, "\r\r<!--\n-->")
    edited.change(URI, 2, [{"range": {"start": at(0, 0), "end": at(0, 0)}, "text": '"'}])
    fresh.open(URI, '"\r\r<!--\n-->')
    assert folds(edited)
    assert folds(edited) == folds(fresh)


@pytest.mark.parametrize("closed", ["", "-->\n\n# Two\n\ntext\n"], ids=["never closed", "closed far behind"])
def test_a_comment_is_one_over_any_number_of_blocks(closed: str) -> None:
    edited, fresh = Driven(), Driven()
    text = "# One\n\n<!--\n" + "Prose in a comment.\n\n# No heading\n\n" * 400 + closed
    edited.open(URI, text)
    edited.change(URI, 2, [{"range": {"start": at(200, 0), "end": at(200, 0)}, "text": "More prose.\n\n```\n\n"}])
    place = sum(len(line) + 1 for line in text.split("\n")[:200])
    fresh.open(URI, text[:place] + "More prose.\n\n```\n\n" + text[place:])
    assert len(folds(edited)) == (3 if closed else 1)
    assert folds(edited) == folds(fresh)
