"""Inlay hints over standard input and output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from e2e.stdio import Opened, written

TEXT = "🐞 <debug_set_breakpoint><path>a.py</path><line>42</line></debug_set_breakpoint>\n"
TOOL = {
    "name": "wait_for",
    "inputSchema": {"type": "object", "properties": {"seconds": {"type": "integer", "default": 5}}},
}
EVERYTHING = types.Range(types.Position(0, 0), types.Position(1, 0))


async def hints(client: LanguageClient, opened: Opened) -> list[types.InlayHint]:
    asked = types.InlayHintParams(opened.identifier, EVERYTHING)
    return list(await client.text_document_inlay_hint_async(asked) or [])


@pytest.mark.asyncio
async def test_the_type_of_a_text_is_reported(client: LanguageClient, workspace: Path) -> None:
    opened = written(client, workspace / "debug" / "hints.prompt", TEXT)
    (hint,) = await hints(client, opened)
    assert (hint.label, hint.kind, hint.position) == (": integer", types.InlayHintKind.Type, opened.position("42"))


@pytest.mark.asyncio
async def test_a_default_is_written_down(client: LanguageClient, workspace: Path) -> None:
    (workspace / "report" / "tools.json").write_text(json.dumps([TOOL]), encoding="utf-8")
    opened = written(client, workspace / "report" / "wait.prompt", "🐞 <wait_for>{}</wait_for>\n")
    (hint,) = await hints(client, opened)
    assert (hint.label, hint.text_edits) == ("seconds = 5", None)
    resolved = await client.inlay_hint_resolve_async(hint)
    opened.change([*(resolved.text_edits or [])])
    assert opened.text == '🐞 <wait_for>{"seconds": 5}</wait_for>\n'
