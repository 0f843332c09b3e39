"""Symbols in what is sent: each lies in what it is in, its name lies in it, and all lie in the document; headings are
left to an editor that finds them itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from callwright.features.base import Client
from callwright.features.text_document_document_symbol import FEATURE
from callwright.lint.opening import open_snapshot
from callwright.text.facts import Holder
from callwright.text.positions import PositionEncoding, locate
from features.edges import CLIENT
from features.test_answers_outlast_edits import asked, edited, long_prompt
from invariants.corpus import registry, seeded
from invariants.host_documents import documents
from support.engine import settings_of, snapshot_of
from support.sampling import sampled

TEXT = "# One\n\n<rules>\n## Two\nText.\n</rules>\n\n<read_file><path>a</path></read_file>\n"


def place(position: dict[str, int]) -> tuple[int, int]:
    return position["line"], position["character"]


def covers(outer: dict[str, Any], inner: dict[str, Any]) -> bool:
    return place(outer["start"]) <= place(inner["start"]) and place(inner["end"]) <= place(outer["end"])


def walk(symbols: list[dict[str, Any]], around: dict[str, Any] | None = None) -> Iterator[dict[str, Any]]:
    for symbol in symbols:
        assert symbol["name"]
        assert covers(symbol["range"], symbol["selectionRange"]), symbol
        assert around is None or covers(around, symbol["range"]), (around, symbol)
        yield symbol
        yield from walk(symbol.get("children", []), symbol["range"])


@pytest.mark.parametrize("batch", sampled(range(4)))
def test_symbols_nest_in_every_host_and_after_edits(batch: int) -> None:
    random = seeded(f"symbols {batch}")
    opened = [document.opened() for document in documents()[batch :: 4 * 12]]
    opened += [snapshot_of(long_prompt(random)) for _ in range(2)]
    for snapshot in opened:
        now = snapshot
        for _ in range(3):
            for symbol in walk(asked(FEATURE, now, CLIENT, Holder()) or []):
                ends = (symbol["range"]["start"], symbol["range"]["end"])
                assert all(locate(now.document, *place(end), PositionEncoding.UTF16).in_bounds for end in ends)
            now = edited(now, random)


@pytest.mark.parametrize(
    ("language", "reported"), [("markdown", False), ("callwright-prompt", True), (None, True)], ids=str
)
def test_headings_that_the_editor_reports_are_not_reported_again(language: str | None, reported: bool) -> None:
    snapshot = open_snapshot(TEXT, path="a.md", registry=registry(), settings=settings_of({}), language=language)
    client = Client.of({**CLIENT.capabilities, "experimental": {"callwrightHeadings": ["markdown", "prompt"]}})
    found = [symbol["name"] for symbol in walk(asked(FEATURE, snapshot, client, Holder()))]
    assert found == [*(["One"] if reported else []), "rules", *(["Two"] if reported else []), "read_file", "path"]
    assert [symbol["name"] for symbol in walk(asked(FEATURE, snapshot, CLIENT, Holder()))][:2] == ["One", "rules"]
