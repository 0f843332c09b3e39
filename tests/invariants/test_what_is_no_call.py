"""Other text stays other text: data, definitions of tools, programs and prose hold no call in any of all dialects.

What only looks like one dialect is in that dialect's `not-calls.md`. Here every dialect is asked about the texts of
`no-calls.md`, so that none reads as a call what was none before it was added.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from callwright.dialects.catalogue import dialect_names
from callwright.document.settings import Settings
from callwright.lint.linter import diagnostics
from callwright.rules.base import Severity
from invariants.corpus import registry
from invariants.texts import EMPTY, opened
from support.cases import read_cases

FILE = Path(__file__).parent / "no-calls.md"
TEXTS = {case.title: case.source for case in read_cases(FILE, FILE.read_text(encoding="utf-8"))}
DATA = ["package", "users", "openai def", "openai defs", "mcp def", "vscode launch", "mcp config", "schema props"]


@pytest.mark.parametrize("name", TEXTS)
def test_other_text_holds_no_call(name: str) -> None:
    text = TEXTS[name]
    for tools in (EMPTY, registry()):
        for source in (text, f"Before.\n\n{text}\n\nAfter.\n", text.replace("\n", "\r\n")):
            snapshot = opened(source, "a.md", tools)
            assert [(placed.call.dialect, placed.span.of(source)) for placed in snapshot.placed_calls()] == []
            assert [each.message for each in diagnostics(snapshot) if each.severity is Severity.ERROR] == []


@pytest.mark.parametrize("dialect", dialect_names())
def test_data_is_no_call_in_the_format_that_is_asked_for_either(dialect: str) -> None:
    for name in DATA:
        snapshot = opened(TEXTS[name], "a.md", EMPTY, Settings(dialect=dialect))
        assert [placed.span for placed in snapshot.placed_calls()] == [], name
