"""A whole session with a client that checks every message against the protocol's types."""

import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

TOOL: dict[str, Any] = {
    "name": "debug_launch",
    "description": "Starts a program.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "program": {"type": "string", "description": "What to run."},
            "mode": {"enum": ["pytest", "python"], "description": "How to run it."},
        },
        "required": ["program"],
        "additionalProperties": False,
    },
}
OLD = "<debug_launch>\n  <program>src/app/main.py</program>\n</debug_launch>\n"
NEW = '<debug_launch>{"program": "src/app/main.py"}</debug_launch>\n'


def capabilities() -> types.ClientCapabilities:
    text = types.TextDocumentClientCapabilities(
        completion=types.CompletionClientCapabilities(
            completion_item=types.ClientCompletionItemOptions(snippet_support=True)
        ),
        code_action=types.CodeActionClientCapabilities(
            is_preferred_support=True,
            code_action_literal_support=types.ClientCodeActionLiteralOptions(
                code_action_kind=types.ClientCodeActionKindOptions(value_set=[types.CodeActionKind.QuickFix])
            ),
            resolve_support=types.ClientCodeActionResolveOptions(properties=["edit"]),
        ),
        publish_diagnostics=types.PublishDiagnosticsClientCapabilities(related_information=True),
    )
    workspace = types.WorkspaceClientCapabilities(
        configuration=True,
        workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True),
    )
    general = types.GeneralClientCapabilities(position_encodings=["utf-8", "utf-16"])
    return types.ClientCapabilities(text_document=text, workspace=workspace, general=general)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "tools.json").write_text(json.dumps({"tools": [TOOL]}))
    (tmp_path / "callwright.toml").write_text('tools = ["tools.json"]\ndialect = "xml-json"\n')
    return tmp_path


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[sys.executable, "-m", "callwright", "server"]))  # type: ignore[untyped-decorator]  # pytest-lsp has no types
async def client(lsp_client: LanguageClient, root: Path) -> AsyncIterator[None]:
    lsp_client.set_configuration({"callwright": {}})
    folder = types.WorkspaceFolder(uri=root.as_uri(), name="root")
    params = types.InitializeParams(capabilities=capabilities(), workspace_folders=[folder])
    result = await lsp_client.initialize_session(params)
    assert result.capabilities.position_encoding == "utf-8"
    yield
    await lsp_client.shutdown_session()


def opened(client: LanguageClient, root: Path, text: str) -> str:
    uri = (root / "a.prompt").as_uri()
    item = types.TextDocumentItem(uri=uri, language_id="callwright-prompt", version=1, text=text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
    return uri


def apply(text: str, edits: list[Any]) -> str:
    """Return a text of ASCII lines with edits applied, the last one first."""
    lines = text.split("\n")

    def offset(position: types.Position) -> int:
        return sum(len(line) + 1 for line in lines[: position.line]) + position.character

    for edit in sorted(edits, key=lambda one: (one.range.start.line, one.range.start.character), reverse=True):
        text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
    return text


@pytest.mark.asyncio
async def test_from_a_diagnostic_to_its_fix(client: LanguageClient, root: Path) -> None:
    uri = opened(client, root, "é " + OLD)
    await client.wait_for_notification("textDocument/publishDiagnostics")
    (diagnostic,) = client.diagnostics[uri]
    assert diagnostic.source == "callwright"
    assert diagnostic.range.start == types.Position(0, 4), "positions count bytes, as this client wants it"
    where = types.Range(types.Position(0, 5), types.Position(0, 5))
    context = types.CodeActionContext(diagnostics=[diagnostic])
    asked = types.CodeActionParams(text_document=types.TextDocumentIdentifier(uri), range=where, context=context)
    actions = await client.text_document_code_action_async(asked)
    assert actions is not None
    fix = next(one for one in actions if isinstance(one, types.CodeAction) and one.kind == "quickfix")
    assert fix.is_preferred
    assert fix.edit is not None
    assert fix.edit.document_changes is not None
    (change,) = fix.edit.document_changes
    assert isinstance(change, types.TextDocumentEdit)
    assert change.text_document.version == 1
    # As many bytes are before the call as there were.
    assert apply("e- " + OLD, list(change.edits)).removeprefix("e- ") == NEW
    everything = next(one for one in actions if isinstance(one, types.CodeAction) and one.edit is None)
    resolved = await client.code_action_resolve_async(everything)
    assert resolved.kind == "source.fixAll.callwright"
    # Some clients ask to resolve any action, complete or not.
    assert await client.code_action_resolve_async(fix) == fix


@pytest.mark.asyncio
async def test_completion_and_hover(client: LanguageClient, root: Path) -> None:
    text = "<\n" + NEW
    uri = opened(client, root, text)
    document = types.TextDocumentIdentifier(uri)
    found = await client.text_document_completion_async(types.CompletionParams(document, types.Position(0, 1)))
    assert isinstance(found, types.CompletionList)
    item = next(one for one in found.items if one.label == "debug_launch")
    assert item.insert_text_format == types.InsertTextFormat.Snippet
    assert isinstance(item.text_edit, types.TextEdit)
    assert apply(text, [item.text_edit]) == '<debug_launch>{"program": "$1"}</debug_launch>$0\n' + NEW
    hover = await client.text_document_hover_async(types.HoverParams(document, types.Position(1, 4)))
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert "Starts a program" in hover.contents.value


@pytest.mark.asyncio
async def test_a_change_of_the_configuration_is_taken(client: LanguageClient, root: Path) -> None:
    uri = opened(client, root, OLD)
    await client.wait_for_notification("textDocument/publishDiagnostics")
    assert client.diagnostics[uri]
    file = root / "callwright.toml"
    file.write_text('tools = ["tools.json"]\ndialect = "xml-children"\n')
    event = types.FileEvent(uri=file.as_uri(), type=types.FileChangeType.Changed)
    client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
    while client.diagnostics[uri]:
        await client.wait_for_notification("textDocument/publishDiagnostics")
