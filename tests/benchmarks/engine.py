"""How fast the engine reads, binds and checks, in one process: prose by the megabyte, calls one by one.

Run it by hand, on a machine that does nothing else: `make bench`, or
`python tests/benchmarks/engine.py [ROUNDS] [--json FILE]`.
The smallest of some rounds is given, in the process's own CPU time, which other programs disturb least. Beside it
is a control that no change of ours can touch: `json.loads` of a text of the same length.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "server"))

import callwright
from callwright.document.settings import Settings
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.text.span import Edit, Span

CALLS = 1_000
SIZE = 1_000_000
SENTENCES = "Look at the failing test before you change anything, and say what you expect to see. Then go on.\n"
PROSE = {
    "prose in paragraphs": SENTENCES * 4 + "\n",
    "prose without a blank line": SENTENCES,
    "prose with code spans and tags": SENTENCES * 4 + "Use `a < b` and <b>bold</b> and {x}.\n\n",
    "HTML, a tag at every word": "<div><p>hello world this is text</p><br/></div>\n",
    "program text": "function f(a) { return {a: 1, b: [2]}; }\n",
}
NAMED = "<tool_call>\n<tool_name>read_file</tool_name>\n"
TURN_TEXTS = {
    "xml-children": "<read_file><path>a</path></read_file>",
    "xml-json": '<debug_launch>{"program": "a.py", "args": ["-v"]}</debug_launch>',
    "tool-call-json": f'{NAMED}<arguments>{{"path": "a"}}</arguments>\n</tool_call>',
    "tool-call-xml": f"{NAMED}<arguments><path>a</path></arguments>\n</tool_call>",
    "fenced-json": '```json\n{"tool": "read_file", "arguments": {"path": "a"}}\n```',
}
TOOLS = [
    {
        "name": "read_file",
        "inputSchema": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}},
            "required": ["path"],
            "additionalProperties": False,
        },
    },
    {
        "name": "debug_launch",
        "inputSchema": {
            "type": "object",
            "properties": {"program": {"type": "string"}, "args": {"type": "array", "items": {"type": "string"}}},
            "required": ["program"],
            "additionalProperties": False,
        },
    },
]
REGISTRY = callwright.ToolRegistry.of(TOOLS)


def fastest(rounds: int, work: Callable[[], object]) -> float:
    """Return the seconds of CPU time of the fastest round."""
    best = float("inf")
    for _ in range(rounds):
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return best


def check(text: str) -> None:
    snapshot = open_snapshot(text, path="a.prompt", registry=REGISTRY, settings=Settings())
    if diagnostics(snapshot):
        raise SystemExit("a clean text has diagnostics")


def keystroke(rounds: int, faults: int) -> float:
    """Return the seconds of one keystroke in the middle of a megabyte with `faults` diagnostics, diagnostics
    included."""
    unit = SENTENCES * 3 + TURN_TEXTS["xml-json"] + "\n\n"
    parts = [unit] * (SIZE // len(unit))
    for number in range(faults):
        parts[number * len(parts) // faults] += "<read_file><file>a</file></read_file>\n\n"
    text = "".join(parts)
    snapshot = open_snapshot(text, path="a.prompt", registry=REGISTRY, settings=Settings())
    diagnostics(snapshot)
    at = text.index('"a.py"', len(text) // 2) + 1

    def work() -> None:
        nonlocal snapshot
        snapshot = snapshot.edit([Edit(Span(at, at), "x")])
        diagnostics(snapshot)

    return fastest(rounds * 20, work)


def main() -> None:
    """Measure, print a table, and write it as JSON where that is asked for."""
    words = sys.argv[1:]
    target = words[words.index("--json") + 1] if "--json" in words else None
    rounds = int(words[0]) if words and words[0].isdigit() else 10
    rows: list[dict[str, Any]] = []

    def row(name: str, figure: float, unit: str) -> None:
        rows.append({"what": name, "figure": round(figure, 2), "unit": unit})
        sys.stdout.write(f"{name:44} {figure:9.1f} {unit}\n")

    objects = json.dumps([TOOLS[0]] * (SIZE // len(json.dumps(TOOLS[0]))))
    row("control: json.loads", len(objects) / fastest(rounds, lambda: json.loads(objects)) / 1e6, "MB/s")
    for name, unit in PROSE.items():
        text = unit * (SIZE // len(unit))
        row(name, len(text) / fastest(rounds, lambda text=text: check(text)) / 1e6, "MB/s")  # type: ignore[misc]
    for name, call in TURN_TEXTS.items():
        text = ("Some words before.\n\n" + call + "\n\n") * CALLS
        row(f"a clean call, {name}", fastest(rounds, lambda text=text: check(text)) / CALLS * 1e6, "µs")  # type: ignore[misc]
        once = fastest(rounds * 20, lambda call=call: callwright.parse(call, tools=REGISTRY))  # type: ignore[misc]
        row(f"parse() of that call alone, {name}", once * 1e6, "µs")
    for faults in (1, 100, 2_000):
        row(f"keystroke in 1 MB with {faults} diagnostics", keystroke(rounds, faults) * 1e3, "ms")
    if target is not None:
        Path(target).write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
