"""How fast large transcripts are checked, how much memory that takes, and what a second process brings.

Run it by hand, on a machine that does nothing else: `make bench`, or
`python tests/benchmarks/transcripts.py [MEGABYTES] [ROUNDS] [--json FILE]`.
Five kinds of files are made: chat messages with native calls, messages in blocks with native calls, conversations whose
calls are text in two dialects, and sessions of the runtime. Each is clean, or has one fault in a call in every
twentieth line, or in every line. The control is `json.loads` of the same lines in the same process: control and check
take turns, in CPU time, and the median of the ratios is given. For whole processes the CPU time of their children is
counted with theirs. Beside the scaling with processes is that of a loop that does nothing but count.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "server"))

from callwright.cli.check import CheckOptions
from callwright.cli.support.checking import Checker, CheckPlan, Layout
from callwright.cli.support.files import InputFile
from callwright.cli.support.projects import Projects
from callwright.cli.support.streamed import streamed
from callwright.cli.support.terminal import Style
from callwright.runtime.session import Session
from callwright.runtime.strict import StrictParser

SERVER = Path(__file__).parents[2] / "server"
#: How much of a file is checked in process, to compare with the control.
SAMPLE = 4_000_000
#: How many times as large a file is shared among processes.
LONGER = 5
#: One line in so many has a fault; none, some, and all.
SHARES = {"clean": 0, "5 % faulty": 20, "100 % faulty": 1}

_PROPERTIES: dict[str, dict[str, Any]] = {
    "read_file": {"path": {"type": "string", "description": "The file to read."}, "start": {"type": "integer"}},
    "search_text": {"pattern": {"type": "string"}, "folder": {"type": "string"}, "limit": {"type": "integer"}},
    "run_tests": {"target": {"type": "string"}, "verbose": {"type": "boolean"}},
    "write_file": {"path": {"type": "string"}, "content": {"type": "string", "description": "The whole new text."}},
    "get_weather": {"city": {"type": "string"}, "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]}},
}
SCHEMAS = {
    name: {
        "type": "object",
        "properties": properties,
        "required": [next(iter(properties))],
        "additionalProperties": False,
    }
    for name, properties in _PROPERTIES.items()
}
ABOUT = "Does what its name says, and says so in a sentence."
FUNCTIONS = [
    {"type": "function", "function": {"name": name, "description": ABOUT, "parameters": schema}}
    for name, schema in SCHEMAS.items()
]
TOOLS = [{"name": name, "description": ABOUT, "input_schema": schema} for name, schema in SCHEMAS.items()]
SENTENCES = [
    "Look at the failing test before you change anything, and say what you expect to see.",
    "I think the function drops the last item: the loop ends one too early.",
    'The locale decides how "numbers" are shown, so the test passes here and fails there.',
    "Let me check where the value comes from, then change it in one place.",
    "It isn't obvious why `parse_line` returns None for an empty line; the caller relies on it.",
]
CODE = (
    "def parse_line(line: str) -> dict[str, int] | None:\n    if not line.strip():\n        return None\n"
    '    parts = line.split(",")\n    return {key: int(value) for key, value in (part.split("=") for part in parts)}\n'
)


def _stated(random: Random) -> str:
    return " ".join(random.choices(SENTENCES, k=random.randint(2, 6)))


def _returned(random: Random) -> str:
    return CODE * random.randint(0, 6) + _stated(random)


def _called(random: Random) -> tuple[str, dict[str, Any]]:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("read_file", {"path": f"src/app/{random.choice(('main', 'io'))}.py", "start": random.randint(1, 99)}),
        ("search_text", {"pattern": "parse_\\w+\\(", "limit": random.randint(1, 50)}),
        ("run_tests", {"target": f"tests/test_{random.randint(1, 99)}.py", "verbose": True}),
        ("write_file", {"path": "src/app/io.py", "content": CODE * random.randint(1, 4)}),
        ("get_weather", {"city": random.choice(("Köln", "Paris", "東京")), "unit": "celsius"}),
    ]
    return random.choice(calls)


def chat(random: Random, faulty: bool) -> dict[str, Any]:
    """Return chat messages with native calls; the fault is a comma too many in the arguments."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You are a careful engineer. Use the tools; never guess what a file holds."},
        {"role": "user", "content": _stated(random)},
    ]
    for number in range(random.randint(1, 4)):
        name, arguments = _called(random)
        text = json.dumps(arguments, ensure_ascii=False)
        if faulty and not number:
            text = text[:-1] + ",}"
        call_id = f"call_{random.getrandbits(64):016x}"
        entry = {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}
        stated = _stated(random) if random.random() < 0.5 else None
        messages.append({"role": "assistant", "content": stated, "tool_calls": [entry]})
        messages.append({"role": "tool", "tool_call_id": call_id, "content": _returned(random)})
    messages.append({"role": "assistant", "content": f"{_stated(random)}\n\n```python\n{CODE}```\n"})
    return {"messages": messages, "tools": FUNCTIONS}


