"""The engine and the server beside others on the same documents: VS Code's JSON service, YAML's server, `json-repair`.

Run it by hand, on a machine that does nothing else:

    python tests/benchmarks/peers.py [ROUNDS] [--fetch FOLDER] [--quick] [--json FILE]

`--fetch` installs what comes from npm into a folder; without it, without Node, or where an installation fails, that is
reported and its rows are left out. All take turns, in processes that are warm (WARM rounds before the first that
counts), and CPU time is compared, since two of the servers wait on purpose before they validate.

- JSON: a conversation with native calls. The service validates it against a schema of such conversations; we read its
  calls, parse their arguments, and check them and the conversation's order. An edit changes one letter in a string.
- YAML: the same conversation, in servers that are driven over pipes; the mean of the edits.
- repair: a body of JSON with a fault. `json-repair` gives a value; we give the call, the diagnostic and its place.
- agents: a folder with an agent's configuration, as a whole process. `agnix` and we know different rules.
"""

import argparse
import gc
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "server"))
sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.editing import NAMED, TOOLS, Made, conversation
from benchmarks.pipes import CALLWRIGHT, Client, Typing, environment, position

PACKAGES = {"json": "vscode-json-languageservice@5.7.2", "yaml": "yaml-language-server@2.0.0", "agnix": "agnix@0.25.0"}
DRIVER = Path(__file__).with_name("peers") / "json_service.mjs"
SIZES = {"100 KB": 100_000, "1 MB": 1_000_000}
#: A compiler that compiles while it runs has compiled what matters by then.
WARM = 8

_CALL = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "type": {"const": "function"},
        "function": {
            "type": "object",
            "properties": {"name": {"enum": [NAMED]}, "arguments": {"type": "string"}},
            "required": ["name", "arguments"],
        },
    },
    "required": ["id", "function"],
}
SCHEMA = {
    "type": "object",
    "properties": {
        "messages": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "role": {"enum": ["system", "user", "assistant", "tool"]},
                    "content": {"type": ["string", "null"]},
                    "tool_calls": {"type": "array", "items": _CALL},
                    "tool_call_id": {"type": "string"},
                },
                "required": ["role"],
            },
        }
    },
    "required": ["messages"],
}

PARTS = ("json", "yaml", "agnix", "repair")
Row = dict[str, Any]
Work = Callable[[], float]


def state_text(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def installed(folder: Path | None) -> dict[str, Path]:
    """Return the folder of each package from npm that is there, after installing what is not; say what is missing."""
    if folder is None or shutil.which("node") is None or shutil.which("npm") is None:
        state_text("without --fetch FOLDER, Node and npm: nothing from npm is measured")
        return {}
    found = {}
    for name, package in PACKAGES.items():
        home = folder.absolute() / name
        home.mkdir(parents=True, exist_ok=True)
        if not (home / "node_modules").exists():
            words = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(home), package]
            done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
            if done.returncode:
                shutil.rmtree(home / "node_modules", ignore_errors=True)
                state_text(f"{package} cannot be installed here, and is left out")
                continue
        found[name] = home
    return found


