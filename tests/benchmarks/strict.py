"""What the strict parser costs: a reply of two thousand characters with one call, in every dialect, and the import.

Run it by hand, on a machine that does nothing else: `make bench`, or
`python tests/benchmarks/strict.py [ROUNDS] [--json FILE]`.
The smallest of some rounds is given, in the process's own CPU time, which other programs disturb least. The ratio is to
`json.loads` of the same arguments: what a program pays that reads them without any check.
"""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "server"))

from callwright.calls.protocol import Refusal, RenderStyle
from callwright.dialects.catalogue import dialect_names, find_dialect
from callwright.runtime import StrictParser
from callwright.tools.registry import ToolRegistry

SERVER = Path(__file__).parents[2] / "server"
SIZE = 2_048
CALLS = 200
TOOLS: list[dict[str, Any]] = [
    {
        "name": "read_file",
        "input_schema": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "limit": {"type": "integer", "minimum": 1}},
            "required": ["path"],
            "additionalProperties": False,
        },
    },
    {
        "name": "write_file",
        "input_schema": {
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "content": {"type": "string"},
                "mode": {"enum": ["create", "replace"]},
                "line": {"type": "integer", "minimum": 1},
            },
            "required": ["path", "content"],
            "additionalProperties": False,
        },
    },
]
LEAD = (
    "The test fails because `total` counts the last entry twice. I write the module anew, with the loop taken apart,\n"
    "so that each step can be seen. Nothing else in the folder uses it: I have looked.\n\n"
)
LINE = 'def step_{0}(all, total):\n    """Add the entry at {0}."""\n    return total + all[{0}] if all else 0\n\n'
PROGRAMS = {
    "python -c pass": "pass",
    "import callwright.runtime": "import callwright.runtime",
    "import of StrictParser": "from callwright.runtime import StrictParser",
    "import and the first reply": (
        "from callwright.runtime import StrictParser\n"
        "tool = {'name': 'f', 'input_schema': {'type': 'object', 'properties': {'a': {'type': 'string'}}}}\n"
        "result = StrictParser(tools=[tool], dialect='xml-json').parse('<f>{\"a\": \"b\"}</f>')\n"
        "assert result.calls and not result.error"
    ),
}


def arguments_for(size: int) -> dict[str, Any]:
    """Return arguments whose content fills a reply of about so many characters."""
    lines = (LINE.format(number) for number in range(100))
    content = ""
    while len(content) < size:
        content += next(lines)
    return {"path": "src/totals.py", "content": content[:size], "mode": "replace", "line": 7}


def reply_in(name: str, arguments: dict[str, Any]) -> str | None:
    """Return a reply with one call in a dialect, None where the dialect cannot hold its values."""
    dialect = find_dialect(name)
    assert dialect is not None, name
    registry = ToolRegistry.of(TOOLS)
    call = dialect.render("write_file", arguments, registry.get("write_file")[0], RenderStyle())
    if isinstance(call, Refusal):
        return None
    return call if dialect.alone else f"{LEAD}{call}\n"


def quickest(work: Callable[[], object], rounds: int) -> float:
    """Return the microseconds that one of many runs takes, in the best round."""
    best = float("inf")
    for _ in range(rounds):
        started = time.process_time()
        for _ in range(CALLS):
            work()
        best = min(best, time.process_time() - started)
    return best / CALLS * 1e6


def replies(rounds: int) -> dict[str, dict[str, float]]:
    """Return for each dialect the length of the reply, the microseconds for it, and the ratio to `json.loads`."""
    arguments = arguments_for(SIZE - 700)
    written = json.dumps(arguments)
    found: dict[str, dict[str, float]] = {}
    for name in dialect_names():
        reply = reply_in(name, arguments)
        if reply is None:
            continue
        parser = StrictParser(tools=TOOLS, dialect=name)
        calls, error = parser.parse(reply)
        if error is not None or [call.arguments for call in calls] != [arguments]:
            raise SystemExit(f"{name}: the reply is not read as it was meant: {error}")
        control = quickest(lambda: json.loads(written), rounds)
        took = quickest(lambda parser=parser, reply=reply: parser.parse(reply), rounds)  # type: ignore[misc]
        found[name] = {"characters": len(reply), "us": took, "json.loads us": control, "ratio": took / control}
    return found


def starts(rounds: int) -> dict[str, float]:
    """Return the milliseconds of CPU time that whole processes take."""
    environment = {**os.environ, "PYTHONPATH": str(SERVER)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    best = dict.fromkeys(PROGRAMS, float("inf"))
    for _ in range(rounds):
        for name, code in PROGRAMS.items():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, "-c", code], env=environment, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            took = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
            best[name] = min(best[name], took * 1000)
    return best


def main() -> None:
    """Measure, print two tables, and write them as JSON where that is asked for."""
    words = sys.argv[1:]
    target = words[words.index("--json") + 1] if "--json" in words else None
    rounds = int(words[0]) if words and words[0].isdigit() else 15
    processes = starts(rounds)
    bare = processes["python -c pass"]
    sys.stdout.write(f"{'whole process':34} {'CPU ms':>8} {'over bare':>10}\n")
    for name, took in processes.items():
        sys.stdout.write(f"{name:34} {took:8.1f} {took - bare:10.1f}\n")
    sys.stdout.write(f"\n{'a reply with one call':22} {'length':>7} {'us':>8} {'json.loads':>11} {'ratio':>7}\n")
    table = replies(rounds)
    for name, row in table.items():
        sys.stdout.write(
            f"{name:22} {row['characters']:7.0f} {row['us']:8.1f} {row['json.loads us']:11.2f} {row['ratio']:7.1f}\n"
        )
    if target is not None:
        Path(target).write_text(json.dumps({"processes": processes, "replies": table}, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
