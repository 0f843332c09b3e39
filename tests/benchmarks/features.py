"""How long an editor waits for what it asks: on opening, at a movement of the cursor, and after a keystroke.

Run it by hand, on a machine that does nothing else: `make bench`, or
`python tests/benchmarks/features.py [ROUNDS] [--sizes "10 KB,1 MB"] [--kinds prompt,chat] [--json FILE]`.
The server runs as an editor runs it, over pipes; documents are prompts, calls close together, lines of conversations
and one conversation. Beside it runs an echo, which answers each request at once with as many bytes as the server did:
what it takes is the price of the pipe and of this client. The two take turns. Times are milliseconds from a request to
the last byte of its answer, before the answer is decoded.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.editing import CALL, FENCE, PROSE
from benchmarks.pipes import Client, cuts, position

SIZES = {"10 KB": 10_000, "100 KB": 100_000, "200 KB": 200_000, "1 MB": 1_000_000, "10 MB": 10_000_000}
#: A document is opened so often, with whatever was kept of it gone each time.
OPENINGS = 3
ELEMENTS = "<debug_launch>\n<program>src/app/main.py</program>\n<mode>pytest</mode>\n</debug_launch>\n\n"
TOOLS = {
    "tools": [
        {
            "name": "debug_launch",
            "description": "Starts a program.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "program": {"type": "string", "description": "What is started."},
                    "mode": {"enum": ["pytest", "module"]},
                    "args": {"type": "array", "items": {"type": "string"}},
                    "stop": {"type": "boolean", "default": False},
                },
                "required": ["program"],
                "additionalProperties": False,
            },
        }
    ]
}

# Documents


def _prompt(size: int) -> str:
    return _filled((PROSE + CALL + PROSE + ELEMENTS + PROSE + FENCE) * 25, size)


def _calls(size: int) -> str:
    return _filled((CALL + ELEMENTS) * 25, size)


def _filled(unit: str, size: int) -> str:
    return unit * max(1, size // len(unit.encode()))


def _turns(number: int) -> list[dict[str, Any]]:
    arguments = json.dumps({"program": "src/app/main.py", "mode": "pytest"})
    call = {"id": f"call_{number}", "type": "function", "function": {"name": "debug_launch", "arguments": arguments}}
    return [
        {"role": "user", "content": PROSE * 2},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"call_{number}", "content": "1 passed"},
        {"role": "assistant", "content": f"Once more, as text:\n\n{CALL}"},
    ]


def _jsonl(size: int) -> str:
    line = json.dumps({"messages": [turn for number in range(3) for turn in _turns(number)]}, ensure_ascii=False) + "\n"
    return line * max(1, size // len(line))


def _chat(size: int) -> str:
    count = max(1, size // len(json.dumps({"messages": _turns(1)}, indent=2, ensure_ascii=False)))
    turns = [turn for number in range(count) for turn in _turns(number)]
    return json.dumps({"messages": turns}, indent=2, ensure_ascii=False) + "\n"


DOCUMENTS: dict[str, tuple[str, str, Callable[[int], str]]] = {
    "prompt": ("a.md", "markdown", _prompt),
    "calls": ("a.prompt", "callwright-prompt", _calls),
    "jsonl": ("a.jsonl", "jsonl", _jsonl),
    "chat": ("chat.json", "json", _chat),
}


class Document:
    """A document that is open in a client, with what is asked of it."""

    def __init__(self, client: Client, folder: Path, kind: str, size: int) -> None:
        name, self.language, make = DOCUMENTS[kind]
        self.client = client
        self.uri = (folder / name).as_uri()
        self.text = make(size)
        self.version = 0
        self.typed = 0
        middle = len(self.text) // 2
        # A call in the middle, of which each part is pointed at.
        program = self.text.find("src/app/main.py", middle)
        mode = self.text.find("pytest", program)
        name_at = self.text.rfind("debug_launch", 0, program)
        self.inside = program + len("src/app/main")
        self.places = {
            "value": self.position(self.inside),
            "choice": self.position(mode + 3),
            "name": self.position(name_at + 5),
            "key": self.position(self.text.rfind("program", 0, program) + 4),
        }
        if PROSE[:7] in self.text[middle:]:
            self.places["prose"] = self.position(self.text.find(PROSE[:7], middle) + 4)
        first = max(0, self.places["value"]["line"] - 30)
        self.seen = {"start": {"line": first, "character": 0}, "end": {"line": first + 60, "character": 0}}

    def position(self, offset: int) -> dict[str, int]:
        line, character = position(self.text, offset)
        return {"line": line, "character": character}

    def at(self, place: str) -> dict[str, int]:
        found = dict(self.places[place])
        own = self.places["value"]
        if found["line"] == own["line"] and found["character"] >= own["character"]:
            found["character"] += self.typed
        return found

    def open(self) -> None:
        self.version += 1
        self.typed = 0
        item = {"uri": self.uri, "languageId": self.language, "version": self.version, "text": self.text}
        self.client.send("textDocument/didOpen", {"textDocument": item})

    def close(self) -> None:
        self.client.send("textDocument/didClose", {"textDocument": {"uri": self.uri}})

    def settle(self) -> None:
        """Return once the server has read the text and published its diagnostics."""
        self.client.ask("callwright/status", {"textDocument": {"uri": self.uri}})

    def type(self) -> None:
        """Write one character into a value."""
        place = self.at("value")
        self.version += 1
        self.typed += 1
        change = {"range": {"start": place, "end": place}, "text": "x"}
        document = {"uri": self.uri, "version": self.version}
        self.client.send("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})

    def requests(self, previous: str) -> dict[str, tuple[str, dict[str, Any]]]:
        """Return every request that an editor sends by itself, by a name for it."""
        whole: dict[str, Any] = {"textDocument": {"uri": self.uri}}
        here = {**whole, "position": self.at("value")}
        seen = {**whole, "range": self.seen}
        spot = {**whole, "range": {"start": self.at("value"), "end": self.at("value")}}
        found: dict[str, tuple[str, dict[str, Any]]] = {
            "tokens, delta": ("textDocument/semanticTokens/full/delta", {**whole, "previousResultId": previous}),
            "tokens, range": ("textDocument/semanticTokens/range", seen),
            "symbols": ("textDocument/documentSymbol", whole),
            "folding": ("textDocument/foldingRange", whole),
            "lenses": ("textDocument/codeLens", whole),
            "hints": ("textDocument/inlayHint", seen),
            "links": ("textDocument/documentLink", whole),
            "linked editing": ("textDocument/linkedEditingRange", {**whole, "position": self.at("name")}),
            "highlights": ("textDocument/documentHighlight", {**whole, "position": self.at("name")}),
            "selection": ("textDocument/selectionRange", {**whole, "positions": [self.at("value")]}),
            "signature": ("textDocument/signatureHelp", here),
            "actions": ("textDocument/codeAction", {**spot, "context": {"diagnostics": []}}),
            "hover": ("textDocument/hover", {**whole, "position": self.at("name")}),
        }
        for place in self.places:
            found[f"completion, {place}"] = ("textDocument/completion", {**whole, "position": self.at(place)})
        return found


#: What an editor asks again after each keystroke, all at once.
AGAIN = ("tokens, delta", "symbols", "folding", "lenses", "hints", "linked editing", "actions")
FIRST = ("tokens, full", "symbols", "folding", "lenses", "hints")


def measure(folder: Path, kinds: list[str], sizes: dict[str, int], rounds: int) -> Iterator[dict[str, Any]]:
    """Yield, for each kind, size and request, the milliseconds of both programs."""
    clients = {name: Client.of(name, folder) for name in ("callwright", "echo")}
    for kind in kinds:
        for size_name, size in sizes.items():
            row = {"kind": kind, "size": size_name}
            documents = {name: Document(client, folder, kind, size) for name, client in clients.items()}
            times = _of_document(documents, rounds if size <= 1_000_000 else max(5, rounds // 10))
            for what, of_program in times.items():
                yield {**row, "what": what, **of_program}
    for client in clients.values():
        client.end()


def _of_document(documents: dict[str, Document], rounds: int) -> dict[str, dict[str, list[float]]]:
    server, echo = documents["callwright"], documents["echo"]
    found: dict[str, dict[str, list[float]]] = {}

    def one(what: str, requests: dict[str, Any]) -> list[bytes]:
        own = found.setdefault(what, {"callwright": [], "echo": []})
        took, answers = server.client.ask_all(requests)
        own["callwright"].append(took)
        own["echo"].append(echo.client.ask_all(requests, sum(map(len, answers)))[0])
        return answers

    whole = {"textDocument": {"uri": server.uri}}
    previous = "0"
    # A person's first pause, in which the server prepares for what comes.
    server.open()
    server.settle()
    time.sleep(1)
    for _ in range(OPENINGS):
        server.close()
        for name in FIRST:
            # Each alone, of a document of which nothing else was asked.
            server.open()
            server.settle()
            asked = server.requests("").get(name, ("textDocument/semanticTokens/full", whole))
            one(f"first {name}", dict([asked]))
            server.close()
        server.open()
        every = server.requests("")
        one("opening, to all answers", dict(every[name] for name in FIRST[1:]))
    previous = _result_id(server.client.ask("textDocument/semanticTokens/full", whole)[1])
    names = list(server.requests(""))
    for number in range(rounds):
        for name in names[number % len(names) :] + names[: number % len(names)]:
            answers = one(f"cursor: {name}", dict([server.requests(previous)[name]]))
            if name == "tokens, delta":
                previous = _result_id(answers[0])
    for number in range(rounds):
        server.type()
        server.settle()
        for name in names[number % len(names) :] + names[: number % len(names)]:
            answers = one(f"typed: {name}", dict([server.requests(previous)[name]]))
            if name == "tokens, delta":
                previous = _result_id(answers[0])
    for _ in range(rounds):
        server.type()
        server.settle()
        again = server.requests(previous)
        answers = one("typed: all that is asked again", dict(again[name] for name in AGAIN))
        previous = _result_id(next(body for body in answers if b'"resultId"' in body[:80] or b"null" in body[-6:]))
    server.close()
    return found


def _result_id(body: bytes) -> str:
    result = json.loads(body).get("result")
    return str(result["resultId"]) if isinstance(result, dict) and "resultId" in result else "0"


def main() -> None:
    """Measure, print a table, and write it as JSON where that is asked for."""
    words = sys.argv[1:]

    def option(name: str) -> str | None:
        return words[words.index(name) + 1] if name in words else None

    rounds = int(words[0]) if words and words[0].isdigit() else 50
    wanted_sizes, wanted_kinds = option("--sizes"), option("--kinds")
    sizes = SIZES if wanted_sizes is None else {name: SIZES[name] for name in wanted_sizes.split(",")}
    kinds = [*DOCUMENTS] if wanted_kinds is None else wanted_kinds.split(",")
    rows: list[dict[str, Any]] = []
    out = sys.stdout.write
    out(f"{'milliseconds':56} {'p50':>9} {'p95':>9} {'echo p50':>9} {'p95':>9}\n")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "callwright.toml").write_text('tools = ["tools.json"]\nfiles = ["*"]\n', encoding="utf-8")
        (folder / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
        for row in measure(folder, kinds, sizes, rounds):
            found = (*cuts(row["callwright"]), *cuts(row["echo"]))
            title = f"{row['kind']}, {row['size']}, {row['what']}"
            out(f"{title:56} {found[0]:9.2f} {found[1]:9.2f} {found[2]:9.2f} {found[3]:9.2f}\n")
            sys.stdout.flush()
            labels = ("p50", "p95", "echo_p50", "echo_p95")
            shown = {label: round(cut, 3) for label, cut in zip(labels, found, strict=True)}
            rows.append({**{key: row[key] for key in ("kind", "size", "what")}, **shown})
    target = option("--json")
    if target is not None:
        Path(target).write_text(json.dumps({"rounds": rounds, "rows": rows}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
