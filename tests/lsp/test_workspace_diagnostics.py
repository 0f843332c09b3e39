"""Workspace diagnostics: a file that the client has the diagnostics of is not read again, and no file is kept."""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from callwright.document.snapshot import Snapshot
from callwright.lsp import workspace
from lsp.conversation import Conversation, at, conversation

TOOL = {"name": "read_file", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}}}
CALL = "<read_file><path>a</path></read_file>\n"
FAULT = "<read_file><pth>a</pth></read_file>\n"


@pytest.fixture
def talk() -> Iterator[Conversation]:
    with conversation() as talk:
        yield talk


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that were opened, in order."""
    names: list[str] = []
    opening = workspace._opening

    def noted(path: str, *given: Any, **named: Any) -> Any:
        names.append(Path(path).name)
        return opening(path, *given, **named)

    monkeypatch.setattr(workspace, "_opening", noted)
    return names


def begin(talk: Conversation, folder: Path, files: int = 3) -> None:
    """Start a session in a folder with a tool and so many prompts, of which the second has a fault."""
    for number in range(files):
        (folder / f"{number}.prompt").write_text(FAULT if number == 1 else CALL, encoding="utf-8")
    (folder / "tools.json").write_text(json.dumps([TOOL]), encoding="utf-8")
    (folder / "callwright.toml").write_text('tools = ["tools.json"]\n', encoding="utf-8")
    talk.initialize(root=folder)


def pull(talk: Conversation, known: dict[str, dict[str, Any]] | None = None) -> dict[str, dict[str, Any]]:
    """Return the reports by the names of the files, for a client that has those of `known`."""
    previous = [{"uri": one["uri"], "value": one["resultId"]} for one in (known or {}).values()]
    answer = talk.request("workspace/diagnostic", {"previousResultIds": previous})
    return {one["uri"].rpartition("/")[2]: one for one in answer["items"]}


def codes(report: dict[str, Any]) -> list[str]:
    return [item["code"] for item in report["items"]]


def test_a_file_is_read_again_once_it_or_its_tools_change(talk: Conversation, tmp_path: Path, read: list[str]) -> None:
    begin(talk, tmp_path)
    first = pull(talk)
    assert {name: codes(report) for name, report in first.items()} == {
        "0.prompt": [],
        "1.prompt": ["TC303"],
        "2.prompt": [],
    }
    read.clear()
    again = pull(talk, first)
    assert [name for name in read if name.endswith(".prompt")] == []
    assert {name: (one["kind"], one["resultId"]) for name, one in again.items()} == {
        name: ("unchanged", one["resultId"]) for name, one in first.items()
    }
    (tmp_path / "2.prompt").write_text(FAULT * 2, encoding="utf-8")
    changed = pull(talk, again)
    assert [name for name in read if name.endswith(".prompt")] == ["2.prompt"]
    assert codes(changed["2.prompt"]) == ["TC303", "TC303"]
    assert changed["1.prompt"]["kind"] == "unchanged"
    read.clear()
    tools = tmp_path / "tools.json"
    tools.write_text(json.dumps([{**TOOL, "name": "open_file"}]), encoding="utf-8")
    os.utime(tools, ns=(1, 1))
    talk.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": tools.as_uri(), "type": 2}]})
    other = pull(talk, changed)
    assert [name for name in read if name.endswith(".prompt")] == ["0.prompt", "1.prompt", "2.prompt"]
    assert all(codes(one) != ["TC303"] for one in other.values() if one["kind"] == "full")


def test_a_client_that_has_lost_its_results_gets_them_again(
    talk: Conversation, tmp_path: Path, read: list[str]
) -> None:
    begin(talk, tmp_path)
    first = pull(talk)
    read.clear()
    assert pull(talk) == first
    assert [name for name in read if name.endswith(".prompt")] == ["0.prompt", "1.prompt", "2.prompt"]
    wrong = {name: {**one, "resultId": "other"} for name, one in first.items()}
    assert pull(talk, wrong) == first


def test_a_file_that_is_removed_is_forgotten(talk: Conversation, tmp_path: Path) -> None:
    begin(talk, tmp_path)
    first = pull(talk)
    (tmp_path / "1.prompt").unlink()
    assert sorted(pull(talk, first)) == ["0.prompt", "2.prompt"]


def test_no_file_is_kept(talk: Conversation, tmp_path: Path) -> None:
    begin(talk, tmp_path, files=40)
    assert len(pull(talk)) == 40
    # What the server has taken out of the collector's sight is not listed.
    gc.unfreeze()
    gc.collect()
    found = [one.path for one in gc.get_objects() if type(one) is Snapshot and str(one.path).startswith(str(tmp_path))]
    # What the last step refers to may still be there.
    assert len(found) <= 2


def test_what_is_typed_meanwhile_does_not_end_the_request(talk: Conversation, tmp_path: Path) -> None:
    begin(talk, tmp_path, files=60)
    uri = (tmp_path / "typed.prompt").as_uri()
    talk.open(uri, CALL)
    asked = talk.begin("workspace/diagnostic", {"previousResultIds": [], "partialResultToken": "parts"})
    talk.wait("$/progress", lambda params: "items" in params["value"])
    talk.change(uri, 2, {"range": {"start": at(0, 0), "end": at(0, 0)}, "text": "x"})
    assert talk.answer(asked)["result"] == {"items": []}
