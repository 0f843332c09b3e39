"""Call hierarchy over standard input and output, through files that are not open."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from e2e.stdio import Opened, written


@pytest.mark.asyncio
async def test_from_a_tool_to_who_calls_it_and_back(client: LanguageClient, workspace: Path) -> None:
    closed = workspace / "debug" / "closed.prompt"
    closed.write_text('# Start 🐞\n\n<debug_launch>{"program": "a"}</debug_launch>\n', encoding="utf-8")
    opened = Opened(client, workspace / "debug" / "agent.prompt")
    asked = types.CallHierarchyPrepareParams(opened.identifier, opened.position("🚀 <debug_la"))
    (tool,) = await client.text_document_prepare_call_hierarchy_async(asked) or []
    assert (tool.name, tool.uri) == ("debug_launch", (workspace / "debug" / "tools" / "debug.json").as_uri())
    calls = await client.call_hierarchy_incoming_calls_async(types.CallHierarchyIncomingCallsParams(tool))
    by_uri = {call.from_.uri: call for call in calls or []}
    assert by_uri.keys() >= {opened.uri, closed.as_uri()}
    caller = by_uri[closed.as_uri()]
    assert caller.from_.name == "Start 🐞"
    assert [place.start.line for place in caller.from_ranges][:1] == [2]
    back = await client.call_hierarchy_outgoing_calls_async(types.CallHierarchyOutgoingCallsParams(caller.from_))
    assert [call.to.name for call in back or []] == ["debug_launch"]


@pytest.mark.asyncio
async def test_prose_has_no_hierarchy(client: LanguageClient, workspace: Path) -> None:
    opened = written(client, workspace / "debug" / "prose.prompt", "Prose.\n")
    asked = types.CallHierarchyPrepareParams(opened.identifier, types.Position(0, 1))
    assert await client.text_document_prepare_call_hierarchy_async(asked) is None
