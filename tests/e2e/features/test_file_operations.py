"""File operations over standard input and output."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient


@pytest.mark.asyncio
async def test_a_configuration_follows_its_tool_file(client: LanguageClient, workspace: Path) -> None:
    old, new = (workspace / "report" / name for name in ("tools.json", "research.json"))
    asked = types.RenameFilesParams([types.FileRename(old.as_uri(), new.as_uri())])
    edit = await client.workspace_will_rename_files_async(asked)
    assert edit is not None
    (change,) = edit.document_changes or []
    assert isinstance(change, types.TextDocumentEdit)
    assert change.text_document.uri == (workspace / "report" / "callwright.toml").as_uri()
    assert [one.new_text for one in change.edits if isinstance(one, types.TextEdit)] == ['"research.json"']
