"""What the packages of the extension hold, and that each works in a real VS Code without a package index.

Owns: the list of what may be inside, the bounds of size. Must not know: how the packages are made, what a case asserts.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from e2e.conftest import ROOT, required, serving, watched_index
from e2e.test_vscode import DRIVERS, Results, chosen, drive, report
from support.interpreters import PYTHONS, interpreter

pytestmark = pytest.mark.editor

CLIENT = ROOT / "client-vscode"
MEGABYTE = 1_000_000
# Files by folder and ending: no sources, no tests, no source maps, nothing that was left lying about.
INSIDE = [
    "LICENSE.txt",
    "ThirdPartyNotices.txt",
    "changelog.md",
    "icons/*.png",
    "icons/*.svg",
    "l10n/*.json",
    "language-configuration.json",
    "out/extension.js",
    "package.json",
    "package.nls.*.json",
    "package.nls.json",
    "readme.md",
    "schemas/*.json",
    "sbom.cdx.json",
    "server/*.whl",
    "server/pip/*.whl",
    "server/requirements.txt",
    "snippets/*.json",
    "syntaxes/*.json",
    "walkthrough/*.md",
]
WITH_DEPENDENCIES = [*INSIDE, "server/wheels/*.whl"]
# Folders that may be there or not; all else must be.
OPTIONAL = {"snippets/*.json"}


@pytest.fixture(scope="module")
def universal() -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(required("CALLWRIGHT_UNIVERSAL_VSIX").read_bytes()))


@pytest.fixture(scope="module")
def linux() -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO((ROOT / "artifacts" / "callwright-linux-x64.vsix").read_bytes()))


def listed(package: zipfile.ZipFile) -> list[str]:
    """Return the extension's files, those of one folder and ending as one pattern where names vary."""
    names = [name.removeprefix("extension/") for name in package.namelist() if name.startswith("extension/")]
    varying = re.compile(
        r"((?:icons|l10n|schemas|server|server/pip|server/wheels|snippets|syntaxes|walkthrough)/)[^/]+(\.\w+)"
    )
    patterns = [re.sub(r"^package\.nls\.[\w-]+\.json$", "package.nls.*.json", name) for name in names]
    return sorted({varying.sub(r"\1*\2", name) if name != "server/requirements.txt" else name for name in patterns})


def test_what_is_inside(universal: zipfile.ZipFile, linux: zipfile.ZipFile) -> None:
    for package, expected in ((universal, INSIDE), (linux, WITH_DEPENDENCIES)):
        found = listed(package)
        assert set(found) <= set(expected)
        assert set(expected) - set(found) <= OPTIONAL


def test_what_the_manifest_names_is_inside(universal: zipfile.ZipFile) -> None:
    inside = {name.removeprefix("extension/") for name in universal.namelist()}
    manifest = universal.read("extension/package.json").decode()
    named = set(re.findall(r'"(?:\./)?((?:(?<=\./)|icons/|walkthrough/)[^"]+)"', manifest))
    folders = {name for name in named if not Path(name).suffix}
    assert named - folders - inside <= {"out/extension"}
    for folder in folders - {"out/extension"}:
        assert any(name.startswith(f"{folder}/") for name in inside), folder


def test_each_states_for_which_platform_it_is(universal: zipfile.ZipFile, linux: zipfile.ZipFile) -> None:
    assert b"TargetPlatform" not in universal.read("extension.vsixmanifest")
    assert b'TargetPlatform="linux-x64"' in linux.read("extension.vsixmanifest")


def test_the_sizes_are_those_that_the_readme_states() -> None:
    stated = (CLIENT / "README.md").read_text(encoding="utf-8")
    for name, bound, words in (
        ("callwright.vsix", 5, r"for every platform has about (\d+) MB"),
        ("callwright-linux-x64.vsix", 52, r"for Linux on x86-64 has about (\d+) MB"),
    ):
        size = (ROOT / "artifacts" / name).stat().st_size / MEGABYTE
        assert size < bound, name
        stated_text = re.search(words, " ".join(stated.split()))
        assert stated_text, words
        assert abs(size - int(stated_text[1])) <= max(1, size / 10), f"{name} has {size:.1f} MB"


def test_licences_of_all_that_is_bundled_are_inside(universal: zipfile.ZipFile, linux: zipfile.ZipFile) -> None:
    for package in (universal, linux):
        notices = package.read("extension/ThirdPartyNotices.txt").decode()
        bill = json.loads(package.read("extension/sbom.cdx.json"))
        assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
        for component in bill["components"]:
            assert component["licenses"][0]["expression"]
            assert f"  {component['name']} {component['version']}: " in notices
            assert f"\n{component['name']} {component['version']}: " in notices, "the text of the licence"
        known = {each["value"] for component in bill["components"] for each in component.get("properties", [])}
        wheels = {Path(name).name for name in package.namelist() if re.search(r"server/(pip|wheels)/", name)}
        assert wheels == known
        # What is bundled into the extension's one file is named, too.
        names = {component["name"] for component in bill["components"]}
        assert {"vscode-languageclient", "vscode-jsonrpc", "semver", "pip"} <= names


