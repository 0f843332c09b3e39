"""Checks a large corpus on every engine, and holds what is found against what was planted and against each other.

    python tests/corpus/prove.py [--size 2GB] [--seed 42] [--faulty 0.01] [--engines local,ray,nodes] [--jobs 2]
        [--folder FOLDER]

The engines: processes of this machine; one node of Ray; three nodes of a Ray cluster of this machine, of whose workers
one is killed while it is at work. Corpus and results lie in a temporary folder below `--folder` and are removed. Ends
with 1 where anything differs. The seconds are those of the whole command, its start and its finish among them; `peak`
is the most memory that the processes of a run held together, in which what they share is shared out.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

import pyarrow.parquet as pq

from benchmarks.corpora.make import LEDGER, make, size_of
from benchmarks.corpora.referee import compare
from corpus.running import Run, nodes, ray_environment

ENGINES: Final = ("local", "ray", "nodes")
#: How often memory is checked, in seconds.
_EVERY: Final = 2.0
#: Runs of gigabytes take long, and the machine may have other things to do.
_PATIENCE: Final = 24 * 3600


class Memory:
    """Lists the processes of a session, and those that a cluster began, as Linux reports them."""

    def __init__(self, run: Run) -> None:
        self.peak = 0
        self._run = run
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(_EVERY):
            self.peak = max(self.peak, sum(map(_held, self._processes())))

    def _processes(self) -> Iterator[Path]:
        for process in Path("/proc").glob("[0-9]*"):
            try:
                session = int((process / "stat").read_text().rpartition(")")[2].split()[3])
                named = (process / "cmdline").read_bytes()
            except OSError:
                continue
            # A cluster's workers are in sessions of their own, and are called by what they do.
            workers = named.startswith(b"ray::RaySwordfish") or b"daft.execution.udf_worker" in named
            if session == self._run.process.pid or workers:
                yield process


def _held(process: Path) -> int:
    """Return how many bytes a process holds, with its share of what it shares."""
    try:
        for line in (process / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    except OSError:
        # It has ended.
        pass
    return 0


@contextmanager
def _begun(engine: str, corpus: Path, out: Path, jobs: int) -> Iterator[Run]:
    """Begin a run on an engine."""
    words = ("--jobs", str(jobs)) if engine == "local" else ("--engine", "ray")
    if engine == "local":
        yield Run(corpus, out, *words)
    elif engine == "ray":
        with ray_environment() as environment:
            yield Run(corpus, out, *words, environment=environment)
    else:
        with nodes(3) as cluster:
            run = Run(corpus, out, *words, "--address", cluster.address, environment=cluster.environment)
            run.kill_workers()
            yield run


def _proved(engine: str, corpus: Path, out: Path, jobs: int) -> tuple[bool, dict[str, str]]:
    """Check a corpus on an engine and print the figures; return whether all was found, and the digest of the
    results."""
    started = time.perf_counter()
    with _begun(engine, corpus, out, jobs) as run, Memory(run) as memory:
        _, stated = run.process.communicate(timeout=_PATIENCE)
        seconds = time.perf_counter() - started
    if run.process.returncode not in (0, 1):
        _write(f"{engine}: ended with {run.process.returncode}: {stated}")
        return False, {}
    table = pq.read_table(out / "diagnostics.parquet", columns=["source", "row", "turn", "call", "tool", "rule"])
    found: list[dict[str, Any]] = table.to_pylist()
    missing, invented = compare(corpus / LEDGER, found)
    _write(
        f"{engine}: {seconds:,.0f} s, {len(found):,} findings, {missing.total()} missing, {invented.total()} invented,"
        f" peak {memory.peak / 1e6:,.0f} MB"
    )
    for spot in [*missing, *invented][:10]:
        _write(f"  {'missing' if spot in missing else 'invented'}: {spot}")
    results = {each.name: sha256(each.read_bytes()).hexdigest() for each in out.iterdir() if each.is_file()}
    return not missing and not invented, results


def _write(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    """Prove what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=size_of, default="2GB")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--faulty", type=float, default=0.01)
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    engines = asked.engines.split(",")
    if unknown := set(engines) - set(ENGINES):
        parser.error(f"there is no engine `{min(unknown)}`: choose among {', '.join(ENGINES)}")
    with tempfile.TemporaryDirectory(prefix="callwright-corpora-", dir=asked.folder) as folder:
        corpus = Path(folder)
        started = time.perf_counter()
        rows = make(corpus, asked.size, asked.seed, asked.faulty)
        written = sum(each.stat().st_size for each in (corpus / "data").iterdir())
        _write(
            f"{rows:,} rows, {asked.size / 1e6:,.0f} MB as JSON, {written / 1e6:,.0f} MB in files,"
            f" made in {time.perf_counter() - started:,.0f} s"
        )
        outcomes = [_proved(engine, corpus, corpus / f"out-{engine}", asked.jobs) for engine in engines]
    equal = all(results == outcomes[0][1] for _, results in outcomes)
    _write("The results are the same, byte for byte." if equal else "The results differ.")
    return 0 if equal and all(sound for sound, _ in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
