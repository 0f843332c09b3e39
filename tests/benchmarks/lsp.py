"""How long the language server takes: from its start to the first diagnostics, and from a keystroke to fresh ones.

Run it by hand, on a machine that does nothing else: `make bench`, or
`python tests/benchmarks/lsp.py [KEYSTROKES] [--json FILE]`.
Beside the server runs an echo: a process that reads the same messages and answers each change with an empty list at
once. What it takes is the price of the pipe and of this client; the difference is the server's own. The two take turns.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

SERVER = Path(__file__).parents[2] / "server"
SIZES = {"10 KB": 10_000, "100 KB": 100_000, "1 MB": 1_000_000}
STARTS = 5
#: What a prompt is made of: prose, calls that are right, and now and then one that is not.
PROSE = "Look at the failing test before you change anything, and say what you expect to see. ✓\n\n"
CALL = '<debug_launch>{"program": "src/app/main.py", "mode": "pytest", "args": ["--verbose"]}</debug_launch>\n\n'
FENCE = '```json\n{"tool": "debug_launch", "arguments": {"program": "src/app/main.py"}}\n```\n\n'
FAULT = '<debug_launch>{"program": "src/app/main.py", "args": ["--verbose",]}</debug_launch>\n\n'
TOOLS = {
    "tools": [
        {
            "name": "debug_launch",
            "description": "Starts a program.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "program": {"type": "string"},
                    "mode": {"type": "string"},
                    "args": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["program"],
                "additionalProperties": False,
            },
        }
    ]
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
    if "id" in message:
        body = {"jsonrpc": "2.0", "id": message["id"], "result": {"capabilities": {}}}
    elif "textDocument" in (message.get("params") or {}):
        document = message["params"]["textDocument"]
        params = {"uri": document["uri"], "version": document["version"], "diagnostics": []}
        body = {"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params}
    else:
        continue
    data = json.dumps(body).encode()
    write.write(b"Content-Length: %d\\r\\n\\r\\n" % len(data) + data)
    write.flush()
"""
PROGRAMS = {"callwright": ["-m", "callwright", "server"], "echo": ["-c", ECHO]}


