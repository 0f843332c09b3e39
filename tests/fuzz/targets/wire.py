"""The wire: any bytes give messages and faults, however they are cut, and a server answers each request once.

The first line of an input only says how it is cut; all after it goes over the wire.
"""

from __future__ import annotations

from typing import Any

from callwright.lsp.frames import Fault, FrameReader
from fuzz.inputs import Input
from lsp.conversation import frame
from lsp.driven import Driven

HELLO: dict[str, Any] = {"jsonrpc": "2.0", "method": "hello", "params": [1]}
MAX_COUNT = 20_000
URI = "file:///nowhere/a.prompt"
#: A client that opens folders may make the server read whatever is there; an end of the session is not a fault.
LEFT_OUT = ("workspace/didChangeWorkspaceFolders", "initialize", "workspace/diagnostic", "shutdown", "exit")
FAILED = -32603


def messages(data: bytes, sizes: list[int]) -> list[dict[str, Any] | Fault]:
    """Return what a stream holds that arrives in pieces of these sizes, again and again."""
    pieces: list[bytes] = []
    at = 0
    while at < len(data):
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(data[at : at + size])
        at += size
    pieces.append(b"")
    return list(FrameReader(iter(pieces).__next__, max_body=MAX_COUNT).messages())


def target(data: bytes) -> None:
    """Read the bytes in one piece and in several, and hand what they say to a server."""
    given = Input(data)
    random = given.random("pieces")
    wire = given.rest[:MAX_COUNT]
    found = messages(wire, [MAX_COUNT])
    cut = messages(wire, [random.choice((1, 2, 7, 50)) for _ in range(3)])
    assert [repr(each) for each in cut] == [repr(each) for each in found], "how the bytes are cut makes a difference"
    # What is wrong with what is in front takes one message after it at most.
    after = messages(wire + b"\r\n\r\n" + frame(HELLO) * 2 + b"x" * MAX_COUNT + frame(HELLO) * 3, [MAX_COUNT])
    assert after[-1] == HELLO, "a whole message at the end is not read"
    served([each for each in found if isinstance(each, Fault) or each.get("method") not in LEFT_OUT])


def served(found: list[dict[str, Any] | Fault]) -> None:
    """Let a server take messages: it answers each request once, and none of them makes it fail."""
    if not found:
        return
    driven = Driven()
    driven.open(URI, "<read_file><path>a</path></read_file>\n")
    for message in found:
        sent = driven.take(message)
        answers = [each for each in sent if "id" in each and "method" not in each]
        asked = isinstance(message, Fault) or ("id" in message and "method" in message)
        assert len(answers) == int(asked), (message, answers)
        for answer in answers:
            assert answer["id"] == (message.request if isinstance(message, Fault) else message["id"]), (message, answer)
            assert answer.get("error", {}).get("code") != FAILED, (message, answer)
        stated = [each for each in sent if " failed: " in str(each.get("params"))]
        assert not stated, (message, stated)
