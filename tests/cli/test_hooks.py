"""What others run: the hooks of pre-commit, and the action of GitHub with its script."""

import json
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
ACTION = ROOT / ".github" / "actions" / "callwright"
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


def test_the_action_hands_every_input_to_its_script_as_text() -> None:
    action = read(ACTION / "action.yml")
    script = (ACTION / "run.sh").read_text(encoding="utf-8")
    [step] = action["runs"]["steps"]
    assert action["runs"]["using"] == "composite"
    assert step["shell"] == "bash"
    assert "${{" not in step["run"]
    passed = " ".join([*step["env"].values(), step["working-directory"]])
    assert all(f"inputs.{name} " in passed for name in action["inputs"])
    assert all(f"${{{name}:-" in script or f"${name}" in script for name in step["env"])
    assert all(f'echo "{name}=' in script for name in action["outputs"])
    assert all(given["description"] for given in (*action["inputs"].values(), *action["outputs"].values()))


def act(folder: Path, **inputs: str) -> tuple["subprocess.CompletedProcess[str]", dict[str, str]]:
    """Run the action's script with inputs as a workflow gives them; return what came of it, and its outputs."""
    action = read(ACTION / "action.yml")
    given = {name: str(one["default"]) for name, one in action["inputs"].items()} | {"package": ""} | inputs
    [step] = action["runs"]["steps"]
    passed = {
        variable: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: given[match[1]], text)
        for variable, text in step["env"].items()
    }
    output = folder.parent / "output"
    output.write_text("", encoding="utf-8")
    done = run(
        folder,
        ["bash", "-c", step["run"]],
        GITHUB_ACTION_PATH=str(ACTION),
        GITHUB_OUTPUT=str(output),
        RUNNER_TEMP=str(folder.parent / "temp"),
        **passed,
    )
    return done, dict(line.split("=", 1) for line in output.read_text(encoding="utf-8").splitlines())


@needs_bash
def test_the_action_shows_diagnostics_beside_the_lines(folder: Path) -> None:
    (folder / "a.prompt").write_text(FAULTY, encoding="utf-8")
    done, outputs = act(folder)
    assert (done.returncode, done.stderr, outputs) == (1, "", {"exit-code": "1"})
    assert done.stdout.startswith("::error title=Callwright (TC207),file=a.prompt,line=1,col=33,")
    (folder / "a.prompt").write_text(CLEAN, encoding="utf-8")
    done, outputs = act(folder)
    assert (done.returncode, done.stdout, outputs) == (0, "", {"exit-code": "0"})


@needs_bash
def test_the_action_writes_a_sarif_log_and_need_not_fail(folder: Path) -> None:
    (folder / "a.prompt").write_text(FAULTY, encoding="utf-8")
    done, outputs = act(folder, **{"sarif-file": "out/log.sarif", "fail-on-findings": "false"})
    assert (done.returncode, outputs) == (0, {"exit-code": "1", "sarif-file": "out/log.sarif"})
    log = json.loads((folder / "out" / "log.sarif").read_text(encoding="utf-8"))
    assert [one["ruleId"] for one in log["runs"][0]["results"]] == ["TC207"]


@needs_bash
def test_the_action_takes_paths_and_options_word_for_word(folder: Path) -> None:
    for name in ("a b.prompt", "$(touch x).prompt", "--fix", "c.prompt"):
        (folder / name).write_text(FAULTY, encoding="utf-8")
    paths = "a b.prompt\n\n$(touch x).prompt\r\n--fix\n"
    done, _ = act(folder, paths=paths, args="--ignore TC1 --ignore *", **{"output-format": "concise"})
    assert done.returncode == 2  # `*` is not a rule, and no list of files either
    assert "`*`" in done.stderr
    done, _ = act(folder, paths=paths, args="  --ignore\n TC1 ", **{"output-format": "concise"})
    assert done.returncode == 1
    assert "Checked 3 files: 3 errors." in done.stdout
    assert sorted(os.listdir(folder)) == [  # noqa: PTH208
        *("$(touch x).prompt", "--fix", ".git", "a b.prompt", "c.prompt", "callwright.toml")
    ]


@needs_bash
def test_the_action_always_fails_where_something_could_not_be_done(folder: Path) -> None:
    done, outputs = act(folder, paths="nowhere", **{"fail-on-findings": "false", "sarif-file": "log.sarif"})
    assert (done.returncode, outputs) == (2, {"exit-code": "2"})
    assert not (folder / "log.sarif").exists()


@needs_bash
def test_the_action_installs_what_it_is_reported_to(folder: Path) -> None:
    (folder / "a.prompt").write_text(CLEAN, encoding="utf-8")
    python = folder.parent / "bin" / "python3"
    # A fake Python: the pip of its environments only reports what it was asked for.
    python.write_text(
        '#!/bin/sh\nset -e\nmkdir -p "$3/bin"\n'
        f'printf \'#!/bin/sh\\nprintf "%%s\\\\n" "$*" > "{folder.parent}/asked"\\n\' > "$3/bin/python"\n'
        f'cp "{folder.parent}/bin/callwright" "$3/bin/callwright"\nchmod +x "$3/bin/python"\n',
        encoding="utf-8",
    )
    python.chmod(0o755)
    done, _ = act(folder, package="callwright==0.1.0")
    assert (done.returncode, done.stderr) == (0, "")
    asked = (folder.parent / "asked").read_text(encoding="utf-8")
    assert asked == "-m pip install --quiet --disable-pip-version-check -- callwright==0.1.0\n"
