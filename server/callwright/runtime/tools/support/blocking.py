"""Running one tool and waiting for it in the caller's thread, or in a worker thread.

Owns: `Blocking`, `drive`. Must not know: registries, schemas, messages to a model; it imports no event loop before one
is needed.

The manager's steps are written once, as a coroutine. With `Blocking` they never suspend, so `drive` runs them without
an event loop.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import FIRST_COMPLETED, Future, wait
from threading import Thread
from typing import TYPE_CHECKING, Any

from callwright.runtime.tools.support.unfinished import Stopped, TookTooLong

if TYPE_CHECKING:
    from callwright.runtime.tools.support.suspending import Suspending
    from callwright.runtime.tools.support.workers import Workers


class Blocking:
    """Waits by blocking the caller's thread; nothing in it ever suspends."""

    def __init__(self, workers: Workers, stop: Future[None]) -> None:
        self._workers = workers
        self._stop = stop

    async def awaited(self, value: Awaitable[Any]) -> Any:
        """Return the result of an awaitable, run in a new event loop."""
        return _in_own_loop(self._suspending().awaited(value))

    async def executed(self, execute: Callable[[], Any], seconds: float | None, *, suspends: bool) -> Any:
        """Return a tool's return value. Raises TookTooLong, Stopped, and whatever the tool raises."""
        if suspends:
            return _in_own_loop(self._suspending().executed(execute, seconds, suspends=True))
        begun = time.monotonic()
        returned = execute() if seconds is None else self._in_worker(execute, seconds)
        if not inspect.isawaitable(returned):
            return returned
        left = None if seconds is None else max(seconds - (time.monotonic() - begun), 0)
        return _in_own_loop(self._suspending().finished(returned, left))

    def _suspending(self) -> Suspending:
        # The import loads event loops, which a plain tool does not need.
        from callwright.runtime.tools.support.suspending import Suspending

        return Suspending(self._workers, self._stop)

    def _in_worker(self, execute: Callable[[], Any], seconds: float) -> Any:
        future = self._workers.submit(execute)
        try:
            wait((future, self._stop), seconds, return_when=FIRST_COMPLETED)
            if future.done():
                return future.result()
        finally:
            future.cancel()
        raise Stopped if self._stop.done() else TookTooLong


def _in_own_loop(work: Coroutine[Any, Any, Any]) -> Any:
    """Return the result of a coroutine in a new event loop, in another thread if a loop runs in this one."""
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    future: Future[Any] = Future()

    def run() -> None:
        try:
            future.set_result(asyncio.run(work))
        except BaseException as error:  # noqa: BLE001  # it is raised again in the waiting thread
            future.set_exception(error)

    Thread(target=run, name="callwright-tool-loop", daemon=True).start()
    return future.result()


def drive(steps: Coroutine[Any, Any, Any]) -> Any:
    """Return the result of a coroutine that never suspends."""
    try:
        steps.send(None)
    except StopIteration as ended:
        return ended.value
    steps.close()
    raise RuntimeError("a step that must not suspend did")
