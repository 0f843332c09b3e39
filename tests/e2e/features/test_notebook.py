"""Notebooks over standard input and output: the protocol's own types for every event."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

WRONG = '<debug_lanch>{"program": "🐞.py"}</debug_lanch>'
RIGHT = WRONG.replace("lanch", "launch")


def cell(file: Path, name: str, language: str, text: str) -> tuple[types.NotebookCell, types.TextDocumentItem]:
    uri = f"vscode-notebook-cell:{file.as_posix()}#{name}"
    kind = types.NotebookCellKind.Code if language == "python" else types.NotebookCellKind.Markup
    return types.NotebookCell(kind, uri), types.TextDocumentItem(uri, language, 1, text)


async def found(client: LanguageClient, uri: str) -> list[tuple[str, types.Position]]:
    identifier = types.TextDocumentIdentifier(uri)
    report = await client.text_document_diagnostic_async(types.DocumentDiagnosticParams(identifier))
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    return [(str(each.code), each.range.start) for each in report.items]


@pytest.mark.asyncio
async def test_cells_are_found_wanting_fixed_and_changed(client: LanguageClient, workspace: Path) -> None:
    file = workspace / "debug" / "sources" / "agent.ipynb"
    cells = [
        cell(file, "a", "markdown", f"# 🐞\n{WRONG}"),
        cell(file, "b", "python", f'# 🐞\nx = """\n🐞 {WRONG}\n"""\n'),
    ]
    document = types.NotebookDocument(file.as_uri(), "jupyter-notebook", 1, [each for each, _ in cells])
    client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(document, [item for _, item in cells]))
    first, second = (item.uri for _, item in cells)
    assert await found(client, first) == [("TC301", types.Position(1, 1))]
    assert await found(client, second) == [("TC301", types.Position(2, 4))]

    # The quick-fix of the second, carried out.
    place = types.Range(types.Position(2, 4), types.Position(2, 4))
    context = types.CodeActionContext([], only=[types.CodeActionKind.QuickFix])
    asked = types.CodeActionParams(types.TextDocumentIdentifier(second), place, context)
    actions = await client.text_document_code_action_async(asked)
    action = next(each for each in actions or [] if each.title == "Rename to `debug_launch`")
    assert isinstance(action, types.CodeAction)
    assert action.edit is not None
    (change,) = action.edit.document_changes or []
    assert isinstance(change, types.TextDocumentEdit)
    assert change.text_document == types.OptionalVersionedTextDocumentIdentifier(second, 1)
    plain = [each for each in change.edits if isinstance(each, types.TextEdit)]
    edits = sorted(plain, key=lambda each: -each.range.start.character)
    changes = [types.TextDocumentContentChangePartial(text=each.new_text, range=each.range) for each in edits]
    typed = types.NotebookDocumentCellContentChanges(types.VersionedTextDocumentIdentifier(2, second), changes)
    client.notebook_document_did_change(
        types.DidChangeNotebookDocumentParams(
            types.VersionedNotebookDocumentIdentifier(2, file.as_uri()),
            types.NotebookDocumentChangeEvent(cells=types.NotebookDocumentCellChanges(text_content=[typed])),
        )
    )
    assert await found(client, second) == []

    # One cell comes in front, another goes.
    new, item = cell(file, "c", "markdown", WRONG)
    structure = types.NotebookDocumentCellChangeStructure(
        types.NotebookCellArrayChange(0, 1, [new]), [item], [types.TextDocumentIdentifier(first)]
    )
    client.notebook_document_did_change(
        types.DidChangeNotebookDocumentParams(
            types.VersionedNotebookDocumentIdentifier(3, file.as_uri()),
            types.NotebookDocumentChangeEvent(cells=types.NotebookDocumentCellChanges(structure=structure)),
        )
    )
    assert await found(client, item.uri) == [("TC301", types.Position(0, 1))]
    assert await found(client, first) == []
    identifiers = [types.TextDocumentIdentifier(uri) for uri in (item.uri, second)]
    closed = types.NotebookDocumentIdentifier(file.as_uri())
    client.notebook_document_did_close(types.DidCloseNotebookDocumentParams(closed, identifiers))
    assert await found(client, item.uri) == []
