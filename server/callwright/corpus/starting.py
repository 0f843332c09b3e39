"""Starting: whether workers can start at all, and whether one that could not holds up the plan.

Owns: `try_worker`, `try_nodes`, `Stalled`. Must not know: what is done to a unit, how a plan is made.

The engine waits without end for the first message of a worker that it has started. So a worker is tried before, and
while a plan is carried out, a process that ended while nothing gets done ends the wait.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from functools import cache
from typing import TYPE_CHECKING, Final

from callwright.corpus.failure import CorpusError, WorkersLostError
from callwright.corpus.parts import names_there, workers_at_work

if TYPE_CHECKING:
    from callwright.corpus.units import RunOptions

#: What a worker imports before it sends its first message, and what it needs for its work.
_IMPORTS: Final = "import daft.execution.udf_worker, callwright.corpus.work"
#: How long a worker may take for that, in seconds: a machine with much to do is slow, but not without end.
_MAX_LENGTH: Final = 60.0
#: How often processes are looked for that ended, in seconds, and how many times in a row nothing may have got done.
_LOOK: Final = 0.5
_TIMES: Final = 6


@cache
def try_worker() -> None:
    """Start a process as the engine starts workers. Raises CorpusError where it fails; once in a process."""
    stated = failure()
    if stated is not None:
        raise CorpusError(f"a worker cannot start: {stated}")


@cache
def try_nodes() -> None:
    """Start a process on each node of the cluster that this process is connected to, as `try_worker` does here."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    tried = ray.remote(num_cpus=0)(failure)
    asked = {
        node["NodeManagerHostname"]: tried.options(
            scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=True)
        ).remote()
        for node in ray.nodes()  # type: ignore[no-untyped-call]
        if node["Alive"]
    }
    for name, answer in asked.items():
        try:
            stated = ray.get(answer)
        except ray.exceptions.RayError as error:
            # Not even this module is there.
            stated = str(error).strip().splitlines()[-1]
        if stated is not None:
            raise CorpusError(f"a worker cannot start on `{name}`: {stated}")


def failure() -> str | None:
    """Return what keeps a worker from starting on this machine, None where one can start."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", _IMPORTS],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=_MAX_LENGTH,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"importing its modules takes more than {_MAX_LENGTH:.0f} seconds"
    except OSError as error:
        return f"{sys.executable}: {error.strerror or error}"
    if not done.returncode:
        return None
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1].strip().rstrip(".") if lines else f"its process ended with {done.returncode}"


class Stalled:
    """Looks, while a plan is carried out by processes of this one, for a worker that ended before it sent anything.

    Nothing waits for such a process, and the plan makes no progress: then the main thread is interrupted. Used as a
    context around the plan; raises WorkersLostError in place of that interrupt.
    """

    def __init__(self, run_options: RunOptions) -> None:
        self._run_options = run_options
        self._over = threading.Event()
        self._found = False
        self._thread = threading.Thread(target=self._look, name="callwright-stalled", daemon=True)

    def __enter__(self) -> Stalled:
        if hasattr(os, "waitid"):
            self._thread.start()
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()
        if self._found and isinstance(error, KeyboardInterrupt):
            raise WorkersLostError(
                "a worker ended before it could start, possibly for lack of memory. Finished work is kept: run the "
                "same command again to continue."
            ) from None

    def _look(self) -> None:
        quiet, before = 0, None
        while not self._over.wait(_LOOK):
            state = _ended(), frozenset(names_there(self._run_options))
            stalled = state[0] is not None and state == before and not workers_at_work(self._run_options)
            quiet, before = quiet + 1 if stalled else 0, state
            if quiet >= _TIMES:
                self._found = True
                # A real signal: the main thread waits in a call that nothing else ends.
                main = threading.main_thread().ident
                assert main is not None, "it runs"
                signal.pthread_kill(main, signal.SIGINT)
                return


def _ended() -> int | None:
    """Return a process of this one that has ended and was not asked about."""
    try:
        found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return None
    return found.si_pid if found is not None else None
