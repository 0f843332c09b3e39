"""A client for tests: talks to a server in this process over real frames, and waits for what it expects.

Every wait has a limit, so that a server that falls silent fails a test instead of holding it.
"""

import json
import math
import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from callwright.lsp.connection import Connection
from callwright.lsp.frames import FrameReader, FrameWriter
from callwright.lsp.server import Server

LIMIT = 30.0
PROMPT = "callwright-prompt"

CAPABILITIES: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        "publishDiagnostics": {"relatedInformation": True, "tagSupport": {"valueSet": [1, 2]}},
        "completion": {"completionItem": {"snippetSupport": True}},
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "source.fixAll"]}},
            "isPreferredSupport": True,
            "resolveSupport": {"properties": ["edit"]},
        },
    },
    "workspace": {"workspaceEdit": {"documentChanges": True}},
}


def frame(message: Any) -> bytes:
    """Return a message as it goes over the wire."""
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class Conversation:
    """One session: `request` returns the result, `fails` the error, `wait` the next notification of a method."""

    def __init__(self) -> None:
        self.to_server: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.from_server: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self.kept: list[dict[str, Any]] = []
        self.sent = 0
        self.exit_code: int | None = None
        self.settings: Callable[[dict[str, Any]], Any] = lambda _item: None
        connection = Connection(FrameReader(self.to_server.get), FrameWriter(self._receive))
        self.server = Server(connection)
        # The diagnostics of a document depend on no clock: see `test_deadlines` for those in between.
        self.server.scheduler.deadline = math.inf
        connection.start()
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self) -> None:
        self.exit_code = self.server.serve()

    def _receive(self, data: bytes) -> None:
        head, _, body = data.partition(b"\r\n\r\n")
        assert int(head.split(b":")[1]) == len(body)
        self.from_server.put(json.loads(body))

    # Sending

    def send(self, message: dict[str, Any]) -> None:
        self.to_server.put(frame({"jsonrpc": "2.0", **message}))

    def notify(self, method: str, params: Any) -> None:
        self.send({"method": method, "params": params})

    def begin(self, method: str, params: Any) -> int:
        """Send a request and return its id."""
        self.sent += 1
        self.send({"id": self.sent, "method": method, "params": params})
        return self.sent

    # Receiving

    def next(self) -> dict[str, Any]:
        """Return the next message; questions of the server are answered on the way."""
        while True:
            message = self.from_server.get(timeout=LIMIT)
            if "id" in message and "method" in message:
                result: Any = None
                try:
                    if message["method"] == "workspace/configuration":
                        result = [self.settings(item) for item in message["params"]["items"]]
                except ValueError as error:
                    self.send({"id": message["id"], "error": {"code": -32603, "message": str(error)}})
                else:
                    self.send({"id": message["id"], "result": result})
            return message

    def expect(self, fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Return the first message that fits, of those not read yet; the others are kept."""
        for at, message in enumerate(self.kept):
            if fits(message):
                return self.kept.pop(at)
        while True:
            message = self.next()
            if fits(message):
                return message
            self.kept.append(message)

    def wait(self, method: str, fits: Callable[[Any], bool] = lambda _params: True) -> Any:
        """Return the parameters of the next message of a method that fits."""
        found = self.expect(lambda message: message.get("method") == method and fits(message.get("params")))
        return found["params"]

    def answer(self, identity: int) -> dict[str, Any]:
        """Return the answer to a request."""
        return self.expect(lambda message: message.get("id") == identity and "method" not in message)

    def request(self, method: str, params: Any) -> Any:
        answer = self.answer(self.begin(method, params))
        assert "error" not in answer, answer
        return answer["result"]

    def fails(self, method: str, params: Any) -> dict[str, Any]:
        answer = self.answer(self.begin(method, params))
        assert "result" not in answer, answer
        error: dict[str, Any] = answer["error"]
        return error

    # What every session does

    def initialize(self, capabilities: dict[str, Any] = CAPABILITIES, root: Path | None = None, **more: Any) -> Any:
        folders = [{"uri": root.as_uri(), "name": root.name}] if root is not None else None
        params = {"processId": None, "rootUri": None, "workspaceFolders": folders, "capabilities": capabilities, **more}
        result = self.request("initialize", params)
        self.notify("initialized", {})
        return result

    def open(self, uri: str, text: str, language: str = PROMPT, version: int = 1) -> None:
        document = {"uri": uri, "languageId": language, "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change(self, uri: str, version: int, *changes: dict[str, Any]) -> None:
        params = {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)}
        self.notify("textDocument/didChange", params)

    def diagnostics(self, uri: str, version: int | None = None) -> list[dict[str, Any]]:
        """Return the diagnostics that are pushed next for a document, of a version where one is given."""
        found = self.wait(
            "textDocument/publishDiagnostics",
            lambda params: params["uri"] == uri and (version is None or params.get("version") == version),
        )
        items: list[dict[str, Any]] = found["diagnostics"]
        return items

    def close(self) -> None:
        self.to_server.put(b"")
        self.thread.join(LIMIT)
        assert not self.thread.is_alive()


@contextmanager
def conversation() -> Iterator[Conversation]:
    """Hold a conversation and end it."""
    talk = Conversation()
    try:
        yield talk
    finally:
        talk.close()


def at(line: int, character: int) -> dict[str, int]:
    return {"line": line, "character": character}


def between(start: tuple[int, int], end: tuple[int, int]) -> dict[str, Any]:
    return {"start": at(*start), "end": at(*end)}


def codes(items: list[dict[str, Any]]) -> list[str]:
    return [item["code"] for item in items]
