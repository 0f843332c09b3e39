"""What the process that renders may still do once a stranger's template is in it: compute, and nothing else.

Owns: `DeniedError`, `TimeLimitError`, `PERMIT`, `forbid`, limits of memory, files and time, `end_with_parent`. Must not
know: Jinja.
"""

from __future__ import annotations

import math
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

#: Memory beyond what the process has when it is ready.
MAX_MEMORY: Final = 512 * 1024 * 1024
#: Seconds of the processor's time in which a job that takes too long is to end by itself.
GRACE: Final = 1
#: How the message of an outcome begins where the guard denied something.
DENIED: Final = "a chat template cannot use what Python calls"
#: What a template does that only computes.
_HARMLESS: Final = frozenset({"builtins.id"})
#: What is done to compile a template, to find the place of an exception, and to limit time.
COMPILING: Final = frozenset({"compile", "exec"})
TRACING: Final = frozenset({"object.__getattr__"})
_LIMITING: Final = frozenset({"resource.setrlimit"})


class DeniedError(BaseException):
    """The process did something that no template may do.

    It is no `Exception`, for filters and the sandbox catch many of these.
    """


class TimeLimitError(BaseException):
    """A template takes too long; it is no `Exception` for the same reason."""


class _Permit:
    """What is allowed for a moment, while no code of a template runs but what was just translated."""

    def __init__(self) -> None:
        self.events: frozenset[str] = frozenset()
        #: What was denied since this was last cleared.
        self.denied: str | None = None

    @contextmanager
    def allow(self, events: frozenset[str]) -> Iterator[None]:
        """Allow events inside of the context."""
        self.events = events
        try:
            yield
        finally:
            self.events = frozenset()


PERMIT: Final = _Permit()


def forbid() -> None:
    """Deny files, imports, sockets, processes and all else that Python audits, for the rest of the process."""

    def hook(event: str, _arguments: tuple[Any, ...]) -> None:
        if event in PERMIT.events or event in _HARMLESS:
            return
        PERMIT.denied = event
        raise DeniedError(event)

    sys.addaudithook(hook)


def end_with_parent() -> None:
    """Have the platform end the process when its parent is gone, where it can.

    Standard error is a pipe to which the parent writes nothing. What happens to it is that it is closed, and then the
    kernel sends SIGIO, which ends a process that does not handle it.
    """
    if sys.platform != "linux":
        return
    import fcntl

    try:
        fcntl.fcntl(2, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(2, fcntl.F_SETFL, os.O_RDONLY | os.O_ASYNC)
    except OSError:
        # The thread that reads is left.
        return


def set_limits() -> None:
    """Limit memory, files and processes, as far as the platform can."""
    try:
        import resource
    except ImportError:
        return
    size = _memory(resource)
    # No descriptor beyond those that are open, and nothing that could be written to a file.
    for name, most in (("RLIMIT_NOFILE", 3), ("RLIMIT_FSIZE", 0), ("RLIMIT_CORE", 0), ("RLIMIT_NPROC", 0)):
        _limit(resource, name, most)
    for name in ("RLIMIT_AS", "RLIMIT_DATA"):
        _limit(resource, name, size + MAX_MEMORY)


@contextmanager
def in_time(seconds: float) -> Iterator[None]:
    """Raise TimeLimitError if the context takes more of the processor's time, as far as the platform can.

    It is raised in the midst of a template, so it tells where the template was. What computes for long in one step is
    not interrupted: `limit_time` ends the process soon after.
    """
    if not hasattr(signal, "setitimer"):
        yield
        return

    def late(_number: int, _frame: object) -> None:
        raise TimeLimitError(f"it takes longer than {seconds:g} s")

    signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def limit_time(seconds: float) -> None:
    """Allow a job so much of the processor's time: the platform ends a process that computes for longer in one step."""
    try:
        import resource
    except ImportError:
        return
    try:
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        soft = math.ceil(time.process_time() + seconds) + GRACE
        with PERMIT.allow(_LIMITING):
            resource.setrlimit(resource.RLIMIT_CPU, (soft if hard < 0 else min(soft, hard), hard))
    except (OSError, ValueError):
        return


def _limit(resource: Any, name: str, most: int) -> None:
    number = getattr(resource, name, None)
    if number is None:
        return
    try:
        _, hard = resource.getrlimit(number)
        wanted = most if hard < 0 else min(most, hard)
        resource.setrlimit(number, (wanted, wanted))
    except (OSError, ValueError):
        # The platform knows the limit and does not have it.
        return


def _memory(resource: Any) -> int:
    """Return how much address space the process has, or plenty where that cannot be found."""
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - `pathlib` is not imported here
            return int(file.read().split()[0]) * int(resource.getpagesize())
    except (OSError, ValueError, IndexError):
        return 256 * 1024 * 1024
