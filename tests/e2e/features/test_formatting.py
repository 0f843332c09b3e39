"""Formatting over standard input and output: what is registered for prompts alone, of a document and of a part."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from e2e.stdio import written

ONE = '<debug_launch>{\n"program":"🐞.py"}</debug_launch>\n'
TIDY = '<debug_launch>{\n    "program": "🐞.py"\n}</debug_launch>\n'
OPTIONS = types.FormattingOptions(tab_size=4, insert_spaces=True)


@pytest.mark.asyncio
async def test_several_parts_are_laid_out_at_once(client: LanguageClient, workspace: Path) -> None:
    opened = written(client, workspace / "debug" / "layout.prompt", f"{ONE}\n{ONE}\n{ONE}")
    places = [types.Range(types.Position(line, 0), types.Position(line, 2)) for line in (0, 6)]
    asked = types.DocumentRangesFormattingParams(opened.identifier, places, OPTIONS)
    opened.change([*(await client.text_document_ranges_formatting_async(asked) or ())])
    assert opened.text == f"{TIDY}\n{ONE}\n{TIDY}"


@pytest.mark.asyncio
async def test_calls_are_laid_out_and_nothing_else(client: LanguageClient, workspace: Path) -> None:
    opened = written(client, workspace / "debug" / "layout.prompt", f"Some   prose.\n\n{ONE}\n{ONE}")
    last = types.Position(6, 3)
    part = types.DocumentRangeFormattingParams(opened.identifier, types.Range(last, last), OPTIONS)
    edits = await client.text_document_range_formatting_async(part)
    opened.change([*(edits or [])])
    assert opened.text == f"Some   prose.\n\n{ONE}\n{TIDY}"
    whole = types.DocumentFormattingParams(opened.identifier, OPTIONS)
    opened.change([*(await client.text_document_formatting_async(whole) or ())])
    assert opened.text == f"Some   prose.\n\n{TIDY}\n{TIDY}"
    assert not await client.text_document_formatting_async(whole)
