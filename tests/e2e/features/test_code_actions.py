"""Code actions over standard input and output: ignoring a diagnostic, resolved once it is taken, and adding an
example."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from e2e.stdio import Opened, written

TOOLS = {
    "name": "move",
    "inputSchema": {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]},
    "examples": [{"to": "home"}],
}


async def taken(opened: Opened, title: str, place: types.Position) -> types.TextDocumentEdit:
    """Return the edits of an action that is offered at a place."""
    context = types.CodeActionContext([], only=[types.CodeActionKind.QuickFix, types.CodeActionKind.Refactor])
    asked = types.CodeActionParams(opened.identifier, types.Range(place, place), context)
    actions = await opened.client.text_document_code_action_async(asked) or []
    action = next(one for one in actions if isinstance(one, types.CodeAction) and one.title == title)
    if action.edit is None:
        action = await opened.client.code_action_resolve_async(action)
    assert action.edit is not None
    (change,) = action.edit.document_changes or []
    assert isinstance(change, types.TextDocumentEdit)
    return change


@pytest.mark.asyncio
async def test_a_diagnostic_is_ignored_where_it_is(client: LanguageClient, workspace: Path) -> None:
    (workspace / "debug" / "tools" / "debug.json").write_text(json.dumps([TOOLS]), encoding="utf-8")
    opened = written(client, workspace / "debug" / "move.prompt", "🐞\n<move><ot>home</ot></move>\n")
    (found,) = [one for one in await opened.diagnostics() if one.code == "TC303"]
    change = await taken(opened, "Ignore TC303 (unknown-argument) here", found.range.start)
    assert (change.text_document.uri, change.text_document.version) == (opened.uri, opened.version)
    opened.change([edit for edit in change.edits if isinstance(edit, types.TextEdit)])
    assert "<!-- callwright: ignore[TC303] -->\n<move>" in opened.text
    assert "TC303" not in {one.code for one in await opened.diagnostics()}


@pytest.mark.asyncio
async def test_a_call_becomes_an_example_of_its_tool(client: LanguageClient, workspace: Path) -> None:
    file = workspace / "debug" / "tools" / "debug.json"
    file.write_text(json.dumps([TOOLS]), encoding="utf-8")
    opened = written(client, workspace / "debug" / "move.prompt", "<move><to>away</to></move>\n")
    change = await taken(opened, "Add this call to the examples of `move`", types.Position(0, 2))
    assert change.text_document.uri == file.as_uri()
    (edit,) = change.edits
    assert isinstance(edit, types.TextEdit)
    assert edit.new_text == ', {"to": "away"}'