def test_every_dependency_is_carried_for_every_python(linux: zipfile.ZipFile) -> None:
    required_names = re.findall(
        r"^([\w.-]+)==(\S+)", linux.read("extension/server/requirements.txt").decode(), re.MULTILINE
    )
    hashes = set(re.findall(r"--hash=sha256:(\w+)", linux.read("extension/server/requirements.txt").decode()))
    carried: dict[tuple[str, str], list[str]] = {}
    for path in linux.namelist():
        if path.startswith("extension/server/wheels/"):
            name, version, *tags = Path(path).stem.split("-")
            carried.setdefault((name.replace("_", "-").lower(), version), []).append("-".join(tags))
            assert hashlib.sha256(linux.read(path)).hexdigest() in hashes, path
    assert sorted(carried) == sorted((name.lower(), version) for name, version in required_names)
    assert len(PYTHONS) >= 3
    for package, wheels in carried.items():
        for python in PYTHONS:
            own = f"cp{python.replace('.', '')}"
            fits = ("py3-none-any", f"{own}-{own}-manylinux", "-abi3-manylinux")
            assert any(fit in tags for tags in wheels for fit in fits), (package, python)


@pytest.mark.skipif(sys.platform != "linux", reason="the package is one for Linux")
@pytest.mark.parametrize("version", PYTHONS)
def test_it_installs_without_a_network(version: str, linux: zipfile.ZipFile, tmp_path: Path) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"this machine has no Python {version}")
    linux.extractall(tmp_path / "unpacked")
    program = str(Path(__file__).parent / "environment.mjs")
    command = ["node", program, str(tmp_path / "unpacked" / "extension"), python, str(tmp_path / "storage")]
    # Where the kernel lets us, there is no network at all; everywhere the index is one that answers nothing.
    alone = ["unshare", "--map-root-user", "--net"]
    if subprocess.run([*alone, "true"], check=False, capture_output=True).returncode == 0:
        command = [*alone, *command]
    with watched_index() as (variables, asked):
        made = subprocess.run(
            command, env=os.environ | variables, capture_output=True, text=True, check=False, timeout=300
        )
    assert made.returncode == 0, made.stderr[-3000:]
    assert asked == []
    environment = made.stdout.strip()
    assert not (Path(environment).parent / "pip").exists()
    stated = subprocess.run(
        [environment, "-P", "-m", "callwright", "--version"], capture_output=True, text=True, check=True
    )
    assert re.search(r"\d+\.\d+\.\d+", stated.stdout)
    # Everything that is imported late is there as well.
    late = "import jsonschema_rs, lxml.etree, orjson, rapidfuzz, cyclopts, rich, pygls.lsp.server, jsonschema, jinja2"
    subprocess.run([environment, "-P", "-c", late], check=True, timeout=120)


#: The packages by name, with the variables that hold their files.
PACKAGES = {"universal": "CALLWRIGHT_UNIVERSAL_VSIX", "linux-x64": "CALLWRIGHT_VSIX"}
CASES = sorted(path.stem for path in (DRIVERS / "host" / "packages").glob("*.cjs"))


@pytest.fixture(scope="module", params=PACKAGES)
def package(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def in_its_editor(
    package: str, linux: zipfile.ZipFile, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Results:
    """What the cases found in a VS Code of its own with this package alone, and no package index within reach.

    The universal package downloads its dependencies, so pip finds them in a folder here.
    """
    folder = tmp_path_factory.mktemp(package)
    selected = chosen(request.session, test_each_package_works_in_an_editor_of_its_own)
    with watched_index() as (variables, asked):
        if package == "universal":
            for name in linux.namelist():
                if name.startswith("extension/server/wheels/"):
                    linux.extract(name, folder / "unpacked")
            wheels = folder / "unpacked" / "extension" / "server" / "wheels"
            variables |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels)}
        with serving(folder, required(PACKAGES[package]), "--disable-workspace-trust", variables=variables) as server:
            names = [case for case in selected if case in CASES]
            results = drive("host.mjs", server, server.workspace("workspace"), names, timeout=420, suite="packages")
    assert asked == []
    return results


@pytest.mark.skipif(sys.platform != "linux", reason="the wheels that stand in for an index are those for Linux")
@pytest.mark.parametrize("case", CASES)
def test_each_package_works_in_an_editor_of_its_own(case: str, in_its_editor: Results) -> None:
    report(case, in_its_editor)
