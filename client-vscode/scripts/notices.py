"""Writes what a package of the extension bundles: `ThirdPartyNotices.txt` for people, `sbom.cdx.json` for programs.

usage: notices.py --version VERSION --folder FOLDER --node FOLDER… --wheels FILE…

Owns: names, versions, licences and licence texts of what is bundled. A component without a licence or its text ends the
packaging; a text that a package forgot lies in `licences/`. Must not know: why something is bundled. Runs by itself,
with nothing but Python.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import zipfile
from dataclasses import dataclass, field
from email.parser import HeaderParser
from pathlib import Path
from typing import Any

FORGOTTEN = Path(__file__).parent / "licences"
LICENCE = re.compile(r"(?:licen[cs]es?|copying|notice|authors)", re.IGNORECASE)
# Not every package says its licence as an SPDX expression.
CLASSIFIERS = {
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: BSD License": "BSD-3-Clause",
}


@dataclass
class Component:
    """One package that is bundled: its texts by file name, what is compiled into it, and the files that carry it."""

    kind: str
    name: str
    version: str
    licence: str
    texts: dict[str, str] = field(default_factory=dict)
    parts: list[dict[str, Any]] = field(default_factory=list)
    files: list[str] = field(default_factory=list)

    @property
    def address(self) -> str:
        """The package URL, which names it whatever the registry."""
        return f"pkg:{self.kind}/{self.name.replace('@', '%40')}@{self.version}"


def forgotten(name: str) -> dict[str, str]:
    """Return the licence of a package that comes without its text; nothing where none is kept here."""
    file = FORGOTTEN / f"{name}.txt"
    return {"LICENSE": file.read_text(encoding="utf-8")} if file.exists() else {}


def of_node(folder: Path) -> Component:
    """Read an installed Node package."""
    manifest = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    files = [file for file in sorted(folder.iterdir()) if file.is_file() and LICENCE.match(file.name)]
    texts = {file.name: file.read_text(encoding="utf-8") for file in files}
    name = manifest["name"]
    texts = texts or forgotten(name.removeprefix("@").replace("/", "-"))
    return Component("npm", name, manifest["version"], manifest.get("license", ""), texts)


def of_wheel(file: Path) -> Component:
    """Read a wheel."""
    with zipfile.ZipFile(file) as wheel:
        names = wheel.namelist()
        metadata = next(name for name in names if re.fullmatch(r"[^/]+\.dist-info/METADATA", name))
        about = metadata.removesuffix("METADATA")
        fields = HeaderParser().parsestr(wheel.read(metadata).decode("utf-8"))
        texts = {
            name.removeprefix(about).removeprefix("licenses/"): wheel.read(name).decode("utf-8", "replace")
            for name in names
            if name.startswith(about) and LICENCE.match(name.removeprefix(about)) and not name.endswith("/")
        }
        bills = [json.loads(wheel.read(name)) for name in names if re.fullmatch(r"[^/]+/sboms/.*\.json", name)]
    stated = fields.get("License-Expression") or fields.get("License") or ""
    known = [CLASSIFIERS[each] for each in fields.get_all("Classifier", []) if each in CLASSIFIERS]
    licence = stated.strip() if stated and "\n" not in stated.strip() else " AND ".join(known)
    name = re.sub(r"[-_.]+", "-", fields["Name"]).lower()
    texts = texts or forgotten(name)
    told = ("type", "name", "version", "purl", "licenses")
    parts = [{key: part[key] for key in told if key in part} for each in bills for part in each.get("components", [])]
    return Component("pypi", name, fields["Version"], licence, texts, parts, [file.name])


def collect(nodes: list[Path], wheels: list[Path]) -> list[Component]:
    """Return the components, those that several wheels carry once."""
    found: dict[str, Component] = {}
    for component in (*map(of_node, nodes), *map(of_wheel, sorted(wheels))):
        kept = found.setdefault(component.address, component)
        if kept is not component:
            kept.files += component.files
    return [found[address] for address in sorted(found)]


def stated(part: dict[str, Any]) -> str:
    """Return the licence of a part, as its bill of materials states it."""
    licences = [each.get("expression") or each.get("license", {}) for each in part.get("licenses", [])]
    names = [each if isinstance(each, str) else each.get("id") or each.get("name", "") for each in licences]
    return " AND ".join(filter(None, names)) or "as the package that holds it"


def notices(components: list[Component]) -> str:
    """Return the list and the texts."""
    lines = ["Callwright for Visual Studio Code bundles the following packages.", ""]
    for each in components:
        lines += [f"  {each.name} {each.version}: {each.licence}"]
        lines += [f"    {part['name']} {part['version']}: {stated(part)}" for part in each.parts]
    for each in components:
        for name, text in each.texts.items():
            lines += ["", "-" * 100, f"{each.name} {each.version}: {name}", "-" * 100, text.strip("\n")]
    return "\n".join(lines) + "\n"


def bill(components: list[Component], version: str) -> str:
    """Return the bill of materials in the form of CycloneDX 1.5."""
    entries = [
        {
            "type": "library",
            "bom-ref": each.address,
            "name": each.name,
            "version": each.version,
            "purl": each.address,
            "licenses": [{"expression": each.licence}],
            "properties": [{"name": "callwright:file", "value": file} for file in each.files],
            **({"components": each.parts} if each.parts else {}),
        }
        for each in components
    ]
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "callwright-vscode", "version": version}},
        "components": entries,
    }
    return json.dumps(document, indent=1) + "\n"


def main() -> None:
    """Write both files."""
    options = argparse.ArgumentParser()
    options.add_argument("--version", required=True)
    options.add_argument("--folder", type=Path, required=True)
    options.add_argument("--node", type=Path, nargs="*", default=[])
    options.add_argument("--wheels", type=Path, nargs="*", default=[])
    given = options.parse_args()
    components = collect(given.node, given.wheels)
    lacking = [each.address for each in components if not each.licence or not each.texts]
    if lacking:
        sys.exit(f"No licence, or no text of it, was found for: {', '.join(lacking)}")
    (given.folder / "ThirdPartyNotices.txt").write_text(notices(components), encoding="utf-8")
    (given.folder / "sbom.cdx.json").write_text(bill(components, given.version), encoding="utf-8")


main()
