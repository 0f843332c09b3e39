"""Linked editing over standard input and output."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from e2e.stdio import written

TEXT = '🐞 <debug_launch>{"program": "main.py"}</debug_launch>\n'


@pytest.mark.asyncio
async def test_the_tags_of_a_call_change_together(client: LanguageClient, workspace: Path) -> None:
    opened = written(client, workspace / "debug" / "link.prompt", TEXT)
    asked = types.LinkedEditingRangeParams(opened.identifier, opened.position("🐞 <debug"))
    linked = await client.text_document_linked_editing_range_async(asked)
    assert linked is not None
    opened.change([types.TextEdit(place, "start") for place in linked.ranges])
    assert opened.text == TEXT.replace("debug_launch", "start")


@pytest.mark.asyncio
async def test_the_tags_of_a_section_change_together(client: LanguageClient, workspace: Path) -> None:
    text = f"<rules>\n🐞\n\n{TEXT}\n</rules>\n"
    opened = written(client, workspace / "debug" / "sections.prompt", text)
    asked = types.LinkedEditingRangeParams(opened.identifier, opened.position(f"{TEXT}\n</ru"))
    linked = await client.text_document_linked_editing_range_async(asked)
    assert linked is not None
    opened.change([types.TextEdit(place, "house_rules") for place in linked.ranges])
    assert opened.text == text.replace("rules", "house_rules")
