"""What is known of a name, over standard input and output: its definition, its uses, another name for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from e2e.stdio import Opened


def at(opened: Opened, before: str) -> tuple[types.TextDocumentIdentifier, types.Position]:
    return opened.identifier, opened.position(before)


@pytest.mark.asyncio
async def test_a_call_leads_to_its_tool_and_to_the_other_calls(client: LanguageClient, workspace: Path) -> None:
    opened = Opened(client, workspace / "debug" / "agent.prompt")
    tools = (workspace / "debug" / "tools" / "debug.json").as_uri()
    here = at(opened, "Launch 🚀 <debug_la")
    found = await client.text_document_definition_async(types.DefinitionParams(*here))
    assert isinstance(found, list | tuple)
    assert [place.uri for place in found if isinstance(place, types.Location)] == [tools]
    context = types.ReferenceContext(include_declaration=True)
    uses = await client.text_document_references_async(types.ReferenceParams(context, *here))
    assert {tools, opened.uri} <= {place.uri for place in uses or []}
    marked = await client.text_document_document_highlight_async(types.DocumentHighlightParams(*here))
    # The opening and the closing tag of the one call.
    assert len(marked or []) >= 2
    assert opened.position("🚀 <debug_launch") in [place.range.end for place in marked or []]


@pytest.mark.asyncio
async def test_a_tool_is_renamed_in_its_file_and_in_the_call(client: LanguageClient, workspace: Path) -> None:
    opened = Opened(client, workspace / "debug" / "agent.prompt")
    here = at(opened, "🚀 <debug_la")
    prepared = await client.text_document_prepare_rename_async(types.PrepareRenameParams(*here))
    assert isinstance(prepared, types.PrepareRenamePlaceholder)
    assert prepared.placeholder == "debug_launch"
    identifier, position = here
    edit = await client.text_document_rename_async(types.RenameParams(identifier, position, "debug_start"))
    assert edit is not None
    changed = {
        change.text_document.uri for change in edit.document_changes or [] if isinstance(change, types.TextDocumentEdit)
    }
    assert changed >= {opened.uri, (workspace / "debug" / "tools" / "debug.json").as_uri()}
    with pytest.raises(JsonRpcException, match="is not a valid name"):
        await client.text_document_rename_async(types.RenameParams(identifier, position, "a b"))
