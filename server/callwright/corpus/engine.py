"""The engine: units passed to Daft, which does them in processes of this machine or on a Ray cluster.

Owns: the plan, which runner carries it out, the message where the engine is not installed. Must not know: what is done
to a unit, how results are put together. Which worker does which unit when is for Daft and Ray. Where a worker dies,
either ends the plan or leaves units undone, and `run` makes another plan.

The plan has a row for each unit. One function maps batches of them; its options (tools and settings among them) travel
with the plan, and what it compiles of them is kept for as long as its worker lives.

On a cluster, workers are processes of the node's own that Daft begins, not actors of Ray: Ray takes one that died for a
node that died, and gives its work to the next one for ever.
"""

from __future__ import annotations

import json
import logging
import os
import re
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, closing, contextmanager, nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal

from callwright.children import shut_out_folder, working_folder
from callwright.corpus.failure import CorpusError
from callwright.corpus.joining import Join, join_of, join_rows
from callwright.corpus.starting import Stalled, try_nodes, try_worker
from callwright.corpus.units import RunOptions, Unit, unit_of

#: How often a worker looks whether its parent lives, in seconds.
_LOOK: Final = 0.5
#: How long the head of a cluster may take to answer a knock, in seconds.
_KNOCK: Final = 10.0
#: What a client of HTTP/2 sends first, as all of a cluster do, and the kind of frame in the answer.
_PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
_SETTINGS: Final = 4
#: Variables that limit how often Ray asks a cluster that answers for its identity.
_PATIENCE: Final = {"RAY_NUM_REDIS_GET_RETRIES": "2"}
#: The message where a number of workers is asked of a cluster.
_OWN: Final = "an existing Ray cluster already has a worker for each of its processors: omit `--jobs`"
#: How Ray colours its output.
_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*+m")
#: Variables that keep the engine quiet: Callwright reports progress, and usage is not reported. And memory is given
#: back once it is free: Arrow's own allocators keep the room of the longest row.
_SET: Final = {
    "DAFT_PROGRESS_BAR": "0",
    "DAFT_SHOW_QUERY_ID": "0",
    "DAFT_ANALYTICS_ENABLED": "0",
    "DO_NOT_TRACK": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}
#: The logger of Daft's exceptions, and the handler that is used where there is no other.
_LOG: Final = "daft_local_execution"
_NO_ONE: Final = logging.NullHandler()
#: How many tasks of a cluster there are for each worker: a node with one processor begins a process for each task, and
#: with fewer, some workers would wait for others in the end.
_TASKS: Final = 4


