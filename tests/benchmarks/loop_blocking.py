"""How long the server's loop is busy between two looks for a message, whatever document is opened.

Run it by hand, on a machine that does nothing else:
`python tests/benchmarks/loop_blocking.py [MEGABYTES...] [--only KIND]... [--json FILE]` (1, 10 and 50 MB without).
Each document is opened in a server of its own, is asked for completion while it is read, and is edited: a keystroke
at the end, then a fence opened at the top, which changes the state of all that follows. Columns, in milliseconds of
the process's own CPU time but for the two that say otherwise: *open* the longest turn of the loop from `didOpen` to
the diagnostics and *total* the sum of them; *key* and *fence* the same for the two edits; *asked* the longest wait
for a completion while the fence is read (wall clock). *collector* is the longest collection of garbage, which is part
of some turn. *decode* is what JSON takes for the message itself, on the thread that reads (its hold on the interpreter
is not part of any turn).
"""

import argparse
import contextlib
import gc
import json
import queue
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "server"))

from callwright.lsp.connection import Connection
from callwright.lsp.frames import FrameReader, FrameWriter
from callwright.lsp.server import Server
from callwright.lsp.warming import import_soon

MB = 1 << 20
SIZES = (1, 10, 50)
TOOLS = {
    "read_file": {"path": {"type": "string"}, "limit": {"type": "integer"}},
    "run_tests": {"filter": {"type": "string"}},
}


def repeated(piece: Callable[[int], str], size: int, between: str = "") -> str:
    """Return pieces one after another, at least `size` characters."""
    found: list[str] = []
    total = number = 0
    while total < size:
        found.append(piece(number))
        total += len(found[-1]) + len(between)
        number += 1
    return between.join(found)


def prompt_piece(number: int) -> str:
    broken = number % 40 == 39
    return (
        f"## Step {number}\n\nRead the file first, then `run_tests`; see *notes* {number}.\n\n"
        f"<read_file>\n<path>src/module_{number}.py</path>\n"
        f"<limit>{'many' if broken else number}</limit>\n</read_file>\n\n"
        "```json\n" + json.dumps({"tool": "run_tests", "arguments": {"filter": f"case_{number}"}}) + "\n```\n\n"
    )


def jinja_piece(number: int) -> str:
    return (
        f"{{% if step_{number} %}}\n<read_file>\n<path>{{{{ path_{number} }}}}</path>\n</read_file>\n{{% endif %}}\n\n"
        f"Plain words about step {number}, with {{{{ value }}}} in them.\n\n"
    )


def entry(number: int) -> dict[str, Any]:
    arguments = json.dumps({"path": f"src/module_{number}.py", "limit": number})
    called = {"id": f"call_{number}", "type": "function", "function": {"name": "read_file", "arguments": arguments}}
    return {
        "messages": [
            {"role": "user", "content": f"Look at module {number}."},
            {"role": "assistant", "content": None, "tool_calls": [called]},
            {"role": "tool", "tool_call_id": f"call_{number}", "content": "def main() -> None: ...\n" * 8},
            {"role": "assistant", "content": "Done. " * 20},
        ]
    }


def transcript(size: int) -> str:
    """Return one conversation, as one JSON object."""
    messages: list[Any] = []
    total = number = 0
    while total < size:
        messages += entry(number)["messages"]
        total += 900
        number += 1
    return json.dumps({"messages": messages}, indent=2)


def markdown(size: int) -> str:
    return repeated(prompt_piece, size)


def jinja(size: int) -> str:
    return repeated(jinja_piece, size)


def prose(size: int) -> str:
    return repeated(lambda number: f"Plain prose number {number}, a < b and `code` in it.\n\n", size)


def jsonl(size: int) -> str:
    return repeated(lambda number: json.dumps(entry(number)) + "\n", size)


def line_of_calls(size: int) -> str:
    return repeated(lambda number: f"<read_file><path>src/m{number}.py</path></read_file> and ", size)


def line_of_words(size: int) -> str:
    return repeated(lambda number: f"word{number} a<b {{x}} [y] ", size)


def one_call(size: int) -> str:
    return (
        "<read_file><path>"
        + repeated(lambda number: f"line {number} of a long & value\n", size)
        + "</path></read_file>\n"
    )


