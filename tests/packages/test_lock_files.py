"""The lock files: each package has its hash and comes from the public index; none runs a program on arrival."""

from __future__ import annotations

import base64
import json
import re
import tomllib
from typing import Any

import pytest

from packages.locked import ROOT, locked

LOCK = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
NPM = json.loads((ROOT / "client-vscode" / "package-lock.json").read_text(encoding="utf-8"))
PACKAGES: dict[str, dict[str, Any]] = {each["name"]: each for each in LOCK["package"]}
INDEX = {"registry": "https://pypi.org/simple"}
FILE = re.compile(r"https://files\.pythonhosted\.org/packages/[0-9a-f]{2}/[0-9a-f]{2}/[0-9a-f]{60}/[\w.+-]+")
#: What a user gets who asks for no extra. Another name here is a decision, and so is one less.
WITHOUT_EXTRAS = {
    "attrs",
    "cattrs",
    "cyclopts",
    "docstring-parser",
    "jsonschema",
    "jsonschema-rs",
    "jsonschema-specifications",
    "lsprotocol",
    "lxml",
    "markdown-it-py",
    "mdurl",
    "orjson",
    "pygls",
    "pygments",
    "rapidfuzz",
    "referencing",
    "rich",
    "rich-rst",
    "rpds-py",
    "typing-extensions",
}
#: Packages of npm that would run a program when they are installed; nothing here needs it.
WITH_SCRIPTS = {"node_modules/@vscode/vsce-sign", "node_modules/esbuild", "node_modules/keytar"}


def test_every_package_comes_from_the_public_index_with_hashes() -> None:
    own = PACKAGES["callwright"]
    assert own["source"] == {"editable": "."}
    others = [each for each in LOCK["package"] if each is not own]
    assert len(others) > len(WITHOUT_EXTRAS)
    for package in others:
        assert package["source"] == INDEX, package["name"]
        files = [*package.get("wheels", []), *([package["sdist"]] if "sdist" in package else [])]
        assert files, package["name"]
        for file in files:
            assert re.fullmatch(r"sha256:[0-9a-f]{64}", file["hash"]), file
            assert FILE.fullmatch(file["url"]), file


def test_the_lock_file_is_that_of_the_project() -> None:
    def named(dependencies: list[str]) -> set[str]:
        return {re.split(r"[^\w.-]", each)[0].lower().replace(".", "-") for each in dependencies}

    own = PACKAGES["callwright"]
    assert {each["name"] for each in own["dependencies"]} == named(PROJECT["project"]["dependencies"])
    extras = PROJECT["project"]["optional-dependencies"]
    assert {key: {each["name"] for each in value} for key, value in own["optional-dependencies"].items()} == {
        key: named(value) for key, value in extras.items()
    }
    assert {each["name"] for each in own["dev-dependencies"]["dev"]} == named(PROJECT["dependency-groups"]["dev"])


def test_nothing_more_is_pulled_in() -> None:
    assert set(locked().closure()) == WITHOUT_EXTRAS


def test_every_npm_package_has_its_hash_and_no_address() -> None:
    assert NPM["lockfileVersion"] == 3
    packages = {path: entry for path, entry in NPM["packages"].items() if path}
    assert packages
    for path, entry in packages.items():
        kind, _, hashed = entry["integrity"].partition("-")
        assert kind == "sha512", path
        assert len(base64.b64decode(hashed, validate=True)) == 64, path
        assert "resolved" not in entry, f"{path} names the host that it came from"
        assert not entry.get("link"), path


def test_no_npm_package_runs_a_program_when_it_is_installed() -> None:
    assert {path for path, entry in NPM["packages"].items() if entry.get("hasInstallScript")} == WITH_SCRIPTS
    programs = [file for folder in (".ci", "tests/e2e", "client-vscode/scripts") for file in (ROOT / folder).iterdir()]
    installing = re.compile(r"\bnpm (?:ci|install)\b[^\n]*")
    found = {
        command
        for file in [ROOT / "Makefile", *programs]
        if file.is_file()
        for command in installing.findall(file.read_text(encoding="utf-8"))
        # An instruction for a person is not a command that is run.
        if not command.endswith(("`", '"'))
    }
    assert found
    for command in found:
        assert "--ignore-scripts" in command or command in {"npm ci", "npm install"}, command


@pytest.mark.parametrize("file", ["uv.lock", "client-vscode/package-lock.json", "client-vscode/.npmrc"])
def test_no_other_host_is_named(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    hosts = set(re.findall(r"(?:https?|git|ssh|file)[:+]\S*?//([^/\s\"]+)", text))
    funding = {host for entry in NPM["packages"].values() for host in _hosts(entry.get("funding"))}
    assert hosts <= {"pypi.org", "files.pythonhosted.org"} | (funding if file.endswith("package-lock.json") else set())


def _hosts(funding: Any) -> set[str]:
    return set(re.findall(r"https?://([^/\s'\"]+)", str(funding)))
