"""How much memory it takes: the server when idle and with a large document, beside stock pygls, and a check of JSONL.

Run it by hand: `make bench`, or `python tests/benchmarks/memory.py [ROUNDS] [--quick] [--json FILE]`. Each figure is
the median of some processes, in megabytes (10^6 bytes). *RSS* is what is resident, *PSS* the same with shared pages
divided among those who share them (Linux only). Idle is two seconds after the handshake, when what the server prepares
is done; with a document, two seconds after its first diagnostics and one keystroke. The stock pygls server holds the
same document and judges nothing; the bare interpreter is what both pay for Python.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.editing import KINDS, SIZES, TOOLS
from benchmarks.pipes import Client, Typing, environment

#: When a server has come to rest, in seconds.
REST = 2.0
LARGE = 100_000_000

Row = dict[str, Any]


def held(process: int) -> dict[str, float]:
    """Return the megabytes that a process holds: `rss`, and `pss` where the system reports it."""
    rollup = Path(f"/proc/{process}/smaps_rollup")
    if rollup.exists():
        lines = dict(line.split(":") for line in rollup.read_text(encoding="ascii").splitlines()[1:])
        return {name.lower(): int(lines[name].split()[0]) * 1024 / 1e6 for name in ("Rss", "Pss")}
    reported = subprocess.run(["ps", "-o", "rss=", "-p", str(process)], capture_output=True, text=True, check=True)
    return {"rss": int(reported.stdout) * 1024 / 1e6}


def bare() -> Iterator[tuple[str, dict[str, float]]]:
    """Yield what Python itself holds."""
    child = subprocess.Popen([sys.executable, "-c", "import sys, json; sys.stdin.read()"], stdin=subprocess.PIPE)
    time.sleep(0.5)
    yield "idle", held(child.pid)
    assert child.stdin is not None
    child.stdin.close()
    child.wait(10)


def server(program: str, folder: Path, documents: Sequence[tuple[str, str]]) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield what a server holds when idle, and with each document, in a process of its own each."""
    for kind, size in (("", ""), *documents):
        client = Client.of(program, folder)
        if kind:
            made = KINDS[kind](SIZES[size])
            typing = Typing(client, made.name, made.language, made.text, made.at)
            typing.open()
            typing.type()
        time.sleep(REST)
        yield f"{size} {kind}" if kind else "idle", held(client.process.pid)
        client.end()


def check(folder: Path, size: int) -> dict[str, float]:
    """Return the most memory that `callwright check` has at a JSONL file of `size` bytes, in megabytes."""
    large = folder / "large.jsonl"
    with large.open("wb") as file:
        made = KINDS["JSONL"](4_000_000).text.encode()
        lines = made.splitlines(keepends=True)
        Random(1).shuffle(lines)  # noqa: S311 - orders lines, keeps no secret
        part = b"".join(lines)
        file.writelines([part] * -(-size // len(part)))
    command = [sys.executable, "-m", "callwright", "check", large.name]
    child = subprocess.Popen(
        command, cwd=folder, env={**environment(folder), "CALLWRIGHT_NO_CACHE": "1"}, stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    large.unlink()
    if child.returncode not in (0, 1):
        raise SystemExit(f"the check of {size} bytes ended with {child.returncode}")
    return {"peak": usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6}


def rows(folder: Path, rounds: int, sizes: Sequence[str], large: int) -> Iterator[Row]:
    """Yield a row for each program and state, in medians; all take turns."""
    documents = [(kind, size) for size in sizes for kind in ("Markdown", "JSON")]
    found: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for _ in range(rounds):
        plan = {
            "python": bare(),
            "callwright": server("callwright", folder, documents),
            "pygls": server("pygls", folder, documents),
        }
        for program, states in plan.items():
            for state, figures in states:
                for name, figure in figures.items():
                    found[program, state][name].append(figure)
    for size in (large // 2, large):
        found["callwright check", f"{size // 1_000_000} MB JSONL"]["peak"].append(check(folder, size)["peak"])
    for (program, state), all_figures in found.items():
        medians = {name: round(statistics.median(each), 1) for name, each in all_figures.items()}
        yield {"program": program, "state": state, **medians}


def main() -> None:
    """Measure, print the rows, and write them as JSON where that is asked for."""
    words = argparse.ArgumentParser(description="Measure memory.")
    words.add_argument("rounds", nargs="?", type=int, default=3)
    words.add_argument("--quick", action="store_true", help="smaller documents")
    words.add_argument("--json", type=Path, help="write the figures to this file, too")
    given = words.parse_args()
    sizes, large = (["1 MB"], LARGE // 5) if given.quick else (["1 MB", "10 MB"], LARGE)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / ".git").mkdir()
        (folder / "callwright.toml").write_text('tools = ["tools.json"]\nfiles = ["*"]\n', encoding="utf-8")
        (folder / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
        figures = list(rows(folder, given.rounds, sizes, large))
    for row in figures:
        shown = "  ".join(f"{name} {value:7.1f} MB" for name, value in row.items() if isinstance(value, float))
        sys.stdout.write(f"{row['program'] + ', ' + row['state']:40} {shown}\n")
    if given.json is not None:
        given.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
