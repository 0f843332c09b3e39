"""A client that takes no answers: the server reads no further, stays small, and ends soon after the client leaves."""

import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Literal

import pytest

from lsp.conversation import at, frame
from support.sampling import sampled

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux says how large a process was")

#: What the server promises: how soon it ends after its client has left, in seconds, and how large it may have been.
ENDS_WITHIN = 5
MAX_RESIDENT = 128 * 1024
#: How much is sent at most: read without a limit it would take several times the memory that is promised.
FLOOD = 48 << 20
#: How long nothing must have been read for a flood to be over, in seconds.
FULL = 1.5
#: How long anything else may take before a test fails instead of waiting, in seconds.
LIMIT = 60
URI = "file:///nowhere/a.prompt"
FAULTY = '<read_file>{"path": "a",}</read_file>\n'
DOCUMENT = {"textDocument": {"uri": URI}}
HERE = {**DOCUMENT, "position": at(0, 3)}
SETTINGS = {"workspace": {"configuration": True}}


def opened(text: str) -> dict[str, Any]:
    document = {"uri": URI, "languageId": "callwright-prompt", "version": 1, "text": text}
    return {"method": "textDocument/didOpen", "params": {"textDocument": document}}


def change(version: int) -> dict[str, Any]:
    """Return a change that makes faults, and takes them back at every other version."""
    text = FAULTY * 100 if version % 2 else "nothing"
    params = {"textDocument": {"uri": URI, "version": version}, "contentChanges": [{"text": text}]}
    return {"method": "textDocument/didChange", "params": params}


@dataclass(frozen=True)
class Client:
    """What a client sends first, and again and again with `{n}` as the number of the message; how it leaves."""

    flood: tuple[dict[str, Any] | bytes, ...]
    first: tuple[dict[str, Any], ...] = (opened(FAULTY * 3),)
    capabilities: dict[str, Any] = field(default_factory=dict)
    leaves: Literal["input", "output", "exit"] = "input"
    wires: Literal["pipes", "sockets"] = "pipes"
    #: Whether the log is not taken, either; and how many bytes of the answers are taken after each message.
    log: bool = False
    taken: int = 0
    #: What is asked before, and answered: what the server imports for it takes time that no client that leaves takes.
    warm: tuple[dict[str, Any], ...] = ({"id": 5, "method": "textDocument/hover", "params": HERE},)
    #: Whether the flood is sent again and again, or once.
    once: bool = False


def asks(method: str, params: Any) -> dict[str, Any]:
    return {"id": "{n}", "method": method, "params": params}


CLIENTS = {
    "asks for what there is not": Client((asks("nothing/known", {}),)),
    "hovers": Client((asks("textDocument/hover", HERE),)),
    "completes": Client((asks("textDocument/completion", HERE),)),
    "asks under one id": Client(({"id": 7, "method": "textDocument/hover", "params": HERE},)),
    "types": Client((change(1), change(2))),
    "types, by sockets": Client((change(1), change(2)), wires="sockets"),
    "fetches diagnostics": Client(
        (asks("textDocument/diagnostic", DOCUMENT),), capabilities={"textDocument": {"diagnostic": {}}}
    ),
    "asks for progress": Client(
        (asks("workspace/symbol", {"query": "", "partialResultToken": 1, "workDoneToken": 2}),)
    ),
    "asks about a document that is being read": Client(
        (asks("textDocument/documentSymbol", DOCUMENT),), first=(opened(FAULTY * 40_000),)
    ),
    "asks for much that takes long": Client(
        (asks("textDocument/documentSymbol", DOCUMENT),), first=(opened(FAULTY * 500),)
    ),
    "asks and cancels": Client(
        (asks("textDocument/hover", HERE), {"method": "$/cancelRequest", "params": {"id": "{n}"}}),
    ),
    "asks before its settings are known": Client(
        (asks("nothing/known", {}),), first=(), capabilities=SETTINGS, warm=()
    ),
    "changes settings and answers no question": Client(
        ({"method": "workspace/didChangeConfiguration", "params": {"settings": {}}},), capabilities=SETTINGS
    ),
    "asks after `shutdown`": Client(
        (asks("textDocument/hover", HERE),), first=({"id": 2, "method": "shutdown", "params": None},), warm=()
    ),
    "sends no JSON": Client((b"Content-Length: 5\r\n\r\n{'a':",)),
    "sends batches": Client(
        (frame([{"jsonrpc": "2.0", "id": 5, "method": "textDocument/hover", "params": HERE}] * 9),)
    ),
    "takes no log": Client(({"method": "textDocument/didClose", "params": DOCUMENT},), log=True),
    "answers what was not asked": Client(({"id": "callwright-9", "error": {"code": 1, "message": "no"}},), log=True),
    "takes a byte now and then": Client((asks("textDocument/completion", HERE),), taken=1),
    "closes its ears": Client((asks("textDocument/hover", HERE),), leaves="output"),
    "closes its ears, by sockets": Client((asks("textDocument/hover", HERE),), leaves="output", wires="sockets"),
    "is silent and closes its ears": Client((), leaves="output", once=True),
    "says `exit` while its answers wait": Client(
        (asks("textDocument/completion", HERE),) * 20 + ({"method": "exit"},), leaves="exit", once=True
    ),
    "sends half a frame": Client((b"Content-Length: 4000000\r\n\r\n" + b" " * 2_000_000,), once=True),
    "sends half a header": Client((b"Content-Length: 4",), once=True),
}


