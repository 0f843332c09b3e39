"""The server, message by message: its life, its documents, and what it does with messages that make no sense."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from callwright.document.snapshot import Snapshot
from callwright.features import all_features, text_document_completion, text_document_diagnostic, text_document_hover
from callwright.features.base import Feature
from lsp.conversation import CAPABILITIES, Conversation, at, between, codes, conversation, frame

pytestmark = pytest.mark.usefixtures("named_sets")

URI = "file:///nowhere/a.prompt"
GOOD = "<read_file><path>a</path></read_file>\n"
BAD = '<read_file>{"path": "a",}</read_file>\n'
#: Where the comma is that is one too many.
COMMA = BAD.index(",}")


@pytest.fixture
def talk() -> Iterator[Conversation]:
    with conversation() as talk:
        yield talk


@pytest.fixture
def ready(talk: Conversation) -> Conversation:
    talk.initialize()
    return talk


# The life of a session


def test_initialize_reports_what_the_server_can(talk: Conversation) -> None:
    result = talk.initialize()
    capabilities = result["capabilities"]
    assert result["serverInfo"]["name"] == "callwright"
    assert capabilities["textDocumentSync"] == {"openClose": True, "change": 2, "save": {"includeText": True}}
    assert {"hoverProvider", "completionProvider", "codeActionProvider", "diagnosticProvider"} <= capabilities.keys()
    for feature in all_features():
        announced: Any = capabilities
        for step in filter(None, feature.capability.split(".")):
            assert step in announced, feature.capability
            announced = announced[step]


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (["utf-16"], "utf-16"),
        (["utf-8", "utf-16"], "utf-8"),
        (["utf-16", "utf-8"], "utf-16"),
        (["utf-32", "utf-8", "utf-16"], "utf-32"),
        (["utf-7", "utf-8"], "utf-8"),
        ([], "utf-16"),
        (None, "utf-16"),
        ("utf-8", "utf-16"),
    ],
)
def test_the_clients_first_choice_of_encoding_is_taken(talk: Conversation, offered: Any, chosen: str) -> None:
    result = talk.initialize({"general": {"positionEncodings": offered}})
    assert result["capabilities"]["positionEncoding"] == chosen


def test_before_initialize_requests_are_refused_and_notifications_dropped(talk: Conversation) -> None:
    assert talk.fails("textDocument/hover", {})["code"] == -32002
    talk.open(URI, BAD)
    talk.initialize()
    assert talk.request("callwright/status", {"uri": URI}) is None


def test_a_second_initialize_is_refused(ready: Conversation) -> None:
    assert ready.fails("initialize", {"capabilities": {}})["code"] == -32600


def test_capabilities_that_make_no_sense_promise_nothing(talk: Conversation) -> None:
    nonsense: dict[str, Any] = {
        "textDocument": [],
        "workspace": {"configuration": "yes", "workspaceEdit": 5},
        "general": None,
    }
    talk.initialize(nonsense)
    talk.open(URI, BAD)
    assert codes(talk.diagnostics(URI))


def test_after_shutdown_only_exit_is_obeyed(ready: Conversation) -> None:
    assert ready.request("shutdown", None) is None
    assert ready.fails("callwright/status", {"uri": URI})["code"] == -32600
    ready.notify("exit", None)
    ready.thread.join(30)
    assert ready.exit_code == 0


def test_exit_without_shutdown_is_an_error(ready: Conversation) -> None:
    ready.notify("exit", None)
    ready.thread.join(30)
    assert ready.exit_code == 1


def test_a_client_that_is_gone_ends_the_server(talk: Conversation) -> None:
    talk.initialize()
    talk.close()
    assert talk.exit_code == 1


def test_unknown_requests_are_answered_and_unknown_notifications_are_not(ready: Conversation) -> None:
    assert ready.fails("textDocument/unheardOf", {})["code"] == -32601
    ready.notify("$/setTrace", {"value": "off"})
    ready.notify("some/notification", None)
    assert ready.request("callwright/status", {"uri": URI}) is None


def test_a_request_that_was_cancelled_before_its_turn_is_not_begun(
    ready: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    working, go_on = threading.Event(), threading.Event()

    def slow(*_: Any) -> None:
        working.set()
        assert go_on.wait(30)

    hover = text_document_hover.FEATURE
    monkeypatch.setitem(ready.server._features, hover.method, replace(hover, handle=slow))
    ready.open(URI, GOOD)
    where = {"textDocument": {"uri": URI}, "position": at(0, 1)}
    first = ready.begin("textDocument/hover", where)
    assert working.wait(30)
    second = ready.begin("textDocument/completion", where)
    third = ready.begin("textDocument/completion", where)
    ready.notify("$/cancelRequest", {"id": second})
    ready.notify("$/cancelRequest", {"id": 999})
    ready.notify("$/cancelRequest", None)
    # Reading continues while work is done: once this has been read, the cancellations have been too.
    ready.send({"id": "behind", "method": "shutdown"})
    while "behind" not in ready.server._connection._open:
        assert ready.thread.is_alive()
    go_on.set()
    assert ready.answer(first)["result"] is None
    assert ready.answer(second)["error"]["code"] == -32800
    assert ready.answer(third)["result"]["items"]


# Failures


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/hover", None),
        ("textDocument/hover", {}),
        ("textDocument/hover", {"textDocument": {"uri": URI}}),
        ("textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": 0}}),
        ("textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": -1, "character": 0}}),
        ("textDocument/hover", {"textDocument": {"uri": 5}, "position": at(0, 0)}),
        ("textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": "0", "character": 0}}),
        ("textDocument/completion", [1, 2]),
        ("textDocument/codeAction", {"textDocument": {"uri": URI}, "range": between((0, 0), (0, 0))}),
        ("textDocument/codeAction", {"textDocument": {"uri": URI}, "range": None, "context": {"diagnostics": []}}),
        ("codeAction/resolve", {"title": "x"}),
        ("codeAction/resolve", {"kind": "quickfix"}),
        ("textDocument/diagnostic", None),
        ("textDocument/diagnostic", {"textDocument": {}}),
        ("textDocument/diagnostic", {"textDocument": {"uri": 7}}),
        ("callwright/status", None),
        ("callwright/status", {}),
    ],
)
def test_parameters_that_make_no_sense_are_answered_and_logged(ready: Conversation, method: str, params: Any) -> None:
    ready.open(URI, GOOD)
    error = ready.fails(method, params)
    assert error["code"] == -32602, error
    assert method in error["message"]
    assert ready.wait("window/logMessage")["message"] == error["message"]
    assert ready.request("callwright/status", {"uri": URI})["uri"] == URI


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/didOpen", None),
        ("textDocument/didOpen", {"textDocument": {"uri": URI}}),
        ("textDocument/didChange", {"textDocument": {"uri": URI, "version": 2}}),
        ("textDocument/didChange", {"textDocument": {"uri": URI, "version": "2"}, "contentChanges": []}),
        ("textDocument/didChange", {"textDocument": {"uri": "file:///other", "version": 2}, "contentChanges": []}),
        ("textDocument/didClose", {"textDocument": {"uri": "file:///other"}}),
        ("textDocument/didSave", {}),
        ("workspace/didChangeWatchedFiles", {}),
        ("workspace/didChangeWatchedFiles", {"changes": [{"uri": None}]}),
        ("workspace/didChangeWorkspaceFolders", {}),
    ],
)
def test_notifications_that_make_no_sense_are_logged(ready: Conversation, method: str, params: Any) -> None:
    ready.open(URI, BAD)
    before = ready.diagnostics(URI)
    ready.notify(method, params)
    assert ready.wait("window/logMessage")["type"] == 1
    assert ready.request("textDocument/diagnostic", {"textDocument": {"uri": URI}})["items"] == before


@pytest.mark.parametrize("feature", [text_document_hover.FEATURE, text_document_completion.FEATURE])
def test_a_handler_that_fails_is_answered_and_logged(
    ready: Conversation, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], feature: Feature[Any]
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("the roof is on fire")

    ready.open(URI, GOOD)
    where = {"textDocument": {"uri": URI}, "position": at(0, 3)}
    with monkeypatch.context() as patch:
        patch.setitem(ready.server._features, feature.method, replace(feature, handle=fail))
        error = ready.fails(feature.method, where)
    assert error["code"] == -32603
    assert "RuntimeError: the roof is on fire" in error["message"]
    assert "the roof is on fire" in ready.wait("window/logMessage")["message"]
    assert "Traceback" in capsys.readouterr().err
    assert ready.request(feature.method, where)


def test_a_result_that_json_cannot_hold_is_an_error(ready: Conversation, monkeypatch: pytest.MonkeyPatch) -> None:
    ready.open(URI, GOOD)
    place = {"textDocument": {"uri": URI}, "position": at(0, 2)}
    with monkeypatch.context() as patch:
        hover = text_document_hover.FEATURE
        patch.setitem(ready.server._features, hover.method, replace(hover, to_lsp=lambda *_: object()))
        error = ready.fails("textDocument/hover", place)
    assert error["code"] == -32603
    assert "not JSON serializable" in error["message"]
    assert ready.request("textDocument/hover", place)


def test_diagnostics_that_fail_are_logged_and_come_back(ready: Conversation, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise RecursionError("too deep")

    with monkeypatch.context() as patch:
        diagnostic = text_document_diagnostic.FEATURE
        patch.setitem(ready.server._features, diagnostic.method, replace(diagnostic, handle=fail))
        ready.open(URI, BAD)
        assert "RecursionError" in ready.wait("window/logMessage")["message"]
    ready.change(URI, 2, {"range": between((0, 0), (0, 0)), "text": "\n"})
    assert ready.diagnostics(URI, 2)


def test_noise_on_the_wire_is_answered(ready: Conversation) -> None:
    ready.to_server.put(b"Content-Length: 9\r\n\r\n{nothing}")
    assert ready.expect(lambda message: message.get("id", 0) is None)["error"]["code"] == -32700
    assert ready.request("callwright/status", {"uri": URI}) is None


def test_answers_to_nothing_are_passed_over(ready: Conversation) -> None:
    ready.send({"id": "callwright-77", "result": 5})
    ready.send({"id": 5, "error": "broken"})
    ready.send({"id": None, "result": 5})
    assert ready.request("callwright/status", {"uri": URI}) is None


def test_a_text_that_the_engine_fails_on_is_forgotten_with_the_next_change(
    ready: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("lost in a text")

    ready.open(URI, GOOD)
    assert ready.diagnostics(URI, 1) == []
    with monkeypatch.context() as patch:
        patch.setattr(Snapshot, "edit", fail)
        ready.change(URI, 2, {"range": between((0, 0), (0, 0)), "text": "\n"})
        assert "lost in a text" in ready.wait("window/logMessage")["message"]
    ready.change(URI, 3, {"range": between((1, 0), (1, 0)), "text": BAD})
    assert ready.diagnostics(URI, 3)[0]["range"]["start"] == at(1, COMMA)


@pytest.mark.parametrize(
    ("text", "character", "is_answered"),
    [("<", "<", True), ("a > b", ">", False), ("see: a", ":", False), ("<read_file>", ">", False), ("a/", "/", False)],
)
def test_a_character_that_begins_nothing_asks_for_nothing(
    ready: Conversation, text: str, character: str, is_answered: bool
) -> None:
    ready.open(URI, text)
    where = {"textDocument": {"uri": URI}, "position": at(0, text.index(character) + 1)}
    typed = {**where, "context": {"triggerKind": 2, "triggerCharacter": character}}
    assert bool(ready.request("textDocument/completion", typed)["items"]) == is_answered


# Documents


def test_diagnostics_are_pushed_changed_and_taken_back(ready: Conversation) -> None:
    ready.open(URI, BAD)
    (item,) = ready.diagnostics(URI, 1)
    assert item["source"] == "callwright"
    assert item["severity"] == 1
    assert item["range"] == between((0, COMMA), (0, COMMA + 1))
    ready.change(URI, 2, {"range": between((0, COMMA), (0, COMMA + 1)), "text": ""})
    assert ready.diagnostics(URI, 2) == []
    ready.change(URI, 3, {"range": between((0, COMMA), (0, COMMA)), "text": ","})
    assert len(ready.diagnostics(URI, 3)) == 1
    ready.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    assert ready.diagnostics(URI) == []
    assert ready.request("textDocument/diagnostic", {"textDocument": {"uri": URI}})["items"] == []


def test_many_changes_in_one_message_are_applied_one_after_another(ready: Conversation) -> None:
    ready.open(URI, "")
    assert ready.diagnostics(URI, 1) == []
    ready.change(
        URI,
        2,
        {"range": between((0, 0), (0, 0)), "text": "x\ny"},
        {"range": between((1, 1), (1, 1)), "text": BAD},
        {"range": between((0, 0), (1, 1)), "text": ""},
    )
    (item,) = ready.diagnostics(URI, 2)
    assert item["range"] == between((0, COMMA), (0, COMMA + 1))


@pytest.mark.parametrize(
    ("encoding", "column"),
    [("utf-8", 4 + 2), ("utf-16", 2 + 1), ("utf-32", 1 + 1)],
)
def test_positions_count_in_the_negotiated_encoding(talk: Conversation, encoding: str, column: int) -> None:
    talk.initialize({**CAPABILITIES, "general": {"positionEncodings": [encoding]}})
    talk.open(URI, "x\n\N{GRINNING FACE}é" + BAD)
    (item,) = talk.diagnostics(URI)
    assert item["range"] == between((1, column + COMMA), (1, column + COMMA + 1))
    talk.change(URI, 2, {"range": between((1, column + COMMA), (1, column + COMMA + 1)), "text": ""})
    assert talk.diagnostics(URI, 2) == []


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x0b", "\x0c", "\x85", "\x1c"])
def test_only_what_the_protocol_calls_a_line_ending_ends_a_line(ready: Conversation, separator: str) -> None:
    ready.open(URI, f"a{separator}b\r{separator}\r\n{BAD}")
    (item,) = ready.diagnostics(URI)
    assert item["range"] == between((2, COMMA), (2, COMMA + 1))
    ready.change(URI, 2, {"range": between((2, COMMA), (2, COMMA + 1)), "text": ""})
    assert ready.diagnostics(URI, 2) == []


BAD_CHANGES: dict[str, dict[str, Any]] = {
    "the end before the start": {"range": between((0, 5), (0, 2)), "text": "x"},
    "between the halves of a character": {"range": between((1, 1), (1, 1)), "text": "x"},
    "a negative line": {"range": between((-1, 0), (0, 0)), "text": "x"},
    "no text": {"range": between((0, 0), (0, 0))},
    "no numbers": {"range": between(("a", 0), (0, 0)), "text": "x"},  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", BAD_CHANGES)
def test_a_change_that_does_not_fit_is_refused_and_never_applied(ready: Conversation, name: str) -> None:
    ready.open(URI, BAD + "\N{GRINNING FACE}")
    assert ready.diagnostics(URI, 1)
    ready.change(URI, 2, {"range": between((0, 0), (0, 0)), "text": "ok "}, BAD_CHANGES[name])
    assert "does not fit" in ready.wait("window/logMessage")["message"]
    assert "saved or reopened" in ready.wait("window/showMessage")["message"]
    (notice,) = ready.diagnostics(URI, 2)
    assert "out of sync" in notice["message"]
    where = {"textDocument": {"uri": URI}, "position": at(0, 3)}
    assert ready.request("textDocument/hover", where) is None
    assert ready.request("textDocument/completion", where) is None
    # Further edits cannot be applied to a text that is not the editor's; a whole text can.
    ready.change(URI, 3, {"range": between((0, 0), (0, 0)), "text": "y"})
    ready.change(URI, 4, {"text": "\n" + BAD})
    (item,) = ready.diagnostics(URI, 4)
    assert item["range"] == between((1, COMMA), (1, COMMA + 1))


def test_saving_brings_a_document_back_into_step(ready: Conversation) -> None:
    ready.open(URI, GOOD)
    ready.change(URI, 2, BAD_CHANGES["the end before the start"])
    assert "out of sync" in ready.diagnostics(URI, 2)[0]["message"]
    ready.notify("textDocument/didSave", {"textDocument": {"uri": URI}, "text": BAD})
    (item,) = ready.expect(
        lambda message: (
            message.get("method") == "textDocument/publishDiagnostics"
            and message["params"]["diagnostics"][0].get("code") is not None
        )
    )["params"]["diagnostics"]
    assert item["range"] == between((0, COMMA), (0, COMMA + 1))


def test_a_version_that_goes_back_is_refused(ready: Conversation) -> None:
    ready.open(URI, BAD, version=5)
    assert ready.diagnostics(URI, 5)
    ready.change(URI, 4, {"range": between((0, 0), (0, 0)), "text": "x"})
    assert "version 4 came after version 5" in ready.wait("window/logMessage")["message"]


def test_a_place_past_the_end_of_a_line_or_of_the_text_is_that_end(ready: Conversation) -> None:
    ready.open(URI, "a\nb")
    ready.change(URI, 2, {"range": between((0, 0), (2, 0)), "text": "x" + BAD})
    assert ready.diagnostics(URI, 2)[0]["range"]["start"] == at(0, COMMA + 1)
    ready.change(URI, 3, {"range": between((0, 0), (0, 2**31 - 1)), "text": BAD})
    assert ready.diagnostics(URI, 3)[0]["range"]["start"] == at(0, COMMA)
    ready.change(URI, 4, {"range": between((0, 400), (0, 900)), "text": "\n"})
    ready.change(URI, 5, {"range": between((7, 3), (9, 9)), "text": BAD})
    found = [item["range"]["start"] for item in ready.diagnostics(URI, 5)]
    assert found == [at(0, COMMA), at(3, COMMA)]


def test_a_document_that_is_opened_twice_has_its_later_text(ready: Conversation) -> None:
    ready.open(URI, GOOD)
    ready.open(URI, BAD, version=7)
    assert ready.diagnostics(URI, 7)


def test_a_lone_surrogate_survives(ready: Conversation) -> None:
    ready.open(URI, "\ud800" + BAD)
    assert ready.diagnostics(URI)[0]["range"]["start"] == at(0, COMMA + 1)


# Diagnostics that the client fetches

PULLING = {**CAPABILITIES, "textDocument": {**CAPABILITIES["textDocument"], "diagnostic": {}}}


def test_a_client_that_fetches_is_pushed_nothing(talk: Conversation) -> None:
    talk.initialize(PULLING)
    talk.open(URI, BAD)
    params = {"textDocument": {"uri": URI}}
    first = talk.request("textDocument/diagnostic", params)
    assert first["kind"] == "full"
    assert len(first["items"]) == 1
    again = talk.request("textDocument/diagnostic", {**params, "previousResultId": first["resultId"]})
    assert again == {"kind": "unchanged", "resultId": first["resultId"]}
    talk.change(URI, 2, {"range": between((0, 0), (0, 0)), "text": "\n"})
    moved = talk.request("textDocument/diagnostic", {**params, "previousResultId": first["resultId"]})
    assert moved["items"][0]["range"]["start"]["line"] == 1
    assert not any(message.get("method") == "textDocument/publishDiagnostics" for message in talk.kept)


def test_requests_for_documents_that_are_not_open_are_answered(ready: Conversation) -> None:
    where = {"textDocument": {"uri": "file:///nowhere/b.prompt"}, "position": at(0, 0)}
    assert ready.request("textDocument/hover", where) is None
    assert ready.request("textDocument/completion", where) is None
    assert ready.request("textDocument/diagnostic", where)["items"] == []
    assert ready.request("callwright/status", where) is None


def test_bursts_of_changes_are_checked_once(ready: Conversation, monkeypatch: pytest.MonkeyPatch) -> None:
    ready.open(URI, BAD)
    ready.diagnostics(URI, 1)
    changes = [
        {
            "jsonrpc": "2.0",
            "method": "textDocument/didChange",
            "params": {
                "textDocument": {"uri": URI, "version": version},
                "contentChanges": [{"range": between((0, 0), (0, 0)), "text": "\n"}],
            },
        }
        for version in range(2, 102)
    ]
    ready.to_server.put(b"".join(frame(change) for change in changes))
    (item,) = ready.diagnostics(URI, 101)
    assert item["range"]["start"] == at(100, COMMA)
    pushed = [message for message in ready.kept if message.get("method") == "textDocument/publishDiagnostics"]
    assert len(pushed) < 50
