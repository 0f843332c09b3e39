"""Running one tool and waiting for it in an event loop.

Owns: `Suspending`. Must not know: registries, schemas, messages to a model.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Final

from callwright.runtime.tools.support.unfinished import Stopped, TookTooLong

if TYPE_CHECKING:
    from callwright.runtime.tools.support.workers import Workers

#: How many seconds to wait for a cancelled asynchronous tool to clean up.
GRACE: Final = 1.0


class Suspending:
    """Waits in the running event loop; a tool that blocks runs in a worker thread."""

    def __init__(self, workers: Workers, stop: Future[None]) -> None:
        self._workers = workers
        self._stop = stop

    async def awaited(self, value: Awaitable[Any]) -> Any:
        """Return the result of an awaitable. Raises Stopped where the call is cancelled first."""
        return await self.finished(value, None)

    async def executed(self, execute: Callable[[], Any], seconds: float | None, *, suspends: bool) -> Any:
        """Return what a tool returns. Raises TookTooLong, Stopped, and whatever the tool raises."""
        if suspends:
            return await self.finished(execute(), seconds)
        begun = time.monotonic()
        future = self._workers.submit(execute)
        try:
            returned = await self.finished(asyncio.wrap_future(future), seconds)
        finally:
            future.cancel()
        if not inspect.isawaitable(returned):
            return returned
        left = None if seconds is None else max(seconds - (time.monotonic() - begun), 0)
        return await self.finished(returned, left)

    async def finished(self, work: Awaitable[Any], seconds: float | None) -> Any:
        """Return the result of an awaitable; one that takes too long or is stopped is cancelled.

        Where the caller is cancelled, so is the awaitable, and the cancellation is passed on.
        """
        task = asyncio.ensure_future(_as_coroutine(work))
        stop = self._stopped(asyncio.get_running_loop())
        try:
            await asyncio.wait((task, stop), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if task.cancelled():
                # The tool cancelled itself; the caller was not cancelled.
                raise Stopped
            if task.done():
                return task.result()
        finally:
            stop.cancel()
            if not task.done():
                task.cancel()
                task.add_done_callback(_seen)
                await asyncio.wait((task,), timeout=GRACE)
        raise Stopped if self._stop.done() else TookTooLong

    def _stopped(self, loop: asyncio.AbstractEventLoop) -> asyncio.Future[None]:
        """Return a future of the loop that is done once the call is cancelled."""
        stopped: asyncio.Future[None] = loop.create_future()

        def note() -> None:
            if not stopped.done():
                stopped.set_result(None)

        def report(_: Future[None]) -> None:
            # Another thread may cancel, and the loop may be closed already.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(note)

        self._stop.add_done_callback(report)
        return stopped


async def _as_coroutine(value: Awaitable[Any]) -> Any:
    return await value


def _seen(task: asyncio.Task[Any]) -> None:
    """Retrieve the exception of an abandoned task, so that asyncio does not report it at exit."""
    if not task.cancelled():
        task.exception()