class Client:
    """One session over pipes."""

    def __init__(self, words: list[str], folder: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(SERVER), "PYTHONPYCACHEPREFIX": str(folder / "cache")}
        # As an installed package has it: compiled once, not at every start.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        self.process = subprocess.Popen(
            [sys.executable, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        self.uri = (folder / "a.prompt").as_uri()
        self.version = 0
        self.line = 0
        root = {"uri": folder.as_uri(), "name": "bench"}
        self.send({"id": 1, "method": "initialize", "params": {"capabilities": {}, "workspaceFolders": [root]}})
        self.wait(lambda message: message.get("id") == 1)
        self.send({"method": "initialized", "params": {}})

    def send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
        self.process.stdin.flush()

    def wait(self, fits: Any) -> None:
        """Return once a message has come that fits."""
        assert self.process.stdout is not None
        while True:
            header = self.process.stdout.readline()
            if not header:
                raise SystemExit("the server has ended")
            self.process.stdout.readline()
            message = json.loads(self.process.stdout.read(int(header.split(b":")[1])))
            if fits(message):
                return

    def fresh(self) -> None:
        """Return once the diagnostics of the newest version have come."""
        self.wait(
            lambda message: (
                message.get("method") == "textDocument/publishDiagnostics"
                and message["params"]["uri"] == self.uri
                and message["params"].get("version") == self.version
            )
        )

    def open(self, text: str) -> None:
        """Open a document; keystrokes will go into a call in its middle."""
        self.version += 1
        lines = text.split("\n")
        calls = [at for at, line in enumerate(lines) if line.startswith("<debug_launch>")]
        self.line = min(calls, key=lambda at: abs(at - len(lines) // 2))
        document = {"uri": self.uri, "languageId": "callwright-prompt", "version": self.version, "text": text}
        self.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
        self.fresh()

    def type(self, number: int) -> float:
        """Write one character into a value, as somebody who types on; return the milliseconds until it is judged."""
        self.version += 1
        column = len('<debug_launch>{"program": "src') + number
        place = {"line": self.line, "character": column}
        change = {"range": {"start": place, "end": place}, "text": "x"}
        document = {"uri": self.uri, "version": self.version}
        started = time.perf_counter()
        self.send(
            {"method": "textDocument/didChange", "params": {"textDocument": document, "contentChanges": [change]}}
        )
        self.fresh()
        return (time.perf_counter() - started) * 1000

    def close(self) -> None:
        self.send({"method": "textDocument/didClose", "params": {"textDocument": {"uri": self.uri, "version": 0}}})

    def end(self) -> None:
        self.send({"id": 2, "method": "shutdown"})
        self.send({"method": "exit"})
        self.process.wait(30)


def text_of(size: int) -> str:
    """Return a prompt of about `size` bytes."""
    unit = (PROSE + CALL + PROSE + FENCE) * 25 + FAULT
    return (unit * (size // len(unit.encode()) + 1))[:size].rpartition("\n")[0] + "\n\n" + CALL


def starts(folder: Path) -> dict[str, dict[str, float]]:
    """Return, for each program, the milliseconds from its start to the first answer and to the first diagnostics."""
    times: dict[str, dict[str, list[float]]] = {name: {"answer": [], "diagnostics": []} for name in PROGRAMS}
    for number in range(-1, STARTS):
        for name, words in PROGRAMS.items():
            started = time.perf_counter()
            client = Client(words, folder)
            answered = time.perf_counter()
            client.open(text_of(SIZES["10 KB"]))
            diagnosed = time.perf_counter()
            client.end()
            if number >= 0:
                times[name]["answer"].append((answered - started) * 1000)
                times[name]["diagnostics"].append((diagnosed - started) * 1000)
    return {name: {what: statistics.median(each) for what, each in found.items()} for name, found in times.items()}


def keystrokes(folder: Path, count: int) -> dict[str, dict[str, dict[str, float]]]:
    """Return, for each program and size, the 50th and 95th percentile of the milliseconds of a keystroke."""
    clients = {name: Client(words, folder) for name, words in PROGRAMS.items()}
    found: dict[str, dict[str, dict[str, float]]] = {name: {} for name in PROGRAMS}
    for size_name, size in SIZES.items():
        for client in clients.values():
            client.open(text_of(size))
        # The server prepares for requests when nothing is asked of it; a person's first pause is long enough.
        time.sleep(1.5)
        times: dict[str, list[float]] = {name: [] for name in PROGRAMS}
        for number in range(count):
            for name, client in clients.items():
                times[name].append(client.type(number))
        for name, each in times.items():
            cuts = statistics.quantiles(each, n=100)
            found[name][size_name] = {"p50": cuts[49], "p95": cuts[94]}
        for client in clients.values():
            client.close()
    for client in clients.values():
        client.end()
    return found


def main() -> None:
    """Measure, print a table, and write it as JSON where that is asked for."""
    words = sys.argv[1:]
    target = words[words.index("--json") + 1] if "--json" in words else None
    count = int(words[0]) if words and words[0].isdigit() else 100
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "callwright.toml").write_text('tools = ["tools.json"]\n', encoding="utf-8")
        (folder / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
        started = starts(folder)
        typed = keystrokes(folder, count)
    out = sys.stdout.write
    out(f"{'milliseconds':34} {'callwright':>12} {'echo':>8}\n")
    for what in ("answer", "diagnostics"):
        mine, control = (started[program][what] for program in PROGRAMS)
        out(f"{'start to the first ' + what + ' (10 KB)':34} {mine:12.1f} {control:8.1f}\n")
    for size in SIZES:
        for cut in ("p50", "p95"):
            mine, control = (typed[program][size][cut] for program in PROGRAMS)
            out(f"{f'keystroke to diagnostics, {size}, {cut}':34} {mine:12.2f} {control:8.2f}\n")
    if target is not None:
        rows = {"start_ms": started, "keystroke_ms": typed, "keystrokes": count}
        Path(target).write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
