"""On-type formatting over standard input and output."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from e2e.stdio import written


@pytest.mark.asyncio
async def test_a_tag_is_closed_as_it_is_typed(client: LanguageClient, workspace: Path) -> None:
    opened = written(client, workspace / "debug" / "type.prompt", "🐞 <debug_launch")
    end = opened.position("<debug_launch")
    opened.change([types.TextEdit(types.Range(end, end), ">")])
    options = types.FormattingOptions(tab_size=2, insert_spaces=True)
    asked = types.DocumentOnTypeFormattingParams(opened.identifier, opened.position(">"), ">", options)
    edits = await client.text_document_on_type_formatting_async(asked)
    opened.change([*(edits or [])])
    assert opened.text == "🐞 <debug_launch></debug_launch>"
