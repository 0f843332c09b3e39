"""What checking a corpus costs: beside reading and decoding the same rows in the same engine, with one worker and more.

    python tests/benchmarks/corpus.py [MEGABYTES] [ROUNDS] [--ray] [--json FILE]

on a machine that does nothing else. Corpora are made (`corpora/make.py`): of one shape in lines, of all shapes in every
format; without a fault, with a fault in every hundredth row, and in every row. Check and control are the same run of
`callwright.corpus` over the same files: the control's task (`corpora/control`) does `json.loads` and finds nothing.
They take turns, each in a process of its own with one worker, and the median of the ratios of what their units take of
the processor is given; what a worker loads once is not counted. `peak` is the largest memory of one process.

- rates: one worker; by the shapes, then by the formats
- scaling: two workers beside one by the clock, what a corpus of one row takes subtracted, and a loop that only counts,
  in as many processes
- starts: a corpus of one row, from the command to the summary; with `--ray` on a Ray cluster of this machine, too
- fixed: what each unit costs beside its rows, and each diagnostic that is put in order at the end
"""

import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2] / "server"))
sys.path.insert(1, str(Path(__file__).parents[1]))

from benchmarks.corpora.formats import FORMATS
from benchmarks.corpora.make import make
from benchmarks.corpora.shapes import SHAPES
from benchmarks.transcripts import counting

SERVER = str(Path(__file__).parents[2] / "server")
#: The task that decodes rows, and what lets processes find it.
CONTROL = Path(__file__).parent / "corpora" / "control"
#: Which share of the rows is faulty.
SHARES = {"clean": 0.0, "1 % faulty": 0.01, "100 % faulty": 1.0}
#: A corpus of all shapes is so much larger than one of a single shape, for what the first row of each kind takes; and
#: one in which every row is faulty so much smaller than that.
WIDER = 2
SMALLER = 10
#: How many times as large the corpus is that two workers share, and into how many units a small one is divided.
LARGER = 20
UNITS = 1_000
#: About how many diagnostics are put in order to see what that takes.
GATHERED = 400_000


class Took(NamedTuple):
    """Wall-clock seconds of the work and of its finish, what units took of the processor, where that was asked for, and
    the most memory of one process in MB."""

    wall: float
    finish: float
    units: float
    peak: float


def work(task: str, data: str, out: str, workers: int, engine: str, unit: int) -> None:
    """Check a corpus, or decode its rows, and say what it took."""
    from callwright.corpus import run as running
    from callwright.corpus.engine import Engine
    from callwright.corpus.units import UNIT, RunOptions
    from callwright.document.settings import Settings
    from callwright.tools.registry import EMPTY

    finish: Callable[..., dict[str, Any]] = getattr(running, "finish")  # noqa: B009 - it is exported to no one
    ends: list[float] = []

    def timed(*given: Any) -> dict[str, Any]:
        ends.append(time.perf_counter())
        return finish(*given)

    setattr(running, "finish", timed)  # noqa: B010 - as above
    kind: Any = engine
    started = time.perf_counter()
    run_options = RunOptions(EMPTY, Settings(), out, task=task, unit=unit or UNIT)
    summary = running.carry_out([data], run_options, Engine(kind, None, workers))
    ended = time.perf_counter()
    reported = {"seconds": ended - started, "finish": ended - ends[0], "rows": summary["rows"]}
    sys.stdout.write(json.dumps({**reported, "diagnostics": summary.get("diagnostics", 0)}) + "\n")


def run(
    task: str, data: Path, workers: int = 1, engine: str = "local", unit: int = 0, *, timed: bool = False
) -> tuple[Took, dict[str, Any]]:
    """Run a check or its control in a process of its own."""
    with tempfile.TemporaryDirectory() as name:
        out, seconds = f"{name}/out", Path(name, "seconds")
        Path(out).mkdir()
        words = [sys.executable, __file__, "--work", task, str(data), out, str(workers), engine, str(unit)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(CONTROL), SERVER])}
        if timed:
            environment["CALLWRIGHT_UNIT_SECONDS"] = str(seconds)
        with (Path(out) / "errors").open("w+", encoding="utf-8") as errors:
            child = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True)
            stated = child.stdout.read() if child.stdout is not None else ""
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            if child.returncode:
                errors.seek(0)
                raise SystemExit(f"{task} of {data} ended with {child.returncode}: {errors.read()[-400:].strip()}")
        reported = json.loads(stated)
        peak = usage.ru_maxrss / (1024 if sys.platform != "darwin" else 1 << 20)
        units = sum(map(float, seconds.read_text().split())) if timed else 0.0
        return Took(reported["seconds"], reported["finish"], units, peak), reported


