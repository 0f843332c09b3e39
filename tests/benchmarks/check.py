"""How long whole processes of the command line take, beside Python's own start.

Run it by hand, on a machine that does nothing else: `make bench`, or
`python tests/benchmarks/check.py [ROUNDS] [--json FILE]`.
The programs take turns, so that what disturbs one disturbs all; the ratio to the bare interpreter is what to compare.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SERVER = Path(__file__).parents[2] / "server"
CLEAN = '<debug_launch>{"program": "src/app/main.py", "mode": "pytest", "args": ["--verbose"]}</debug_launch>\n'
FAULTY = (
    '<tool_call>{"name": "debug_launch", "arguments": {"program": "src/app/main.py", "mode": "pytest",}}</tool_call>\n'
)

ONE_DIAGNOSTIC = "check, one diagnostic"
PROGRAMS = {
    "python -c pass": ["-c", "pass"],
    "callwright --version": ["-m", "callwright", "--version"],
    "check, clean file": ["-m", "callwright", "check", "clean.prompt"],
    ONE_DIAGNOSTIC: ["-m", "callwright", "check", "faulty.prompt"],
    "check, 100 KB clean": ["-m", "callwright", "check", "large.prompt"],
    "check --help": ["-m", "callwright", "check", "--help"],
}


def measure(rounds: int) -> dict[str, list[float]]:
    """Return the wall-clock milliseconds of each program in each round."""
    times: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / ".git").mkdir()
        (folder / "clean.prompt").write_text(CLEAN, encoding="utf-8")
        (folder / "faulty.prompt").write_text(FAULTY, encoding="utf-8")
        (folder / "large.prompt").write_text((CLEAN + "Some prose between the calls.\n\n") * 800, encoding="utf-8")
        environment = {**os.environ, "PYTHONPATH": str(SERVER), "PYTHONPYCACHEPREFIX": str(folder / "cache")}
        # As an installed package has it: compiled once, not at every start.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for number in range(-1, rounds):
            for program, words in PROGRAMS.items():
                started = time.perf_counter()
                done = subprocess.run(
                    [sys.executable, *words], cwd=folder, env=environment, capture_output=True, check=False
                )
                took = (time.perf_counter() - started) * 1000
                if done.returncode != (program == ONE_DIAGNOSTIC) or b"error:" in done.stderr:
                    raise SystemExit(f"{program} failed: {done.stderr.decode()}")
                if number >= 0:
                    times[program].append(took)
    return times


def main() -> None:
    """Measure, print a table, and write it as JSON where that is asked for."""
    words = sys.argv[1:]
    target = words[words.index("--json") + 1] if "--json" in words else None
    times = measure(int(words[0]) if words and words[0].isdigit() else 20)
    medians = {program: statistics.median(each) for program, each in times.items()}
    bare = medians["python -c pass"]
    rows = [
        {
            "program": program,
            "median_ms": round(median, 1),
            "best_ms": round(min(times[program]), 1),
            "ratio": round(median / bare, 2),
        }
        for program, median in medians.items()
    ]
    sys.stdout.write(f"{'':22} {'median ms':>10} {'best ms':>10} {'ratio':>8}\n")
    for row in rows:
        sys.stdout.write(f"{row['program']:22} {row['median_ms']:10} {row['best_ms']:10} {row['ratio']:8}\n")
    if target is not None:
        Path(target).write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
