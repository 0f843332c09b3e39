"""A run: from sources to results, continuing where an earlier run with the same options was stopped.

Owns: `carry_out`, the order of the steps, what is reported of the progress. Must not know: commands, engines' ways.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from callwright.corpus.engine import Engine, carried_out, need
from callwright.corpus.engine import run as run_plan
from callwright.corpus.failure import CorpusError, WorkersLostError
from callwright.corpus.finish import finish
from callwright.corpus.joining import joins_of
from callwright.corpus.parts import names_begun, names_there, sweep
from callwright.corpus.reach import check_columns, check_reach
from callwright.corpus.shards import find_shards
from callwright.corpus.tasks.base import task_of
from callwright.corpus.units import Unit, divide, suitable

if TYPE_CHECKING:
    from callwright.corpus.joining import Join
    from callwright.corpus.units import RunOptions

#: How often parts are looked for while units are done, in seconds, and how many times as long as that takes.
_EVERY: Final = 0.5
_SHARE: Final = 50

_Job = TypeVar("_Job", "Unit", "Join")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come, in units and about bytes; `before` are bytes that an earlier run did."""

    units: int
    all_units: int
    bytes: int
    all_bytes: int
    before: int


def carry_out(
    sources: Sequence[str],
    run_options: RunOptions,
    engine: Engine,
    reported: Callable[[Progress], None] | None = None,
) -> dict[str, Any]:
    """Run the task of the options on the rows of sources, and return the summary. Raises CorpusError."""
    need(engine.kind)
    shards = find_shards(sources)
    check_columns(shards, run_options)
    units = list(divide(shards, run_options.unit or suitable(shards, engine.processes)))
    try:
        Path(run_options.out).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CorpusError(f"`{run_options.out}`: cannot write to this folder: {error.strerror}") from None
    sweep(run_options, units)
    waiting = _left({unit.key(run_options.fingerprint): unit for unit in units}, run_options)
    with _Watch(units, waiting, run_options, reported) as watch:
        _plan_until_done(waiting, run_options, engine, watch.look)
    _plan_until_done({join.name: join for join in joins_of(units, run_options)}, run_options, engine, lambda: None)
    with carried_out(engine) if task_of(run_options.task).plans else nullcontext():
        summary = finish(units, run_options)
    check_reach(shards, run_options, summary)
    return summary


def _left(jobs: Mapping[str, _Job], run_options: RunOptions) -> dict[str, _Job]:
    """Return the units or joins, by their names, that are not done."""
    there = names_there(run_options)
    return {name: job for name, job in jobs.items() if name not in there}


def _plan_until_done(
    waiting: Mapping[str, _Job], run_options: RunOptions, engine: Engine, look: Callable[[], None]
) -> None:
    """Have the engine do units or joins; raises CorpusError where it does not.

    Where a worker dies, an engine may lose what was waiting for it, with or without an error. What is not done then is
    planned again, as the next run would. What was begun and not ended comes after all else, and where that gets nothing
    done, in smaller and smaller plans: a unit that ends its worker is found in the end, and holds up no other.
    """
    suspected: set[str] = set()
    most = len(waiting)
    guilty: list[tuple[_Job, CorpusError | None]] = []
    while waiting:
        clean = {name: job for name, job in waiting.items() if name not in suspected}
        planned, failure = clean or dict(islice(waiting.items(), most)), None
        try:
            run_plan(list(planned.values()), run_options, engine, look)
        except WorkersLostError:
            raise
        except CorpusError as error:
            failure = error
        left = _left(planned, run_options)
        waiting = {name: job for name, job in waiting.items() if name not in planned or name in left}
        suspected |= names_begun(run_options) & left.keys()
        if len(left) < len(planned) or (clean and not suspected.isdisjoint(left)):
            continue
        if clean:
            first = next(iter(left.values()))
            raise failure or CorpusError(
                f"{len(left):,} units are not finished, for example of `{first.source}`: workers must see the shards"
                f" and the folder `{run_options.out}` under the same paths as this machine. Run the same command again"
                " to resume."
            )
        most = max(len(planned) // 2, 1)
        if len(planned) == 1:
            guilty += [(waiting.pop(name), failure) for name in planned]
    if guilty:
        job, failure = guilty[0]
        what = (
            f"a part of `{job.source}`" if len(guilty) == 1 else f"{len(guilty):,} parts, of `{job.source}` and others,"
        )
        why = (
            failure
            or "the engine failed without an error message. Finished work is kept: run the same command again to "
            "continue."
        )
        raise WorkersLostError(f"{what} ended every worker that processed it: {why}")


class _Watch:
    """Reports the progress of a run by the parts that are there, wherever they are made.

    Looking takes longer the more parts there are; it is done so seldom that it takes little of the whole time.
    """

    def __init__(
        self,
        units: Sequence[Unit],
        waiting: Mapping[str, Unit],
        run_options: RunOptions,
        reported: Callable[[Progress], None] | None,
    ) -> None:
        self._waiting = dict(waiting)
        self._run_options = run_options
        self._reported = reported
        self._all = len(units), sum(unit.weight for unit in units)
        self._left = sum(unit.weight for unit in waiting.values())
        self._before = self._all[1] - self._left
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._next = 0.0
        self._thread = threading.Thread(target=self._go_on, name="callwright-progress", daemon=True)

    def __enter__(self) -> _Watch:
        if self._reported is not None:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._reported is not None:
            self._thread.join()
            self._next = 0.0
            self.look()

    def _go_on(self) -> None:
        while not self._over.wait(_EVERY):
            self.look()

    def look(self) -> None:
        """Look for parts, unless that was done a moment ago, and report."""
        if self._reported is None:
            return
        with self._lock:
            began = time.monotonic()
            if began < self._next:
                return
            for name in names_there(self._run_options) & self._waiting.keys():
                self._left -= self._waiting.pop(name).weight
            self._next = began + max(_EVERY / 2, _SHARE * (time.monotonic() - began))
            self._reported(
                Progress(
                    self._all[0] - len(self._waiting),
                    self._all[0],
                    self._all[1] - self._left,
                    self._all[1],
                    self._before,
                )
            )
