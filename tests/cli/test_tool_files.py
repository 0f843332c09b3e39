"""`callwright check` of tool files: those that the configuration names, and those that plainly are some."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from callwright.cli.main import main

KIT = {"tools": [{"name": "read", "description": "Reads.", "inputSchema": {"type": "objekt"}}]}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    return tmp_path


def codes(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    main(["check", "--output-format", "json", *words])
    return [each["code"] for each in json.loads(capsys.readouterr().out)["diagnostics"]]


def test_what_plainly_is_a_tool_file_is_checked_as_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "kit.json").write_text(json.dumps(KIT), encoding="utf-8")
    assert codes(capsys, "kit.json") == ["TC503"]


def test_a_request_with_tools_is_a_transcript(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    request = {**KIT, "messages": [{"role": "user", "content": "Hello."}]}
    (folder / "chat.json").write_text(json.dumps(request), encoding="utf-8")
    assert "TC503" not in codes(capsys, "chat.json")


def test_a_python_file_is_a_tool_file_where_it_is_named_and_else_holds_prompts(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = '@tool\ndef read(path: Unknown) -> str:\n    """Reads.\n\n    <read_file><path>a</read_file>\n    """\n'
    (folder / "kit.py").write_text(text, encoding="utf-8")
    assert "TC540" not in codes(capsys, "kit.py")
    (folder / "callwright.toml").write_text('tools = ["kit.py"]\n', encoding="utf-8")
    assert "TC540" in codes(capsys, "kit.py")


def test_a_fix_is_written_into_a_tool_file_that_is_named_alone(folder: Path) -> None:
    kit = {"tools": [{"name": "read", "description": "Reads.", "inputSchema": {"properties": {}}}]}
    (folder / "kit.json").write_text(json.dumps(kit), encoding="utf-8")
    main(["check", "--fix", "kit.json"])
    assert json.loads((folder / "kit.json").read_text(encoding="utf-8"))["tools"][0]["inputSchema"]["type"] == "object"
