"""The engine: units handed to Daft, which does them in processes of this machine or on a Ray cluster.

Owns: the plan, which runner carries it out, what is said where the engine is not installed. Must not know: what is done
to a unit, how results are put together. Which worker does which unit when is for Daft and Ray. Where a worker dies,
Ray begins another and Daft's own runner ends the plan; either may leave units undone, and `run` makes another plan.

The plan has a row for each unit. One function maps batches of them; its orders (tools and settings among them) travel
with the plan, and what it compiles of them is kept for as long as its worker lives.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final, Literal

from callwright.corpus.failure import CorpusError
from callwright.corpus.joining import Join, join_of, join_rows
from callwright.corpus.units import Orders, Unit, unit_of

#: How often a worker looks whether its parent lives, in seconds.
_LOOK: Final = 0.5
#: How long the head of a cluster may take to answer a knock, in seconds.
_KNOCK: Final = 10.0
#: Variables that keep the engine quiet: progress is told by us, and nobody is told that it was used.
_QUIET: Final = {"DAFT_PROGRESS_BAR": "0", "DAFT_ANALYTICS_ENABLED": "0", "DO_NOT_TRACK": "1"}


@dataclass(frozen=True, slots=True)
class Engine:
    """Where units are done: in `processes` of this machine, or by as many workers of a Ray cluster.

    `address` is that of the cluster; None means the one that this machine belongs to, or one of this machine alone.
    `processes` is 0 for as many as there are processors.
    """

    kind: Literal["local", "ray"] = "local"
    address: str | None = None
    processes: int = 0


def need(kind: str) -> None:
    """Raise CorpusError where what an engine needs is not installed."""
    wanted = {"daft": "corpus", "pyarrow": "corpus"} | ({"ray": "corpus-ray"} if kind == "ray" else {})
    for name, extra in wanted.items():
        if find_spec(name) is None:
            raise CorpusError(f"`{name}` is not installed: run `pip install 'callwright[{extra}]'`")


class _Worker:
    """What a worker keeps from one unit to the next."""

    def __init__(self, orders: Orders, parent: int) -> None:
        self.orders = orders
        self._judge: Any = None
        if os.getppid() == parent and threading.current_thread() is threading.main_thread():
            # An interrupt is for whoever sent the plan, and this process ends with that one.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            threading.Thread(target=_end_with, args=(parent,), name="callwright-parent", daemon=True).start()

    def do(self, said: str) -> str:
        """Do the unit or the join that is described, and describe what came of it."""
        from callwright.corpus.tasks.base import task_of
        from callwright.corpus.work import do_unit

        described = json.loads(said)
        if "parts" in described:
            join_rows(join_of(described), self.orders)
            return ""
        if self._judge is None:
            self._judge = task_of(self.orders.task).judge(self.orders)
        return json.dumps(do_unit(unit_of(described), self.orders, self._judge), ensure_ascii=False)


def _end_with(parent: int) -> None:
    """End this process once its parent is gone; the unit that it is at is begun again by the next run."""
    while os.getppid() == parent:
        time.sleep(_LOOK)
    os._exit(0)


def run(units: Sequence[Unit | Join], orders: Orders, engine: Engine, done: Callable[[], None]) -> None:
    """Do units, or joins; `done` is called whenever some are. Raises CorpusError where the engine gives up.

    Where a worker died, units may be left that have no part, also where nothing is raised.
    """
    if not units:
        return
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    import daft

    workers = _start(engine)
    plan = _plan(units, orders, workers, apart=engine.kind == "ray" or workers > 1, spread=engine.kind == "ray")
    results = plan.iter_partitions()
    try:
        # Closed at once where somebody interrupts: the engine's threads must be gone before the interpreter is.
        with closing(results):
            for _ in results:
                done()
    except (daft.exceptions.DaftCoreException, RuntimeError, OSError) as error:
        raise CorpusError(
            f"the engine gave up: {_first_line(error)}. What is done is kept: give the same command again to go on."
        ) from error


@contextmanager
def carried_out(engine: Engine) -> Iterator[None]:
    """Have an engine carry out the plans of what follows. Raises CorpusError where it is missing or gives up."""
    need(engine.kind)
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    import daft

    _start(engine)
    try:
        yield
    except (daft.exceptions.DaftCoreException, RuntimeError, OSError) as error:
        raise CorpusError(f"the engine gave up: {_first_line(error)}") from error


def _start(engine: Engine) -> int:
    """Choose the runner; return how many workers it shall have."""
    import daft

    if engine.kind == "local":
        _choose("native", daft.set_runner_native)
        return engine.processes or len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else [0])
    import ray

    _knock(engine.address)
    try:
        if not ray.is_initialized():
            ray.init(address=engine.address, log_to_driver=False, logging_level=logging.ERROR)
    except Exception as error:
        # A node that does not come up in time is told by an exception without a class of its own.
        raise CorpusError(f"no Ray cluster answers at `{engine.address or 'auto'}`: {_first_line(error)}") from error
    # It takes the connection that is there.
    _choose("ray", daft.set_runner_ray)
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    return engine.processes or max(int(resources.get("CPU", 1)), 1)


def _knock(address: str | None) -> None:
    """Raise CorpusError where nobody listens at the address of a cluster: Ray itself goes on asking for minutes."""
    host, colon, port = (address or "").removeprefix("ray://").rpartition(":")
    if not (colon and port.isascii() and port.isdigit()):
        # It is no address of a machine but a word of Ray's, such as `auto`.
        return
    try:
        socket.create_connection((host.strip("[]"), int(port[:6])), _KNOCK).close()
    except (OSError, OverflowError, ValueError) as error:
        said = getattr(error, "strerror", None) or _first_line(error)
        raise CorpusError(
            f"no Ray cluster answers at `{address}`: {said}. Is the head running, and may this machine reach it?"
        ) from error


def _choose(kind: str, choose: Callable[[], object]) -> None:
    """Have Daft use a runner. Raises CorpusError where this process uses another one already."""
    from daft.exceptions import DaftCoreException
    from daft.runners import get_or_infer_runner_type

    try:
        choose()
    except (DaftCoreException, RuntimeError) as error:
        # It is chosen once in a process.
        if get_or_infer_runner_type() != kind:
            raise CorpusError(f"this process uses another engine already: {_first_line(error)}") from error


def _plan(units: Sequence[Unit | Join], orders: Orders, workers: int, *, apart: bool, spread: bool) -> Any:
    """Return the frame whose rows are what came of the units."""
    import daft

    @daft.cls(use_process=apart, max_concurrency=min(workers, len(units)))
    class Units:
        """Does units, one after another."""

        def __init__(self, orders: Orders, parent: int) -> None:
            self.worker = _Worker(orders, parent)

        @daft.method.batch(return_dtype=daft.DataType.string(), batch_size=1)
        def do(self, units: daft.Series) -> list[str]:
            """Do a batch of units."""
            return [self.worker.do(said) for said in units.to_pylist()]

    # The heaviest first, so that no worker is left with one at the end; where results go does not depend on it.
    ordered = sorted(units, key=lambda unit: -unit.weight)
    frame = daft.from_pydict({"unit": [json.dumps(unit.as_mapping()) for unit in ordered]})
    if spread:
        frame = frame.into_partitions(len(units))
    # Called with a column, a method of such a class gives a column.
    mapped: Any = Units(orders, os.getpid()).do
    return frame.select(mapped(frame["unit"]).alias("tally"))


def _first_line(error: Exception) -> str:
    said = str(error).strip().splitlines()
    return said[0].rstrip(".") if said else type(error).__name__
