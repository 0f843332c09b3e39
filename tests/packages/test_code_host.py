"""What a code host reads: the action, the workflows, the forms and pages, and the scripts that they run."""

from __future__ import annotations

import re
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from packages.test_action import read
from packages.test_wheel import PROJECT
from packages.versions import ROOT, tracked

HOST = ROOT / ".github"
WORKFLOWS = sorted((HOST / "workflows").glob("*.yml"))
FORMS = sorted((HOST / "ISSUE_TEMPLATE").glob("[0-9]*.yml"))
SCHEMAS = {
    "github-actions": [ROOT / "action.yml"],
    "github-workflows": WORKFLOWS,
    "dependabot": [HOST / "dependabot.yml"],
    "github-issue-forms": FORMS,
    "github-issue-config": [HOST / "ISSUE_TEMPLATE" / "config.yml"],
}
#: What a job may have, and why it needs it.
PERMISSIONS = {
    "contents: read": "the checkout",
    "contents: write": "the release of a tag",
    "id-token: write": "trusted publishing, and the statement of where packages come from",
    "attestations: write": "that statement",
}
USED = re.compile(r"uses: (?:\./|[\w-]+/[\w-]+@[0-9a-f]{40}) # (?:v\d+\.\d+\.\d+|zizmor: ignore\[self-repository\] .+)")


def program(name: str) -> str:
    """Return a program of the environment in which the tests run."""
    return str(Path(sysconfig.get_path("scripts")) / name)


def ran(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program(str(words[0])), *map(str, words[1:])],
        cwd=ROOT,
        check=False,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )


def steps(workflow: Path) -> list[dict[str, Any]]:
    return [step for job in read(workflow)["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_the_host_accepts_the_form_of_each_file(schema: str, tmp_path: Path) -> None:
    assert SCHEMAS[schema]
    done = ran("check-jsonschema", "--builtin-schema", f"vendor.{schema}", *SCHEMAS[schema])
    assert done.returncode == 0, done.stdout
    wrong = tmp_path / "wrong.yml"
    wrong.write_text("name: 1\nbody: {}\nruns: []\njobs: []\nblank_issues_enabled: maybe\n", encoding="utf-8")
    assert ran("check-jsonschema", "--builtin-schema", f"vendor.{schema}", wrong).returncode == 1


def test_no_workflow_has_a_known_weakness(tmp_path: Path) -> None:
    """Text of others in a program, stored credentials, wide permissions, actions that can change."""
    done = ran("zizmor", "--offline", "--no-progress", HOST, ROOT / "action.yml")
    assert done.returncode == 0, done.stdout
    weak = tmp_path / "weak.yml"
    text = (HOST / "workflows" / "ci.yml").read_text(encoding="utf-8")
    weak.write_text(text.replace("- run: .ci/run", "- run: echo ${{ github.event.issue.title }}"), encoding="utf-8")
    assert "template-injection" in ran("zizmor", "--offline", "--no-progress", weak).stdout


def test_scripts_have_no_known_mistake(tmp_path: Path) -> None:
    scripts = [ROOT / name for name in tracked() if _is_script(ROOT / name)]
    assert {ROOT / ".ci/run", HOST / "action" / "run.sh", ROOT / "tests/e2e/run"} <= set(scripts)
    done = ran("shellcheck", *scripts)
    assert done.returncode == 0, done.stdout
    (tmp_path / "wrong.sh").write_text("#!/bin/bash\nrm -r $1/*\n", encoding="utf-8")
    assert "SC2086" in ran("shellcheck", tmp_path / "wrong.sh").stdout


def _is_script(path: Path) -> bool:
    if not path.is_file() or path.suffix not in {"", ".sh"}:
        return False
    with path.open("rb") as file:
        return re.match(rb"#!/(?:usr/bin/env |bin/)(?:ba)?sh\b", file.readline()) is not None


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_has_the_least_rights(workflow: Path) -> None:
    text = workflow.read_text(encoding="utf-8")
    data = read(workflow)
    assert data["permissions"] == {"contents": "read"}
    for name, job in data["jobs"].items():
        assert job["timeout-minutes"] <= 120, name
        granted = {f"{scope}: {access}" for scope, access in job.get("permissions", {}).items()}
        assert granted <= set(PERMISSIONS), name
        # What changes anything outside waits for a person.
        assert "environment" in job or "contents: write" not in granted, name
    assert "pull_request_target" not in text
    for line in re.findall(r"uses: .*", text):
        assert USED.fullmatch(line), line
    for step in steps(workflow):
        assert "${{" not in step.get("run", ""), step
        assert "secrets." not in str({key: value for key, value in step.items() if key != "env"}), step
        if "actions/checkout@" in step.get("uses", ""):
            assert step["with"]["persist-credentials"] is False


def test_workflows_call_the_scripts_of_the_project() -> None:
    runs = {path.stem: [step["run"] for step in steps(path) if "run" in step] for path in WORKFLOWS}
    assert ".ci/run" in runs["ci"]
    assert "make release" in runs["release"]
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = [target for texts in runs.values() for text in texts for target in re.findall(r"make ([a-z-]+)", text)]
    assert len(named) >= 2
    assert set(named) <= targets


def test_every_python_of_the_package_is_tried() -> None:
    jobs = read(HOST / "workflows" / "ci.yml")["jobs"]
    matrix = jobs["sample"]["strategy"]["matrix"]
    first = [step["with"]["python-version"] for step in jobs["everything"]["steps"] if "python" in step.get("uses", "")]
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert sorted(named, key=len) == [*first, *matrix["python"]]


def test_nothing_is_uploaded_but_for_a_tag() -> None:
    jobs = read(HOST / "workflows" / "release.yml")["jobs"]
    assert set(jobs) == {"build", "index", "marketplaces", "notes"}
    for name, job in jobs.items():
        if name != "build":
            assert job["if"] == "github.event_name == 'push'"
            assert job["needs"] == "build" or "index" in job["needs"]
            assert job["environment"]


@pytest.mark.parametrize("form", FORMS, ids=lambda path: path.stem)
def test_a_form_asks_for_what_makes_a_report_reproducible(form: Path) -> None:
    fields = {field["id"]: field for field in read(form)["body"]}
    assert len(fields) == len(read(form)["body"])
    asked = {name for name, field in fields.items() if field.get("validations", {}).get("required")}
    assert "version" in asked
    assert {"text", "file"} <= asked or {"steps", "result", "expected", "system"} <= asked
    assert len({field["attributes"]["label"] for field in fields.values()}) == len(fields)


def test_pages_for_contributors_lead_to_ours() -> None:
    page = (HOST / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert "(../server/docs/contributing.md)" in page
    assert "(SECURITY.md)" in page
    assert "security/advisories/new" in (HOST / "SECURITY.md").read_text(encoding="utf-8")
    request = (HOST / "PULL_REQUEST_TEMPLATE.md").read_text(encoding="utf-8")
    anchor = re.search(r"blob/main/(server/docs/contributing\.md)#(\w+)", request)
    assert anchor
    assert f"### {anchor[2].capitalize()}\n" in (ROOT / anchor[1]).read_text(encoding="utf-8")
