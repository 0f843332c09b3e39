"""A lone CR ends a line for what folds as it does everywhere else, whatever block it stands in."""

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
