"""Threads for tools that block: a limited number, and none that keeps the process from ending.

Owns: `Workers`. Must not know: tools, calls, event loops.
"""

from __future__ import annotations

import contextvars
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock, Thread
from typing import Any, TypeAlias

_Task: TypeAlias = tuple[Future[Any], contextvars.Context, Callable[[], Any]]


class Workers:
    """Runs functions in daemon threads, at most `most` at a time; further ones wait for their turn in order.

    An abandoned function keeps its thread until it returns: a thread cannot be killed.
    """

    def __init__(self, most: int, name: str) -> None:
        self._most = most
        self._name = name
        self._lock = Lock()
        self._waiting: deque[_Task] = deque()
        self._threads = 0

    def submit(self, function: Callable[[], Any]) -> Future[Any]:
        """Run a function in a thread, in the caller's context variables; a future that is cancelled in time is not run.

        The future passes on every exception, including those that end a program.
        """
        future: Future[Any] = Future()
        with self._lock:
            self._waiting.append((future, contextvars.copy_context(), function))
            if self._threads >= self._most:
                return future
            self._threads += 1
        try:
            Thread(target=self._work, name=self._name, daemon=True).start()
        except RuntimeError:
            with self._lock:
                self._threads -= 1
                alone = self._threads == 0
            # Another thread will run it, if there is one; else the system allows no more threads.
            if alone and future.cancel():
                raise
        return future

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._threads -= 1
                    return
                future, context, function = self._waiting.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                returned = context.run(function)
            except BaseException as error:  # noqa: BLE001  # the waiting caller decides
                future.set_exception(error)
            else:
                future.set_result(returned)
            # The result must not be kept alive while the thread waits.
            del future, context, function
