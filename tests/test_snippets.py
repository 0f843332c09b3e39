"""The snippets of the editor's extension: each is what the engine reads, even before anyone has filled it in."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from callwright.declarations.load import read_tools
from callwright.document.settings import Settings
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.tools.registry import ToolRegistry

FOLDER = Path(__file__).parents[1] / "client-vscode" / "snippets"
SNIPPETS = [
    pytest.param(language.stem, snippet, id=f"{language.stem}: {title}")
    for language in sorted(FOLDER.glob("*.json"))
    for title, snippet in json.loads(language.read_text(encoding="utf-8")).items()
]
TOOLS = '[{"name": "tool_name", "inputSchema": {"type": "object", "properties": {"parameter": {"type": "string"}}}}]'


def expanded(body: list[str]) -> str:
    """Return the text that the editor writes, with every default left as it is."""
    text = "\n".join(body)
    text = re.sub(r"\$\{\d+\|([^,|]*)[^|]*\|\}", r"\1", text)
    before = ""
    while before != text:
        before = text
        text = re.sub(r"\$\{\d+:([^${}]*)\}", r"\1", text)
        text = re.sub(r"\$\{TM_SELECTED_TEXT\}|\$\{\d+\}|\$\d", "", text)
    return text


def registry() -> ToolRegistry:
    return read_tools(TOOLS, "tools.json")


@pytest.mark.parametrize(("language", "snippet"), SNIPPETS)
def test_a_snippet_is_what_it_states(language: str, snippet: dict[str, Any]) -> None:
    text = expanded(snippet["body"])
    assert "$" not in text
    prefix = snippet["prefix"]
    if language == "json":
        tools = read_tools(text if prefix == "tool-file" else f'{{"tools": [{text}]}}', "tools.json")
        (tool,) = tools.tools
        assert tool.name == "tool_name"
        assert tool.parameters["parameter"].required
        return
    path = "a.prompt" if language == "prompt" else "a.md"
    snapshot = open_snapshot(text + "\n", path=path, registry=registry(), settings=Settings())
    if prefix.startswith("call-"):
        (placed,) = snapshot.placed_calls()
        assert (placed.call.dialect, placed.binding.arguments) == (prefix.removeprefix("call-"), {"parameter": "value"})
        assert not list(diagnostics(snapshot))
    elif prefix.startswith("callwright-"):
        assert {found.name for found in diagnostics(snapshot)} <= {"unused-suppression", "unmet-expectation"}
    elif prefix == "tools-block":
        assert [found.name for found in diagnostics(snapshot)] == ["stale-tools-block"]
    else:
        assert text == "<![CDATA[]]>"


def test_what_they_begin_with_is_unique_and_plain() -> None:
    for language in FOLDER.glob("*.json"):
        prefixes = [snippet["prefix"] for snippet in json.loads(language.read_text(encoding="utf-8")).values()]
        assert len(set(prefixes)) == len(prefixes)
        assert all(re.fullmatch(r"[a-z-]+", prefix) for prefix in prefixes)
