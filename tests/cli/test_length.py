"""What is known at first about a text that takes long to read as a whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from callwright.cli.main import main
from callwright.cli.support import large

FAULT = "<read_file>\n<paht>a</paht>\n</read_file>\n"
RECORD = json.dumps({"messages": [{"role": "assistant", "content": FAULT}]}) + "\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CALLWRIGHT_NO_CACHE", "1")
    (tmp_path / "a.prompt").write_text(FAULT * 10, encoding="utf-8")
    (tmp_path / "b.prompt").write_text(FAULT, encoding="utf-8")
    (tmp_path / "callwright.toml").write_text("shipped = true\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("jobs", [(), ("--jobs", "2")], ids=["alone", "shared"])
def test_a_long_text_is_reported_and_checked_all_the_same(
    folder: Path, jobs: tuple[str, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    code = main(["check", *jobs, "a.prompt", "b.prompt"])
    plain = capfd.readouterr()
    assert code == 1
    assert "large file" not in plain.err
    (folder / "callwright.toml").write_text("shipped = true\nmax_characters = 200\n", encoding="utf-8")
    assert main(["check", *jobs, "a.prompt", "b.prompt"]) == code
    reported = capfd.readouterr()
    assert reported.out == plain.out
    stated = [line for line in reported.err.splitlines() if "large file" in line]
    assert len(stated) == 1
    assert f"a.prompt: large file ({len(FAULT) * 10} characters)" in stated[0]
    assert "`max_characters`" in stated[0]


def test_lines_that_are_read_one_by_one_are_not_reported_of(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(large, "LARGE", 0)
    (folder / "callwright.toml").write_text(
        'shipped = true\nmax_characters = 200\nfiles = ["*.jsonl"]\n', encoding="utf-8"
    )
    (folder / "c.jsonl").write_text(RECORD * 10, encoding="utf-8")
    assert main(["check", "c.jsonl"]) == 1
    reported = capfd.readouterr()
    assert "read_file" in reported.out
    assert "large file" not in reported.err
