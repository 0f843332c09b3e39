"""Inlay hints over standard input and output."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from e2e.stdio import written

TEXT = "🐞 <debug_set_breakpoint><path>a.py</path><line>42</line></debug_set_breakpoint>\n"


@pytest.mark.asyncio
async def test_the_type_of_a_text_is_told(client: LanguageClient, workspace: Path) -> None:
    opened = written(client, workspace / "debug" / "hints.prompt", TEXT)
    everything = types.Range(types.Position(0, 0), types.Position(1, 0))
    asked = types.InlayHintParams(opened.identifier, everything)
    (hint,) = await client.text_document_inlay_hint_async(asked) or []
    assert (hint.label, hint.kind, hint.position) == (": integer", types.InlayHintKind.Type, opened.position("42"))
