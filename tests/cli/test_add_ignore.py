"""`callwright check --add-ignore`: comments for all that is found."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from callwright.cli.main import main

FAULTY = b"Hi\r\n<raed_file><path>a</path></raed_file>\r\n"
IGNORED = b"Hi\r\n<!-- callwright: ignore[TC301] -->\r\n<raed_file><path>a</path></raed_file>\r\n"
TOOLS = [{"name": "read_file", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}}}]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS), "utf-8")
    (tmp_path / "callwright.toml").write_text('tools = ["tools.json"]\nignore = ["TC508", "TC509"]\n', "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_second_run_finds_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = folder / "a.prompt"
    file.write_bytes(b"\xef\xbb\xbf" + FAULTY)
    assert main(["check", "--add-ignore", "a.prompt"]) == 0
    assert file.read_bytes() == b"\xef\xbb\xbf" + IGNORED
    assert capsys.readouterr().out == "Checked 1 file: no diagnostics. Ignored 1.\n"
    assert main(["check", "--add-ignore", "a.prompt"]) == 0
    assert capsys.readouterr().out == "Checked 1 file: no diagnostics.\n"
    assert file.read_bytes() == b"\xef\xbb\xbf" + IGNORED


def test_a_diff_changes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.prompt").write_bytes(FAULTY)
    assert main(["check", "--add-ignore", "--reason", "old names", "--diff", "a.prompt"]) == 1
    out, err = capsys.readouterr()
    assert "+<!-- callwright: ignore[TC301]: old names -->" in out
    assert "-<raed_file>" not in out
    assert err == "Checked 1 file: 1 error. Would ignore 1.\n"
    assert (folder / "a.prompt").read_bytes() == FAULTY


def test_what_can_be_fixed_is_fixed_first(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = folder / "a.prompt"
    file.write_text("<raed_file><path>a</path></raed_file>\n<read_file><limit>1</limit></read_file>\n", "utf-8")
    assert main(["check", "--fix", "--add-ignore", "a.prompt"]) == 0
    assert file.read_text("utf-8") == (
        "<read_file><path>a</path></read_file>\n"
        "<!-- callwright: ignore[TC303] -->\n<read_file><limit>1</limit></read_file>\n"
    )
    assert capsys.readouterr().out == "Checked 1 file: no diagnostics. Ignored 1. Fixed 1.\n"


def test_where_no_comment_is_possible_the_diagnostic_stays(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stated = {"role": "assistant", "content": "<raed_file><path>a</path></raed_file>"}
    file = folder / "a.json"
    file.write_text(json.dumps({"messages": [{"role": "user", "content": "hi"}, stated]}), "utf-8")
    before = file.read_bytes()
    assert main(["check", "--add-ignore", "--output-format", "json", "a.json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert "TC301" in json.dumps(found)
    assert file.read_bytes() == before


def test_standard_input_goes_to_standard_output(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(FAULTY), encoding="utf-8"))
    assert main(["check", "--add-ignore", "-"]) == 0
    out, err = capfdbinary.readouterr()
    assert (out, err) == (IGNORED, b"Checked 1 file: no diagnostics. Ignored 1.\n")


def test_a_reason_needs_something_to_be_ignored(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.prompt").write_bytes(FAULTY)
    assert main(["check", "--reason", "why", "a.prompt"]) == 2
    assert "`--add-ignore`" in capsys.readouterr().err
