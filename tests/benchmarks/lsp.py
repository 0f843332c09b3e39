"""How long the language server takes: its start, a keystroke until fresh diagnostics, and what is asked while typing.

Run it by hand, on a machine that does nothing else: `make bench`, or
`python tests/benchmarks/lsp.py [KEYSTROKES] [--quick] [--only PART] [--json FILE]`.
Beside the server run an echo, a process that answers at once with as many bytes, and for Markdown a stock pygls server
that keeps the text and judges nothing. All take turns, keystroke by keystroke, with a pause as short as no typist's.
Times are wall-clock milliseconds until the last byte has come; `cpu` is the CPU time that the server
takes for one keystroke, with what it prepares in the pause; `opened` is the time from opening to the first findings.

- keystrokes: one character in a value, in the middle of a document of each kind and size
- lines: the same in a document of 1 MB that is one line
- states: a line at the top that changes the state of all that follows (a fence, `raw`), written and taken away; then
  the same while completion is asked for all the time, with how long each answer was waited for
- requests: completion right behind a keystroke, and hover, at 1 MB
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from sys import path as modules
from sys import stdout
from typing import Any

modules.insert(0, str(Path(__file__).parents[1]))

from benchmarks.editing import KINDS, LINES, OPENERS, SIZES, TOOLS, Made
from benchmarks.pipes import Client, Typing, cuts, position

STARTS = 7
#: Between two keystrokes, in seconds.
PAUSE = 0.02
#: The server prepares for requests when nothing is asked of it; a person's first pause is long enough.
FIRST_PAUSE = 1.0
#: One document's keystrokes end after so many seconds, when there have been FEWEST.
LONGEST = 12.0
FEWEST = 5
#: How long a client waits after an answer before it asks again, in seconds.
BETWEEN = 0.005

PARTS = ("starts", "keystrokes", "lines", "states", "requests")
Row = dict[str, Any]


def starts(folder: Path, rounds: int) -> Iterator[Row]:
    """Yield for each program the median milliseconds from its start to the first answer, and to the first findings."""
    programs = ("callwright", "echo", "pygls")
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in programs}
    made = KINDS["Markdown"](SIZES["10 KB"])
    for number in range(-1, rounds):
        for name in programs:
            started = time.perf_counter()
            client = Client.of(name, folder)
            answered = time.perf_counter()
            Typing(client, made.name, made.language, made.text, made.at).open()
            judged = time.perf_counter()
            client.end()
            if number >= 0:
                times[name].append(((answered - started) * 1000, (judged - started) * 1000))
    for name, each in times.items():
        answer, findings = (statistics.median(column) for column in zip(*each, strict=True))
        yield {"program": name, "answer": answer, "diagnostics": findings}


class Turn:
    """A document that is open in several programs, which take turns."""

    def __init__(self, folder: Path, made: Made, programs: Sequence[str] = ("callwright", "echo")) -> None:
        """Start the programs, open the document in each and wait for what a person's first pause is long enough for."""
        self.made = made
        self.typings = {
            name: Typing(Client.of(name, folder), made.name, made.language, made.text, made.at) for name in programs
        }
        self.own = self.typings["callwright"]
        self.opened = {name: typing.open() for name, typing in self.typings.items()}
        time.sleep(FIRST_PAUSE)
        # Once, so that nothing is done for the first time; the answers wait for what is imported in the pause.
        for method in ("textDocument/completion", "textDocument/hover"):
            self.own.ask(method)
        for typing in self.typings.values():
            typing.type()

    def keystrokes(self, count: int) -> Row:
        """Type; return percentiles for each program, and the server's CPU time."""
        times: dict[str, list[float]] = {name: [] for name in self.typings}
        spent = self.own.client.spent()
        began = time.monotonic()
        for number in range(count):
            if number >= FEWEST and time.monotonic() - began > LONGEST:
                break
            for name, typing in self.typings.items():
                typing.size = self.own.received
                times[name].append(typing.type())
            time.sleep(PAUSE)
        strokes = len(times["callwright"])
        return {
            "keystrokes": strokes,
            "bytes": self.own.received,
            "cpu": (self.own.client.spent() - spent) / strokes,
            **percentiles(times),
        }

    def requests(self, method: str, count: int, *, typed: bool) -> Row:
        """Ask about the name of the call next to the place of typing, behind a keystroke each where `typed`."""
        line, character = position(self.made.text, self.made.named)
        times: dict[str, list[float]] = {name: [] for name in self.typings}
        size = 0
        for number in range(count + 1):
            for name, typing in self.typings.items():
                if typed:
                    typing.press()
                took, answer = typing.ask(method, {"line": line, "character": character}, size)
                size = len(answer) if name == "callwright" else size
                if number:
                    times[name].append(took)
            time.sleep(PAUSE)
        return {"bytes": size, **percentiles(times)}

    def end(self) -> None:
        for typing in self.typings.values():
            typing.client.end()


def percentiles(times: dict[str, list[float]]) -> Row:
    """Return the median and the 95th percentile of each program, and how many echoes the server's 95th percentile is.

    The unit is the echo's median: its own 95th percentile says how often somebody else had the machine, not how fast
    that is.
    """
    row: Row = {}
    for name, each in times.items():
        lead = "" if name == "callwright" else f"{name}_"
        row[f"{lead}p50"], row[f"{lead}p95"] = cuts(each)
    return {**row, "multiple": row["p95"] / row["echo_p50"]}


