"""All benchmarks as one: runs every program, keeps the figures in one file, and writes their tables into the page.

Run it on a machine that does nothing else: `make bench`, or

    python tests/benchmarks/run.py [--quick] [--minutes NUMBER] [--fetch FOLDER] [--only NAME]... [--json FILE]
    python tests/benchmarks/run.py --only NAME... --page [the words above]
    python tests/benchmarks/run.py --tables FILE
    python tests/benchmarks/run.py --against baseline [the words above]

Each program has its control beside it and takes turns with it. Short programs are run in several passes, one after
another, and the median of each figure is kept. `--fetch` is for those that are measured beside others: what these need
is installed there, once. The page `server/docs/performance.md` is written between its markers, by a whole run of all
programs; `--tables` writes it from the figures of an earlier one, and `--page` puts the tables of some programs into
it, which say so. All ends within LONGEST, or `--minutes`: every
program has its share of that, what one leaves over is there for those after it, and none may take what others still
need. One that is not done by then is tried again when all others are and more time is left; what is not done at all is
reported. `--against` prints what each row costs in times of what it cost in an earlier run. `baseline` is the one that
is kept in the tree (`baseline.json`), with the commit that it is of; `--json tests/benchmarks/baseline.json` makes it.

Owns: which programs there are, and their order. Must not know: what they measure (`figures.py` does).
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.against import beside
from benchmarks.estimate import write_estimate
from benchmarks.figures import apart, tables

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAGE = ROOT / "server" / "docs" / "performance.md"
FIGURES = ROOT / "artifacts" / "bench.json"
BASELINE = HERE / "baseline.json"
BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"
#: A whole run ends after so many seconds, a quick one sooner.
MAX_LENGTH, QUICK = 30 * 60, 9 * 60
#: No program is begun when there are fewer seconds left.
LEAST = 5


class Program(NamedTuple):
    """A program of this folder: its words, those of a quick run, its share of a whole run, and what it can do.

    The share is in seconds. `passes` is how often it is run, where there is time. `fetches` is the folder, in that of
    `--fetch`, in which it installs what it is measured beside.
    """

    name: str
    words: str
    quick: str
    seconds: int
    passes: int = 1
    fetches: str = ""
    writes: bool = True


PROGRAMS = (
    Program("check", "10", "3", 40, passes=3),
    Program("engine", "4", "1", 40, passes=3),
    Program("strict", "5", "1", 40, passes=3),
    Program("loop", "7", "2", 40, passes=3),
    Program("chat_templates", "20", "3", 30),
    Program("lsp", "25 --seconds 260", "10 --quick --seconds 90", 280),
    Program("peers", "15", "3 --quick", 140, fetches="npm"),
    Program("documents", "5", "1", 120),
    Program("memory", "3", "1 --quick", 90),
    Program("transcripts", "100 3", "10 1", 150),
    Program("parsers", "3 --only beside", "1 --only beside", 90, fetches="vllm"),
    Program("features", "20|--sizes|1 MB", "3|--sizes|10 KB|--kinds|prompt", 120),
    Program("corpus", "40 3 --ray", "2 1", 400),
    Program("streams", "1000", "100", 40, writes=False),
    Program("wild", "10", "3 --quick", 180, fetches="linters"),
)


def state_text(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def words_of(program: Program, fetch: Path | None, *, quick: bool) -> list[str]:
    """Return the words of a program; a bar divides them where one holds a space."""
    given = program.quick if quick else program.words
    words = given.split("|" if "|" in given else " ")
    return [*words, "--fetch", str(fetch / program.fetches)] if program.fetches and fetch is not None else words


def measure(program: Program, words: Sequence[str], seconds: float) -> Any:
    """Run a program; return its figures, the lines it prints where it writes none. Raises SystemExit where it fails."""
    if seconds < LEAST:
        raise SystemExit("no time was left")
    with tempfile.TemporaryDirectory() as name:
        reported = Path(name) / "figures.json"
        command = [sys.executable, str(HERE / f"{program.name}.py"), *words]
        command += ["--json", str(reported)] if program.writes else []
        # Its own servers must not outlive it, so it is asked to end before it is made to.
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as child:
            try:
                printed, _ = child.communicate(timeout=seconds)
            except subprocess.TimeoutExpired as late:
                child.terminate()
                raise SystemExit(f"not done after {seconds:.0f} seconds") from late
        if child.returncode:
            raise SystemExit(f"ended with {child.returncode}: {printed[-400:].strip()}")
        return json.loads(reported.read_text(encoding="utf-8")) if program.writes else printed.splitlines()


def allowed(program: Program, after: Sequence[Program], left: float, whole: float) -> float:
    """Return how long a program may take, with `left` of `whole` seconds: what those after it do not need.

    The shares are those of a whole run, and shrink with it. Where what is left is too little for all, each has as much
    less of it.
    """
    share = program.seconds * whole / MAX_LENGTH
    reserved = sum(other.seconds for other in after) * whole / MAX_LENGTH
    return max(left - reserved, left * share / (share + reserved))


def merged(passes: Sequence[Any]) -> Any:
    """Return figures of one shape as one: the median of each number, the last pass's words."""
    last = passes[-1]
    if isinstance(last, dict):
        return {key: merged([each[key] for each in passes]) for key in last}
    if isinstance(last, list):
        return [merged(column) for column in zip(*passes, strict=True)]
    if isinstance(last, int | float) and not isinstance(last, bool):
        return statistics.median(passes)
    return last


