"""The main job over standard input and output: prompts with faults, their diagnostics, their fixes, completion."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from e2e.stdio import Opened


@pytest.mark.asyncio
async def test_children_are_converted_to_json(client: LanguageClient, workspace: Path) -> None:
    opened = Opened(client, workspace / "debug" / "agent.prompt")
    before = opened.text
    (found,) = await opened.diagnostics()
    assert found.range.start == opened.position("🚀 <")
    assert found.code_description is not None
    assert found.code_description.href.startswith("file:///")
    await opened.fix("Convert")
    json = '<debug_launch>{"program": "src/app/main.py", "mode": "pytest", "args": ["--verbose"]}</debug_launch>'
    start, end = before.index("<debug_launch>"), before.index("</debug_launch>") + len("</debug_launch>")
    assert opened.text == before[:start] + json + before[end:]
    assert await opened.diagnostics() == []


@pytest.mark.asyncio
async def test_markup_in_a_value_is_wrapped_in_cdata(client: LanguageClient, workspace: Path) -> None:
    opened = Opened(client, workspace / "report" / "research.prompt")
    before = opened.text
    assert await opened.diagnostics()
    await opened.fix("Wrap")
    value = before[before.index("<content>") + len("<content>") : before.index("</content>")]
    assert opened.text == before.replace(value, f"<![CDATA[{value}]]>")
    assert await opened.diagnostics() == []


@pytest.mark.asyncio
async def test_a_new_call_is_completed_step_by_step(client: LanguageClient, workspace: Path) -> None:
    opened = Opened(client, workspace / "debug" / "agent.prompt")
    await opened.fix("Convert")
    end = opened.position(opened.text)
    opened.change([types.TextEdit(types.Range(end, end), "\n🐞 <debug_la")])
    where = types.CompletionParams(opened.identifier, opened.position("🐞 <debug_la"))
    offered = await client.text_document_completion_async(where)
    assert isinstance(offered, types.CompletionList)
    item = next(one for one in offered.items if one.label == "debug_launch")
    assert item.insert_text_format == types.InsertTextFormat.Snippet
    assert isinstance(item.text_edit, types.TextEdit)
    snippet = item.text_edit.new_text
    assert snippet == 'debug_launch>{"program": "$1"}</debug_launch>$0'
    typed = snippet.replace("$1", 'x.py", "').replace("$0", "")
    opened.change([types.TextEdit(item.text_edit.range, typed)])
    where = types.CompletionParams(opened.identifier, opened.position('x.py", "'))
    offered = await client.text_document_completion_async(where)
    assert isinstance(offered, types.CompletionList)
    labels = [one.label for one in offered.items]
    assert "mode" in labels
    assert "program" not in labels