def keystrokes(folder: Path, sizes: Sequence[str], count: int) -> Iterator[Row]:
    """Yield a row for each kind and size."""
    for kind, make in KINDS.items():
        for size in sizes:
            programs = ("callwright", "echo", "pygls") if kind == "Markdown" else ("callwright", "echo")
            turn = Turn(folder, make(SIZES[size]), programs)
            yield {"kind": kind, "size": size, "opened": turn.opened["callwright"], **turn.keystrokes(count)}
            turn.end()


def lines(folder: Path, count: int) -> Iterator[Row]:
    """Yield a row for each kind of a line of 1 MB."""
    for kind, make in LINES.items():
        turn = Turn(folder, make(SIZES["1 MB"]))
        yield {"kind": kind, "size": "1 MB", "opened": turn.opened["callwright"], **turn.keystrokes(count)}
        turn.end()


def states(folder: Path, sizes: Sequence[str], rounds: int) -> Iterator[Row]:
    """Yield a row for each kind and size: milliseconds for each MB, and how long completion is waited for."""
    for kind, opener in OPENERS.items():
        for size in sizes:
            turn = Turn(folder, KINDS[kind](SIZES[size]), ("callwright",))
            megabytes = len(turn.made.text) / 1e6
            alone: list[float] = []
            waits: list[float] = []
            opened_and_closed(turn.own, opener, turn.own.fresh)
            spent = turn.own.client.spent()
            for _ in range(rounds):
                alone += [took / megabytes for took in opened_and_closed(turn.own, opener, turn.own.fresh)]
            spent = turn.own.client.spent() - spent
            for _ in range(rounds):
                opened_and_closed(turn.own, opener, lambda turn=turn, waits=waits: waits.extend(asked(turn.own)))  # type: ignore[misc]
            turn.end()
            wait, worst = cuts(waits)
            each, slowest = cuts(alone)
            yield {
                "kind": kind,
                "size": size,
                "ms_per_mb": each,
                "slowest_ms_per_mb": slowest,
                "cpu_per_mb": spent / megabytes / len(alone),
                "asked": len(waits),
                "waited_p50": wait,
                "waited_p95": worst,
                "waited_most": max(waits),
            }


def opened_and_closed(typing: Typing, opener: str, until: Callable[[], object]) -> list[float]:
    """Write a line at the top, and take it away; return the milliseconds until each has been judged."""
    top, below = {"line": 0, "character": 0}, {"line": 1, "character": 0}
    times = []
    for start, end, text in ((top, top, opener), (top, below, "")):
        started = time.perf_counter()
        typing.change(start, end, text)
        typing.line += 1 if text else -1
        until()
        times.append((time.perf_counter() - started) * 1000)
        time.sleep(PAUSE)
    return times


def asked(typing: Typing) -> list[float]:
    """Ask for completion again and again until the newest version has been judged; return the waits."""
    waits: list[float] = []
    judged = False

    def seen(body: bytes) -> None:
        nonlocal judged
        judged = judged or typing.judges(body)

    while not judged:
        time.sleep(BETWEEN)
        here = {"textDocument": {"uri": typing.uri}, "position": typing.place}
        waits.append(typing.client.ask("textDocument/completion", here, seen=seen)[0])
    return waits


def requests(folder: Path, count: int) -> Iterator[Row]:
    """Yield a row for completion behind a keystroke, completion and hover, in each kind of document of 1 MB."""
    for kind, make in KINDS.items():
        turn = Turn(folder, make(SIZES["1 MB"]))
        for what, method, typed in (
            ("completion behind a keystroke", "textDocument/completion", True),
            ("completion", "textDocument/completion", False),
            ("hover", "textDocument/hover", False),
        ):
            yield {"kind": kind, "size": "1 MB", "what": what, **turn.requests(method, count, typed=typed)}
        turn.end()


def shown(row: Row) -> str:
    """Return a row as a line."""
    words = [str(value) for value in row.values() if isinstance(value, str)]
    figures = [f"{name} {value:.2f}" for name, value in row.items() if isinstance(value, float)]
    return f"{', '.join(words):44} {'  '.join(figures)}\n"


def rounded(row: Row) -> Row:
    return {name: round(value, 3) if isinstance(value, float) else value for name, value in row.items()}


def main() -> None:
    """Measure, print the rows, and write them as JSON where that is asked for."""
    words = argparse.ArgumentParser(description="Measure the language server.")
    words.add_argument("keystrokes", nargs="?", type=int, default=100)
    words.add_argument("--quick", action="store_true", help="smaller documents, few repeats")
    words.add_argument("--only", action="append", choices=PARTS, help="measure this part")
    words.add_argument("--json", type=Path, help="write the figures to this file, too")
    given = words.parse_args()
    sizes = list(SIZES)[: 3 if given.quick else 4]
    figures: dict[str, list[Row]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "callwright.toml").write_text('tools = ["tools.json"]\nfiles = ["*"]\n', encoding="utf-8")
        (folder / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
        parts = {
            "starts": starts(folder, 3 if given.quick else STARTS),
            "keystrokes": keystrokes(folder, sizes, given.keystrokes),
            "lines": lines(folder, given.keystrokes),
            "states": states(folder, sizes[2:], 1 if given.quick else 5),
            "requests": requests(folder, given.keystrokes),
        }
        for part, rows in parts.items():
            if given.only and part not in given.only:
                continue
            stdout.write(f"{part}\n")
            figures[part] = []
            for row in rows:
                figures[part].append(rounded(row))
                stdout.write(shown(row))
                stdout.flush()
    if given.json is not None:
        given.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
