"""Document symbols over standard input and output."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from e2e.stdio import Opened, written

TEXT = '🐞 <debug_launch>{"program": "main.py"}</debug_launch>\n'


async def symbols_of(client: LanguageClient, opened: Opened) -> list[types.DocumentSymbol]:
    found = await client.text_document_document_symbol_async(types.DocumentSymbolParams(opened.identifier))
    return [one for one in found or [] if isinstance(one, types.DocumentSymbol)]


@pytest.mark.asyncio
async def test_a_prompt_is_outlined(client: LanguageClient, workspace: Path) -> None:
    opened = written(client, workspace / "debug" / "outline.prompt", TEXT)
    (call,) = await symbols_of(client, opened)
    assert (call.name, call.kind) == ("debug_launch", types.SymbolKind.Function)
    assert call.selection_range.start == opened.position("🐞 <")
    (argument,) = call.children or []
    assert (argument.name, argument.detail) == ("program", "main.py")


@pytest.mark.asyncio
async def test_a_tool_file_is_outlined(client: LanguageClient, workspace: Path) -> None:
    # A prompt must be open for the server to know which files define tools.
    Opened(client, workspace / "debug" / "agent.prompt")
    opened = Opened(client, workspace / "debug" / "tools" / "debug.json")
    tools = await symbols_of(client, opened)
    launch = next(tool for tool in tools if tool.name == "debug_launch")
    assert [child.name for child in launch.children or []][:2] == ["program", "mode"]
    assert opened.text.splitlines()[launch.selection_range.start.line].strip().startswith('"name": "debug_launch"')


@pytest.mark.asyncio
async def test_sections_and_headings_are_outlined_around_calls(client: LanguageClient, workspace: Path) -> None:
    text = f"# Task\n\n<rules>\nBe brief. 🐞\n{TEXT}</rules>\n\n<notes>\n"
    opened = written(client, workspace / "debug" / "sections.prompt", text)
    (task,) = await symbols_of(client, opened)
    rules, notes = task.children or []
    assert [(one.name, one.kind) for one in (task, rules, notes)] == [
        ("Task", types.SymbolKind.String),
        ("rules", types.SymbolKind.Field),
        ("notes", types.SymbolKind.Field),
    ]
    assert [one.name for one in rules.children or []] == ["debug_launch"]
    # An edit above moves them, and one in the closer opens the section again.
    opened.change([types.TextEdit(types.Range(opened.position(""), opened.position("")), "Hello.\n\n")])
    (task,) = await symbols_of(client, opened)
    assert task.range.start == types.Position(2, 0)
    opened.change([types.TextEdit(types.Range(opened.position(f"{TEXT}</"), opened.position(f"{TEXT}</")), "other_")])
    (task,) = await symbols_of(client, opened)
    (rules,) = task.children or []
    assert [one.name for one in rules.children or []] == ["debug_launch", "notes"]
