"""The licences of what Callwright depends on, as the installed packages and npm's lock file state them."""

from __future__ import annotations

import json
import re
import tomllib
from importlib.metadata import PackageNotFoundError, files, metadata
from pathlib import Path

import pytest

from packages.licences import expression, is_allowed, licence_of

ROOT = Path(__file__).parents[2]
LOCK = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))
PACKAGES = {each["name"]: each for each in LOCK["package"]}
#: Packages for another system or interpreter, with what their pages say.
ELSEWHERE = {"colorama": "BSD-3-Clause", "httpx2-jsfetch": "BSD-3-Clause", "pywin32": "PSF-2.0"}
#: What only builds and checks the extension, and is not part of it.
TOOLS = {
    "Artistic-2.0": {"binaryextensions", "editions", "istextorbinary", "textextensions", "version-range"},
    # What signs an extension for the registry, for each system.
    "SEE LICENSE IN LICENSE.txt": {
        "@vscode/vsce-sign",
        *(
            f"@vscode/vsce-sign-{system}-{machine}"
            for system in ("alpine", "darwin", "linux", "win32")
            for machine in ("arm64", "x64")
        ),
        "@vscode/vsce-sign-linux-arm",
    },
}
TEXT = re.compile(r"(?:licen[cs]es?|copying|notice)", re.IGNORECASE)


def needed() -> list[str]:
    """Return the names of all packages that an installation can bring, with every extra."""
    own = PACKAGES["callwright"]
    groups = [own["dependencies"], *own["optional-dependencies"].values()]
    waiting, found = [each["name"] for group in groups for each in group], set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            extras = PACKAGES[name].get("optional-dependencies", {}).values()
            waiting += [each["name"] for group in (PACKAGES[name].get("dependencies", []), *extras) for each in group]
    return sorted(found)


@pytest.mark.parametrize("name", needed())
def test_a_dependency_may_be_passed_on(name: str) -> None:
    try:
        stated = expression(metadata(name)) or " AND ".join(filter(None, map(licence_of, _texts(name))))
    except PackageNotFoundError:
        assert name in ELSEWHERE, f"{name} is not installed: run `make setup`"
        stated = ELSEWHERE[name]
    assert is_allowed(stated), f"{name}: {stated or 'no licence is stated'}"


def _texts(name: str) -> list[str]:
    """Return the texts of licences that an installed package carries."""
    inside = [file for file in files(name) or [] if ".dist-info" in str(file) and TEXT.match(file.name)]
    return [file.read_text(encoding="utf-8") for file in inside]


@pytest.mark.parametrize("name", sorted(set(needed()) - set(ELSEWHERE)))
def test_the_text_of_its_licence_is_there(name: str) -> None:
    kept = ROOT / "client-vscode" / "scripts" / "licences" / f"{name}.txt"
    texts = _texts(name) or [kept.read_text(encoding="utf-8")]
    assert all(text.strip() for text in texts)


def test_each_npm_package_may_be_passed_on() -> None:
    lock = json.loads((ROOT / "client-vscode" / "package-lock.json").read_text(encoding="utf-8"))
    others: dict[str, set[str]] = {}
    for path, entry in lock["packages"].items():
        stated = entry.get("license", "")
        if not is_allowed(stated):
            assert entry.get("dev"), path
            others.setdefault(stated, set()).add(path.rpartition("node_modules/")[2])
    assert others == TOOLS


def test_a_licence_is_reported_by_how_its_text_begins() -> None:
    assert licence_of("\n   Apache License\n   Version 2.0, January 2004\n") == "Apache-2.0"
    assert not licence_of("All rights reserved. Apache License Version 2.0, January 2004")


@pytest.mark.parametrize(
    ("stated", "allowed"),
    [
        ("MIT", True),
        ("", False),
        ("GPL-3.0-only", False),
        ("MIT OR GPL-3.0-only", True),
        ("MIT AND GPL-3.0-only", False),
        ("MPL-2.0 AND (Apache-2.0 OR MIT)", True),
        ("MPL-2.0 AND (GPL-2.0-only OR AGPL-3.0-only)", False),
        ("(MIT OR CC0-1.0)", True),
        ("SEE LICENSE IN LICENSE.txt", False),
        ("License :: Other/Proprietary License", False),
    ],
)
def test_what_is_allowed(stated: str, allowed: bool) -> None:
    assert is_allowed(stated) is allowed
