"""The action: its steps are run as a workflow runs them, in a clone, with events as the code host records them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from ruamel.yaml import YAML

from cli.test_process import environment
from packages.locked import ROOT
from packages.versions import current

EVENTS = Path(__file__).parent / "events"
SCRIPTS = ROOT / ".github" / "action"
CLEAN = '<debug_launch>{"program": "a.py"}</debug_launch>\n'
FAULTY = '<debug_launch>{"program": "a.py",}</debug_launch>\n'
SHOWN = "::error title=Callwright (TC207),file={},line=1,col=33,"

pytestmark = pytest.mark.skipif(shutil.which("bash") is None or os.name == "nt", reason="bash is not installed")


def read(path: Path) -> Any:
    return YAML(typ="safe").load(path.read_text(encoding="utf-8"))


ACTION = read(ROOT / "action.yml")


class Run(NamedTuple):
    """What a run of the action's steps gives."""

    code: int
    stdout: str
    stderr: str
    outputs: dict[str, str]

    @property
    def annotated(self) -> list[str]:
        """The files of the diagnostics that are shown beside lines."""
        return re.findall(r"^::error title=Callwright \(\w+\),file=([^,]*),", self.stdout, re.MULTILINE)


def git(folder: Path, *words: str) -> str:
    identity = {f"GIT_{who}_{what}": "a@b.invalid" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", *words]
    done = subprocess.run(
        command, cwd=folder, env=os.environ | identity | settings, check=True, capture_output=True, encoding="utf-8"
    )
    return done.stdout.strip()


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    """A repository with a commit, and beside it a folder with `callwright` for the search path."""
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "callwright"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m callwright "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    project = tmp_path / "origin"
    project.mkdir()
    git(project, "init", "--quiet")
    commit(project, {"callwright.toml": "shipped = true\n", "old.prompt": FAULTY, "clean.prompt": CLEAN})
    git(project, "config", "uploadpack.allowAnySHA1InWant", "true")
    return project


def commit(project: Path, files: dict[str, str | None]) -> str:
    """Write files, or delete them, and return the commit with the change."""
    for name, text in files.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).unlink() if text is None else (project / name).write_text(text, encoding="utf-8")
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", "A change")
    return git(project, "rev-parse", "HEAD")


def checked_out(origin: Path) -> Path:
    """Clone the last commit alone, as a checkout of a workflow does."""
    work = origin.parent / "work"
    git(origin, "clone", "--quiet", "--depth=1", f"file://{origin}", str(work))
    return work


def act(folder: Path, event: str = "", shas: tuple[str, str] = ("", ""), **inputs: str) -> Run:
    """Run the action's own steps in a folder; those of other actions leave their defaults."""
    given = {name: str(one["default"]) for name, one in ACTION["inputs"].items()} | {"version": "installed"}
    given |= {name.replace("_", "-"): text for name, text in inputs.items()}
    beside = folder.parent
    output = beside / "output"
    output.write_text("", encoding="utf-8")
    recorded = beside / "event.json"
    if event:
        text = (EVENTS / f"{event}.json").read_text(encoding="utf-8")
        recorded.write_text(text.replace("{base}", shas[0]).replace("{head}", shas[1]), encoding="utf-8")
    stdout = stderr = ""
    code = 0
    for step in (step for step in ACTION["runs"]["steps"] if "run" in step):
        passed = {
            name: re.sub(
                r"\$\{\{ (?:inputs\.([\w-]+)|steps\.[\w.-]+ \|\| '(\w+)') \}\}",
                lambda match: given[match[1]] if match[1] else match[2],
                text,
            )
            for name, text in step["env"].items()
        }
        assert not any("${{" in text for text in passed.values()), passed
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=folder,
            env=environment(
                PATH=os.pathsep.join([str(beside / "bin"), os.environ["PATH"]]),
                GITHUB_ACTION_PATH=str(ROOT),
                GITHUB_OUTPUT=str(output),
                GITHUB_EVENT_NAME=event.partition("-")[0] if event.startswith("push") else event,
                GITHUB_EVENT_PATH=str(recorded) if event else "",
                CALLWRIGHT_NO_CACHE="",
                PYTHONPATH="",  # what is installed is tried
                RUNNER_TEMP=str(beside / "temp"),
                **passed,
            ),
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=120,
        )
        stdout, stderr, code = stdout + done.stdout, stderr + done.stderr, done.returncode
    written = output.read_text(encoding="utf-8").splitlines()
    return Run(code, stdout, stderr, dict(line.split("=", 1) for line in written))


