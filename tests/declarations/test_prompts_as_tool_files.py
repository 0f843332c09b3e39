"""A prompt that documents tools is a tool file: in a configuration, on the command line, for export."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from callwright.cli.main import main
from callwright.config import load_project
from callwright.declarations.documents import read_tools_of
from callwright.declarations.load import load_tools
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot

PROMPT = """# Tools

## read_file
Description: Read a file from the disk.
Parameters:
- path: (required) Where the file is.

```json
{"name": "search", "description": "Search.", "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}}
```
"""  # noqa: E501  a definition is on one line
CALLS = "<read_file><pth>a.py</pth></read_file>\n\n<search><query>x</query></search>\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prompts").mkdir()
    prompt = PROMPT.replace("\n```json", "\n# More\n\n```json")
    (tmp_path / "prompts" / "system.md").write_text(prompt, encoding="utf-8")
    (tmp_path / "calls.prompt").write_text(CALLS, encoding="utf-8")
    return tmp_path


def test_the_tools_of_a_prompt_have_places(folder: Path) -> None:
    file = "prompts/system.md"
    text = (folder / file).read_text(encoding="utf-8")
    document = read_tools_of(text, file)
    assert document.format == "prompt"
    assert [each.tool.name for each in document.definitions] == ["read_file", "search"]
    for each in document.definitions:
        assert each.tool.origin.file == file
        assert document.places.value(each.name_path).of(text).strip('"') == each.tool.name
        assert each.schema_path is not None
        for name in each.tool.parameters:
            assert document.places.key((*each.schema_path, "properties", name)).of(text).strip('"') == name


def test_a_configuration_names_a_prompt(folder: Path) -> None:
    (folder / "callwright.toml").write_text('tools = ["prompts/system.md"]\n', encoding="utf-8")
    project = load_project(folder / "callwright.toml")
    assert not project.problems
    assert project.registry.names == ("read_file", "search")
    assert project.registry.closed
    path = str(folder / "prompts" / "system.md")
    prompt = open_snapshot(
        Path(path).read_text(encoding="utf-8"),
        path=path,
        registry=project.registry,
        settings=project.settings,
        host=project.host_of(path),
    )
    assert prompt.host.name == "markdown"
    assert diagnostics(prompt) == []


@pytest.mark.parametrize("words", [["--tools", "prompts/system.md"], []], ids=["named", "configured"])
def test_check_takes_a_prompt_for_the_tools(folder: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    if not words:
        (folder / "callwright.toml").write_text('tools = ["prompts/system.md"]\n', encoding="utf-8")
    assert main(["check", "calls.prompt", "--output-format", "json", *words]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [each["code"] for each in (found["diagnostics"] if isinstance(found, dict) else found)] == ["TC303"]


def test_export_writes_the_tools_of_a_prompt(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tools", "export", "prompts/system.md"]) == 0
    written = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in written["tools"]] == ["read_file", "search"]
    assert written["tools"][0]["inputSchema"]["required"] == ["path"]


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.md", "Be kind, and answer in short sentences.\n", "the file documents no tools"),
        ("a.txt", "", "the file is empty"),
        ("tools", "[1]", "this is not a tool definition in any known format"),
    ],
)
def test_a_file_without_tools_states_so(tmp_path: Path, name: str, text: str, reason: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    registry = load_tools(tmp_path / name)
    assert not registry.tools
    assert [each.problem.data["reason"] for each in registry.problems] == [reason]


def test_rename_goes_through_the_prompt_and_its_calls(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "callwright.toml").write_text('tools = ["prompts/system.md"]\n', encoding="utf-8")
    calls = CALLS.replace("pth", "path")
    (folder / "calls.prompt").write_text(calls, encoding="utf-8")
    assert main(["rename", "read_file", "open_file", "--write"]) == 0, capsys.readouterr().out
    assert "## open_file\n" in (folder / "prompts" / "system.md").read_text(encoding="utf-8")
    assert "<open_file><path>a.py</path></open_file>" in (folder / "calls.prompt").read_text(encoding="utf-8")
