"""A client over pipes for the benchmarks: starts a language server, sends, reads, and knows what to wait for.

Owns: the wire, the two controls (an echo, and a stock pygls server that judges nothing), percentiles. Must not know:
what is measured, which documents there are.

An echo answers each change and each request at once with as many bytes as it is asked for (`Client.send(…, size=…)`):
what it takes is the price of the pipe and of this client. A body is decoded only after the clock was read.
"""

import json
import os
import re
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

SERVER = Path(__file__).parents[2] / "server"
#: How much of a long body is read to recognise it; what is needed is at one of its ends.
ENDS = 600
#: A server that sends nothing for so many seconds, when something is waited for, has failed.
SILENCE = 120
#: What an editor that can do everything says of itself.
CAPABILITIES: Mapping[str, Any] = {
    "general": {"positionEncodings": ["utf-16"]},
    "workspace": {"applyEdit": True},
    "textDocument": {
        "publishDiagnostics": {
            "relatedInformation": True,
            "versionSupport": True,
            "codeDescriptionSupport": True,
            "dataSupport": True,
            "tagSupport": {"valueSet": [1, 2]},
        },
        "completion": {
            "completionItem": {
                "snippetSupport": True,
                "documentationFormat": ["markdown"],
                "resolveSupport": {"properties": ["documentation", "detail"]},
            }
        },
        "hover": {"contentFormat": ["markdown"]},
        "semanticTokens": {
            "requests": {"full": {"delta": True}, "range": True},
            "tokenTypes": ["function", "parameter", "string", "number", "keyword"],
            "tokenModifiers": ["deprecated"],
            "formats": ["relative"],
        },
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "foldingRange": {"lineFoldingOnly": True},
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "source.fixAll"]}},
            "resolveSupport": {"properties": ["edit"]},
        },
    },
}
ECHO = """
import json, sys
read, write = sys.stdin.buffer, sys.stdout.buffer
while line := read.readline():
    length = int(line.split(b":")[1])
    read.readline()
    message = json.loads(read.read(length))
    if message["method"] == "exit":
        break
    filler = b"x" * message.get("size", 0)
    if "id" in message:
        data = b'{"jsonrpc":"2.0","id":%d,"result":"%b"}' % (message["id"], filler)
    elif message["method"] in ("textDocument/didOpen", "textDocument/didChange"):
        document = message["params"]["textDocument"]
        head = '{"method":"textDocument/publishDiagnostics","params":{"uri":"%s","version":%d,"diagnostics":"'
        data = (head % (document["uri"], document["version"])).encode() + filler + b'"}}'
    else:
        continue
    write.write(b"Content-Length: %d\\r\\n\\r\\n" % len(data) + data)
    write.flush()
"""
#: As the documentation of pygls has it: the stock server keeps the text, and says that there is nothing to say.
STOCK = """
from lsprotocol import types
from pygls.lsp.server import LanguageServer
server = LanguageServer("stock", "1")
def say(document):
    version = server.workspace.get_text_document(document.uri).version
    params = types.PublishDiagnosticsParams(uri=document.uri, version=version, diagnostics=[])
    server.text_document_publish_diagnostics(params)
@server.feature(types.TEXT_DOCUMENT_DID_OPEN)
def opened(params: types.DidOpenTextDocumentParams): say(params.text_document)
@server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
def changed(params: types.DidChangeTextDocumentParams): say(params.text_document)
server.start_io()
"""
CALLWRIGHT: Sequence[str] = ("-m", "callwright", "server")
PROGRAMS: Mapping[str, Sequence[str]] = {"callwright": CALLWRIGHT, "echo": ("-c", ECHO), "pygls": ("-c", STOCK)}


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of a server: what is compiled lies in `folder`, as an installed package has it."""
    found = {**os.environ, "PYTHONPATH": str(SERVER), "PYTHONPYCACHEPREFIX": str(folder / "cache")}
    found.pop("PYTHONDONTWRITEBYTECODE", None)
    return found


def _silent(*_: object) -> None:
    raise SystemExit(f"a server was silent for {SILENCE} seconds")


signal.signal(signal.SIGALRM, _silent)


class Client:
    """One session over pipes; the server's own requests are answered as an editor answers them."""

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        settings: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Start `command` for the workspace `folder` and shake hands.

        `settings` are the editor's, by section; `options` go with the first request.
        """
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment(folder)
        )
        self.folder = folder
        self.settings = settings or {}
        self.number = 0
        root = {"uri": folder.as_uri(), "name": folder.name}
        params = {
            "processId": None,
            "rootUri": root["uri"],
            "capabilities": CAPABILITIES,
            "workspaceFolders": [root],
            "initializationOptions": options or {},
        }
        self.ask("initialize", params)
        self.send("initialized", {})

    @classmethod
    def of(cls, program: str, folder: Path) -> "Client":
        """Start one of PROGRAMS."""
        return cls((sys.executable, *PROGRAMS[program]), folder)

    def send(self, method: str, params: Any, *, request: int | None = None, size: int = 0) -> None:
        """Send a notification, or a request where it has a number; only the echo uses `size`."""
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        message |= {"id": request} if request is not None else {}
        message |= {"size": size} if size else {}
        self.write(json.dumps(message).encode())

    def write(self, data: bytes) -> None:
        """Send an encoded message."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
        self.process.stdin.flush()

    def read(self) -> bytes:
        """Return the next body; raise SystemExit where the server has ended, or is silent for too long."""
        assert self.process.stdout is not None
        signal.alarm(SILENCE)
        length = 0
        while (line := self.process.stdout.readline()) not in (b"\r\n", b""):
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        if not line:
            raise SystemExit(f"a server has ended with {self.process.wait(10)}")
        body = self.process.stdout.read(length)
        signal.alarm(0)
        if b'"id"' in body[:200] and b'"method"' in body[:200]:
            self._answer(json.loads(body))
        return body

    def _answer(self, message: Mapping[str, Any]) -> None:
        """Answer what the server asks of an editor, if it is a request."""
        if "id" in message and "method" in message:
            items = message.get("params", {}).get("items", []) if message["method"].endswith("/configuration") else None
            result = None if items is None else [self.settings.get(item.get("section")) for item in items]
            self.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode())

    def wait(self, fits: Callable[[bytes], bool]) -> bytes:
        """Return the first body that fits."""
        while True:
            body = self.read()
            if fits(body):
                return body

    def ask(
        self, method: str, params: Any, size: int = 0, seen: Callable[[bytes], object] | None = None
    ) -> tuple[float, bytes]:
        """Send a request; return the milliseconds to the last byte of its answer, and the answer.

        `seen` is shown every other body that comes before it.
        """
        self.number += 1
        started = time.perf_counter()
        self.send(method, params, request=self.number, size=size)
        number = self.number
        while not answers(body := self.read(), number):
            if seen is not None:
                seen(body)
        return (time.perf_counter() - started) * 1000, body

    def ask_all(self, requests: Mapping[str, Any], size: int = 0) -> tuple[float, list[bytes]]:
        """Send requests at once, by their methods; return the milliseconds until the last is answered, and the answers.

        An echo gets their total size.
        """
        waiting = []
        started = time.perf_counter()
        for method, params in requests.items():
            self.number += 1
            waiting.append(self.number)
            self.send(method, params, request=self.number, size=size // len(requests))
        found = []
        took = 0.0
        while waiting:
            body = self.read()
            took = time.perf_counter() - started
            number = next((each for each in waiting if answers(body, each)), None)
            if number is not None:
                waiting.remove(number)
                found.append(body)
        return took * 1000, found

    def spent(self) -> float:
        """Return the milliseconds of CPU time that the server and the processes that it has ended have had, in steps of
        about 10; 0 where it is unknown."""
        reported = Path(f"/proc/{self.process.pid}/stat")
        if not reported.exists():
            return 0.0
        # After the name, which may hold anything: the 14th to 17th field of the line.
        fields = reported.read_text(encoding="utf-8").rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) * 1000 / os.sysconf("SC_CLK_TCK")

    def end(self) -> None:
        """Have the server end, as an editor does."""
        self.ask("shutdown", None)
        self.send("exit", None)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()


