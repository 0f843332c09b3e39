"""What is asked of the workspace as a whole, over standard input and output: its symbols, its diagnostics."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from e2e.stdio import Opened


@pytest.mark.asyncio
async def test_tools_and_calls_are_found_by_name(client: LanguageClient, workspace: Path) -> None:
    opened = Opened(client, workspace / "debug" / "agent.prompt")
    tools = await client.workspace_symbol_async(types.WorkspaceSymbolParams(""))
    assert "debug_launch" in [one.name for one in tools or []]
    found = await client.workspace_symbol_async(types.WorkspaceSymbolParams("debug_la"))
    places = [(one.name, one.location.uri, one.kind) for one in found or []]
    tool_file = (workspace / "debug" / "tools" / "debug.json").as_uri()
    assert ("debug_launch", tool_file, types.SymbolKind.Function) in places
    assert ("debug_launch", opened.uri, types.SymbolKind.Event) in places


@pytest.mark.asyncio
async def test_files_that_are_not_open_are_diagnosed(client: LanguageClient, workspace: Path) -> None:
    asked = types.WorkspaceDiagnosticParams(previous_result_ids=[])
    first = await client.workspace_diagnostic_async(asked)
    reports = {one.uri: one for one in first.items}
    report = reports[(workspace / "debug" / "agent.prompt").as_uri()]
    assert isinstance(report, types.WorkspaceFullDocumentDiagnosticReport)
    assert [found.code for found in report.items]
    known = [types.PreviousResultId(one.uri, one.result_id) for one in first.items if one.result_id is not None]
    again = await client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(previous_result_ids=known))
    assert {one.kind for one in again.items} == {"unchanged"}
