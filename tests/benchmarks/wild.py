"""What people have: templates, prompts that document their tools, nested logs; many files at once; a thousand tools.

Run it by hand, on a machine that does nothing else:

    python tests/benchmarks/wild.py [ROUNDS] [--quick] [--fetch FOLDER] [--only PART] [--json FILE]

- keystrokes: opening a document of each kind, and one character typed in it, beside the echo of `pipes.py`
- processes: `callwright check` of files beside a linter that people run on the same files, whole processes in turns
- workspace: `workspace/diagnostic` over a folder of many files: the time, what the server holds at most and after it,
  how long a keystroke takes meanwhile, and the same request again, with what the client has by then
- tools: a thousand definitions listed by a whole process, in each format

The linters are optional. `--fetch` installs them into a folder, with npm and pip; without it they are looked for on the
path. One that is missing is reported with the command that installs it.
"""

import argparse
import contextlib
import json
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import wild_texts
from benchmarks.lsp import PAUSE, Shares, Turn
from benchmarks.pipes import CALLWRIGHT, Client, Typing, answers, cuts, environment

PARTS = ("keystrokes", "processes", "workspace", "tools")
SIZES = {"20 KB": 20_000, "200 KB": 200_000}
TYPED = ("chat template", "self-documenting prompt", "nested JSON log")
#: How many files a linter is given, and how long each is.
FILES, LENGTH = 20, 16_000
#: How many files a folder has, and how many in the quick form.
MANY, FEW = 3_000, 200
TOOLS = 1_000
#: When the server has come to rest after a request, in seconds.
REST = 3.0
Row = dict[str, Any]


class Peer(NamedTuple):
    """A linter: the kind of files, the name of its program, the package with its version, its words."""

    kind: str
    program: str
    package: str
    words: tuple[str, ...]
    npm: bool = False

    @property
    def install(self) -> str:
        """The command that installs it."""
        return f"npm install {self.package}" if self.npm else f"pip install {self.package.replace('@', '==')}"


PEERS = (
    Peer("Markdown page", "markdownlint-cli2", "markdownlint-cli2@0.24.1", (), npm=True),
    Peer("self-documenting prompt", "markdownlint-cli2", "markdownlint-cli2@0.24.1", (), npm=True),
    Peer("YAML prompts", "yamllint", "yamllint@1.38.0", ()),
    Peer("chat template", "djlint", "djlint@1.54.0", ("--lint", "--profile=jinja")),
)


def state_text(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def program_of(peer: Peer, folder: Path | None) -> str | None:
    """Return the path of a peer's program, after installing it where a folder is given; None where it is missing."""
    if folder is None:
        return shutil.which(peer.program)
    home = folder.absolute() / peer.program
    bin_folder = (
        home / "node_modules" / ".bin" if peer.npm else home / ("Scripts" if sys.platform == "win32" else "bin")
    )
    if not (bin_folder / peer.program).exists():
        home.mkdir(parents=True, exist_ok=True)
        if peer.npm:
            words = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(home), peer.package]
        else:
            venv.create(home, with_pip=True)
            words = [str(bin_folder / "python"), "-m", "pip", "install", "--quiet", peer.package.replace("@", "==")]
        if shutil.which(words[0]) is None or subprocess.run(words, capture_output=True, check=False).returncode:
            state_text(f"{peer.package} cannot be installed here")
            return None
    return str(bin_folder / peer.program)


