"""A client over standard input and output that checks every message against the protocol's types.

Owns: the fixtures `client` and `workspace`, and `Opened`, a document as an editor has it. Must not know: how the server
works inside, any single feature.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from callwright.text.document import TextDocument
from callwright.text.positions import PositionEncoding, to_offset
from callwright.text.span import Edit, Span, apply_edits

WORKSPACE = Path(__file__).parent / "workspace"
#: What the server asks for, or registers, and pytest-lsp's client knows nothing of.
ASKED = (
    types.CLIENT_REGISTER_CAPABILITY,
    types.WORKSPACE_SEMANTIC_TOKENS_REFRESH,
    types.WORKSPACE_INLAY_HINT_REFRESH,
    types.WORKSPACE_CODE_LENS_REFRESH,
)
SERVER = ClientServerConfig(server_command=[sys.executable, "-m", "callwright", "server"])


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return Path(shutil.copytree(WORKSPACE, tmp_path / "workspace"))


# pytest-lsp's decorator has no types.
@pytest_lsp.fixture(config=SERVER)  # type: ignore[untyped-decorator]
async def client(lsp_client: LanguageClient, workspace: Path) -> AsyncIterator[None]:
    # What VS Code itself says that it can, as pytest-lsp recorded it, and what it came to say later.
    capabilities = client_capabilities("visual-studio-code")
    assert capabilities.workspace is not None
    assert capabilities.text_document is not None
    later = ["tooltip", "textEdits", "label.tooltip", "label.location", "label.command"]
    resolving = types.ClientInlayHintResolveOptions(properties=later)
    capabilities.text_document.inlay_hint = types.InlayHintClientCapabilities(resolve_support=resolving)
    capabilities.workspace.did_change_watched_files = None
    capabilities.workspace.did_change_configuration = None
    folders = [types.WorkspaceFolder(uri=(workspace / name).as_uri(), name=name) for name in ("debug", "report")]
    for method in ASKED:
        lsp_client.feature(method)(lambda *_: None)
    lsp_client.set_configuration({"callwright": {"dialect": None}})
    await lsp_client.initialize_session(types.InitializeParams(capabilities=capabilities, workspace_folders=folders))
    yield
    await lsp_client.shutdown_session()


class Opened:
    """A document that is open, with its text as the editor has it."""

    def __init__(self, client: LanguageClient, file: Path, language: str = "callwright-prompt") -> None:
        self.client = client
        self.uri = file.as_uri()
        self.text = file.read_text(encoding="utf-8")
        self.version = 1
        item = types.TextDocumentItem(self.uri, language, self.version, self.text)
        client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    @property
    def identifier(self) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri)

    def position(self, before: str) -> types.Position:
        """Return the place after the first occurrence of a text, in UTF-16 units."""
        line, _, rest = self.text[: self.text.index(before) + len(before)].rpartition("\n")
        return types.Position(line.count("\n") + bool(_), len(rest.encode("utf-16-le")) // 2)

    def change(self, edits: list[types.TextEdit]) -> None:
        """Apply edits here and there."""
        document = TextDocument.from_text(self.text)

        def offset(position: types.Position) -> int:
            return to_offset(document, position.line, position.character, PositionEncoding.UTF16)

        found = [Edit(Span(offset(one.range.start), offset(one.range.end)), one.new_text) for one in edits]
        self.text = apply_edits(self.text, found)
        self.version += 1
        # The last edit goes first, so that each fits the text after the ones before it.
        ordered = sorted(edits, key=lambda one: (one.range.start.line, one.range.start.character), reverse=True)
        changes = [types.TextDocumentContentChangePartial(text=one.new_text, range=one.range) for one in ordered]
        identifier = types.VersionedTextDocumentIdentifier(self.version, self.uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, changes))

    async def diagnostics(self) -> list[types.Diagnostic]:
        report = await self.client.text_document_diagnostic_async(types.DocumentDiagnosticParams(self.identifier))
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
        return list(report.items)

    async def fix(self, title: str) -> None:
        """Take the quick-fix whose title begins so, at the first diagnostic that has it."""
        for found in await self.diagnostics():
            context = types.CodeActionContext([found], only=[types.CodeActionKind.QuickFix])
            asked = types.CodeActionParams(self.identifier, found.range, context)
            for action in await self.client.text_document_code_action_async(asked) or []:
                if isinstance(action, types.CodeAction) and action.title.startswith(title):
                    assert action.edit is not None
                    (change,) = action.edit.document_changes or []
                    assert isinstance(change, types.TextDocumentEdit)
                    assert change.text_document.version == self.version
                    self.change([edit for edit in change.edits if isinstance(edit, types.TextEdit)])
                    return
        raise AssertionError(f"no quick-fix {title!r}")


def written(client: LanguageClient, file: Path, text: str, language: str = "callwright-prompt") -> Opened:
    """Write a file and open it."""
    file.write_text(text, encoding="utf-8")
    return Opened(client, file, language)
