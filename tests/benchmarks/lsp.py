"""How long the language server takes: its start, a keystroke until fresh diagnostics, and what is asked while typing.

Run it by hand, on a machine that does nothing else: `make bench`, or
`python tests/benchmarks/lsp.py [KEYSTROKES] [--quick] [--only PART] [--seconds SECONDS] [--json FILE]`.
Beside the server run an echo, a process that answers at once with as many bytes, and for Markdown a stock pygls server
that keeps the text and judges nothing. All take turns, keystroke by keystroke, with a pause as short as no typist's.
Times are wall-clock milliseconds until the last byte has come; `cpu` is the CPU time that the server
takes for one keystroke, with what it prepares in the pause; `opened` is the time from opening to the first diagnostics.

- keystrokes: one character in a value, in the middle of a document of each kind and size
- lines: the same in a document of 1 MB that is one line
- states: a line at the top that changes the state of all that follows (a fence, `raw`), written and taken away: for the
  first time, when all is read again, and again, when what was read before may still be known; then the same while
  completion is asked for all the time, with how long each answer was waited for
- requests: completion right after a keystroke, and hover, at 1 MB

All ends within about SECONDS: the rows that are still to come share what is left of them, a long document more of it
than a short one. No row is left out. One whose share is spent ends when it has FEWEST repeats, or an edit of each kind,
and says how many it had.
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
#: How long all rows take together, in seconds.
SECONDS = 270.0
#: One document's keystrokes continue when its share is spent, until there have been so many; and so many starts.
MIN_COUNT = 5
MIN_STARTS = 3
#: How long a client waits after an answer before it asks again, in seconds.
BETWEEN = 0.005

PARTS = ("starts", "keystrokes", "lines", "states", "requests")
#: What a row weighs when the time is shared, by its part, and by the size of its document.
WEIGHTS = {"starts": 8.0, "keystrokes": 1.0, "lines": 2.0, "states": 4.0, "requests": 1.5}
SIZE_WEIGHTS = {"10 KB": 1.0, "100 KB": 1.0, "1 MB": 2.0, "10 MB": 8.0}
Row = dict[str, Any]


class Shares:
    """Divides the seconds there are among rows: each gets the time at which it should end, as many as were
    announced."""

    def __init__(self, seconds: float, weights: Sequence[float], clock: Callable[[], float] = time.monotonic) -> None:
        """Let the rows of these weights, in their order, have so many seconds from now on."""
        self._clock = clock
        self._end = clock() + seconds
        self._weights = list(weights)

    def until(self) -> float:
        """Return the moment at which the next row should end; what earlier ones left over is shared by all others."""
        now = self._clock()
        whole = sum(self._weights)
        return now + max(0.0, self._end - now) * self._weights.pop(0) / whole


def weights(parts: Sequence[str], sizes: Sequence[str]) -> list[float]:
    """Return what each row of some parts weighs, in the order in which they are measured."""
    rows = {
        "starts": [1.0],
        "keystrokes": [SIZE_WEIGHTS[size] for _ in KINDS for size in sizes],
        "lines": [SIZE_WEIGHTS["1 MB"] for _ in LINES],
        "states": [SIZE_WEIGHTS[size] for _ in OPENERS for size in sizes[2:]],
        "requests": [SIZE_WEIGHTS["1 MB"] for _ in KINDS],
    }
    return [weight * WEIGHTS[part] for part in parts for weight in rows[part]]


def starts(folder: Path, rounds: int, shares: Shares) -> Iterator[Row]:
    """Yield for each program the median milliseconds from its start to the first answer, and to the first
    diagnostics."""
    programs = ("callwright", "echo", "pygls")
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in programs}
    made = KINDS["Markdown"](SIZES["10 KB"])
    until = shares.until()
    for number in range(-1, rounds):
        if number >= MIN_STARTS and time.monotonic() > until:
            break
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
        answer, diagnostics = (statistics.median(column) for column in zip(*each, strict=True))
        yield {"program": name, "starts": len(each), "answer": answer, "diagnostics": diagnostics}


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

    def keystrokes(self, count: int, until: float) -> Row:
        """Type, not much longer than to some moment; return percentiles, and the server's CPU time."""
        times: dict[str, list[float]] = {name: [] for name in self.typings}
        spent = self.own.client.spent()
        for number in range(count):
            if number >= MIN_COUNT and time.monotonic() > until:
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

    def requests(self, method: str, count: int, until: float, *, typed: bool) -> Row:
        """Ask about the name of the call next to the place of typing, after a keystroke each where `typed`."""
        line, character = position(self.made.text, self.made.named)
        times: dict[str, list[float]] = {name: [] for name in self.typings}
        size = 0
        for number in range(count + 1):
            if number > MIN_COUNT and time.monotonic() > until:
                break
            for name, typing in self.typings.items():
                if typed:
                    typing.press()
                took, answer = typing.ask(method, {"line": line, "character": character}, size)
                size = len(answer) if name == "callwright" else size
                if number:
                    times[name].append(took)
            time.sleep(PAUSE)
        return {"asked": len(times["callwright"]), "bytes": size, **percentiles(times)}

    def end(self) -> None:
        for typing in self.typings.values():
            typing.client.end()


