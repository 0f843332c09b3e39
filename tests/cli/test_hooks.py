"""The hooks of pre-commit, as they are run."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

import callwright
from cli.test_process import environment

ROOT = Path(callwright.__file__).parents[2]
CLEAN = '<debug_launch>{"program": "a.py"}</debug_launch>\n'
FAULTY = '<debug_launch>{"program": "a.py",}</debug_launch>\n'

needs_bash = pytest.mark.skipif(shutil.which("bash") is None or os.name == "nt", reason="bash is not installed")


def read(path: Path) -> Any:
    return YAML(typ="safe").load(path.read_text(encoding="utf-8"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project, and beside it a folder with `callwright` to be put on the path."""
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "callwright"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m callwright "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / "callwright.toml").write_text("shipped = true\n", encoding="utf-8")
    return project


def run(folder: Path, words: list[str], **more: str) -> "subprocess.CompletedProcess[str]":
    path = os.pathsep.join([str(folder.parent / "bin"), os.environ["PATH"]])
    return subprocess.run(
        words, cwd=folder, env=environment(PATH=path, **more), capture_output=True, text=True, check=False, timeout=120
    )


def hooks() -> dict[str, dict[str, Any]]:
    return {hook["id"]: hook for hook in read(ROOT / ".pre-commit-hooks.yaml")}


def test_hooks_report_what_pre_commit_asks_for() -> None:
    for hook in hooks().values():
        # https://pre-commit.com/#creating-new-hooks
        assert {"id", "name", "entry", "language"} <= set(hook)
        assert hook["language"] == "python"
        if "files" not in hook:
            # It goes by the project, and not by what a commit changes.
            assert (hook["always_run"], hook["pass_filenames"]) == (True, False)
            continue
        assert re.search(hook["files"], "prompts/a.prompt")
        assert not re.search(hook["files"], "a.promptx")


@needs_bash
@pytest.mark.parametrize(("name", "code", "after"), [("callwright-check", 1, FAULTY), ("callwright-fix", 1, CLEAN)])
def test_a_hook_does_what_it_states(name: str, code: int, after: str, folder: Path) -> None:
    (folder / "a.prompt").write_text(FAULTY, encoding="utf-8")
    (folder / "old.prompt").write_text(FAULTY, encoding="utf-8")
    (folder / "callwright.toml").write_text('shipped = true\nexclude = ["old*"]\n', encoding="utf-8")
    words = shlex.split(hooks()[name]["entry"])
    assert run(folder, [*words, "a.prompt", "old.prompt"]).returncode == code
    assert (folder / "a.prompt").read_text(encoding="utf-8") == after
    assert (folder / "old.prompt").read_text(encoding="utf-8") == FAULTY
    # Nothing is left to check, and that is not a failure of a commit.
    assert run(folder, [*words, "old.prompt"]).returncode == 0


@needs_bash
def test_the_hook_of_a_project_sees_what_the_configuration_adds(folder: Path) -> None:
    """A commit that changes but a tool file, or the configuration, is checked like one that changes prompts."""
    words = shlex.split(hooks()["callwright-project"]["entry"])
    assert run(folder, words).returncode == 0
    schema = '{"type": "object", "properties": {"%s": {"type": "string", "description": "D."}}}'
    tools = f'[{{"name": "run_it", "description": "Runs.", "inputSchema": {schema}}}]'
    (folder / "callwright.toml").write_text('tools = ["tools.json"]\nfiles = ["docs/*.txt"]\n', encoding="utf-8")
    (folder / "tools.json").write_text(tools % "path", encoding="utf-8")
    (folder / "docs").mkdir()
    (folder / "docs" / "a.txt").write_text("<run_it><path>a</path></run_it>\n", encoding="utf-8")
    done = run(folder, words)
    assert (done.returncode, done.stdout) == (0, "")
    (folder / "tools.json").write_text(tools % "file", encoding="utf-8")
    done = run(folder, words)
    assert done.returncode == 1
    assert "docs/a.txt:1:10: warning TC303" in done.stdout