def test_every_input_reaches_the_script_as_text() -> None:
    assert ACTION["runs"]["using"] == "composite"
    script = (SCRIPTS / "run.sh").read_text(encoding="utf-8")
    steps = ACTION["runs"]["steps"]
    (step,) = [step for step in steps if "run" in step]
    assert step["shell"] == "bash"
    assert "${{" not in step["run"]
    used = json.dumps(steps)
    assert all(f"inputs.{name} " in used for name in ACTION["inputs"])
    assert all(f"${{{name}:-" in script for name in step["env"])
    assert all(f'echo "{name}=' in script for name in ACTION["outputs"])
    assert all(given["description"] for given in (*ACTION["inputs"].values(), *ACTION["outputs"].values()))


def test_actions_that_it_uses_are_pinned_by_commit() -> None:
    used = [step["uses"] for step in ACTION["runs"]["steps"] if "uses" in step]
    assert {name.partition("@")[0] for name in used} == {"actions/setup-python", "actions/cache"}
    assert all(re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", name) for name in used)


def test_diagnostics_are_shown_beside_the_lines(origin: Path) -> None:
    done = act(origin)
    assert (done.code, done.stderr, done.outputs) == (1, "", {"exit-code": "1"})
    assert done.stdout.startswith(SHOWN.format("old.prompt"))
    (origin / "old.prompt").write_text(CLEAN, encoding="utf-8")
    assert act(origin) == Run(0, "", "", {"exit-code": "0"})


@pytest.mark.parametrize("event", ["pull_request", "push", "merge_group"])
def test_only_what_an_event_changes_is_checked(event: str, origin: Path) -> None:
    base = git(origin, "rev-parse", "HEAD")
    head = commit(origin, {"prompts/new one.prompt": FAULTY, "README.txt": "x\n", "src/main.py": "x = 1\n"})
    work = checked_out(origin)
    done = act(work, event, (base, head), changed_only="true", sarif_file="log.sarif")
    summary = "Checked 1 file: 1 error. 1 fixable with `--fix`. Wrote log.sarif.\n"
    assert (done.code, done.annotated, done.stderr) == (1, ["prompts/new one.prompt"], summary)
    assert done.outputs == {"exit-code": "1", "sarif-file": "log.sarif"}
    log = json.loads((work / "log.sarif").read_text(encoding="utf-8"))
    places = [
        (one["ruleId"], place["physicalLocation"]["artifactLocation"]["uri"])
        for one in log["runs"][0]["results"]
        for place in one["locations"]
    ]
    assert places == [("TC207", "prompts/new%20one.prompt")]
    # The whole project has one more, which the change does not touch.
    assert act(work, event, (base, head)).annotated == ["old.prompt", "prompts/new one.prompt"]


def test_a_change_without_prompts_leaves_nothing_to_check(origin: Path) -> None:
    base = git(origin, "rev-parse", "HEAD")
    head = commit(origin, {"README.txt": "x\n"})
    work = checked_out(origin)
    done = act(work, "pull_request", (base, head), changed_only="true", sarif_file="log.sarif")
    summary = "Checked 1 file: no diagnostics. Wrote log.sarif.\n"
    assert done == Run(0, "", summary, {"exit-code": "0", "sarif-file": "log.sarif"})
    assert json.loads((work / "log.sarif").read_text(encoding="utf-8"))["runs"][0]["results"] == []


TOOLS = '[{"name": "run_it", "description": "Runs.", "inputSchema": {"type": "object"}}]\n'


@pytest.mark.parametrize(
    ("event", "change", "reason"),
    [
        (
            "push",
            {"callwright.toml": "shipped = true\nstrict = false\n"},
            "`callwright.toml` changed, and",
        ),
        ("pull_request", {"tools.json": TOOLS}, "`tools.json` changed, and it can affect other files"),
        ("pull_request", {"clean.prompt": None}, "a file was deleted"),
        ("push-new-branch", {"a.prompt": CLEAN}, "the event `push` names no commit to compare with"),
        ("workflow_dispatch", {"a.prompt": CLEAN}, "the event `workflow_dispatch` names no commit"),
    ],
)
def test_all_is_checked_where_a_change_can_affect_more(
    event: str, change: dict[str, str | None], reason: str, origin: Path
) -> None:
    base = git(origin, "rev-parse", "HEAD")
    head = commit(origin, change)
    done = act(checked_out(origin), event, (base, head), changed_only="true")
    assert (done.code, done.annotated) == (1, ["old.prompt"])
    assert done.stderr.startswith(f"::notice title=Callwright::All files are checked: {reason}")


def test_all_is_checked_where_the_commit_is_gone(origin: Path) -> None:
    """After a forced push the commit before it may not be there."""
    work = checked_out(origin)
    done = act(work, "push", ("ab" * 20, git(origin, "rev-parse", "HEAD")), changed_only="true")
    assert (done.code, done.annotated) == (1, ["old.prompt"])
    assert "All files are checked: `git fetch` failed: " in done.stderr


def test_only_files_below_the_paths_are_checked(origin: Path) -> None:
    base = git(origin, "rev-parse", "HEAD")
    head = commit(origin, {"prompts/a.prompt": FAULTY, "drafts/b.prompt": FAULTY})
    done = act(checked_out(origin), "push", (base, head), changed_only="true", paths="./prompts\n")
    assert (done.code, done.annotated) == (1, ["prompts/a.prompt"])


def test_a_sarif_log_is_written_and_the_step_need_not_fail(origin: Path) -> None:
    done = act(origin, sarif_file="out/log.sarif", fail_on_diagnostics="false")
    assert (done.code, done.outputs) == (0, {"exit-code": "1", "sarif-file": "out/log.sarif"})
    log = json.loads((origin / "out" / "log.sarif").read_text(encoding="utf-8"))
    assert [one["ruleId"] for one in log["runs"][0]["results"]] == ["TC207"]


def test_paths_and_options_are_passed_word_for_word(origin: Path) -> None:
    for name in ("a b.prompt", "$(touch x).prompt", "--fix", "c.prompt"):
        (origin / name).write_text(FAULTY, encoding="utf-8")
    before = sorted(os.listdir(origin))  # noqa: PTH208
    paths = "a b.prompt\n\n$(touch x).prompt\r\n--fix\n"
    done = act(origin, paths=paths, args="--ignore TC1 --ignore *", output_format="concise")
    assert done.code == 2  # `*` is not a rule, and no list of files either
    assert "`*`" in done.stderr
    done = act(origin, paths=paths, args="  --ignore\n TC1 ", output_format="concise")
    assert done.code == 1
    assert "Checked 3 files: 3 errors." in done.stdout
    assert sorted(os.listdir(origin)) == before  # noqa: PTH208


@pytest.mark.parametrize("changed", ["true", "false"])
def test_it_always_fails_where_something_could_not_be_done(changed: str, origin: Path) -> None:
    done = act(
        origin, "push", paths="nowhere", changed_only=changed, fail_on_diagnostics="false", sarif_file="log.sarif"
    )
    assert (done.code, done.outputs) == (2, {"exit-code": "2"})
    assert not (origin / "log.sarif").exists()


@pytest.fixture
def fake_python(origin: Path) -> Callable[[], str]:
    """A Python whose environments' pip only records what it was asked for."""
    beside = origin.parent
    python = beside / "bin" / "python3"
    python.write_text(
        '#!/bin/sh\nset -e\nmkdir -p "$3/bin"\n'
        f'printf \'#!/bin/sh\\nprintf "%%s\\\\n" "$*" "$PIP_CACHE_DIR" > "{beside}/asked"\\n\' > "$3/bin/python"\n'
        f'cp "{beside}/bin/callwright" "$3/bin/callwright"\nchmod +x "$3/bin/python"\n',
        encoding="utf-8",
    )
    python.chmod(0o755)
    return lambda: (beside / "asked").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("inputs", "wanted"),
    [
        ({"version": ""}, f"callwright=={current()}"),
        ({"version": "0.2.0rc1"}, "callwright==0.2.0rc1"),
        ({"version": "0.2.0", "extras": "templates,mcp"}, "callwright[templates,mcp]==0.2.0"),
    ],
)
def test_the_version_of_the_action_is_installed(
    inputs: dict[str, Any], wanted: str, origin: Path, fake_python: Callable[[], str]
) -> None:
    done = act(origin, **inputs)
    assert (done.code, done.stderr) == (1, "")
    kept = origin.parent / "temp" / "callwright" / "cache"
    assert fake_python() == f"-m pip install --quiet --disable-pip-version-check -- {wanted}\n{kept / 'pip'}\n"
    assert (kept / "diagnostics").is_dir()


@pytest.mark.parametrize("inputs", [{"version": "0.1.0 --index-url=x"}, {"version": "", "extras": "mcp] evil["}])
def test_what_is_not_a_version_is_not_installed(inputs: dict[str, Any], origin: Path) -> None:
    done = act(origin, **inputs)
    assert (done.code, done.outputs) == (2, {"exit-code": "2"})
    assert done.stdout.startswith("::error title=Callwright::`")
    assert not (origin.parent / "temp").exists()


def test_nothing_is_kept_without_the_cache(origin: Path) -> None:
    assert act(origin, cache="false").code == 1
    assert not (origin.parent / "temp").exists()


def test_the_page_lists_every_input_with_its_default() -> None:
    page = (ROOT / "server" / "docs" / "ci.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([\w-]+)` \| ([^|]*)\|", page.partition("| Input |")[2], re.MULTILINE))
    stated = {name: str(one["default"]) for name, one in ACTION["inputs"].items()}
    assert {name: text.strip("` ") for name, text in rows.items()} == stated | {"version": "the action's"}
    assert all(f"`{name}`" in page for name in ACTION["outputs"])
