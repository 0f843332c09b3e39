"""Completion over standard input and output: in a dialect without tags of its own, with descriptions on demand."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from e2e.stdio import Opened, written


async def offered(client: LanguageClient, opened: Opened, before: str) -> list[types.CompletionItem]:
    asked = types.CompletionParams(opened.identifier, opened.position(before))
    found = await client.text_document_completion_async(asked)
    assert isinstance(found, types.CompletionList)
    return list(found.items)


def take(opened: Opened, item: types.CompletionItem, filled: str = "") -> None:
    """Take a completion as an editor does, with a text in its first place."""
    assert isinstance(item.text_edit, types.TextEdit)
    text = item.text_edit.new_text.replace("$1", filled).replace("$0", "")
    opened.change([types.TextEdit(item.text_edit.range, text)])


@pytest.mark.asyncio
async def test_a_call_is_written_from_its_name_to_its_values(client: LanguageClient, workspace: Path) -> None:
    opened = written(client, workspace / "debug" / "new.prompt", '🐞\n\n<tool_call>\n{"name": "debug_l')
    (item,) = [one for one in await offered(client, opened, "debug_l") if one.label == "debug_launch"]
    take(opened, item, "main.py")
    assert opened.text.endswith('{"name": "debug_launch", "arguments": {"program": "main.py"}}\n</tool_call>')
    opened.change([types.TextEdit(types.Range(opened.position('main.py"'), opened.position('main.py"')), ', "mo')])
    (item,) = [one for one in await offered(client, opened, ', "mo') if one.label == "mode"]
    assert item.documentation is None
    resolved = await client.completion_item_resolve_async(item)
    assert resolved.label == "mode"
    assert isinstance(resolved.documentation, types.MarkupContent)
    assert "argument of `debug_launch`" in resolved.documentation.value
    assert resolved.text_edit == item.text_edit


@pytest.mark.asyncio
async def test_paths_are_those_of_the_folder(client: LanguageClient, workspace: Path) -> None:
    text = '<debug_set_breakpoint>{"line": 1, "path": "do'
    opened = written(client, workspace / "debug" / "paths.prompt", text)
    labels = [item.label for item in await offered(client, opened, '"do')]
    assert "docs/" in labels
    assert "agent.prompt" in labels
    outside = written(client, workspace / "debug" / "outside.prompt", text.removesuffix("do") + "../")
    assert [item.label for item in await offered(client, outside, '"../')] == []


@pytest.mark.asyncio
async def test_a_value_is_reported_as_it_is_decoded(client: LanguageClient, workspace: Path) -> None:
    text = '🐞 <debug_launch>{"program": "a\\tb \\u00e9"}</debug_launch>\n'
    opened = written(client, workspace / "debug" / "hover.prompt", text)
    asked = types.HoverParams(opened.identifier, opened.position('"program": "a'))
    found = await client.text_document_hover_async(asked)
    assert found is not None
    assert isinstance(found.contents, types.MarkupContent)
    assert "a\tb é" in found.contents.value


@pytest.mark.asyncio
async def test_a_section_is_closed(client: LanguageClient, workspace: Path) -> None:
    text = "<tone>\n🐞\n<rules>\nBe brief.\n"
    opened = written(client, workspace / "debug" / "sections.prompt", f"{text}</\n</tone>\n")
    (item,) = await offered(client, opened, f"{text}</")
    take(opened, item)
    assert opened.text == f"{text}</rules>\n</tone>\n"
    closed = f"{opened.text}</"
    opened = written(client, workspace / "debug" / "closed.prompt", closed)
    assert await offered(client, opened, closed) == []