def make_apart(folder: Path, size: int, **options: Any) -> None:
    """Make a corpus in a process of its own: what this one has held would count as the peak of each that it begins."""
    maker = multiprocessing.get_context("spawn").Process(target=make, args=(folder, size), kwargs=options)
    maker.start()
    maker.join()
    if maker.exitcode:
        raise SystemExit(f"no corpus was made: the process ended with {maker.exitcode}")


class Rates:
    """Measures corpora beside the control."""

    def __init__(self, folder: Path, size: int, rounds: int) -> None:
        self._folder = folder
        self._size = size
        self._rounds = rounds

    def all(self) -> Iterator[dict[str, Any]]:
        """Yield the rates of each shape in lines, then of all shapes in each format."""
        for share in ("clean", "1 % faulty"):
            for shape in SHAPES:
                yield self._rate(f"{shape}, jsonl", share, SHARES[share], ("jsonl",), (shape,))
            for form in FORMATS:
                yield self._rate(f"all, {form}", share, SHARES[share], (form,), tuple(SHAPES))
        yield self._rate("all, jsonl", "100 % faulty", SHARES["100 % faulty"], ("jsonl",), tuple(SHAPES))

    def _rate(
        self, what: str, share: str, faulty: float, formats: tuple[str, ...], shapes: tuple[str, ...]
    ) -> dict[str, Any]:
        size = self._size * (WIDER if len(shapes) > 1 else 1) // (SMALLER if faulty == 1.0 else 1)
        with tempfile.TemporaryDirectory(dir=self._folder) as made:
            make_apart(Path(made), size, faulty=faulty, formats=formats, shapes=shapes)
            data = Path(made) / "data"
            turns: list[tuple[Took, Took]] = []
            reported: dict[str, Any] = {}
            for _ in range(self._rounds):
                control, _ = run("decode", data, timed=True)
                own, reported = run("check", data, timed=True)
                turns.append((control, own))
        controls = [control.units for control, _ in turns]
        owns = [own.units for _, own in turns]
        return {
            "what": what,
            "share": share,
            "mb": size / 1e6,
            "control": size / 1e6 / statistics.median(controls),
            "check": size / 1e6 / statistics.median(owns),
            "ratio": statistics.median(control / own for control, own in zip(controls, owns, strict=True)),
            "rows": reported["rows"],
            "diagnostics": reported["diagnostics"],
            "finish": statistics.median(own.finish for _, own in turns),
            "peak_mb": max(own.peak for _, own in turns),
            "control_peak_mb": max(control.peak for control, _ in turns),
        }


def scaling(folder: Path, size: int, rounds: int, engine: str) -> dict[str, Any]:
    """Return how much faster two workers are than one, what a corpus of one row takes subtracted from both.

    Beside it is what two processes bring a loop.
    """
    base = statistics.median(run("check", folder / "nothing" / "data", 1, engine)[0].wall for _ in range(2))
    corpus = folder / "large"
    if not corpus.exists():
        make_apart(corpus, size)
    once, twice, alone, beside = [], [], [], []
    for _ in range(rounds):
        once.append(run("check", corpus / "data", 1, engine)[0])
        twice.append(run("check", corpus / "data", 2, engine)[0])
        alone.append(counting(1))
        beside.append(counting(2))
    gained = statistics.median((one.wall - base) / (two.wall - base) for one, two in zip(once, twice, strict=True))
    possible = statistics.median(2 * one / two for one, two in zip(alone, beside, strict=True))
    return {
        "what": engine,
        "mb": size / 1e6,
        "one": statistics.median(each.wall for each in once),
        "two": statistics.median(each.wall for each in twice),
        "gained": gained,
        "possible": possible,
        "peak_mb": max(each.peak for each in twice),
    }


