"""A server without threads: messages are passed one by one, and it does whatever work that makes before the next.

Owns: the driving of a real `Server` in step with a test, and what it has sent. Must not know: what is asserted of it.

The same messages give the same answers in the same order, so what is found by chance is found again. Nothing here waits
for anything: a request that is not answered when the server has nothing left to do is a fault.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from callwright.lsp.connection import Connection
from callwright.lsp.frames import Fault, FrameReader, FrameWriter
from callwright.lsp.server import Server
from lsp.conversation import CAPABILITIES, PROMPT

#: How many pieces of work one message may make; more is a server that never comes to rest.
PIECES = 10_000


class Driven:
    """One session: `published` holds the diagnostics that were pushed last for each document, by URI."""

    def __init__(self, root: Path | None = None, encoding: str = "utf-16", **more: Any) -> None:
        self.sent: list[dict[str, Any]] = []
        self.published: dict[str, dict[str, Any]] = {}
        self.asked = 0
        connection = Connection(FrameReader(lambda: b""), FrameWriter(self._receive))
        self.server = Server(connection)
        folders = [{"uri": root.as_uri(), "name": root.name}] if root is not None else None
        capabilities = {**CAPABILITIES, "general": {"positionEncodings": [encoding]}}
        params = {"processId": None, "rootUri": None, "workspaceFolders": folders, "capabilities": capabilities, **more}
        self.request("initialize", params)
        # What is imported beside the work is imported by a thread: here it is when it is needed.
        self.server.scheduler.preparation = None
        self.notify("initialized", {})

    def _receive(self, data: bytes) -> None:
        message = json.loads(data.partition(b"\r\n\r\n")[2])
        if message.get("method") == "textDocument/publishDiagnostics":
            self.published[message["params"]["uri"]] = message["params"]
        else:
            self.sent.append(message)

    def take(self, message: dict[str, Any] | Fault) -> list[dict[str, Any]]:
        """Hand over a message, let the server come to rest, and return what it sent, diagnostics left out."""
        self.sent = []
        self.server.take(message)
        for _ in range(PIECES):
            if self.server.scheduler.timeout() != 0:
                return self.sent
            self.server.scheduler.idle()
        raise AssertionError(f"the server never comes to rest after {message}")

    def notify(self, method: str, params: Any) -> list[dict[str, Any]]:
        """Send a notification and return what the server sent for it, diagnostics left out."""
        return self.take({"jsonrpc": "2.0", "method": method, "params": params})

    def report(self, method: str, params: Any) -> list[dict[str, Any]]:
        """Send a notification as `notify` does; what the server raises at it, and only logs, is a fault."""
        sent = self.notify(method, params)
        logged = [each["params"]["message"] for each in sent if each.get("method") == "window/logMessage"]
        assert not any(f"`{method}` failed: " in words for words in logged), logged
        return sent

    def ask(self, method: str, params: Any) -> dict[str, Any]:
        """Send a request and return its answer, of which there must be exactly one."""
        self.asked += 1
        sent = self.take({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params})
        answers = [message for message in sent if message.get("id") == self.asked and "method" not in message]
        assert len(answers) == 1, f"`{method}` was answered {len(answers)} times: {answers}"
        assert ("result" in answers[0]) != ("error" in answers[0]), answers[0]
        return answers[0]

    def request(self, method: str, params: Any) -> Any:
        """Send a request and return its result; one that fails is a fault."""
        answer = self.ask(method, params)
        assert "error" not in answer, answer
        return answer["result"]

    def open(self, uri: str, text: str, version: int = 1, language: str = PROMPT) -> None:
        """Open a document."""
        document = {"uri": uri, "languageId": language, "version": version, "text": text}
        self.report("textDocument/didOpen", {"textDocument": document})

    def change(self, uri: str, version: int, changes: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Change a document."""
        params = {"textDocument": {"uri": uri, "version": version}, "contentChanges": changes}
        return self.report("textDocument/didChange", params)

    def close(self, uri: str) -> None:
        """Close a document."""
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        self.published.pop(uri, None)

    def document(self, uri: str) -> Any:
        """Return what the session holds of an open document."""
        return self.server.parts.session.documents[uri]