def run(programs: Sequence[Program], fetch: Path | None, *, quick: bool, minutes: int | None) -> dict[str, Any]:
    """Return what `tables` lays out: all figures, of all passes, and where they were made."""
    began = time.monotonic()
    longest = QUICK if quick else MAX_LENGTH
    if minutes is not None:
        longest = minutes * 60
    before = os.getloadavg()[0]
    passes: dict[str, list[Any]] = {program.name: [] for program in programs}
    failed: dict[str, str] = {}
    took: dict[str, float] = {}

    def left() -> float:
        return longest - (time.monotonic() - began)

    def try_once(program: Program, seconds: float) -> None:
        words = words_of(program, fetch, quick=quick)
        started = time.monotonic()
        try:
            passes[program.name].append(measure(program, words, seconds))
            failed.pop(program.name, None)
        except SystemExit as reason:
            failed[program.name] = str(reason).splitlines()[0]
            state_text(f"{program.name}: {reason}")
        took[program.name] = time.monotonic() - started
        state_text(f"{program.name} {' '.join(words)}: {took[program.name]:.0f} s")

    late: dict[str, float] = {}
    for place, program in enumerate(programs):
        seconds = allowed(program, programs[place + 1 :], left(), longest)
        try_once(program, seconds)
        if program.name in failed and took[program.name] >= seconds:
            late[program.name] = seconds
    # Those that were ended for the sake of others first, as long as there is more time than they had.
    for program in programs:
        if late.get(program.name, longest) < left():
            try_once(program, left())
    for number in range(1, 1 if quick else max(program.passes for program in programs)):
        for program in programs:
            if number < program.passes and program.name not in failed and 1.5 * took[program.name] < left():
                try_once(program, left())
    found: dict[str, Any] = {}
    for name, each in passes.items():
        if each:
            found[name] = {"figures": merged(each), "passes": each}
        else:
            found[name] = {"failed": failed[name]}
    machine = {
        "python": platform.python_version(),
        "cpus": os.cpu_count(),
        "system": f"{platform.system()} on {platform.machine()}",
        "load before": before,
        "load after": os.getloadavg()[0],
    }
    seconds = round(time.monotonic() - began)
    return {
        "commit": commit(),
        "command": command_of(fetch, quick=quick, minutes=minutes),
        "quick": quick,
        "machine": machine,
        "seconds": seconds,
    } | {"programs": found}


