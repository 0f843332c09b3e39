"""How fast whole documents are checked, beside a control in the same run: prompts in Markdown, and files in JSON.

Run it by hand, on a machine that does nothing else: `make bench`, or
`python tests/benchmarks/documents.py [ROUNDS] [--only WORD] [--json FILE]`.
Check and control take turns, in the process's own CPU time; of both the best is given, of the check also the median,
and the median of what one is of the other. The control of Markdown is `re.finditer("<")` over a text in which one of
35 characters is one; what is given is a share of its speed. The control of JSON is `json.loads` of the clean text;
what is given is how many times its time a check takes.
"""

from __future__ import annotations

import gc
import json
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2] / "server"))
sys.path.insert(1, str(Path(__file__).parents[1]))

import callwright
from benchmarks import document_texts as texts
from callwright.document.settings import Settings
from callwright.hosts.catalogue import find_host
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.text.span import Edit, Span

REGISTRY = callwright.ToolRegistry.of(texts.TOOLS)
#: What a row must reach: a share of the control's speed, or times its time.
MARKDOWN, SOUND, FAULTY = 60 / 450, 1.5, 4.0
#: A fence that is opened at the top, in ms for each MB.
FENCE = 40.0
#: What `re.finditer` goes through: prose with calls in it.
_PART = f"{texts.CALL}\n\n{texts.ABOUT * 3}\n\n"
TAGS = (_PART * (texts.SIZE // len(_PART) + 1))[: texts.SIZE]


class Row(NamedTuple):
    """What is measured: `work` on `size` characters, beside `control` on `beside`; `times` says which way the ratio is
    given, of time or of speed."""

    name: str
    work: Callable[[], object]
    control: Callable[[], object]
    size: int
    beside: int
    target: float | None = None
    times: bool = False


def find_tags() -> int:
    """Go through the control's text."""
    return sum(1 for _ in re.finditer("<", TAGS))


def checking(text: str, path: str, *, host: str | None = None, sound: bool | None = None) -> Callable[[], object]:
    """Return what checks a text; it ends the program where the text is not as `sound` as stated."""
    chosen = find_host(host) if host is not None else None

    def work() -> None:
        found = diagnostics(open_snapshot(text, path=path, registry=REGISTRY, settings=Settings(), host=chosen))
        if sound is not None and bool(found) is sound:
            raise SystemExit(f"{path}: {len(found)} diagnostics, and the text is {'sound' if sound else 'not sound'}")

    return work


def parsing(text: str) -> Callable[[], object]:
    """Return what parses a JSON text."""
    return lambda: json.loads(text)


def markdown_rows() -> Iterator[Row]:
    """Yield the rows about prompts."""
    plain = texts.prompt(Random(1))  # noqa: S311 - the same text each time
    for name, text in (
        ("Markdown, a prompt", plain),
        ("Markdown, a prompt without calls", texts.prompt(Random(1), calls=0)),  # noqa: S311 - the same
        ("Markdown, our pages", texts.pages()),
    ):
        sound = True if "prompt" in name else None
        work = checking(text, "prompt.md", sound=sound)
        yield Row(name, work, find_tags, len(text), len(TAGS), MARKDOWN)
    before = open_snapshot("\n" + plain, path="prompt.md", registry=REGISTRY, settings=Settings())
    diagnostics(before)

    def fence() -> None:
        diagnostics(before.edit([Edit(Span(0, 0), "~~~~~\n")]))

    yield Row("Markdown, a fence opened at the top", fence, find_tags, len(plain), len(TAGS))


def json_rows() -> Iterator[Row]:
    """Yield the rows about files in JSON."""
    values: dict[str, tuple[Any, str, str | None]] = {
        "tool file": (texts.tool_file(), "tools.json", "tool-file"),
        "one conversation": (texts.long_conversation(Random(2)), "chat.json", None),  # noqa: S311 - the same text
        "conversations, chat": (texts.conversations(Random(3)), "chats.json", None),  # noqa: S311 - the same text
        "conversations, blocks": (texts.conversations(Random(4), blocks=True), "blocks.json", None),  # noqa: S311
    }
    for name, (value, path, host) in values.items():
        for indent, layout in ((None, ""), (2, ", indented")):
            sound = json.dumps(value, ensure_ascii=False, indent=indent)
            for faults, stated in ((0, "sound"), (1, "one fault"), (100, "100 faults")):
                text = texts.broken(sound, faults)
                work = checking(text, path, host=host, sound=not faults)
                target = FAULTY if faults else SOUND
                yield Row(
                    f"JSON, {name}{layout}, {stated}", work, parsing(sound), len(text), len(sound), target, times=True
                )


def slow_rows() -> Iterator[Row]:
    """Yield the rows about what was slow once."""
    sound = texts.large_call()
    middle = sound.index(", ", len(sound) // 2)
    for name, arguments in (("", sound), (", a comma is missing", sound[:middle] + sound[middle + 1 :])):
        call = f'<tool_call>\n{{"name": "save_lines", "arguments": {arguments}}}\n</tool_call>\n'
        work = checking(call, "a.md", sound=not name)
        yield Row(
            f"a call of 640 KB{name}", work, parsing(sound), len(call), len(sound), FAULTY if name else None, times=True
        )
    unclosed = "<read_file><path>" * 8_000
    work = checking(unclosed, "a.md", sound=False)
    yield Row("`<read_file><path>` 8,000 times, unclosed", work, find_tags, len(unclosed), len(TAGS))


def measure(row: Row, rounds: int) -> tuple[list[float], list[float]]:
    """Return the seconds of CPU time of the work and of the control, in each round, taken in turns."""
    taken: tuple[list[float], list[float]] = ([], [])
    row.work()
    for _ in range(rounds):
        for seconds, work in zip(taken, (row.work, row.control), strict=True):
            gc.collect()
            started = time.process_time()
            work()
            seconds.append(time.process_time() - started)
    return taken


def main() -> None:
    """Measure, print a table, and write it as JSON where that is asked for."""
    words = sys.argv[1:]
    out = words[words.index("--json") + 1] if "--json" in words else None
    only = words[words.index("--only") + 1] if "--only" in words else ""
    rounds = int(words[0]) if words and words[0].isdigit() else 7
    rows: list[dict[str, Any]] = []
    sys.stdout.write(f"{'':48} {'best ms':>8} {'median':>7} {'MB/s':>6} {'control':>8} {'ratio':>7}  target\n")
    for row in (*markdown_rows(), *json_rows(), *slow_rows()):
        if only not in row.name:
            continue
        work, control = measure(row, rounds)
        # Of each pair, which the same moment disturbed.
        times = statistics.median(own / other for own, other in zip(work, control, strict=True))
        ratio = times if row.times else row.size / row.beside / times
        missed = row.target is not None and (ratio > row.target if row.times else ratio < row.target)
        figures = {
            "what": row.name,
            "best_ms": round(min(work) * 1e3, 2),
            "median_ms": round(statistics.median(work) * 1e3, 2),
            "mb_per_s": round(row.size / min(work) / 1e6, 2),
            "control_mb_per_s": round(row.beside / min(control) / 1e6, 2),
            "ratio": round(ratio, 4),
            "target": row.target,
        }
        rows.append(figures)
        aim = "" if row.target is None else f"{row.target:7.2f}{' missed' if missed else ''}"
        if "fence" in row.name:
            aim = f"{FENCE:.0f} ms for each MB"
        sys.stdout.write(
            f"{row.name:48} {figures['best_ms']:8.1f} {figures['median_ms']:7.1f} {figures['mb_per_s']:6.1f}"
            f" {figures['control_mb_per_s']:8.1f} {figures['ratio']:7.3f} {aim}\n"
        )
        sys.stdout.flush()
    if out is not None:
        Path(out).write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
