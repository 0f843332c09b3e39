"""What a connection and its server hold at most: messages, requests that wait, lines of a log that are not taken."""

import os
import sys
from collections import Counter
from typing import Any

import pytest

from callwright.lsp.connection import MAX_WAITING, MIN_WEIGHT, SERVER_CANCELLED, Connection, End
from callwright.lsp.frames import FrameReader, FrameWriter
from callwright.lsp.outlets import LogStream, Outlet
from callwright.lsp.scheduler import MAX_REQUESTS
from lsp.conversation import CAPABILITIES, at, frame
from lsp.driven import Driven

URI = "file:///nowhere/a.prompt"
SYMBOLS = "textDocument/documentSymbol"


class Flood:
    """A client that would send so many messages at once; counts how many were read and not passed."""

    def __init__(self, messages: int, size: int) -> None:
        self.left = messages
        self.body = "x" * size
        self.read = self.passed_on = self.most = 0

    def __call__(self) -> bytes:
        self.most = max(self.most, self.read - self.passed_on)
        if self.left == 0:
            return b""
        self.left -= 1
        self.read += 1
        return frame({"jsonrpc": "2.0", "method": "x", "params": [self.read, self.body]})


@pytest.mark.parametrize(
    ("size", "most"), [(0, MAX_WAITING // MIN_WEIGHT), (MAX_WAITING // 4, 4), (2 * MAX_WAITING, 1)]
)
def test_no_more_is_read_than_may_wait_and_nothing_is_lost(size: int, most: int) -> None:
    flood = Flood(messages=3 * most + 7, size=size)
    connection = Connection(FrameReader(flood), FrameWriter(lambda _data: None))
    connection.start()
    seen = []
    while not isinstance(message := connection.receive(), End):
        assert isinstance(message, dict)
        seen.append(message["params"][0])
        flood.passed_on += 1
    assert seen == list(range(1, flood.read + 1))
    # One is in the hands of the thread that reads, and one of the thread that works has just been taken.
    assert flood.most <= most + 2


def test_who_sends_is_waited_for_to_leave_at_exit_and_at_the_end() -> None:
    for data in ([frame({"jsonrpc": "2.0", "method": "exit"})], []):
        left: list[str] = []
        pieces = iter([*data, b""])
        connection = Connection(FrameReader(pieces.__next__), FrameWriter(len), lambda: left.append("left"))  # noqa: B023
        connection.start()
        while not isinstance(connection.receive(), End):
            assert left
        assert left


def asked(number: int) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": SYMBOLS, "params": {"textDocument": {"uri": URI}}}


@pytest.mark.parametrize("read", [False, True], ids=["being read", "answered in steps"])
def test_only_so_many_requests_wait_and_each_is_answered_once(read: bool) -> None:
    driven = Driven()
    text = "Prose.\n\n" * 4_000
    opening = {"textDocument": {"uri": URI, "languageId": "callwright-prompt", "version": 1, "text": text}}
    if read:
        driven.open(URI, text)
    else:
        driven.server.take({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": opening})
    driven.sent = []
    more, first = 30, 1_000
    for number in range(first, first + MAX_REQUESTS + more - 1):
        driven.server.take(asked(number))
    sent = [*driven.sent, *driven.take(asked(first + MAX_REQUESTS + more - 1))]
    answers = Counter(each["id"] for each in sent if "id" in each and "method" not in each)
    assert answers == Counter(range(first, first + MAX_REQUESTS + more))
    refused = [each["id"] for each in sent if each.get("error", {}).get("code") == SERVER_CANCELLED]
    assert refused == list(range(first + MAX_REQUESTS, first + MAX_REQUESTS + more))


def test_what_is_put_by_until_the_settings_are_known_is_bounded() -> None:
    driven = Driven(capabilities={**CAPABILITIES, "workspace": {"configuration": True}})
    hover = {"textDocument": {"uri": URI}, "position": at(0, 0)}
    most = MAX_WAITING // MIN_WEIGHT
    driven.sent = []
    driven.server._connection.weight = MIN_WEIGHT
    for number in range(most):
        driven.server.take({"jsonrpc": "2.0", "id": 100 + number, "method": "textDocument/hover", "params": hover})
    assert driven.sent == []
    sent = driven.take({"jsonrpc": "2.0", "id": 100 + most, "method": "textDocument/hover", "params": hover})
    assert [each["id"] for each in sent] == list(range(100, 101 + most))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot say whether a pipe takes more")
def test_a_log_that_is_not_taken_holds_nothing_up() -> None:
    here, there = os.pipe()
    try:
        log = LogStream(there)
        lines = 1_000
        for number in range(lines):
            print(f"{number} " + "x" * 1_000, file=log)
        os.set_blocking(here, False)
        taken = os.read(here, 1 << 20)
        assert taken.startswith(b"0 x")
        assert len(taken) < lines * 1_000
        # Once it is taken again, so are new lines.
        print("later \udc80", file=log)
        assert os.read(here, 1 << 20).endswith(b"later \\udc80\n")
    finally:
        os.close(here)
        os.close(there)


def test_an_outlet_writes_all_of_what_it_is_given(tmp_path: Any) -> None:
    with (tmp_path / "out").open("wb", buffering=0) as file:
        outlet = Outlet(file.fileno())
        data = bytes(range(256)) * 1_000
        outlet.write(data)
        outlet.write(b"")
    assert (tmp_path / "out").read_bytes() == data
