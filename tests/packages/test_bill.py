"""The bill of materials of the Python package: complete, licensed, the same bytes, and in the extension's form."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from packages.bill import bill, main
from packages.licences import is_allowed
from packages.locked import ROOT, Locked, locked
from packages.versions import current

BILL = bill(locked())
NAMES = {component["name"] for component in BILL["components"]}


def test_it_names_all_that_an_installation_brings() -> None:
    lock = locked()
    assert len(NAMES) == len(BILL["components"]) > 40
    assert set(lock.closure(lock.extras)) == NAMES
    required = {component["name"] for component in BILL["components"] if component["scope"] == "required"}
    assert required == set(lock.closure())
    about = BILL["metadata"]["component"]
    assert (about["name"], about["version"]) == ("callwright", current())


@pytest.mark.parametrize("component", BILL["components"], ids=lambda component: component["name"])
def test_a_component_is_named_and_licensed(component: dict[str, object]) -> None:
    assert component["purl"] == component["bom-ref"] == f"pkg:pypi/{component['name']}@{component['version']}"
    assert re.fullmatch(r"\[\{'expression': '[\w.+-]+( (AND|OR) \(?[\w.+-]+\)?)*'\}\]", str(component["licenses"]))
    assert is_allowed(component["licenses"][0]["expression"])  # type: ignore[index]


def test_every_dependency_is_a_component() -> None:
    known = {component["bom-ref"] for component in BILL["components"]} | {BILL["metadata"]["component"]["bom-ref"]}
    assert {each["ref"] for each in BILL["dependencies"]} == known
    assert {needed for each in BILL["dependencies"] for needed in each["dependsOn"]} <= known
    (own,) = [each["dependsOn"] for each in BILL["dependencies"] if each["ref"].startswith("pkg:pypi/callwright@")]
    assert len(own) == 14


def test_it_has_the_form_of_the_extensions_bill() -> None:
    script = (ROOT / "client-vscode" / "scripts" / "notices.py").read_text(encoding="utf-8")
    for key in ("bomFormat", "specVersion", "version", "metadata", "components"):
        assert f'"{key}": ' in script
        assert key in BILL
    assert '"specVersion": "1.5"' in script
    assert BILL["specVersion"] == "1.5"


def test_the_same_tree_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        assert main([str(tmp_path / name)]) == 0
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8")) == BILL


def test_only_the_extras_that_are_asked_for_are_followed() -> None:
    def entry(name: str, *extras: str) -> dict[str, object]:
        return {"name": name, "extra": list(extras)} if extras else {"name": name}

    lock = Locked(
        {
            "callwright": {"dependencies": [entry("a")], "optional-dependencies": {"x": [entry("a", "more")]}},
            "a": {"dependencies": [entry("b")], "optional-dependencies": {"more": [entry("c")], "other": [entry("d")]}},
            "b": {},
            "c": {"dependencies": [entry("a")]},
            "d": {},
        }
    )
    assert lock.closure() == ["a", "b"]
    assert lock.closure(["x"]) == ["a", "b", "c"]
    assert lock.needs(["x"]) == {"a": ["b", "c"], "b": [], "c": ["a"], "callwright": ["a"]}