class Typing:
    """A document that is open in a client, in which someone types on at one place.

    `line` and `character` are the place, the latter in UTF-16 units; `size` is the size of the echo's answers,
    `received` how many bytes the last diagnostics had.
    """

    def __init__(self, client: Client, name: str, language: str, text: str, at: int) -> None:
        """Take the text, of which `at` is the code point at which someone types; nothing is sent."""
        self.client = client
        self.uri = (client.folder / name).as_uri()
        self.language = language
        self.text = text
        self.line, self.character = position(text, at)
        self.version = 0
        self.size = 0
        self.received = 0

    @property
    def place(self) -> dict[str, int]:
        """Where someone types now."""
        return {"line": self.line, "character": self.character}

    def open(self) -> float:
        """Open it; return the milliseconds until diagnostics have come."""
        self.version += 1
        item = {"uri": self.uri, "languageId": self.language, "version": self.version, "text": self.text}
        started = time.perf_counter()
        self.client.send("textDocument/didOpen", {"textDocument": item}, size=self.size)
        self.fresh()
        return (time.perf_counter() - started) * 1000

    def change(self, start: Mapping[str, int], end: Mapping[str, int], text: str) -> None:
        """Send one change."""
        self.version += 1
        params = {
            "textDocument": {"uri": self.uri, "version": self.version},
            "contentChanges": [{"range": {"start": start, "end": end}, "text": text}],
        }
        self.client.send("textDocument/didChange", params, size=self.size)

    def type(self) -> float:
        """Write one character; return the milliseconds until it has been judged."""
        started = time.perf_counter()
        self.press()
        self.fresh()
        return (time.perf_counter() - started) * 1000

    def press(self) -> None:
        """Write one character, and do not wait."""
        self.change(self.place, self.place, "x")
        self.character += 1

    def fresh(self) -> bytes:
        """Return the diagnostics of the newest version, once they have come."""
        body = self.client.wait(self.judges)
        self.received = len(body)
        return body

    def judges(self, body: bytes) -> bool:
        """Return whether a body holds the diagnostics of the newest version."""
        ends = body[:ENDS] + body[-ENDS:]
        return (
            b"publishDiagnostics" in ends
            # What is known of a long document before it has been read is not a judgement.
            and b"is still being read" not in ends
            and self.uri.encode() in ends
            and re.search(rb'"version":\s*%d\b' % self.version, ends) is not None
        )

    def ask(self, method: str, at: Mapping[str, int] | None = None, size: int = 0) -> tuple[float, bytes]:
        """Ask about a place, that of typing without another; return the milliseconds, and the answer."""
        params = {"textDocument": {"uri": self.uri}, "position": at or self.place}
        return self.client.ask(method, params, size)

    def close(self) -> None:
        """Close it."""
        self.client.send("textDocument/didClose", {"textDocument": {"uri": self.uri}})


def answers(body: bytes, number: int) -> bool:
    """Return whether a body is the answer to a request; raise SystemExit where that is an error."""
    ends = body[:ENDS] + body[-ENDS:]
    if b'"method"' in body[:ENDS] or re.search(rb'"id":\s*%d\b' % number, ends) is None:
        return False
    if len(body) < 2 * ENDS and "error" in (message := json.loads(body)):
        raise SystemExit(f"a server answered with an error: {message['error']}")
    return True


def position(text: str, offset: int) -> tuple[int, int]:
    """Return the line and the UTF-16 column of a code point."""
    start = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset), len(text[start:offset].encode("utf-16-le")) // 2


def cuts(times: Sequence[float]) -> tuple[float, float]:
    """Return the median and the 95th percentile; of few times, the largest."""
    ordered = sorted(times)
    return statistics.median(ordered), ordered[min(len(ordered) - 1, len(ordered) * 95 // 100)]
