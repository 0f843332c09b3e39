"""Slices: long work that is done a little at a time, so that messages are answered in between.

Owns: `Slices` and `Work`: threads of which none ever runs beside another, only in place of the caller that asks for a
slice. Must not know: what the work is, messages.

A piece of work is an ordinary function, however deep its loops lie: it gives way at the checks of budgets
(`text/budget.py`) once its slice is over. The caller of `step` waits meanwhile, so nothing needs to be locked. Work
that needs what another thread computes pauses with `Slices.wait`.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable
from functools import cached_property
from types import FrameType
from typing import Any, Final

from callwright.text.budget import AbandonedError, set_yield_hook

#: How long a slice lasts before it ends at the next check, in seconds.
SLICE: Final = 0.005
#: As much stack as the main thread mostly has, and some: what nests deep nests as deep here.
_STACK: Final = 64 * 1024 * 1024
#: How many threads without work are kept.
_SPARE: Final = 2
_CACHED: Final = cached_property.__get__.__code__


class Work:
    """One piece of work. `step` until it returns True, then ask for the `result`; or `abandon` it.

    Invariant: outside `step` and `abandon` nothing of it runs.
    """

    def __init__(self, slices: Slices, do: Callable[[], Any]) -> None:
        """Take the work of `Slices.begin`; nothing is done yet."""
        self._slices = slices
        self._do: Callable[[], Any] | None = do
        self._thread: _Thread | None = None
        self._until = 0.0
        self._abandoned = False
        #: Whether it paused for what is not there yet: a step before that is there does nothing.
        self.waits = False
        self._result: Any = None
        self._error: BaseException | None = None

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do."""
        return self._do is None

    def step(self) -> bool:
        """Do one slice; return whether that was the last."""
        if self._do is None:
            return True
        if self._thread is None:
            self._thread = self._slices.thread()
        self._until = time.perf_counter() + self._slices.seconds
        self.waits = False
        self._slices.current = self
        set_yield_hook(self._yield)
        try:
            self._thread.go_on(self)
        finally:
            set_yield_hook(None)
            self._slices.current = None
        if self.finished:
            self._slices.take_back(self._thread)
            self._thread = None
        return self.finished

    def abandon(self) -> None:
        """End the work where it is; one that is finished stays as it is."""
        self._abandoned = True
        if self._thread is None:
            self._do = None
        while not self.finished:
            self.step()

    def result(self) -> Any:
        """Return what the finished work returned, or raise what it raised."""
        if self._error is not None:
            raise self._error
        return self._result

    def run(self) -> None:
        """Do all of it, on a thread of `Slices`."""
        do = self._do
        try:
            if do is not None and not self._abandoned:
                self._result = do()
        except BaseException as error:  # noqa: BLE001 - it belongs to the caller that asks for the result
            self._error = error
        self._do = None

    def wait(self, is_ready: Callable[[], bool]) -> None:
        """Pause until something is ready; called on the thread that does the work."""
        while not is_ready():
            self.waits = True
            self._pause()

    def _yield(self) -> None:
        """Give way where the slice is over; called on the thread that does the work."""
        if self._abandoned:
            raise AbandonedError
        if time.perf_counter() >= self._until and not _holds_a_lock():
            self._pause()

    def _pause(self) -> None:
        if self._thread is not None and not self._abandoned:
            self._thread.pause()
        if self._abandoned:
            raise AbandonedError


def _holds_a_lock() -> bool:
    """Return whether a caller is in a `cached_property`: up to Python 3.11 all objects of a class share its lock."""
    if sys.version_info >= (3, 12):
        return False
    frame: FrameType | None = sys._getframe()  # noqa: SLF001 - the only way to ask
    while frame is not None:
        if frame.f_code is _CACHED:
            return True
        frame = frame.f_back
    return False


class _Thread:
    """A thread that runs only while another waits for it."""

    def __init__(self) -> None:
        self._go = threading.Lock()
        self._paused = threading.Lock()
        self._go.acquire()
        self._paused.acquire()
        self._work: Work | None = None
        before = 0
        with contextlib.suppress(ValueError, RuntimeError):
            before = threading.stack_size(_STACK)
        try:
            threading.Thread(target=self._loop, name="callwright-slices", daemon=True).start()
        finally:
            with contextlib.suppress(ValueError, RuntimeError):
                threading.stack_size(before)

    def go_on(self, work: Work | None) -> None:
        """Run until the work pauses or ends; without work, end."""
        self._work = work
        self._go.release()
        if work is not None:
            self._paused.acquire()

    def pause(self) -> None:
        """Let the waiting thread continue, and wait in its place."""
        self._paused.release()
        self._go.acquire()

    def _loop(self) -> None:
        while True:
            self._go.acquire()
            work = self._work
            if work is None:
                return
            work.run()
            self._work = work = None
            self._paused.release()


class Slices:
    """Where long work is begun; `seconds` is how long a slice lasts, 0 for no longer than to the next check."""

    def __init__(self, seconds: float = SLICE) -> None:
        self.seconds = seconds
        #: The work of which a slice is done right now.
        self.current: Work | None = None
        self._spare: list[_Thread] = []

    def begin(self, do: Callable[[], Any]) -> Work:
        """Return work that does what `do` does."""
        return Work(self, do)

    def wait(self, is_ready: Callable[[], bool]) -> None:
        """Pause the work that calls this until something is ready; its caller sees this by `Work.waits`."""
        assert self.current is not None, "only work that is done in slices can wait"
        self.current.wait(is_ready)

    def thread(self) -> _Thread:
        """Return a thread without work."""
        return self._spare.pop() if self._spare else _Thread()

    def take_back(self, thread: _Thread) -> None:
        """Keep a thread whose work is done for the next, or let it end."""
        if len(self._spare) < _SPARE:
            self._spare.append(thread)
        else:
            thread.go_on(None)

    def close(self) -> None:
        """Let the threads without work end."""
        while self._spare:
            self._spare.pop().go_on(None)
