"""Selection ranges over standard input and output."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from e2e.stdio import written

TEXT = '🐞 <debug_launch>{"program": "main.py"}</debug_launch>\n'


@pytest.mark.asyncio
async def test_a_selection_grows_from_a_value_to_the_call(client: LanguageClient, workspace: Path) -> None:
    opened = written(client, workspace / "debug" / "select.prompt", TEXT)
    places = [opened.position("main"), opened.position("🐞 <deb")]
    asked = types.SelectionRangeParams(opened.identifier, places)
    inner, name = await client.text_document_selection_range_async(asked) or []
    widths = []
    step: types.SelectionRange | None = inner
    while step is not None:
        assert step.range.start.line == 0
        widths.append((step.range.start.character, step.range.end.character))
        step = step.parent
    # Characters are counted in UTF-16: the insect is two of them.
    assert widths == [(30, 37), (29, 38), (18, 38), (17, 39), (3, 54), (0, 0)]
    assert (name.range.start.character, name.range.end.character) == (4, 16)


@pytest.mark.asyncio
async def test_a_selection_grows_to_the_section(client: LanguageClient, workspace: Path) -> None:
    opened = written(client, workspace / "debug" / "sections.prompt", f"# Task\n\n<rules>\n{TEXT}</rules>\n")
    asked = types.SelectionRangeParams(opened.identifier, [opened.position("<rules>\n🐞 <")])
    (step,) = await client.text_document_selection_range_async(asked) or []
    lines = []
    around: types.SelectionRange | None = step
    while around is not None:
        lines.append((around.range.start.line, around.range.end.line))
        around = around.parent
    assert lines == [(3, 3), (3, 3), (3, 3), (2, 4), (0, 5)]