def start(folder: Path, rounds: int, engine: str) -> dict[str, Any]:
    """Return what a corpus of one row takes from the start of the process to its end."""
    nothing = folder / "nothing" / "data"
    seconds = []
    for _ in range(rounds):
        started = time.perf_counter()
        run("check", nothing, 1, engine)
        seconds.append(time.perf_counter() - started)
    return {"what": engine, "seconds": statistics.median(seconds)}


def fixed(folder: Path, rounds: int) -> dict[str, Any]:
    """Return what a unit costs beside its rows, and a diagnostic that is put in its place at the end.

    A small corpus in many units is held against the same in one; its diagnostics, each many times, are put in order.
    """
    small = folder / "small"
    make_apart(small, 4_000_000, faulty=1.0, formats=("jsonl",), shapes=("anthropic",))
    size = sum(each.stat().st_size for each in (small / "data").iterdir())
    units = []
    for _ in range(rounds):
        one, _ = run("check", small / "data")
        many, _ = run("check", small / "data", unit=size // UNITS + 1)
        units.append((many.wall - one.wall) / UNITS)
    return {"unit_ms": statistics.median(units) * 1e3, "diagnostic_us": 1e6 * gathering(small / "data", folder / "out")}


def gathering(data: Path, out: Path) -> float:
    """Return the seconds that a diagnostic takes from its part to its place in the table of all."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from callwright.corpus.engine import Engine
    from callwright.corpus.gathering import write_in_order
    from callwright.corpus.parts import part_of
    from callwright.corpus.run import carry_out
    from callwright.corpus.shards import find_shards
    from callwright.corpus.tasks.check import HAS_DIAGNOSTICS, TASK
    from callwright.corpus.units import RunOptions, divide
    from callwright.document.settings import Settings
    from callwright.tools.registry import EMPTY

    run_options = RunOptions(EMPTY, Settings(), str(out))
    carry_out([str(data)], run_options, Engine("local", None, 1))
    own = pq.read_table(out / HAS_DIAGNOSTICS)
    table = pa.concat_tables([own] * (GATHERED // own.num_rows + 1))
    units = list(divide(find_shards([str(data)])))
    for unit in units:
        part_of(unit, run_options).mkdir(parents=True)
        pq.write_table(table, part_of(unit, run_options) / HAS_DIAGNOSTICS, compression="zstd")
    started = time.perf_counter()
    write_in_order([(unit, 0) for unit in units], run_options, out, TASK)
    return (time.perf_counter() - started) / float(table.num_rows * len(units))


def main() -> None:
    """Measure, print a table, and write it as JSON where that is asked for."""
    words = sys.argv[1:]
    if words[:1] == ["--work"]:
        task, data, out, workers, engine, unit = words[1:]
        work(task, data, out, int(workers), engine, int(unit))
        return
    target = words[words.index("--json") + 1] if "--json" in words else None
    numbers = [int(word) for word in words[:2] if word.isdigit()]
    megabytes, rounds = [*numbers, *(30, 3)[len(numbers) :]]
    engines = ("local", "ray") if "--ray" in words else ("local",)
    found: dict[str, list[dict[str, Any]]] = {"rates": [], "starts": [], "scaling": [], "fixed": []}

    def row(kind: str, figures: dict[str, Any]) -> None:
        found[kind].append(
            {key: value if isinstance(value, str) else round(value, 4) for key, value in figures.items()}
        )
        shown = "".join(f"{value:11.3f} {key}" for key, value in figures.items() if not isinstance(value, str))
        sys.stdout.write(f"{kind:8} {figures.get('what', ''):24}{figures.get('share', ''):13}{shown}\n")
        sys.stdout.flush()

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_apart(folder / "nothing", 1, faulty=0.0, formats=("jsonl",), shapes=("openai",))
        for engine in engines:
            row("starts", start(folder, rounds, engine))
            row("scaling", scaling(folder, megabytes * LARGER * 1_000_000, min(rounds, 2), engine))
        for each in Rates(folder, megabytes * 1_000_000, rounds).all():
            row("rates", each)
        # Last: what this process holds would count as the peak of each that it begins.
        row("fixed", fixed(folder, rounds))
    if target is not None:
        Path(target).write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