def in_turns(works: Mapping[str, Work], rounds: int) -> dict[str, float]:
    """Return the median milliseconds of each work, which take turns after WARM rounds that do not count."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for number in range(WARM + rounds):
        for name, work in works.items():
            gc.collect()
            took = work()
            if number >= WARM:
                times[name].append(took)
    return {name: statistics.median(each) for name, each in times.items()}


def row(what: str, peer: str, times: Mapping[str, float], **more: Any) -> Row:
    """Return the figures of one comparison; below 1, ours is faster."""
    return {"what": what, "peer": peer, "ms": times["ours"], "peer_ms": times["peer"], **more}


def timed(work: Callable[[], object]) -> float:
    """Return the milliseconds of CPU time that something takes."""
    started = time.process_time()
    work()
    return (time.process_time() - started) * 1000


class JsonService:
    """VS Code's service in a process of its own."""

    def __init__(self, home: Path) -> None:
        self.process = subprocess.Popen(
            ["node", str(DRIVER), str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def ask(self, operation: str, **words: Any) -> tuple[float, int]:
        """Return the milliseconds of CPU time, and how many diagnostics or completions there are."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"op": operation, **words}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("the JSON service has ended")
        answer = json.loads(line)
        return answer["ms"], answer["count"]

    def spent(self, operation: str, **words: Any) -> float:
        """Return the milliseconds of CPU time alone."""
        return self.ask(operation, **words)[0]

    def end(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()


class Engine:
    """The same of ours, in this process: what the server does between a message and its answer."""

    def __init__(self, made: Made) -> None:
        import callwright
        from callwright.features.base import Client as Described
        from callwright.hosts.catalogue import find_host

        self.made = made
        self.registry = callwright.ToolRegistry.of(TOOLS["tools"])
        self.host = find_host("json")
        self.client = Described()
        self.found = 0
        self.validate()

    def validate(self) -> None:
        from callwright.document.settings import Settings
        from callwright.lint.linter import diagnostics
        from callwright.lint.opening import open_snapshot

        self.snapshot = open_snapshot(
            self.made.text, path=self.made.name, registry=self.registry, settings=Settings(), host=self.host
        )
        self.found = len(diagnostics(self.snapshot))

    def edit(self, at: int, length: int, text: str) -> None:
        from callwright.lint.linter import diagnostics
        from callwright.text.span import Edit, Span

        self.snapshot = self.snapshot.edit([Edit(Span(at, at + length), text)])
        self.found = len(diagnostics(self.snapshot))

    def complete(self, at: int) -> None:
        from callwright.features import text_document_completion as feature
        from callwright.features.base import Request
        from callwright.lsp.wire import DocumentEdge
        from callwright.text.positions import PositionEncoding
        from callwright.text.span import Span

        snapshot = self.snapshot
        edge = DocumentEdge(
            snapshot.document, uri="a:a", version=1, encoding=PositionEncoding.UTF16, client=self.client
        )
        request = Request(span=Span(at, at), client=self.client, offsets=(at,))
        self.found = len(feature.to_lsp(feature.handle(snapshot, request), edge)["items"])


def json_rows(home: Path, rounds: int) -> Iterator[Row]:
    """Yield a row for validation, an edit and completion, in each size."""
    peer = PACKAGES["json"].replace("@", " ")
    for size, length in SIZES.items():
        made = _sound(conversation(length))
        text = made.text
        named = text.rindex(f'"name": "{NAMED}"', 0, made.at) + len('"name": "') + 4
        service, engine = JsonService(home), Engine(made)
        counts = (engine.found, service.ask("open", schema=SCHEMA, text=text)[1])
        if any(counts):
            raise SystemExit(f"a sound conversation of {size} has diagnostics: {counts}")
        works: dict[str, Work] = {
            "ours": partial(timed, engine.validate),
            "peer": partial(service.spent, "validate"),
        }
        times = in_turns(works, rounds)
        yield row(f"JSON, {size}, validation", peer, times, control=_json_loads(text, rounds))
        # A letter comes and goes, so that the text stays what it is.
        turns = {"ours": 0, "peer": 0}

        def typed(who: str, turns: dict[str, int] = turns) -> bool:
            turns[who] += 1
            return turns[who] % 2 == 1

        def own(engine: Engine = engine, at: int = made.at) -> float:
            length, letter = (0, "x") if typed("ours") else (1, "")
            return timed(lambda: engine.edit(at, length, letter))

        def theirs(service: JsonService = service, at: int = made.at, text: str = text) -> float:
            line, column = position(text, at)
            start = {"line": line, "character": column}
            if typed("peer"):
                return service.ask("edit", start=start, end=start, text="x")[0]
            return service.ask("edit", start=start, end={"line": line, "character": column + 1}, text="")[0]

        yield row(
            f"JSON, {size}, an edit and its diagnostics", peer, in_turns({"ours": own, "peer": theirs}, rounds * 2)
        )
        line, column = position(text, named)
        works = {
            "ours": partial(timed, partial(engine.complete, named)),
            "peer": partial(service.spent, "complete", start={"line": line, "character": column}),
        }
        times = in_turns(works, rounds * 2)
        counts = (engine.found, service.ask("complete", start={"line": line, "character": column})[1])
        if not all(counts):
            raise SystemExit(f"nothing is offered for a tool's name: {counts}")
        yield row(f"JSON, {size}, completion", peer, times)
        service.end()


def _sound(made: Made) -> Made:
    """Return a conversation without its faults; the place of typing stays where it was among the letters."""
    before = made.text[: made.at]
    return made._replace(text=made.text.replace(",}", "}"), at=made.at - before.count(",}"))


def _json_loads(text: str, rounds: int) -> float:
    return statistics.median(timed(lambda: json.loads(text)) for _ in range(rounds))


def yaml_text(made: Made) -> str:
    """Return a conversation in YAML: mappings in blocks, strings in quotes."""
    lines = ["messages:"]
    for message in json.loads(made.text)["messages"]:
        lead = "  - "
        for key, value in message.items():
            lines.append(f"{lead}{key}: {json.dumps(value, ensure_ascii=False)}")
            lead = "    "
    return "\n".join(lines) + "\n"


def yaml_rows(home: Path, folder: Path, rounds: int, sizes: Sequence[str]) -> Iterator[Row]:
    """Yield a row for an edit and for completion, in each size, over pipes."""
    peer = PACKAGES["yaml"].replace("@", " ")
    schema = folder / "schema.json"
    schema.write_text(json.dumps(SCHEMA), encoding="utf-8")
    commands: dict[str, Sequence[str]] = {
        "ours": (sys.executable, *CALLWRIGHT),
        "peer": ("node", str(home / "node_modules/yaml-language-server/bin/yaml-language-server"), "--stdio"),
    }
    for size in sizes:
        text = yaml_text(_sound(conversation(SIZES[size])))
        # A role that there is not: something that both must read again, and the peer finds.
        role = text.index("role: ", len(text) // 2) + len("role: ") + 1
        typings = {}
        for name, command in commands.items():
            options = {"validate": True, "schemas": {schema.as_uri(): "*.yaml"}, "schemaStore": {"enable": False}}
            client = Client(command, folder, {"yaml": options})
            client.send("workspace/didChangeConfiguration", {"settings": {}})
            typing = typings[name] = Typing(client, "a.yaml", "yaml", text, role)
            item = {"uri": typing.uri, "languageId": "yaml", "version": 0, "text": text}
            client.send("textDocument/didOpen", {"textDocument": item})
            client.wait(lambda body: b"publishDiagnostics" in body[:400])
        spent = dict.fromkeys(typings, 0.0)
        waited: dict[str, list[float]] = {name: [] for name in typings}
        for number in range(2 * rounds + 2):
            for name, typing in typings.items():
                before, started = typing.client.spent(), time.perf_counter()
                here = typing.place
                after = {**here, "character": here["character"] + 1}
                typing.change(here, after if number % 2 else here, "" if number % 2 else "x")
                if name == "ours":
                    typing.fresh()
                else:
                    typing.client.wait(lambda body, empty=bool(number % 2): _published(body, empty=empty))  # type: ignore[misc]
                if number > 1:
                    spent[name] += typing.client.spent() - before
                    waited[name].append((time.perf_counter() - started) * 1000)
        # The system counts in steps that are too coarse for a single edit.
        times = {name: each / (2 * rounds) for name, each in spent.items()}
        waits = {f"waited {name}": statistics.median(each) for name, each in waited.items()}
        yield row(f"YAML, {size}, an edit and its diagnostics", peer, times, **waits)
        for typing in typings.values():
            typing.client.end()


def _published(body: bytes, *, empty: bool) -> bool:
    """Return whether a body holds diagnostics, or that there are none."""
    if b"publishDiagnostics" not in body[:400]:
        return False
    return not json.loads(body)["params"]["diagnostics"] if empty else bool(json.loads(body)["params"]["diagnostics"])


def repair_rows(rounds: int) -> Iterator[Row]:
    """Yield a row for each length of a body with a comma too many."""
    try:
        import json_repair
    except ImportError:
        state_text("json-repair is not installed, and is left out")
        return
    import callwright

    registry = callwright.ToolRegistry.of(TOOLS["tools"])
    for length in (100, 10_000, 100_000):
        words = [f"--option-{number}" for number in range(length // 15)]
        body = json.dumps({"program": "src/app/main.py", "args": words})[:-2] + ",]}"
        text = f"<{NAMED}>{body}</{NAMED}>"
        (call,) = callwright.parse(text, tools=registry, dialect="xml-json").calls
        if call.arguments != json_repair.loads(body):
            raise SystemExit("the two do not read the same")
        repeats = max(1, 10_000 // length)

        def many(work: Callable[[], object], repeats: int = repeats) -> float:
            return timed(lambda: [work() for _ in range(repeats)]) / repeats

        works: dict[str, Work] = {
            "ours": lambda text=text: many(lambda: callwright.parse(text, tools=registry, dialect="xml-json")),  # type: ignore[misc]
            "peer": lambda body=body: many(lambda: json_repair.loads(body)),  # type: ignore[misc]
        }
        yield row(f"a call of {len(body):,} characters, a comma too many", "json-repair", in_turns(works, rounds))


def agent_rows(home: Path, folder: Path, rounds: int) -> Iterator[Row]:
    """Yield a row for a whole process over an agent's configuration: instructions, a skill, MCP servers and tools."""
    ground = folder / "agent"
    skill = ground / ".claude" / "skills" / "launch"
    skill.mkdir(parents=True)
    (ground / ".git").mkdir()
    (ground / "CLAUDE.md").write_text("# How to work\n\n- Read the failing test first.\n", encoding="utf-8")
    head = "---\nname: launch\ndescription: Launches a program. Use it when a test is to be run.\n---\n\n"
    (skill / "SKILL.md").write_text(head + "Call `debug_launch` with the program.\n", encoding="utf-8")
    servers = {"mcpServers": {"debug": {"command": "debug-server", "args": ["--stdio"]}}}
    (ground / ".mcp.json").write_text(json.dumps(servers, indent=2), encoding="utf-8")
    (ground / "tools.mcp.json").write_text(json.dumps(TOOLS, indent=2), encoding="utf-8")
    program = home / "node_modules" / ".bin" / "agnix"

    def process(*command: str) -> float:
        started = time.perf_counter()
        done = subprocess.run(command, cwd=ground, env=environment(folder), capture_output=True, check=False)
        if done.returncode not in (0, 1):
            raise SystemExit(f"{command[0]} failed: {done.stderr.decode()[-500:]}")
        return (time.perf_counter() - started) * 1000

    works: dict[str, Work] = {
        "ours": lambda: process(sys.executable, "-m", "callwright", "check", "."),
        "peer": lambda: process(str(program), "."),
    }
    yield row("an agent's configuration, whole process", PACKAGES["agnix"].replace("@", " "), in_turns(works, rounds))


def rows(
    folder: Path, fetched: Mapping[str, Path], rounds: int, sizes: Sequence[str], only: str | None
) -> Iterator[Row]:
    """Yield every row that can be measured here, of one part alone where `only` names it."""
    if "json" in fetched and only in (None, "json"):
        yield from json_rows(fetched["json"], rounds)
    if "yaml" in fetched and only in (None, "yaml"):
        yield from yaml_rows(fetched["yaml"], folder, rounds, sizes)
    if "agnix" in fetched and only in (None, "agnix"):
        yield from agent_rows(fetched["agnix"], folder, rounds)
    if only in (None, "repair"):
        yield from repair_rows(rounds)


def main() -> None:
    """Measure, print the rows, and write them as JSON where that is asked for."""
    words = argparse.ArgumentParser(description="Measure beside others.")
    words.add_argument("rounds", nargs="?", type=int, default=15)
    words.add_argument("--quick", action="store_true", help="no YAML of 1 MB")
    words.add_argument("--only", choices=PARTS, help="measure this part")
    words.add_argument("--fetch", type=Path, metavar="FOLDER", help="install what comes from npm into this folder")
    words.add_argument("--json", type=Path, help="write the figures to this file, too")
    given = words.parse_args()
    fetched = installed(given.fetch)
    figures = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "callwright.toml").write_text('tools = ["tools.json"]\nfiles = ["*"]\n', encoding="utf-8")
        (folder / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
        for each in rows(folder, fetched, given.rounds, [*SIZES][: 1 if given.quick else 2], given.only):
            each["ratio"] = each["ms"] / each["peer_ms"]
            figures.append({key: round(value, 4) if isinstance(value, float) else value for key, value in each.items()})
            state_text(
                f"{each['what']:48} {each['ms']:10.2f} ms  {each['peer']} {each['peer_ms']:.2f} ms  {each['ratio']:.2f}"
            )
    if given.json is not None:
        left_out = sorted(set(PACKAGES) - set(fetched))
        given.json.write_text(json.dumps({"rows": figures, "left out": left_out}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
