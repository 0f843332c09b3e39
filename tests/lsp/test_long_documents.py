"""Long documents: read and checked in slices, between which messages are answered; too long ones are reported as
such."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from callwright.lsp.session import LONG
from lsp.conversation import Conversation, at, between, codes, conversation
from lsp.test_cancellation import CANCELLED, await_read, held

pytestmark = pytest.mark.usefixtures("named_sets")

CONTENT_MODIFIED = -32801
CALL = "Prose about it.\n\n<read_file>\n<path>src/a.py</path>\n</read_file>\n\n"
FAULT = "<read_file>\n<paht>src/a.py</paht>\n</read_file>\n\n"
TEXT = CALL * 400 + FAULT
END = TEXT.count("\n")
SYMBOLS = "textDocument/documentSymbol"
COMPLETION = "textDocument/completion"


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Conversation]:
    with conversation() as talk:
        talk.initialize(root=tmp_path)
        # Whatever is loaded on first use is loaded before anything is counted.
        talk.open("file:///warm.prompt", FAULT)
        assert codes(talk.diagnostics("file:///warm.prompt"))
        talk.server.scheduler.slices.seconds = 0
        yield talk


@pytest.fixture
def uri(tmp_path: Path) -> str:
    return (tmp_path / "long.prompt").as_uri()


def stopped(talk: Conversation, uri: str, *, slices: int) -> threading.Event:
    """Let the server pause once it has done so many slices for a document, until the event is set."""
    server, go_on, reached = talk.server, threading.Event(), threading.Event()
    one, done = server.scheduler._slice, 0

    def counting(of: str) -> None:
        nonlocal done
        one(of)
        done += of == uri
        if done == slices:
            reached.set()
            assert go_on.wait(30)

    server.scheduler._slice = counting  # type: ignore[assignment, method-assign]
    go_on.reached = reached  # type: ignore[attr-defined]
    return go_on


def order_of(talk: Conversation, *wanted: Any) -> list[Any]:
    """Return ids of answers and methods of notifications in the order in which they come, until all wanted have."""
    seen: list[Any] = []
    while not set(wanted) <= set(seen):
        message = talk.next()
        seen.append(message["id"] if "method" not in message else message["method"])
        talk.kept.append(message)
    return [each for each in seen if each in wanted]


def test_a_long_document_is_answered_about_while_it_is_read(talk: Conversation, uri: str) -> None:
    assert len(TEXT) > LONG
    go_on = stopped(talk, uri, slices=5)
    talk.open(uri, TEXT)
    assert go_on.reached.wait(30)  # type: ignore[attr-defined]
    # After what has been read, where an opening tag is begun.
    symbols = talk.begin(SYMBOLS, {"textDocument": {"uri": uri}})
    hover = talk.begin("textDocument/hover", {"textDocument": {"uri": uri}, "position": at(END - 7, 3)})
    offered = talk.begin(COMPLETION, {"textDocument": {"uri": uri}, "position": at(END - 4, 1)})
    await_read(talk)
    assert talk.server.parts.session.documents[uri].snapshot is None
    go_on.set()
    pushed = "textDocument/publishDiagnostics"
    # What waits for all of the document comes after what does not; its diagnostics are published before an outline.
    assert order_of(talk, hover, offered, symbols, pushed) == [hover, offered, pushed, symbols]
    assert "read_file" in str(talk.answer(hover)["result"])
    assert "read_file" in str(talk.answer(offered)["result"])
    assert len(talk.answer(symbols)["result"]) == 2 * 401
    assert codes(talk.diagnostics(uri, 1))


def test_an_edit_ends_what_is_under_way_and_nothing_old_is_stated(talk: Conversation, uri: str) -> None:
    go_on = stopped(talk, uri, slices=5)
    talk.open(uri, TEXT)
    assert go_on.reached.wait(30)  # type: ignore[attr-defined]
    first = talk.server.scheduler._slow[uri].work
    asked = talk.begin("textDocument/definition", {"textDocument": {"uri": uri}, "position": at(2, 3)})
    whole = talk.begin(SYMBOLS, {"textDocument": {"uri": uri}})
    talk.change(uri, 2, {"range": between((0, 0), (0, 0)), "text": "````\n"})
    talk.change(uri, 3, {"range": between((0, 0), (1, 0)), "text": ""})
    talk.change(uri, 4, {"range": between((END, 0), (END, 0)), "text": FAULT})
    await_read(talk)
    go_on.set()
    found = talk.wait("textDocument/publishDiagnostics", lambda params: params["uri"] == uri)
    assert first.finished
    # The versions in between get no diagnostics.
    assert found["version"] == 4
    lines = [item["range"]["start"]["line"] for item in found["diagnostics"]]
    assert [line for line in lines if line >= END]
    assert len([line for line in lines if line >= END]) * 2 == len(lines)
    assert talk.answer(asked)["error"]["code"] == CONTENT_MODIFIED
    assert len(talk.answer(whole)["result"]) == 2 * 402


@pytest.mark.parametrize("new", ["````\n", "<read_file>\n", "x"])
def test_an_edit_at_the_top_gives_what_opening_gives(new: str, talk: Conversation, uri: str) -> None:
    talk.server.scheduler.slices.seconds = 0.005
    talk.open(uri, TEXT)
    talk.diagnostics(uri, 1)
    talk.change(uri, 2, {"range": between((0, 0), (0, 0)), "text": new})
    edited = talk.diagnostics(uri, 2)
    other = uri.replace("long", "other")
    talk.open(other, new + TEXT)
    opened = talk.diagnostics(other, 1)
    # A related place in the text itself names the document.
    assert json.dumps(edited) == json.dumps(opened).replace(other, uri)


def test_a_request_that_waits_may_be_cancelled(talk: Conversation, uri: str) -> None:
    go_on = stopped(talk, uri, slices=3)
    talk.open(uri, TEXT)
    assert go_on.reached.wait(30)  # type: ignore[attr-defined]
    waiting = talk.begin(SYMBOLS, {"textDocument": {"uri": uri}})
    talk.notify("$/cancelRequest", {"id": waiting})
    await_read(talk)
    go_on.set()
    assert talk.answer(waiting)["error"]["code"] == CANCELLED
    talk.diagnostics(uri, 1)


def test_whatever_waits_is_answered_before_the_end(talk: Conversation, uri: str) -> None:
    go_on = held(talk)
    talk.open(uri, TEXT)
    waiting = talk.begin(SYMBOLS, {"textDocument": {"uri": uri}})
    ended = talk.begin("shutdown", None)
    await_read(talk)
    go_on.set()
    assert talk.answer(waiting)["error"]["code"] == CANCELLED
    assert talk.answer(ended)["result"] is None


def test_a_short_document_does_not_wait_for_a_long_one(talk: Conversation, uri: str) -> None:
    go_on = stopped(talk, uri, slices=3)
    talk.open(uri, TEXT)
    assert go_on.reached.wait(30)  # type: ignore[attr-defined]
    short = uri.replace("long", "short")
    talk.open(short, CALL)
    symbols = talk.begin(SYMBOLS, {"textDocument": {"uri": short}})
    await_read(talk)
    assert talk.server.parts.session.documents[uri].snapshot is None
    go_on.set()
    found = order_of(talk, symbols, "textDocument/publishDiagnostics")
    assert found[0] == symbols
    talk.diagnostics(uri, 1)


def test_a_client_that_fetches_diagnostics_gets_them_of_a_long_document(tmp_path: Path, uri: str) -> None:
    with conversation() as talk:
        talk.initialize({"textDocument": {"diagnostic": {}}}, root=tmp_path)
        talk.open(uri, TEXT)
        report = talk.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        assert codes(report["items"])
        again = {"textDocument": {"uri": uri}, "previousResultId": report["resultId"]}
        assert talk.request("textDocument/diagnostic", again)["kind"] == "unchanged"


@pytest.fixture
def limited(tmp_path: Path) -> str:
    (tmp_path / "callwright.toml").write_text("max_characters = 20000\n", encoding="utf-8")
    return (tmp_path / "long.prompt").as_uri()


def test_a_document_that_is_too_long_is_not_read_and_that_is_stated(talk: Conversation, limited: str) -> None:
    talk.open(limited, TEXT)
    reported = talk.wait("window/showMessage")
    assert reported["type"] == 3
    (item,) = talk.diagnostics(limited, 1)
    assert item["severity"] == 3
    assert item["range"] == between((0, 0), (0, 0))
    for word in (f"{len(TEXT):,}", "20,000", "`max_characters`"):
        assert word in item["message"]
        assert word in reported["message"]
    assert talk.request("callwright/status", {"uri": limited})["tooLong"] is True
    # What is around the cursor is known all the same.
    there = {"textDocument": {"uri": limited}}
    assert "read_file" in str(talk.request("textDocument/hover", {**there, "position": at(END - 7, 3)}))
    assert "read_file" in str(talk.request(COMPLETION, {**there, "position": at(END - 4, 1)}))
    assert not talk.request(SYMBOLS, there)


def test_a_document_comes_to_be_read_once_it_is_short_enough(talk: Conversation, limited: str) -> None:
    talk.open(limited, TEXT)
    assert len(talk.diagnostics(limited, 1)) == 1
    talk.change(limited, 2, {"range": between((0, 0), (END - 4, 0)), "text": CALL})
    items = talk.diagnostics(limited, 2)
    assert all(item["severity"] == 1 for item in items)
    assert codes(items)
    talk.change(limited, 3, {"range": between((0, 0), (0, 0)), "text": TEXT})
    (item,) = talk.diagnostics(limited, 3)
    assert "`max_characters`" in item["message"]


def test_blocks_that_are_not_of_use_any_more_are_let_go_of_a_few_at_a_time(talk: Conversation, uri: str) -> None:
    garbage = talk.server.scheduler.garbage
    left: list[int] = []
    sweep = garbage.sweep

    def counting() -> None:
        sweep()
        left.append(len(garbage._dropped))

    garbage.sweep = counting  # type: ignore[method-assign]
    talk.open(uri, TEXT * 3)
    talk.diagnostics(uri, 1)
    talk.change(uri, 2, {"range": between((0, 0), (0, 0)), "text": "````\n"})
    talk.diagnostics(uri, 2)
    document = talk.server.parts.session.documents[uri]
    # What the fence took is kept, for it may be closed soon.
    assert document.snapshot is not None
    assert document.kept is not None
    waiting = sum(len(tail.blocks) for tail in document.kept.waiting)
    blocks = len(document.snapshot.blocks) + waiting
    assert waiting > 16
    talk.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    talk.request("callwright/status", {"uri": uri})
    # Asked only once nothing else is to be done.
    while garbage.pending:
        assert talk.thread.is_alive()
    assert left[-1] == 0
    assert all(before - after <= 16 for before, after in zip([blocks, *left], left, strict=False))