def one_fence(size: int) -> str:
    items = repeated(lambda number: json.dumps({"id": number, "text": "some words"}), size, ",\n")
    return '```json\n{"tool": "read_file", "arguments": {"path": "a", "items": [\n' + items + "\n]}}\n```\n"


def one_paragraph(size: int) -> str:
    """Return calls with no empty line between them, so that no block may end."""
    return repeated(lambda number: f"<read_file>\n<path>src/m{number}.py</path>\n</read_file>\n", size)


KINDS: dict[str, tuple[str, str, Callable[[int], str]]] = {
    "markdown": ("a.md", "markdown", markdown),
    "jinja": ("a.jinja", "jinja", jinja),
    "prose": ("a.md", "markdown", prose),
    "jsonl": ("a.jsonl", "jsonl", jsonl),
    "json": ("a.json", "json", transcript),
    "line of calls": ("a.prompt", "callwright-prompt", line_of_calls),
    "line of words": ("a.prompt", "callwright-prompt", line_of_words),
    "one call": ("a.prompt", "callwright-prompt", one_call),
    "one fence": ("a.md", "markdown", one_fence),
    "one paragraph": ("a.prompt", "callwright-prompt", one_paragraph),
}


class Timed(Connection):
    """A connection that notes how long each turn of the loop is, and what was sent in it."""

    def __init__(self, given: "queue.SimpleQueue[bytes]") -> None:
        self.sent: list[tuple[float, dict[str, Any]]] = []
        self.turns: list[float] = []
        self.began: float | None = None
        super().__init__(FrameReader(given.get), FrameWriter(self.take))

    def take(self, data: bytes) -> None:
        body = data.partition(b"\r\n\r\n")[2]
        # Diagnostics of a large document are long; only their length matters here.
        message = (
            json.loads(body)
            if len(body) < 4096
            else {"method": body[:200].split(b'"method":"')[-1].split(b'"')[0].decode(), "id": None}
        )
        self.sent.append((time.monotonic(), message))

    def receive(self, timeout: float | None = None) -> Any:
        if self.began is not None:
            self.turns.append(time.process_time() - self.began)
        found = super().receive(timeout)
        self.began = time.process_time()
        return found


class _QuietError(Exception):
    """Nothing is left to do."""


class Run:
    """One server on the thread that runs the benchmark; messages are put in front of it, and it is driven by hand."""

    def __init__(self, folder: Path) -> None:
        self.given: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.connection = Timed(self.given)
        self.server = Server(self.connection)
        self.number = 0
        self.folder = folder
        self.collected: list[float] = []
        self.collecting = 0.0
        gc.callbacks[:] = [self.collect]

    def collect(self, phase: str, _info: dict[str, int]) -> None:
        """Note how long the collector of garbage takes."""
        if phase == "start":
            self.collecting = time.process_time()
        else:
            self.collected.append(time.process_time() - self.collecting)

    def put(self, message: dict[str, Any]) -> None:
        """Put a message where the loop finds it, as the thread that reads would."""
        if "id" in message:
            self.connection._open.add(message["id"])
        self.connection._queue.put(({"jsonrpc": "2.0", **message}, 0))

    def ask(self, method: str, params: Any) -> int:
        self.number += 1
        self.put({"id": self.number, "method": method, "params": params})
        return self.number

    def until(self, done: Callable[[], bool], between: Callable[[], None] | None = None) -> list[float]:
        """Let the loop turn until `done`, and return how long its turns were; `between` is called at each of them."""
        turns = self.connection.turns
        first = len(turns)

        inner = Timed.receive

        def receive(timeout: float | None = None) -> Any:
            if between is not None:
                between()
            found = inner(self.connection, 0 if timeout is None else timeout)
            if found is None and done():
                raise _QuietError
            return found

        self.connection.receive = receive  # type: ignore[method-assign]
        self.connection.began = None
        try:
            with contextlib.suppress(_QuietError):
                self.server.serve()
        finally:
            del self.connection.receive
        return turns[first:]

    def quiet(self) -> bool:
        """Whether nothing is left to do."""
        return self.server.scheduler.timeout() is None or (self.server.scheduler.timeout() or 0) > 0


