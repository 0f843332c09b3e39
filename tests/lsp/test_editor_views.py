"""What is shown beside the text, as an editor's settings want it: at the start, in each folder, and while it runs."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lsp.conversation import CAPABILITIES, Conversation, between, conversation

TOOL = {
    "name": "launch_probe",
    "inputSchema": {"type": "object", "properties": {"count": {"type": "integer"}, "fast": {"default": True}}},
}
TEXT = "<launch_probe><count>1</count></launch_probe>\n"
ASKED = {
    **CAPABILITIES,
    "workspace": {
        "configuration": True,
        "inlayHint": {"refreshSupport": True},
        "codeLens": {"refreshSupport": True},
    },
}


@pytest.fixture
def talk() -> Iterator[Conversation]:
    with conversation() as talk:
        yield talk


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "tools.json").write_text(json.dumps([TOOL]))
        (tmp_path / name / "callwright.toml").write_text('tools = ["tools.json"]\ndialect = "xml-json"\n')
    return tmp_path


def labels(talk: Conversation, uri: str) -> list[str]:
    params = {"textDocument": {"uri": uri}, "range": between((0, 0), (1, 0))}
    return [hint["label"] for hint in talk.request("textDocument/inlayHint", params)]


def titles(talk: Conversation, uri: str) -> list[str]:
    found = talk.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    return [lens["command"]["title"] for lens in found]


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({}, [": integer", "fast = true"]),
        ({"inlayHints": {"types": False}}, ["fast = true"]),
        ({"settings": {"callwright": {"inlayHints": {"defaults": False}}}}, [": integer"]),
        ({"inlayHints.defaults": False, "inlayHints.types": True}, [": integer"]),
        ({"inlayHints": False}, []),
        ({"inlayHints": {"types": None, "defaults": "no"}, "codeLens": []}, [": integer", "fast = true"]),
    ],
)
def test_what_is_turned_off_at_the_start(
    talk: Conversation, root: Path, options: dict[str, Any], shown: list[str]
) -> None:
    talk.initialize(root=root / "one", initializationOptions=options)
    uri = (root / "one" / "a.prompt").as_uri()
    talk.open(uri, TEXT)
    assert labels(talk, uri) == shown
    # They are not keys of a configuration.
    talk.request("callwright/status", {"uri": uri})
    assert not any("settings" in str(message) for message in talk.kept)


def test_what_is_turned_off_while_the_editor_runs_goes_at_once(talk: Conversation, root: Path) -> None:
    stated: dict[str, Any] = {}
    talk.settings = lambda _item: stated
    talk.initialize(ASKED, root=root / "one")
    uri = (root / "one" / "a.prompt").as_uri()
    talk.open(uri, TEXT)
    assert (labels(talk, uri), titles(talk, uri)) == ([": integer", "fast = true"], ["Convert to xml-json"])
    stated.update(inlayHints={"defaults": False}, codeLens={"convert": False})
    talk.notify("workspace/didChangeConfiguration", {"settings": None})
    talk.wait("workspace/inlayHint/refresh")
    talk.wait("workspace/codeLens/refresh")
    assert (labels(talk, uri), titles(talk, uri)) == ([": integer"], [])
    stated.clear()
    talk.notify("workspace/didChangeConfiguration", {"settings": None})
    talk.wait("workspace/inlayHint/refresh")
    assert (labels(talk, uri), titles(talk, uri)) == ([": integer", "fast = true"], ["Convert to xml-json"])


def test_each_folder_has_its_own(talk: Conversation, root: Path) -> None:
    one, other = ((root / name).as_uri() for name in ("one", "other"))
    talk.settings = lambda item: {"inlayHints": {"types": item.get("scopeUri") != other}}
    folders = [{"uri": uri, "name": uri[-3:]} for uri in (one, other)]
    talk.initialize(ASKED, workspaceFolders=folders)
    for uri, shown in ((one, [": integer", "fast = true"]), (other, ["fast = true"])):
        talk.open(f"{uri}/a.prompt", TEXT)
        assert labels(talk, f"{uri}/a.prompt") == shown


def test_settings_that_are_pushed_count(talk: Conversation, root: Path) -> None:
    talk.initialize(root=root / "one", initializationOptions={"codeLens": False})
    uri = (root / "one" / "a.prompt").as_uri()
    talk.open(uri, TEXT)
    assert titles(talk, uri) == []
    pushed = {"callwright": {"codeLens": {"outcomes": False}}}
    talk.notify("workspace/didChangeConfiguration", {"settings": pushed})
    assert titles(talk, uri) == ["Convert to xml-json"]