def process(command: Sequence[str], folder: Path, home: Path) -> tuple[float, float]:
    """Return the milliseconds of wall-clock and of CPU time of a whole process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment(home), capture_output=True, check=False)
    took = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{command[0]} failed: {done.stderr.decode()[-500:]}")
    return took * 1000, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def keystrokes(folder: Path, rounds: int, sizes: Sequence[str]) -> Iterator[Row]:
    """Yield a row for each kind and size: opening it, and a keystroke in it."""
    shares = Shares(6.0 * len(sizes) * len(TYPED), [1.0] * len(sizes) * len(TYPED))
    for kind in TYPED:
        for size in sizes:
            until = shares.until()
            opened: dict[str, list[float]] = {"callwright": [], "echo": []}
            for _ in range(3):
                turn = Turn(folder, wild_texts.made(kind, SIZES[size]))
                for name, took in turn.opened.items():
                    opened[name].append(took)
                if len(opened["echo"]) < 3:
                    turn.end()
            typed = turn.keystrokes(rounds, until)
            turn.end()
            first = {
                "opened": statistics.median(opened["callwright"]),
                "echo_opened": statistics.median(opened["echo"]),
            }
            yield {"kind": kind, "size": size, **first, **typed}


def processes(folder: Path, rounds: int, fetched: Path | None) -> Iterator[Row]:
    """Yield a row for each peer: whole processes on the same files, in turns."""
    random = Random(11)  # noqa: S311 - writes texts, keeps no secret
    for peer in PEERS:
        name, _, make = wild_texts.KINDS[peer.kind]
        place = folder / peer.kind.replace(" ", "-")
        place.mkdir()
        files = [f"{number}-{name}" for number in range(FILES)]
        for file in files:
            (place / file).write_text(make(LENGTH, random), encoding="utf-8")
        program = program_of(peer, fetched)
        works = {"ours": (sys.executable, "-m", "callwright", "check", "--no-cache", *files)}
        if program is not None:
            works["peer"] = (program, *peer.words, *files)
        times: dict[str, list[tuple[float, float]]] = {work: [] for work in works}
        for number in range(rounds + 1):
            for work, command in works.items():
                took = process(command, place, folder)
                if number:
                    times[work].append(took)
        figures: Row = {
            "what": f"{FILES} files: {peer.kind}",
            "peer": peer.package.replace("@", " "),
            "install": peer.install,
        }
        for work, each in times.items():
            wall, spent = zip(*each, strict=True)
            lead = "" if work == "ours" else "peer_"
            figures |= {f"{lead}ms": statistics.median(wall), f"{lead}best_ms": min(wall), f"{lead}cpu": min(spent)}
        if program is not None:
            figures["ratio"] = figures["peer_ms"] / figures["ms"]
        yield figures


def memory(number: int) -> tuple[float, float]:
    """Return the megabytes that a process holds, and the most that it has held; 0 where that is unknown."""
    reported = Path(f"/proc/{number}/status")
    if not reported.exists():
        return 0.0, 0.0
    lines = dict(line.split(":", 1) for line in reported.read_text(encoding="utf-8").splitlines())
    return tuple(int(lines[name].split()[0]) * 1024 / 1e6 for name in ("VmRSS", "VmHWM"))  # type: ignore[return-value]


def beside(number: int) -> float:
    """Return the megabytes that the processes which a process has started hold together; 0 where that is unknown."""
    held = 0.0
    for reported in Path(f"/proc/{number}/task").glob("*/children"):
        for child in reported.read_text(encoding="ascii").split():
            # It may be about to end.
            with contextlib.suppress(OSError, KeyError):
                held += memory(int(child))[0]
    return held


def workspace(folder: Path, files: int) -> Iterator[Row]:
    """Yield the row of a folder of many files."""
    ground = folder / "workspace"
    ground.mkdir()
    written = wild_texts.project(ground, files)
    (ground / "callwright.toml").write_text('files = ["**"]\n', encoding="utf-8")
    client = Client((sys.executable, *CALLWRIGHT), ground, None, {"workspaceDiagnostics": True})
    made = wild_texts.made("self-documenting prompt", SIZES["20 KB"])
    typing = Typing(client, "typed.prompt.md", made.language, made.text, made.at)
    typing.open()
    time.sleep(REST)
    alone = [typing.type() for _ in range(30)]
    figures: Row = {"files": files, "mb": written / 1e6, "idle_mb": memory(client.process.pid)[0]}
    figures["alone_p50"], figures["alone_p95"] = cuts(alone)
    spent, started = client.spent(), time.perf_counter()
    first, meanwhile, held = _typed_meanwhile(typing, [])
    figures |= {"seconds": time.perf_counter() - started, "cpu_s": (client.spent() - spent) / 1000}
    figures["typed"] = len(meanwhile)
    figures["typed_p50"], figures["typed_p95"] = cuts(meanwhile)
    time.sleep(REST)
    figures["held_mb"], figures["peak_mb"] = memory(client.process.pid)
    figures["beside_mb"] = held
    reports = json.loads(first)["result"]["items"]
    known = [{"uri": report["uri"], "value": report["resultId"]} for report in reports]
    took, again = client.ask("workspace/diagnostic", {"previousResultIds": known})
    unchanged = sum(report["kind"] == "unchanged" for report in json.loads(again)["result"]["items"])
    figures |= {"again_s": took / 1000, "reports": len(reports), "unchanged": unchanged}
    client.end()
    yield figures


def _typed_meanwhile(typing: Typing, known: Sequence[Row]) -> tuple[bytes, list[float], float]:
    """Ask for the diagnostics of all files, and type until they come.

    Return the answer, each keystroke's time, and the most megabytes that other processes of the server held.
    """
    client = typing.client
    client.number += 1
    number = client.number
    client.send("workspace/diagnostic", {"previousResultIds": list(known)}, request=number)
    found: list[bytes] = []

    def judges(body: bytes) -> bool:
        if answers(body, number):
            found.append(body)
        return typing.judges(body)

    times, held = [], 0.0
    while not found:
        held = max(held, beside(client.process.pid))
        started = time.perf_counter()
        typing.press()
        client.wait(judges)
        times.append((time.perf_counter() - started) * 1000)
        time.sleep(PAUSE)
    return found[0], times, held


def tools(folder: Path, rounds: int) -> Iterator[Row]:
    """Yield a row for each format of a thousand tools: a whole process that reads and lists them."""
    ground = folder / "tools"
    ground.mkdir()
    every = wild_texts.tools(TOOLS)
    functions = [
        {
            "type": "function",
            "function": {"name": one["name"], "description": one["description"], "parameters": one["inputSchema"]},
        }
        for one in every
    ]
    texts = {
        "JSON, functions": ("tools.json", json.dumps(functions, indent=2)),
        "JSON, the list of an MCP server": ("tools.mcp.json", json.dumps({"tools": every}, indent=2)),
        "YAML": ("tools.yaml", wild_texts.to_yaml(every)),
    }
    for what, (name, text) in texts.items():
        (ground / name).write_text(text, encoding="utf-8")
        command = (sys.executable, "-m", "callwright", "tools", "--tools", name)
        times = [process(command, ground, folder) for _ in range(rounds + 1)][1:]
        wall, spent = zip(*times, strict=True)
        size = len(text) / 1e6
        yield {"what": what, "mb": size, "s": statistics.median(wall) / 1000, "cpu_s": min(spent) / 1000}


def main() -> None:
    """Measure, print the rows, and write them as JSON where that is asked for."""
    words = argparse.ArgumentParser(description="Measure on what people have.")
    words.add_argument("rounds", nargs="?", type=int, default=10)
    words.add_argument("--quick", action="store_true", help="small documents, few files")
    words.add_argument("--only", choices=PARTS, help="measure this part")
    words.add_argument("--fetch", type=Path, metavar="FOLDER", help="install the linters into this folder")
    words.add_argument("--json", type=Path, help="write the figures to this file, too")
    given = words.parse_args()
    figures: dict[str, list[Row]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / ".git").mkdir()
        parts = {
            "keystrokes": lambda: keystrokes(folder, 3 * given.rounds, [*SIZES][: 1 if given.quick else 2]),
            "processes": lambda: processes(folder, given.rounds, given.fetch),
            "tools": lambda: tools(folder, given.rounds),
            "workspace": lambda: workspace(folder, FEW if given.quick else MANY),
        }
        for part in PARTS:
            if given.only in (None, part):
                figures[part] = []
                for row in parts[part]():
                    shown = {key: round(value, 4) if isinstance(value, float) else value for key, value in row.items()}
                    figures[part].append(shown)
                    state_text(f"{part}: {shown}")
    if given.json is not None:
        given.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
