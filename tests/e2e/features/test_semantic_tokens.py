"""Semantic tokens over standard input and output: all, a part, the difference."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from e2e.stdio import written

TEXT = '🐞 <debug_launch>{"program": "main.py"}</debug_launch>\n'


@pytest.mark.asyncio
async def test_tokens_are_reported_whole_in_part_and_as_a_difference(client: LanguageClient, workspace: Path) -> None:
    opened = written(client, workspace / "debug" / "tokens.prompt", TEXT)
    whole = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(opened.identifier))
    assert whole is not None
    assert whole.data is not None
    # The tool, the parameter, its value, the tool again; columns are counted in UTF-16.
    assert [*whole.data] == [0, 4, 12, 0, 0, 0, 15, 7, 1, 0, 0, 10, 9, 3, 0, 0, 12, 12, 0, 0]
    start, end = opened.position('"program": '), opened.position('"main')
    asked = types.SemanticTokensRangeParams(opened.identifier, types.Range(start, end))
    part = await client.text_document_semantic_tokens_range_async(asked)
    assert part is not None
    assert [*part.data] == [0, 29, 9, 3, 0]
    opened.change([types.TextEdit(types.Range(end, end), "x")])
    assert whole.result_id is not None
    changed = types.SemanticTokensDeltaParams(opened.identifier, whole.result_id)
    difference = await client.text_document_semantic_tokens_full_delta_async(changed)
    assert isinstance(difference, types.SemanticTokensDelta)
    (edit,) = difference.edits
    data = [*whole.data]
    data[edit.start : edit.start + edit.delete_count] = edit.data or []
    assert data == [0, 4, 12, 0, 0, 0, 15, 7, 1, 0, 0, 10, 10, 3, 0, 0, 13, 12, 0, 0]
