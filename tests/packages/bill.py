"""The bill of materials of the Python package: what an installation of it brings, in the form of CycloneDX 1.5.

usage: bill.py OUT.cdx.json

Owns: the form of the bill. Must not know: where versions and licences come from. What every user gets has the scope
`required`, what only an extra brings has `optional`. The same tree gives the same bytes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from packages.licences import stated_licence
from packages.locked import OWN, Locked, locked


def address(name: str, version: str) -> str:
    """Return the package URL."""
    return f"pkg:pypi/{name}@{version}"


def bill(lock: Locked) -> dict[str, Any]:
    """Return the bill of what our package brings with all extras."""
    required = set(lock.closure())
    needs = lock.needs(lock.extras)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": _component(lock, OWN, "MIT")},
        "components": [
            {
                **_component(lock, name, stated_licence(name)),
                "scope": "required" if name in required else "optional",
                **_hashes(lock.packages[name]),
            }
            for name in needs
            if name != OWN
        ],
        "dependencies": [
            {"ref": _reference(lock, name), "dependsOn": [_reference(lock, each) for each in names]}
            for name, names in needs.items()
        ],
    }


def _component(lock: Locked, name: str, licence: str) -> dict[str, Any]:
    reference = _reference(lock, name)
    return {
        "type": "library",
        "bom-ref": reference,
        "name": name,
        "version": lock.packages[name]["version"],
        "purl": reference,
        "licenses": [{"expression": licence}],
    }


def _hashes(package: Mapping[str, Any]) -> dict[str, list[dict[str, str]]]:
    """Return the hash of the sdist, which is one for all systems."""
    if "sdist" not in package:
        return {}
    algorithm, _, digest = package["sdist"]["hash"].partition(":")
    return {"hashes": [{"alg": {"sha256": "SHA-256"}[algorithm], "content": digest}]}


def _reference(lock: Locked, name: str) -> str:
    return address(name, lock.packages[name]["version"])


def main(arguments: list[str]) -> int:
    """Write the bill to the file that is named."""
    (out,) = arguments
    Path(out).write_text(json.dumps(bill(locked()), indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