def commit() -> str:
    """Return the commit that is measured, with a sign where the tree is another; empty outside a repository."""
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--abbrev=12"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def command_of(fetch: Path | None, *, quick: bool, minutes: int | None) -> str:
    """Return the command of a run, as anyone may give it."""
    words = ["python tests/benchmarks/run.py"]
    words += ["--quick"] if quick else []
    words += [f"--minutes {minutes}"] if minutes is not None else []
    words += ["--fetch FOLDER"] if fetch is not None else []
    return " ".join(words)


def write_page(found: dict[str, Any]) -> None:
    """Put the tables between the page's markers. Raises SystemExit where it has none."""
    page = PAGE.read_text(encoding="utf-8")
    if BEGIN not in page or END not in page:
        raise SystemExit(f"{PAGE.name} has no place for figures: `{BEGIN}` and `{END}`")
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n\n{tables(found)}\n{END}{after}", encoding="utf-8")
    write_estimate(found)


def write_sections(found: dict[str, Any]) -> None:
    """Put the tables of some programs into the page, in place of those with the same titles, else at the end.

    Each says that it was measured apart from the others. Raises SystemExit where the page has no markers.
    """
    page = PAGE.read_text(encoding="utf-8")
    if BEGIN not in page or END not in page:
        raise SystemExit(f"{PAGE.name} has no place for figures: `{BEGIN}` and `{END}`")
    before, _, rest = page.partition(BEGIN)
    inside, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}{with_sections(inside, found)}{END}{after}", encoding="utf-8")


def with_sections(inside: str, found: dict[str, Any]) -> str:
    """Return the tables of a page with those of some programs in place of the ones with the same titles."""
    first, *sections = inside.split("\n### ")
    by_title = {section.partition("\n")[0]: section.rstrip("\n") for section in sections}
    for section in tables(found).split("\n### ")[1:]:
        title, _, rest = section.partition("\n")
        by_title[title] = f"{title}\n\n{apart(found)}\n{rest.rstrip()}"
    return "\n\n### ".join([first.rstrip("\n"), *by_title.values()]) + "\n"


def chosen(names: Sequence[str] | None) -> Iterator[Program]:
    yield from (program for program in PROGRAMS if not names or program.name in names)


def main() -> None:
    """Measure, and write the file and the page; a part of the programs prints its tables, and writes them if asked."""
    options = argparse.ArgumentParser(description="Run all benchmarks.")
    options.add_argument("--quick", action="store_true", help="few repeats, small documents: minutes")
    options.add_argument(
        "--minutes", type=int, help="end within so many; fewer repeats, and long documents may be missed"
    )
    options.add_argument("--fetch", type=Path, metavar="FOLDER", help="install what we are measured beside in there")
    options.add_argument("--only", action="append", choices=[program.name for program in PROGRAMS])
    options.add_argument("--page", action="store_true", help="put the tables of these programs into the page")
    options.add_argument("--json", type=Path, default=FIGURES, help="where the figures go")
    options.add_argument(
        "--tables", type=Path, metavar="FILE", help="write the page from these figures; measure nothing"
    )
    options.add_argument(
        "--against", metavar="FILE", help="print what each row costs in times of that run; `baseline` is the one kept"
    )
    given = options.parse_args()
    if given.tables is not None:
        write_page(json.loads(given.tables.read_text(encoding="utf-8")))
        return
    fetch = given.fetch.absolute() if given.fetch is not None else None
    found = run(list(chosen(given.only)), fetch, quick=given.quick, minutes=given.minutes)
    given.json.parent.mkdir(parents=True, exist_ok=True)
    given.json.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    state_text(f"{found['seconds']} s in all; the figures are in {given.json}")
    if given.against is not None:
        before = BASELINE if given.against == "baseline" else Path(given.against)
        sys.stdout.write(beside(found, json.loads(before.read_text(encoding="utf-8"))))
    elif given.only and given.page:
        write_sections(found)
    elif given.quick or given.only:
        sys.stdout.write(tables(found))
    else:
        write_page(found)


if __name__ == "__main__":
    main()