def blocks(random: Random, faulty: bool) -> dict[str, Any]:
    """Return messages in blocks with native calls; the fault is an argument that the tool does not have."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": _stated(random)}]
    for number in range(random.randint(1, 4)):
        name, arguments = _called(random)
        if faulty and not number:
            arguments = {**arguments, "verbos": 1}
        call_id = f"toolu_{random.getrandbits(64):016x}"
        use = {"type": "tool_use", "id": call_id, "name": name, "input": arguments}
        messages.append({"role": "assistant", "content": [{"type": "text", "text": _stated(random)}, use]})
        result = {"type": "tool_result", "tool_use_id": call_id, "content": _returned(random)}
        messages.append({"role": "user", "content": [result]})
    messages.append({"role": "assistant", "content": [{"type": "text", "text": _stated(random)}]})
    return {"system": "You are a careful engineer.", "messages": messages, "tools": TOOLS}


def text_calls(random: Random, faulty: bool) -> dict[str, Any]:
    """Return a conversation whose calls are text; the fault is a closing brace too few."""
    tools = "\n".join(json.dumps(each) for each in FUNCTIONS)
    entries = [
        {"from": "system", "value": f"You may call functions. Here they are: <tools>\n{tools}\n</tools>"},
        {"from": "human", "value": _stated(random)},
    ]
    for number in range(random.randint(1, 3)):
        name, arguments = _called(random)
        text = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
        if faulty and not number:
            text = text[:-1]
        entries.append({"from": "gpt", "value": f"{_stated(random)}\n<tool_call>\n{text}\n</tool_call>"})
        result = json.dumps({"name": name, "content": _returned(random)})
        entries.append({"from": "tool", "value": f"<tool_response>\n{result}\n</tool_response>"})
    entries.append({"from": "gpt", "value": _stated(random)})
    return {"conversations": entries}


def element_calls(random: Random, faulty: bool) -> dict[str, Any]:
    """Return a conversation whose calls are elements; the fault is a closing tag too few."""
    entries = text_calls(random, faulty=False)["conversations"]
    spoilt = not faulty
    for entry in entries:
        if entry["from"] == "gpt" and "<tool_call>" in entry["value"]:
            stated, _, call = entry["value"].partition("<tool_call>")
            read = json.loads(call.removesuffix("</tool_call>"))
            parts = [f"<{name}>{_element(value)}</{name}>" for name, value in read["arguments"].items()]
            if not spoilt:
                parts[-1] = parts[-1].rpartition("</")[0]
                spoilt = True
            inside = "\n".join(parts)
            entry["value"] = f"{stated}<{read['name']}>\n{inside}\n</{read['name']}>"
    return {"conversations": entries}


def _element(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def session(random: Random, faulty: bool) -> dict[str, Any]:
    """Return a session of the runtime; the fault is a closing brace too few in the first reply."""
    value = {**_SESSION}
    messages: list[dict[str, Any]] = [{"role": "user", "content": _stated(random)}]
    for number in range(random.randint(1, 3)):
        name, arguments = _called(random)
        text = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
        if faulty and not number:
            text = text[:-1]
        messages.append({"role": "assistant", "content": f"{_stated(random)}\n<tool_call>\n{text}\n</tool_call>"})
        result = json.dumps({"name": name, "content": _returned(random)})
        messages.append({"role": "user", "content": f"<tool_response>\n{result}\n</tool_response>"})
    value["messages"] = [*messages, {"role": "assistant", "content": _stated(random)}]
    return value


_SESSION = Session.begin(StrictParser(tools=TOOLS, dialect="hermes"), [{"role": "user", "content": ""}]).to_dict()

KINDS: dict[str, Callable[[Random, bool], dict[str, Any]]] = {
    "chat messages, native calls": chat,
    "messages in blocks, native calls": blocks,
    "conversations, calls in `hermes`": text_calls,
    "conversations, calls in `xml-children`": element_calls,
    "sessions of the runtime": session,
}


def lines(make: Callable[[Random, bool], dict[str, Any]], size: int, every: int = 0) -> Iterator[bytes]:
    """Yield lines of `size` bytes together, one in `every` of them faulty."""
    random = Random(1)  # noqa: S311 - chooses texts, keeps no secret
    made = count = 0
    while made < size:
        count += 1
        line = json.dumps(make(random, bool(every) and count % every == 0), ensure_ascii=False).encode() + b"\n"
        made += len(line)
        yield line


def rates(rounds: int, path: Path) -> tuple[float, float, float, int]:
    """Return MB/s of the control and of the check, the median of their ratios, and how many diagnostics there are."""
    data = path.read_bytes()
    rows = data.splitlines(keepends=True)
    source = InputFile(path.name, path, "", streamed=True)
    projects = Projects(CheckOptions(isolated=True))
    checker = Checker(projects, CheckPlan(fix=False, diff=False, unsafe=False), Layout("text", Style(on=False)))

    def control() -> int:
        for row in rows:
            json.loads(row)
        return 0

    def check() -> int:
        return sum(len(outcome.reported) for outcome in streamed(checker, source))

    found = check()
    times: list[tuple[float, float]] = []
    for _ in range(rounds):
        took = []
        for work in (control, check):
            started = time.process_time()
            work()
            took.append(time.process_time() - started)
        times.append((took[0], took[1]))
    megabytes = len(data) / 1e6
    ratio = statistics.median(one / other for one, other in times)
    first, second = (statistics.median(each) for each in zip(*times, strict=True))
    return megabytes / first, megabytes / second, ratio, found


def process(path: Path, *words: str) -> tuple[float, float, float]:
    """Return the seconds that `callwright check` takes for a file, those of CPU time that it and its children take, and
    the most memory that one of them takes in MB."""
    environment = {**os.environ, "PYTHONPATH": str(SERVER), "CALLWRIGHT_NO_CACHE": "1"}
    command = [sys.executable, "-m", "callwright", "check", "--isolated", *words, path.name]
    started = time.perf_counter()
    child = subprocess.Popen(command, cwd=path.parent, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    took = time.perf_counter() - started
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1):
        raise SystemExit(f"the check of {path.name} ended with {child.returncode}")
    peak = usage.ru_maxrss / (1024 if sys.platform != "darwin" else 1 << 20)
    return took, usage.ru_utime + usage.ru_stime, peak


def counting(processes: int) -> float:
    """Return the seconds that some processes take, each of which counts for a second or so."""
    program = "n = 0\nwhile n < 20_000_000: n += 1"
    started = time.perf_counter()
    running = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(processes)]
    for child in running:
        child.wait()
    return time.perf_counter() - started


def main() -> None:
    """Measure, print a table, and write it as JSON where that is asked for."""
    words = sys.argv[1:]
    target = words[words.index("--json") + 1] if "--json" in words else None
    numbers = [int(word) for word in words[:2] if word.isdigit()]
    megabytes, rounds = [*numbers, *(100, 5)[len(numbers) :]]
    rows: list[dict[str, Any]] = []

    def row(name: str, **figures: float) -> None:
        rows.append({"what": name, **{key: round(value, 2) for key, value in figures.items()}})
        shown = "".join(f"{value:10.2f} {key}" for key, value in figures.items())
        sys.stdout.write(f"{name:52}{shown}\n")
        sys.stdout.flush()

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kind, make in KINDS.items():
            for share, every in SHARES.items():
                path = folder / "sample.jsonl"
                path.write_bytes(b"".join(lines(make, SAMPLE // (4 if every == 1 else 1), every)))
                control, speed, ratio, found = rates(rounds, path)
                row(f"{kind}, {share}", control=control, check=speed, ratio=ratio, diagnostics=found)
        large = folder / "large.jsonl"
        part = b"".join(lines(chat, megabytes * 100_000, 1_000))
        for size in (megabytes // 10, megabytes):
            with large.open("wb") as file:
                file.writelines([part] * (size * 10 // megabytes))
            took, cpu, peak = process(large)
            row(f"`check` of {size} MB, one process", seconds=took, cpu=cpu, peak_mb=peak)
        # The start of the processes is a second of work, whatever they then do.
        with large.open("wb") as file:
            file.writelines([part] * (10 * LONGER))
        once, twice, alone, beside = [], [], [], []
        for _ in range(max(rounds // 2, 1)):
            once.append(process(large))
            twice.append(process(large, "--jobs", "2"))
            alone.append(counting(1))
            beside.append(counting(2))
        for what, runs in (("one process", once), ("`--jobs 2`", twice)):
            took, cpu, peak = map(statistics.median, zip(*runs, strict=True))
            row(f"`check` of {megabytes * LONGER} MB, {what}", seconds=took, cpu=cpu, peak_mb=peak)
        speedup = statistics.median(one[0] / two[0] for one, two in zip(once, twice, strict=True))
        possible = statistics.median(2 * one / two for one, two in zip(alone, beside, strict=True))
        row("twice the processes, times as fast", check=speedup, control=possible, of_possible=speedup / possible)
    if target is not None:
        Path(target).write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
