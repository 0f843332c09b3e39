"""`demo`: it writes a workspace, and the real commands find and fix what is in it."""

import re
from pathlib import Path

import pytest

from callwright.cli.demo import workspace
from callwright.cli.main import main


def test_the_demo_finds_faults_fixes_some_and_leaves_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["demo"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    before, would, after = re.findall(r"^Checked .*", out, re.MULTILINE)
    fixed = re.search(r"Would fix (\d+)\.$", would)
    assert fixed is not None
    assert int(fixed[1]) >= 8
    assert f"Fixed {fixed[1]}." in after
    assert "error" in before
    assert "error" in after
    changed = {
        name for name, (text, _) in workspace().items() if (tmp_path / "demo-workspace" / name).read_text() != text
    }
    assert changed == {"prompts/system.prompt", "docs/debugging.md", "transcripts/sessions.jsonl"}
    # What was shown is what the commands say when they are typed.
    assert main(["check", "demo-workspace"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == after.replace(f" Fixed {fixed[1]}.", "")


def test_the_demo_runs_again_in_its_own_folder_and_in_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert main(["demo", str(tmp_path / "empty")]) == 0
    assert main(["demo", str(tmp_path / "empty")]) == 0


@pytest.mark.parametrize("name", ["notes.txt", "callwright.toml"])
def test_a_folder_with_something_else_in_it_is_left_alone(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text("mine\n")
    assert main(["demo", str(tmp_path)]) == 2
    assert "is not empty and was not made by the demo" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_file_is_no_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert main(["demo", str(tmp_path / "file")]) == 2
    assert "is a file; name a folder" in capsys.readouterr().err


def test_the_demo_writes_through_no_link(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", str(tmp_path / "demo")]) == 0
    (tmp_path / "mine.txt").write_text("mine\n")
    (tmp_path / "demo" / "docs" / "debugging.md").unlink()
    (tmp_path / "demo" / "docs" / "debugging.md").symlink_to(tmp_path / "mine.txt")
    assert main(["demo", str(tmp_path / "demo")]) == 2
    assert "is a symbolic link" in capsys.readouterr().err
    assert (tmp_path / "mine.txt").read_text() == "mine\n"


def test_the_files_can_be_left_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", str(tmp_path / "sample"), "--write-only"]) == 0
    assert "TC" not in capsys.readouterr().out
    for name, (text, _) in workspace().items():
        assert (tmp_path / "sample" / name).read_text(encoding="utf-8") == text