class Ends:
    """The client's ends of the wires to a server, none of which keeps it waiting."""

    def __init__(self, client: Client) -> None:
        pairs = [self._pair(client.wires) for _ in range(2)]
        (self.input, theirs_in), (theirs_out, self.output) = pairs[0][::-1], pairs[1][::-1]
        log_here, log_there = os.pipe()
        # A child of a program that ignores SIGPIPE would ignore it, too; a shell does not.
        self.server = subprocess.Popen(
            [sys.executable, "-m", "callwright", "server"],
            stdin=theirs_in,
            stdout=theirs_out,
            stderr=log_there if client.log else subprocess.DEVNULL,
            preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL),  # noqa: PLW1509 - no thread runs here
        )
        for descriptor in (theirs_in, theirs_out, log_there):
            os.close(descriptor)
        self.log = log_here
        os.set_blocking(self.input, False)

    @staticmethod
    def _pair(wires: str) -> tuple[int, int]:
        """Return where can be read and where can be written."""
        if wires == "pipes":
            return os.pipe()
        one, other = socket.socketpair()
        return one.detach(), other.detach()

    def send(self, data: bytes) -> bool:
        """Send bytes; False where they are not taken for a while, or nothing takes them any more."""
        view = memoryview(data)
        while view:
            if not select.select([], [self.input], [], FULL)[1]:
                return False
            try:
                view = view[os.write(self.input, view) :]
            except BrokenPipeError:
                return False
        return True

    def take_until(self, words: bytes) -> None:
        """Take answers until one of them holds `words`."""
        taken = b""
        while words not in taken:
            piece = os.read(self.output, 1 << 16)
            assert piece, taken
            taken += piece

    def leave(self, how: str) -> None:
        if how == "input":
            os.close(self.input)
            self.input = -1
        elif how == "output":
            os.close(self.output)
            self.output = -1

    def resident(self) -> int:
        """Return how many kB of memory the server had at most."""
        status = Path(f"/proc/{self.server.pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0])

    def close(self) -> None:
        self.server.kill()
        self.server.wait(LIMIT)
        for descriptor in (self.input, self.output, self.log):
            if descriptor >= 0:
                os.close(descriptor)


def messages(client: Client) -> Iterator[bytes]:
    """Yield what a client sends, numbered; without end but for one that sends it once."""
    for number in [10] if client.once else count(10):
        for each in client.flood:
            if isinstance(each, bytes):
                yield each
                continue
            message = {"jsonrpc": "2.0", **each}
            if message.get("id") == "{n}":
                message["id"] = number
            if message["method" if "method" in message else "id"] == "textDocument/didChange":
                message["params"] = change(2 * number + each["params"]["textDocument"]["version"])["params"]
            if message.get("method") == "$/cancelRequest":
                message["params"] = {"id": number}
            yield frame(message)


def brief(name: str) -> str:
    """Two of them run in each sample: one that floods, and one that leaves in the middle of something else."""
    return "floods" if CLIENTS[name].leaves == "input" and not CLIENTS[name].once else "leaves"


@pytest.mark.parametrize("name", sampled(CLIENTS, keep=1, by=brief))
def test_the_server_stays_small_and_ends_with_a_client_that(name: str) -> None:
    client = CLIENTS[name]
    ends = Ends(client)
    try:
        initialize: dict[str, Any] = {
            "id": 1,
            "method": "initialize",
            "params": {
                "processId": None,
                "capabilities": client.capabilities,
                "initializationOptions": {"shipped": True},
            },
        }
        for message in (initialize, {"method": "initialized", "params": {}}, *client.first, *client.warm):
            assert ends.send(frame({"jsonrpc": "2.0", **message}))
        ends.take_until(b'"id":5' if client.warm else b'"id":1')
        sent = 0
        for data in messages(client):
            if sent > FLOOD or not ends.send(data):
                break
            sent += len(data)
            if client.taken:
                os.read(ends.output, client.taken)
        assert ends.resident() <= MAX_RESIDENT
        ends.leave(client.leaves)
        assert ends.server.wait(ENDS_WITHIN) == 1
    finally:
        ends.close()
