"""Fuzzing: every target is given inputs that are made from its corpus, for so many seconds or so many times each.

    .venv/bin/python tests/fuzz/run.py --seconds 60
    .venv/bin/python tests/fuzz/run.py --count 10000 --seed 17 --targets=fixes,conversion
    .venv/bin/python tests/fuzz/run.py --targets=fixes --replay FILE

Where atheris is installed, inputs are led by what code they reach: what reaches more is kept and changed further.
Without it, or with `--engine own` or a count, inputs are changed from the corpus at random, the same for the same seed.
An input that breaks an invariant is made shorter and written to `artifacts/fuzz`, where `--replay` takes it from; then
the run continues with the next target, and ends with 1.

Owns: the run. Must not know: what any target asserts.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import secrets
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parent.parent))

from fuzz.mutation import LARGEST, mutated, seeds, target_names, target_of
from invariants.corpus import seeded

ARTIFACTS: Final = Path("artifacts") / "fuzz"
#: How many shorter inputs are tried.
ATTEMPTS: Final = 1_500
#: An input that takes longer than this many seconds is a fault: the texts are short, and a machine may be busy.
SLOWEST: Final = 60


def state_text(text: str) -> None:
    """Write a line at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def fault_of(target: Callable[[bytes], None], data: bytes) -> str | None:
    """Return what a target has against an input: the error's type and the place it came from; None where nothing."""
    try:
        target(data)
    except Exception as error:  # noqa: BLE001 - whatever comes is a diagnostic
        frames = traceback.extract_tb(error.__traceback__)
        return f"{type(error).__name__} at {Path(frames[-1].filename).name}:{frames[-1].lineno}"
    return None


def shortened(target: Callable[[bytes], None], data: bytes, attempts: int = ATTEMPTS) -> bytes:
    """Return an input with the same fault that is as short as so many attempts make it."""
    fault = fault_of(target, data)
    size = len(data)
    while size and attempts > 0:
        start = 0
        while start < len(data) and attempts > 0:
            attempts -= 1
            shorter = data[:start] + data[start + size :]
            if fault_of(target, shorter) == fault:
                data = shorter
            else:
                start += size
        size //= 2
    return data


def found(name: str, target: Callable[[bytes], None], data: bytes) -> None:
    """Make an input shorter, write it, and say what it breaks."""
    data = shortened(target, data)
    ARTIFACTS.mkdir(parents=True, exist_ok=True)
    file = ARTIFACTS / f"{name}-{blake2b(data, digest_size=6).hexdigest()}.txt"
    file.write_bytes(data)
    state_text(f"{name}: {data!r}")
    try:
        target(data)
    except Exception:  # noqa: BLE001 - it is what is reported
        state_text("".join(traceback.format_exc()[-3_000:]))
    state_text(f"Replay: {sys.argv[0]} --targets={name} --replay {file}")


def own(name: str, seconds: float | None, count: int | None, seed: str) -> bool:
    """Change inputs at random; return whether all went well."""
    target, random = target_of(name), seeded(f"{name} {seed}")
    begun, done = time.monotonic(), 0
    known = [*seeds(name)]
    for data in known:
        if fault_of(target, data) is not None:
            found(name, target, data)
            return False
    while (count is None or done < count) and (seconds is None or time.monotonic() - begun < seconds):
        data = mutated(random.choice(known), name, random)
        done += 1
        if fault_of(target, data) is not None:
            found(name, target, data)
            return False
    state_text(f"{name}: {done:,} inputs, no fault (seed {seed})")
    return True


def led(name: str, seconds: float, seed: str) -> bool:
    """Let atheris choose inputs, in a process of its own; return whether all went well."""
    with tempfile.TemporaryDirectory(prefix="callwright-") as folder:
        grown, crashes = Path(folder, "corpus"), Path(folder, "faults")
        grown.mkdir()
        crashes.mkdir()
        words = [sys.executable, str(Path(__file__).with_name("led.py")), name, seed]
        words += [
            f"-max_total_time={int(seconds)}",
            f"-artifact_prefix={crashes}/",
            f"-timeout={SLOWEST}",
            "-report_slow_units=600",
        ]
        words += [f"-max_len={LARGEST}", "-rss_limit_mb=4096", "-print_final_stats=1", "-verbosity=0"]
        words += [f"-seed={int.from_bytes(seed.encode()) % 2**31 or 1}", str(grown)]
        for number, data in enumerate(seeds(name)):
            (grown / f"seed-{number}").write_bytes(data)
        process = subprocess.run(words, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        stated = process.stdout.decode("utf-8", "replace")
        executed = next((line.split()[-1] for line in stated.splitlines() if "number_of_executed_units" in line), "?")
        kept = sum(1 for _ in grown.iterdir()) - len(seeds(name))
        # What only was slow is not a fault.
        faults = sorted(file for file in crashes.iterdir() if not file.name.startswith("slow-unit"))
        if process.returncode == 0 and not faults:
            state_text(
                f"{name}: {executed} inputs led by coverage, {kept} of them reached more, no fault (seed {seed})"
            )
            return True
        target = target_of(name)
        for file in faults:
            data = file.read_bytes()
            if fault_of(target, data) is not None:
                found(name, target, data)
            else:
                state_text(f"{name}: {file.name} is no fault when it is tried alone: too slow, or too large? {data!r}")
        if not faults:
            state_text(f"{name}: ended with {process.returncode}\n{stated[-3_000:]}")
        return False


def main() -> int:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, help="how long each target is fuzzed; 60 where no count is given")
    parser.add_argument("--count", type=int, help="how many inputs each target is given, changed at random")
    parser.add_argument("--seed", default=secrets.token_hex(4), help="what the choices come from; fresh by default")
    parser.add_argument("--targets", default=",".join(target_names()), help="which targets, with commas between them")
    parser.add_argument("--engine", choices=("auto", "atheris", "own"), default="auto", help="who chooses the inputs")
    parser.add_argument("--replay", type=Path, help="give the targets this input alone")
    options = parser.parse_args()
    os.environ["CALLWRIGHT_NO_CACHE"] = "1"
    unknown = set(options.targets.split(",")) - {*target_names()}
    if unknown:
        parser.error(f"no such target: {', '.join(sorted(unknown))} (there are {', '.join(target_names())})")
    if options.replay is not None:
        for name in options.targets.split(","):
            target_of(name)(options.replay.read_bytes())
            state_text(f"{name}: no fault")
        return 0
    by_atheris = options.count is None and options.engine != "own" and _has_atheris(options.engine)
    seconds = options.seconds if options.seconds is not None or options.count is not None else 60.0
    well = [
        led(name, seconds or 60.0, options.seed) if by_atheris else own(name, seconds, options.count, options.seed)
        for name in options.targets.split(",")
    ]
    return 0 if all(well) else 1


def _has_atheris(engine: str) -> bool:
    if importlib.util.find_spec("atheris") is not None:
        return True
    if engine == "atheris":
        raise SystemExit("atheris is not installed: `uv sync --group fuzz` does it, on Linux on x86-64")
    state_text("atheris is not installed: inputs are changed at random, not led by coverage")
    return False


if __name__ == "__main__":
    sys.exit(main())