def percentiles(times: dict[str, list[float]]) -> Row:
    """Return the median and the 95th percentile of each program, and how many echoes the server's 95th percentile is.

    The unit is the echo's median: its own 95th percentile says how often someone else had the machine, not how fast
    that is.
    """
    row: Row = {}
    for name, each in times.items():
        lead = "" if name == "callwright" else f"{name}_"
        row[f"{lead}p50"], row[f"{lead}p95"] = cuts(each)
    return {**row, "multiple": row["p95"] / row["echo_p50"]}


def keystrokes(folder: Path, sizes: Sequence[str], count: int, shares: Shares) -> Iterator[Row]:
    """Yield a row for each kind and size."""
    for kind, make in KINDS.items():
        for size in sizes:
            until = shares.until()
            programs = ("callwright", "echo", "pygls") if kind == "Markdown" else ("callwright", "echo")
            turn = Turn(folder, make(SIZES[size]), programs)
            typed = turn.keystrokes(count, until)
            yield {"kind": kind, "size": size, "opened": turn.opened["callwright"], **typed}
            turn.end()


def lines(folder: Path, count: int, shares: Shares) -> Iterator[Row]:
    """Yield a row for each kind of a line of 1 MB."""
    for kind, make in LINES.items():
        until = shares.until()
        turn = Turn(folder, make(SIZES["1 MB"]))
        typed = turn.keystrokes(count, until)
        yield {"kind": kind, "size": "1 MB", "opened": turn.opened["callwright"], **typed}
        turn.end()


def states(folder: Path, sizes: Sequence[str], rounds: int, shares: Shares) -> Iterator[Row]:
    """Yield a row for each kind and size: milliseconds for each MB, and how long completion is waited for.

    `ms_per_mb` and `cpu_per_mb` are of the first such line, `again_ms_per_mb` is of all later edits that change the
    state, the first line's being taken away among them.
    """
    for kind, opener in OPENERS.items():
        for size in sizes:
            until = shares.until()
            turn = Turn(folder, KINDS[kind](SIZES[size]), ("callwright",))
            megabytes = len(turn.made.text) / 1e6
            waits: list[float] = []
            began, before = time.monotonic(), turn.own.client.spent()
            spent: list[float] = []

            def judged(turn: Turn = turn, spent: list[float] = spent, before: float = before) -> None:
                turn.own.fresh()
                spent.append(turn.own.client.spent() - before)

            first, *alone = opened_and_closed(turn.own, opener, judged)
            once = time.monotonic() - began
            # Asking while it reads takes longer than reading alone, so that half of the time goes to it.
            half = (began + until) / 2
            for _ in range(rounds):
                if time.monotonic() + once > half:
                    break
                alone += opened_and_closed(turn.own, opener, turn.own.fresh)
            for number in range(rounds):
                if number and time.monotonic() + once > until:
                    break
                opened_and_closed(turn.own, opener, lambda turn=turn, waits=waits: waits.extend(asked(turn.own)))  # type: ignore[misc]
            turn.end()
            wait, worst = cuts(waits)
            each, slowest = cuts([took / megabytes for took in alone])
            yield {
                "kind": kind,
                "size": size,
                "edits": 1 + len(alone),
                "ms_per_mb": first / megabytes,
                "cpu_per_mb": spent[0] / megabytes,
                "again_ms_per_mb": each,
                "slowest_again_ms_per_mb": slowest,
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


def requests(folder: Path, count: int, shares: Shares) -> Iterator[Row]:
    """Yield a row for completion after a keystroke, completion and hover, in each kind of document of 1 MB."""
    for kind, make in KINDS.items():
        end = shares.until()
        turn = Turn(folder, make(SIZES["1 MB"]))
        methods = (
            ("completion after a keystroke", "textDocument/completion", True),
            ("completion", "textDocument/completion", False),
            ("hover", "textDocument/hover", False),
        )
        for left, (what, method, typed) in zip((3, 2, 1), methods, strict=True):
            now = time.monotonic()
            row = turn.requests(method, count, now + (end - now) / left, typed=typed)
            yield {"kind": kind, "size": "1 MB", "what": what, **row}
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
    words.add_argument("--seconds", type=float, default=SECONDS, help="about how long all of it takes")
    words.add_argument("--json", type=Path, help="write the figures to this file, too")
    given = words.parse_args()
    sizes = list(SIZES)[: 3 if given.quick else 4]
    figures: dict[str, list[Row]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "callwright.toml").write_text('tools = ["tools.json"]\nfiles = ["*"]\n', encoding="utf-8")
        (folder / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
        chosen = [part for part in PARTS if not given.only or part in given.only]
        shares = Shares(given.seconds, weights(chosen, sizes))
        parts = {
            "starts": starts(folder, 3 if given.quick else STARTS, shares),
            "keystrokes": keystrokes(folder, sizes, given.keystrokes, shares),
            "lines": lines(folder, given.keystrokes, shares),
            "states": states(folder, sizes[2:], 1 if given.quick else 5, shares),
            "requests": requests(folder, given.keystrokes, shares),
        }
        for part in chosen:
            rows = parts[part]
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
