"""The licences of what Callwright depends on, as the installed packages and npm's lock file state them."""

from __future__ import annotations

import json

import pytest

from packages.licences import ELSEWHERE, is_allowed, licence_of, stated_licence, texts
from packages.locked import ROOT, locked

LOCK = locked()
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


def needed() -> list[str]:
    """Return the names of all packages that an installation can bring, with every extra."""
    return LOCK.closure(LOCK.extras)


@pytest.mark.parametrize("name", needed())
def test_a_dependency_may_be_passed_on(name: str) -> None:
    stated = stated_licence(name)
    assert is_allowed(stated), f"{name}: {stated or 'no licence is stated'}"


@pytest.mark.parametrize("name", sorted(set(needed()) - set(ELSEWHERE)))
def test_the_text_of_its_licence_is_there(name: str) -> None:
    kept = ROOT / "client-vscode" / "scripts" / "licences" / f"{name}.txt"
    inside = texts(name) or [kept.read_text(encoding="utf-8")]
    assert all(text.strip() for text in inside)


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
