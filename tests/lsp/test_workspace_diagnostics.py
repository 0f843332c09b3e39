"""Workspace diagnostics: a file that the client has the diagnostics of is not read again, and no file is kept."""

from __future__ import annotations

import gc
import json
import operator
import os
from collections.abc import Iterator
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest

from callwright.document.snapshot import Snapshot
from callwright.features.base import Client
from callwright.features.workspace_diagnostic import shown
from callwright.lsp import workers, workspace
from callwright.lsp.opening import Task, open_file
from callwright.lsp.session import Folder, Session
from callwright.text.positions import PositionEncoding
from lsp.conversation import Conversation, at, conversation

TOOL = {"name": "read_file", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}}}
CALL = "<read_file><path>a</path></read_file>\n"
FAULT = "<read_file><pth>a</pth></read_file>\n"


@pytest.fixture
def talk() -> Iterator[Conversation]:
    with conversation() as talk:
        yield talk


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let other processes read the files, however few they are."""
    monkeypatch.setattr(workspace, "MANY", 1)
    monkeypatch.setattr(workspace, "processors", lambda: 2)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that were opened, in order."""
    names: list[str] = []
    opening = open_file

    def noted(path: str, *given: Any, **named: Any) -> Any:
        names.append(Path(path).name)
        return opening(path, *given, **named)

    monkeypatch.setattr(workspace, "open_file", noted)
    return names


def write(folder: Path, files: int = 3) -> None:
    """Make a folder with a tool and so many prompts, of which the second has a fault."""
    for number in range(files):
        (folder / f"{number}.prompt").write_text(FAULT if number == 1 else CALL, encoding="utf-8")
    (folder / "tools.json").write_text(json.dumps([TOOL]), encoding="utf-8")
    (folder / "callwright.toml").write_text('tools = ["tools.json"]\n', encoding="utf-8")


def begin(talk: Conversation, folder: Path, files: int = 3) -> None:
    """Start a session in such a folder."""
    write(folder, files)
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


@pytest.mark.usefixtures("beside")
def test_other_processes_report_the_same(
    talk: Conversation, tmp_path: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(talk, tmp_path, files=12)
    (tmp_path / "latin.prompt").write_bytes("<read_file><path>é</path></read_file>".encode("latin-1"))
    (tmp_path / "wide.prompt").write_text("\U0001f600 " + FAULT, encoding="utf-8")
    many = pull(talk)
    assert [name for name in read if name.endswith(".prompt")] == []
    assert [codes(many[name]) for name in ("0.prompt", "1.prompt", "wide.prompt")] == [[], ["TC303"], ["TC303"]]
    assert "latin.prompt" not in many
    assert "latin.prompt was not searched: it is not UTF-8" in talk.wait("window/logMessage")["message"]
    assert all(one["kind"] == "unchanged" for one in pull(talk, many).values())
    monkeypatch.setattr(workspace, "MANY", 100)
    assert pull(talk) == many


@pytest.mark.usefixtures("beside")
def test_the_files_of_a_process_that_dies_are_read_here(
    talk: Conversation, tmp_path: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(talk, tmp_path)
    # It is given no exit code, so the process ends with an error.
    monkeypatch.setattr(workers, "_work", os._exit)
    assert {name: codes(one) for name, one in pull(talk).items()} == {
        "0.prompt": [],
        "1.prompt": ["TC303"],
        "2.prompt": [],
    }
    assert sorted(name for name in read if name.endswith(".prompt")) == ["0.prompt", "1.prompt", "2.prompt"]


@pytest.mark.usefixtures("beside")
def test_where_no_process_can_be_started_files_are_read_here(
    talk: Conversation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(talk, tmp_path)

    def refused(_process: Any) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr("multiprocessing.context.SpawnProcess.start", refused)
    assert codes(pull(talk)["1.prompt"]) == ["TC303"]


@pytest.fixture
def tasks(tmp_path: Path) -> list[Task]:
    write(tmp_path, files=20)
    session = Session(folders=[Folder(tmp_path.as_uri(), "folder", str(tmp_path))])
    paths = [str(tmp_path / f"{number}.prompt") for number in range(20)]
    return [Task(path, len(CALL), session.project_of(path).project) for path in paths]


def test_a_request_that_is_given_up_ends_its_processes(tasks: list[Task]) -> None:
    with workers.Workers(2, shown, PositionEncoding.UTF16, Client()) as crew:
        task, reply = next(result for result in crew.results(tasks) if result is not None)
        assert task in tasks
        assert reply is not None
        assert [item["code"] for item in reply.value] == (["TC303"] if task is tasks[1] else [])
        processes = active_children()
        assert len(processes) >= 2
    assert not any(process in active_children() for process in processes)


def test_a_file_that_nothing_can_be_made_of_is_named(tasks: list[Task]) -> None:
    # It takes one argument, so it fails on every file.
    with workers.Workers(1, operator.index, PositionEncoding.UTF16, Client()) as crew:  # type: ignore[arg-type]
        results = [result for result in crew.results(tasks) if result is not None]
        assert results == [(task, None) for task in tasks]


def test_what_a_project_learned_comes_back(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    call = "<look_up>\n<word>a</word>\n</look_up>\n"
    documented = f"## look_up\n\nParameters:\n- word: (required) a word\n\nUsage:\n{call}"
    (tmp_path / "tools.md").write_text(documented, encoding="utf-8")
    (tmp_path / "a.prompt").write_text(call, encoding="utf-8")
    session = Session(folders=[Folder(tmp_path.as_uri(), "folder", str(tmp_path))])
    path = str(tmp_path / "a.prompt")
    project = session.project_of(path).project
    with workers.Workers(1, shown, PositionEncoding.UTF16, Client()) as crew:
        (reply,) = [result[1] for result in crew.results([Task(path, len(call), project)]) if result is not None]
    assert reply is not None
    assert reply.names == {"look_up": True}
    assert not project.asks(path)
    project.learn(reply.names)
    assert project.asks(path)
