"""Several folders with configurations of their own, over standard input and output; they come and go while it runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from e2e.stdio import Opened, written

TOOL = {"name": "fetch_page", "inputSchema": {"type": "object", "properties": {"url": {"type": "string"}}}}
TEXT = "<fetch_pge><url>😀</url></fetch_pge>\n<debug_lauch>{}</debug_lauch>\n"


async def messages(opened: Opened) -> list[str]:
    return [found.message for found in await opened.diagnostics()]


def folders(client: LanguageClient, added: list[Path], removed: list[Path]) -> None:
    def reported(paths: list[Path]) -> list[types.WorkspaceFolder]:
        return [types.WorkspaceFolder(path.as_uri(), path.name) for path in paths]

    event = types.WorkspaceFoldersChangeEvent(added=reported(added), removed=reported(removed))
    client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))


@pytest.mark.asyncio
async def test_each_folder_has_its_own_tools(client: LanguageClient, workspace: Path) -> None:
    debug = written(client, workspace / "debug" / "both.prompt", TEXT)
    report = written(client, workspace / "report" / "both.prompt", TEXT)
    assert ["debug_launch" in message for message in await messages(debug)] == [True]
    # Neither name is like one of a tool there.
    assert await messages(report) == []
    names = [one.name for one in await client.workspace_symbol_async(types.WorkspaceSymbolParams("")) or []]
    assert {"debug_launch", "append_to_report"} <= {*names}


@pytest.mark.asyncio
async def test_a_folder_comes_and_goes(client: LanguageClient, workspace: Path) -> None:
    third = workspace / "third"
    (third / "prompts").mkdir(parents=True)
    (third / "tools.json").write_text(json.dumps([TOOL]), encoding="utf-8")
    (third / "callwright.toml").write_text('tools = ["tools.json"]\n', encoding="utf-8")
    opened = written(client, third / "prompts" / "a.prompt", TEXT)
    # Outside of all folders only the document's own folder counts.
    assert not any("fetch_page" in message for message in await messages(opened))
    folders(client, [third], [])
    assert ["fetch_page" in message for message in await messages(opened)] == [True]
    folders(client, [], [third])
    assert not any("fetch_page" in message for message in await messages(opened))