@dataclass(frozen=True, slots=True)
class Engine:
    """Where units are done: in processes of this machine, or on a Ray cluster.

    `address` is that of the cluster; None means the one that this machine belongs to, or one of this machine alone.
    `processes` is how many workers there are, 0 for as many as there are processors; a cluster that is there already
    has its own number.
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

    def __init__(self, run_options: RunOptions, sender: int) -> None:
        self.run_options = run_options
        self._judge: Any = None
        # Here, too, for a cluster's workers do not have them; Arrow is loaded later.
        _set_variables()
        if os.getpid() != sender and threading.current_thread() is threading.main_thread():
            # An interrupt is for the process that sent the plan, and this process ends with the one that began it.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            threading.Thread(target=_end_with, args=(os.getppid(),), name="callwright-parent", daemon=True).start()

    def do(self, stated: str) -> str:
        """Do the unit or the join that is described, and return its result as plain data."""
        from callwright.corpus.tasks.base import task_of
        from callwright.corpus.work import do_unit

        described = json.loads(stated)
        if "join" in described:
            join_rows(join_of(described["join"]), self.run_options)
            return ""
        if self._judge is None:
            self._judge = task_of(self.run_options.task).judge(self.run_options)
        return json.dumps(do_unit(unit_of(described["unit"]), self.run_options, self._judge), ensure_ascii=False)


def _set_variables() -> None:
    for name, value in _SET.items():
        os.environ.setdefault(name, value)


def _end_with(parent: int) -> None:
    """End this process once its parent is gone; the unit that it is at is begun again by the next run."""
    while os.getppid() == parent:
        time.sleep(_LOOK)
    os._exit(0)


def run(units: Sequence[Unit | Join], run_options: RunOptions, engine: Engine, done: Callable[[], None]) -> None:
    """Do units, or joins; `done` is called whenever some are. Raises CorpusError where the engine gives up.

    Where a worker died, units may be left that have no part, also where nothing is raised.
    """
    if not units:
        return
    with carried_out(engine, ". Finished work is kept: run the same command again to continue.") as workers:
        import daft

        spread = engine.kind == "ray"
        apart = spread or workers > 1
        if spread:
            try_nodes()
        else:
            # Also where there is one worker: it is up to the engine whether that is a process.
            try_worker()
        plan = _plan(units, run_options, workers, apart=apart, spread=spread)
        # In whatever order they end: else units are dealt to the workers beforehand, and one waits while others have
        # some left. And closed at once where someone interrupts: the engine's threads must be gone before the
        # interpreter is.
        stalled = nullcontext() if spread else Stalled(run_options)
        with daft.execution_config_ctx(maintain_order=False), stalled, closing(plan.iter_partitions()) as results:
            for _ in results:
                done()


@contextmanager
def carried_out(engine: Engine, remedy: str = "") -> Iterator[int]:
    """Have an engine carry out the plans of what follows, and say how many workers it has.

    Raises CorpusError where it is missing or gives up; `remedy` follows the reason.
    """
    need(engine.kind)
    _set_variables()
    shut_out_folder()
    logging.getLogger(_LOG).addHandler(_NO_ONE)
    with chdir(working_folder()), _silent():
        import daft

        workers = _start(engine)
        failures: tuple[type[Exception], ...] = (daft.exceptions.DaftCoreException, RuntimeError, OSError)
        if engine.kind == "ray":
            import ray

            failures = (*failures, ray.exceptions.RayError)
        try:
            yield workers
        except failures as error:
            raise CorpusError(f"the engine failed: {_first_line(error)}{remedy}") from error


@contextmanager
def _silent() -> Iterator[None]:
    """Let nothing get through that the engine writes on standard output: it says there that it was interrupted."""
    try:
        own = os.dup(1)
    except OSError:
        # There is none.
        yield
        return
    if sys.stdout is not None:
        sys.stdout.flush()
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    try:
        yield
    except KeyboardInterrupt:
        # The process is ending, and the engine may not have reported it yet.
        raise
    except BaseException:
        os.dup2(own, 1)
        raise
    else:
        os.dup2(own, 1)
    finally:
        os.close(own)


def _start(engine: Engine) -> int:
    """Choose the runner; return how many workers it shall have."""
    import daft

    if engine.kind == "local":
        _choose("native", daft.set_runner_native)
        return engine.processes or len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else [0])
    if engine.address is not None and engine.processes:
        raise CorpusError(_OWN)
    _knock(engine.address)
    if engine.address is not None:
        for name, value in _PATIENCE.items():
            os.environ.setdefault(name, value)
    import ray

    try:
        if not ray.is_initialized():
            ray.init(
                address=engine.address,
                num_cpus=engine.processes or None,
                runtime_env={"env_vars": {"PYTHONSAFEPATH": "1"}},
                log_to_driver=False,
                logging_level=logging.ERROR,
            )
    except Exception as error:
        if engine.processes and isinstance(error, ValueError):
            # This machine belongs to a cluster.
            raise CorpusError(_OWN) from error
        # A node that does not come up in time is reported by an exception without a class of its own.
        raise CorpusError(f"no Ray cluster answers at `{engine.address or 'auto'}`: {_why(error)}") from error
    # It takes the connection that is there.
    _choose("ray", daft.set_runner_ray)
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    return max(int(resources.get("CPU", 1)), 1)


def _knock(address: str | None) -> None:
    """Raise CorpusError where no cluster listens at an address: Ray itself continues asking for minutes."""
    host, colon, port = (address or "").removeprefix("ray://").rpartition(":")
    if not (colon and port.isascii() and port.isdigit()):
        # It is not an address of a machine but a word of Ray's, such as `auto`.
        return
    try:
        with socket.create_connection((host.strip("[]"), int(port[:6])), _KNOCK) as line:
            answers = os.environ.get("RAY_USE_TLS", "0").lower() in ("1", "true") or _answers(line)
    except (OSError, OverflowError, ValueError) as error:
        stated = getattr(error, "strerror", None) or _first_line(error)
        raise CorpusError(
            f"no Ray cluster answers at `{address}`: {stated}. Is the head node running, and can this machine reach it?"
        ) from error
    if not answers:
        raise CorpusError(
            f"no Ray cluster answers at `{address}`: another program listens there. Use the address that `ray start "
            "--head` printed, as in `head:6379`."
        )


def _answers(line: socket.socket) -> bool:
    """Return whether the other end answers as a cluster would, within the time of the connection."""
    try:
        line.sendall(_PREFACE)
        with line.makefile("rb") as answer:
            head = answer.read(9)
    except OSError:
        # It is silent, or has hung up.
        return False
    return len(head) == 9 and head[3] == _SETTINGS


def _choose(kind: str, choose: Callable[[], object]) -> None:
    """Have Daft use a runner. Raises CorpusError where this process uses another one already."""
    from daft.exceptions import DaftCoreException
    from daft.runners import get_or_infer_runner_type

    try:
        choose()
    except (DaftCoreException, RuntimeError) as error:
        # It is chosen once in a process.
        if get_or_infer_runner_type() != kind:
            raise CorpusError(f"this process already uses another engine: {_first_line(error)}") from error


def _plan(units: Sequence[Unit | Join], run_options: RunOptions, workers: int, *, apart: bool, spread: bool) -> Any:
    """Return the frame whose rows are the results of the units."""
    import daft

    # With a bound, a cluster had actors of Ray for it.
    @daft.cls(use_process=apart, max_concurrency=None if spread else min(workers, len(units)))
    class Units:
        """Does units, one after another."""

        def __init__(self, run_options: RunOptions, sender: int) -> None:
            self.worker = _Worker(run_options, sender)

        @daft.method.batch(return_dtype=daft.DataType.string(), batch_size=1)
        def do(self, units: daft.Series) -> list[str]:
            """Do a batch of units."""
            return [self.worker.do(stated) for stated in units.to_pylist()]

    # The heaviest first, so that no worker is left with one at the end; where results go does not depend on it.
    ordered = sorted(units, key=lambda unit: -unit.weight)
    tasks = min(len(units), _TASKS * workers if workers > 1 else 1) if spread else 1
    # Tasks are pieces of what follows here: each gets about as much.
    dealt = [unit for first in range(tasks) for unit in ordered[first::tasks]]
    kinds = ((each, "join" if isinstance(each, Join) else "unit") for each in dealt)
    frame = daft.from_pydict({"unit": [json.dumps({kind: each.as_mapping()}) for each, kind in kinds]})
    if tasks > 1:
        frame = frame.into_partitions(tasks)
    # Called with a column, a method of such a class gives a column.
    mapped: Any = Units(run_options, os.getpid()).do
    return frame.select(mapped(frame["unit"]).alias("tally"))


def _why(error: BaseException) -> str:
    """Return why there is no connection, which is in what led to an error as often as in the error."""
    cause: BaseException | None = error
    while cause is not None:
        if "InvalidAuthToken" in str(cause):
            return (
                "it requires another token than this machine has. Set `RAY_AUTH_TOKEN_PATH` to a file with the "
                "cluster's token"
            )
        if "ray[client]" in str(cause):
            return (
                "`ray://` is for Ray's client, which is not installed. Use the address of the head itself, as in "
                "`head:6379`, or run `pip install 'ray[client]'`"
            )
        cause = cause.__cause__ or cause.__context__
    return _first_line(error)


def _first_line(error: BaseException) -> str:
    stated = _COLOUR.sub("", str(error)).strip().splitlines()
    # What failed on a machine of a cluster comes as a traceback, which says in the end what it was.
    line = stated[-1 if stated[0].startswith("ray::") else 0] if stated else ""
    return line.strip().rstrip(".") or type(error).__name__
