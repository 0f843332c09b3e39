"""Folding over standard input and output."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from e2e.stdio import written

TEXT = '# Task\n\n<debug_launch>{\n  "program": "🐞.py",\n  "args": [\n    "-v"\n  ]\n}</debug_launch>\n'


@pytest.mark.asyncio
async def test_calls_and_sections_fold(client: LanguageClient, workspace: Path) -> None:
    opened = written(client, workspace / "debug" / "fold.prompt", TEXT)
    folds = await client.text_document_folding_range_async(types.FoldingRangeParams(opened.identifier))
    assert [(fold.start_line, fold.end_line) for fold in folds or []] == [(0, 7), (2, 6), (4, 5)]


@pytest.mark.asyncio
async def test_a_heading_folds_within_its_section(client: LanguageClient, workspace: Path) -> None:
    text = f"<rules>\n# One\n\n{TEXT}</rules>\nBehind.\n"
    opened = written(client, workspace / "debug" / "sections.prompt", text)
    folds = await client.text_document_folding_range_async(types.FoldingRangeParams(opened.identifier))
    assert [(fold.start_line, fold.end_line) for fold in folds or []] == [(0, 10), (3, 10), (5, 9), (7, 8)]
