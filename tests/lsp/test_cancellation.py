"""Cancelling any request, and the progress of a long one: never silence, never two answers."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from callwright.features import all_features
from invariants.corpus import seeded
from lsp.conversation import Conversation, conversation
from lsp.test_random_sessions import params_of

CANCELLED = -32800
METHODS = [feature.method for feature in all_features()]
LONG: dict[str, dict[str, Any]] = {
    "textDocument/references": {"position": {"line": 0, "character": 3}, "context": {"includeDeclaration": True}},
    "textDocument/rename": {"position": {"line": 0, "character": 3}, "newName": "open_file"},
    "workspace/symbol": {"query": "read"},
    "workspace/diagnostic": {"previousResultIds": []},
}
FAR, CUT = "far", "cut"
TOOL = {"name": "read_file", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}}}
CALL = "<read_file><path>a</path></read_file>\n"


@pytest.fixture
def talk() -> Iterator[Conversation]:
    with conversation() as talk:
        yield talk


def asked(method: str, uri: str) -> dict[str, Any]:
    """Return parameters that make sense for any method."""
    params = params_of(uri, CALL, seeded(method))
    return {**params, "previousResultIds": [], "title": "x", "label": "x", "data": {"uri": uri}, **LONG.get(method, {})}


def held(talk: Conversation) -> threading.Event:
    """Let the server do nothing but read, until the event is set."""
    working, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        working.set()
        assert go_on.wait(30)

    talk.server._connection.post(wait)
    assert working.wait(30)
    return go_on


def await_read(talk: Conversation) -> None:
    """Return once the server has read all that was sent."""
    talk.send({"id": "behind", "method": "callwright/status", "params": {"uri": "file:///none"}})
    while "behind" not in talk.server._connection._open:
        assert talk.thread.is_alive()


def test_every_request_can_be_cancelled_before_its_turn(talk: Conversation, tmp_path: Path) -> None:
    talk.initialize(root=tmp_path)
    uri = (tmp_path / "a.prompt").as_uri()
    talk.open(uri, CALL)
    talk.request("callwright/status", {"uri": uri})
    go_on = held(talk)
    begun = {method: talk.begin(method, asked(method, uri)) for method in METHODS}
    for request in begun.values():
        talk.notify("$/cancelRequest", {"id": request})
    await_read(talk)
    go_on.set()
    for method, request in begun.items():
        assert talk.answer(request)["error"]["code"] == CANCELLED, method


@pytest.mark.parametrize("method", METHODS)
def test_a_request_that_is_cancelled_at_any_time_is_answered_once(
    talk: Conversation, tmp_path: Path, method: str
) -> None:
    talk.initialize(root=tmp_path)
    uri = (tmp_path / "a.prompt").as_uri()
    talk.open(uri, CALL)
    begun = [talk.begin(method, asked(method, uri)) for _ in range(3)]
    for request in begun:
        talk.notify("$/cancelRequest", {"id": request})
    for request in begun:
        answer = talk.answer(request)
        assert ("result" in answer) != ("error" in answer)
    talk.request("callwright/status", {"uri": uri})
    assert not [message for message in talk.kept if message.get("id") in begun and "method" not in message]


@pytest.mark.parametrize("method", LONG)
def test_a_long_request_reports_how_far_it_is_and_ends_when_it_is_cancelled(
    talk: Conversation, tmp_path: Path, method: str
) -> None:
    for number in range(40):
        (tmp_path / f"{number}.prompt").write_text(CALL * 40)
    (tmp_path / "tools.json").write_text(json.dumps([TOOL]))
    (tmp_path / "callwright.toml").write_text('tools = ["tools.json"]\n')
    talk.initialize(root=tmp_path)
    uri = (tmp_path / "a.prompt").as_uri()
    talk.open(uri, CALL)
    params = {"textDocument": {"uri": uri}, **LONG[method], "workDoneToken": FAR}
    go_on = held(talk)
    whole, cut = talk.begin(method, params), talk.begin(method, {**params, "workDoneToken": CUT})
    await_read(talk)
    go_on.set()
    talk.wait("$/progress", lambda value: value["token"] == FAR)
    talk.notify("$/cancelRequest", {"id": cut})
    assert talk.answer(whole)["result"]
    assert talk.answer(cut)["error"]["code"] == CANCELLED
    talk.request("callwright/status", {"uri": uri})
    reported = [message["params"] for message in talk.kept if message.get("method") == "$/progress"]
    assert [each["value"]["kind"] for each in reported if each["token"] == FAR][-1] == "end"
    # What was begun for the other one was ended, too.
    kinds = [each["value"]["kind"] for each in reported if each["token"] == CUT]
    assert not kinds or kinds[-1] == "end"


def test_parts_are_sent_as_they_are_found_to_a_client_that_wants_them(talk: Conversation, tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.prompt").write_text(CALL * 2 + "<raed_file><path>a</path></raed_file>\n")
    (tmp_path / "tools.json").write_text(json.dumps([TOOL]))
    (tmp_path / "callwright.toml").write_text('tools = ["tools.json"]\n')
    talk.initialize(root=tmp_path)
    uri = (tmp_path / "a.prompt").as_uri()
    talk.open(uri, CALL)
    for method in ("textDocument/references", "workspace/symbol", "workspace/diagnostic"):
        params = {"textDocument": {"uri": uri}, **LONG[method]}
        whole = talk.request(method, params)
        rest = talk.request(method, {**params, "partialResultToken": method})
        parts = [
            message["params"]["value"]
            for message in talk.kept
            if message.get("method") == "$/progress" and message["params"]["token"] == method
        ]
        assert len(parts) > 1
        if method == "workspace/diagnostic":
            whole, rest, parts = whole["items"], rest["items"], [part["items"] for part in parts]
        assert rest == []
        assert [each for part in parts for each in part] == whole


def test_the_first_load_is_reported_once_to_a_client_that_shows_progress(talk: Conversation, tmp_path: Path) -> None:
    talk.initialize({"window": {"workDoneProgress": True}}, root=tmp_path)
    for name in ("a.prompt", "b.prompt"):
        talk.open((tmp_path / name).as_uri(), CALL)
    talk.request("callwright/status", {"uri": (tmp_path / "b.prompt").as_uri()})
    reported = [message for message in talk.kept if "rogress" in message.get("method", "")]
    assert [message["method"] for message in reported] == ["window/workDoneProgress/create", "$/progress", "$/progress"]
    assert [message["params"]["value"]["kind"] for message in reported[1:]] == ["begin", "end"]
    assert {message["params"]["token"] for message in reported} == {reported[0]["params"]["token"]}
