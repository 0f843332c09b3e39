"""No false alarms: the documents that installed packages bring along hold no calls, and nothing is found in them."""

from __future__ import annotations

import sysconfig
from pathlib import Path

from callwright.analysis.settings import Settings
from callwright.linter import diagnostics, open_snapshot
from callwright.tools.shipped import shipped_registry

ENDINGS = {".md", ".txt", ".json", ".rst", ".html"}


def test_documents_of_installed_packages_are_clean() -> None:
    packages = Path(sysconfig.get_paths()["purelib"])
    registry, checked = shipped_registry(), 0
    found = []
    for file in sorted(packages.rglob("*")):
        if file.suffix not in ENDINGS or not file.is_file() or file.stat().st_size > 1_000_000:
            continue
        try:
            text = file.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            continue
        snapshot = open_snapshot(text, path=str(file), registry=registry, settings=Settings())
        checked += 1
        found += [(file.name, each.code, each.message) for each in diagnostics(snapshot)]
    assert checked > 50, "the environment of the tests has packages with documents"
    assert found == []
