"""What an editor shows beside the text, over standard input and output: the preview, the session, the tools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pytest_lsp import LanguageClient

from e2e.stdio import written

CHAT = [
    {"role": "user", "content": "Start 🐞"},
    {"role": "assistant", "content": "<debug_launch>{}</debug_launch>"},
]


@pytest.mark.asyncio
async def test_a_transcript_is_shown_dumped_and_its_tools_listed(client: LanguageClient, workspace: Path) -> None:
    line = json.dumps({"messages": CHAT}, ensure_ascii=False)
    opened = written(client, workspace / "debug" / "chat.jsonl", line + "\n", "jsonl")
    # pygls gives it no types.
    send: Any = client.protocol.send_request_async
    asked = {"textDocument": {"uri": opened.uri}}
    page = await send("callwright/preview", asked)
    assert "<!DOCTYPE html>" in page.html or "<!doctype html>" in page.html
    dumped = await send("callwright/session", asked)
    assert [turn["role"] for turn in json.loads(dumped.json)["messages"]] == ["user", "assistant"]
    listed = await send("callwright/tools", {})
    names = {tool.name for project in listed.projects for source in project.sources for tool in source.tools}
    assert {"debug_launch", "append_to_report"} <= names