def measure(kind: str, megabytes: int, folder: Path) -> dict[str, Any]:
    """Return the figures of one kind of document in one size."""
    name, language, make = KINDS[kind]
    # A little less, so that a document of 10 MB is not beyond the limit of that.
    text = make(megabytes * MB - (MB >> 4))
    place = folder / name
    uri = place.as_uri()
    run = Run(folder)
    capabilities = {"textDocument": {"publishDiagnostics": {"relatedInformation": True}}}
    folders = [{"uri": folder.as_uri(), "name": "bench"}]
    run.ask("initialize", {"processId": None, "capabilities": capabilities, "workspaceFolders": folders})
    run.put({"method": "initialized", "params": {}})
    # What is loaded on first use is loaded before: a small document of the same kind, with a fault, is opened.
    warm = (folder / f"warm-{name}").as_uri()
    small = {"uri": warm, "languageId": language, "version": 1, "text": make(40_000) + prompt_piece(39)}
    run.put({"method": "textDocument/didOpen", "params": {"textDocument": small}})
    run.ask("textDocument/completion", {"textDocument": {"uri": warm}, "position": {"line": 0, "character": 1}})
    run.until(run.quiet)
    run.server.scheduler.preparation = None
    import_soon()
    run.server._prepared()
    run.until(run.quiet)
    run.put({"method": "textDocument/didClose", "params": {"textDocument": {"uri": warm}}})
    run.until(run.quiet)
    run.collected.clear()
    body = json.dumps({"method": "textDocument/didOpen", "params": {"text": text}}).encode()
    before = time.process_time()
    json.loads(body)
    decode = time.process_time() - before
    item = {"uri": uri, "languageId": language, "version": 1, "text": text}
    run.put({"method": "textDocument/didOpen", "params": {"textDocument": item}})
    opened = run.until(run.quiet)
    last = text.count("\n")
    end = {"line": last, "character": 0}

    def edit(version: int, place: dict[str, int], words: str, between: Callable[[], None] | None = None) -> list[float]:
        change = {"range": {"start": place, "end": place}, "text": words}
        params = {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]}
        run.put({"method": "textDocument/didChange", "params": params})
        return run.until(run.quiet, between)

    key = edit(2, end, "x")
    waits: list[float] = []
    open_at: list[tuple[int, float]] = []

    def ask() -> None:
        answered = {message.get("id"): moment for moment, message in run.connection.sent[-50:]}
        if open_at and open_at[0][0] in answered:
            waits.append(answered[open_at[0][0]] - open_at[0][1])
            open_at.clear()
        if not open_at and len(waits) < 40 and run.server.scheduler.timeout() == 0:
            params = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 1}}
            open_at.append((run.ask("textDocument/completion", params), time.monotonic()))

    top = edit(3, {"line": 0, "character": 0}, "````\n", ask)
    return {
        "kind": kind,
        "megabytes": megabytes,
        "open": max(opened) * 1000,
        "total": sum(opened) * 1000,
        "key": max(key) * 1000,
        "fence": max(top) * 1000,
        "fence total": sum(top) * 1000,
        "asked": max(waits, default=0.0) * 1000,
        "collector": max(run.collected, default=0.0) * 1000,
        "decode": decode * 1000,
    }


def project(folder: Path) -> Path:
    """Write a project with two tools into a folder."""
    tools = [
        {"name": name, "description": name, "input_schema": {"type": "object", "properties": properties}}
        for name, properties in TOOLS.items()
    ]
    (folder / "tools.json").write_text(json.dumps({"tools": tools}), encoding="utf-8")
    (folder / "callwright.toml").write_text('tools = ["tools.json"]\nfiles = ["**"]\n', encoding="utf-8")
    return folder


def rows(sizes: list[int], kinds: list[str]) -> Iterator[dict[str, Any]]:
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        folder = project(Path(place))
        for size in sizes:
            for kind in kinds:
                yield measure(kind, size, folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    # As the server's process has it.
    gc.set_threshold(50_000, 20, 50)
    parser.add_argument("sizes", nargs="*", type=int, default=list(SIZES))
    parser.add_argument("--only", action="append", choices=list(KINDS))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    columns = ("open", "total", "key", "fence", "fence total", "asked", "collector", "decode")
    sys.stdout.write(f"{'document':24}" + "".join(f"{column:>13}" for column in columns) + "\n")
    found: list[dict[str, Any]] = []
    for row in rows(options.sizes, options.only or list(KINDS)):
        found.append(row)
        label = f"{row['kind']}, {row['megabytes']} MB"
        sys.stdout.write(f"{label:24}" + "".join(f"{row[column]:13.1f}" for column in columns) + "\n")
        sys.stdout.flush()
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
