"""The page about remote machines: the settings and messages that it names are the extension's own."""

import json
import re
from pathlib import Path

from support.pages import fences

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "server" / "docs" / "remote.md").read_text(encoding="utf-8")
EXTENSION = ROOT / "client-vscode"
MANIFEST = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))


def settings() -> set[str]:
    stated = MANIFEST["contributes"]["configuration"]
    return {key for part in (stated if isinstance(stated, list) else [stated]) for key in part["properties"]}


def test_the_container_installs_this_extension_with_settings_that_it_has() -> None:
    (container,) = [json.loads(fence.body) for fence in fences(PAGE) if fence.kind == "json"]
    editor = container["customizations"]["vscode"]
    assert editor["extensions"] == [f"{MANIFEST['publisher']}.{MANIFEST['name']}"]
    assert editor["settings"].keys() <= settings()


def test_the_extension_runs_where_the_page_states() -> None:
    assert MANIFEST["extensionKind"] == ["workspace"]
    assert MANIFEST["capabilities"]["virtualWorkspaces"]["supported"] is False


def test_settings_and_messages_that_it_names_exist() -> None:
    assert set(re.findall(r"`(callwright\.[a-zA-Z]+)`", PAGE)) <= settings()
    sources = " ".join(path.read_text(encoding="utf-8") for path in (EXTENSION / "src").glob("*.ts")).replace(
        "\\`", "`"
    )
    section = PAGE.split("## When it does not start\n")[1]
    stated = [row.split(" | ")[0].removeprefix("| ") for row in section.strip().splitlines()[2:-1]]
    assert len(stated) >= 3
    assert [part for row in stated for part in row.split("; ") if part not in sources] == []
