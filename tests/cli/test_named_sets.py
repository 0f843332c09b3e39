"""A shipped tool set that is named is as closed as a tool file: no command takes a tool that it does not have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from callwright.cli.main import main

FENCED = '```json\n{"tool": "made_up", "arguments": {"code": "1"}}\n```\n'
ACTION = '```json\n{"action": "run_code"}\n```\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reply.md").write_text(FENCED, encoding="utf-8")
    (tmp_path / "action.md").write_text(ACTION, encoding="utf-8")
    turns = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": FENCED}]
    (tmp_path / "chat.json").write_text(json.dumps(turns), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("words", [["check", "reply.md"], ["feedback", "reply.md"], ["replay", "chat.json"]])
@pytest.mark.parametrize("how", ["key", "option"])
def test_an_unknown_tool_is_an_error(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], how: str
) -> None:
    if how == "key":
        (folder / "callwright.toml").write_text('shipped = ["windlass"]\n', encoding="utf-8")
    assert main([*words, *(["--shipped", "windlass"] if how == "option" else [])]) == 1
    assert "`made_up` is not a tool" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["check", "--strict"], ["feedback", "--dialect", "fenced-json"]])
def test_a_tool_of_the_set_under_another_key_is_no_answer(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    (folder / "callwright.toml").write_text('shipped = ["windlass"]\n', encoding="utf-8")
    assert main([*words, "action.md"]) == 1
    assert "run_code" in capsys.readouterr().out


def test_a_set_that_is_not_named_makes_no_name_an_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "callwright.toml").write_text("shipped = true\n", encoding="utf-8")
    assert main(["check", "reply.md"]) == 0
    assert "made_up" not in capsys.readouterr().out


def test_a_tool_file_with_a_fault_is_no_tool_file_to_a_strict_command(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "kit.json").write_text('[{"name": "f", "inputSchema": {"type": "objekt"}}]', encoding="utf-8")
    assert main(["feedback", "reply.md", "--tools", "kit.json", "--dialect", "fenced-json"]) == 2
    assert "the tool `f` in `" in capsys.readouterr().err
