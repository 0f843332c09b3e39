"""Rendering a stranger's templates: in a process of its own, which may do nothing else, and which is ended in time.

Owns: `Renderer`, `TimedRenderer`. Must not know: Jinja, what is rendered and why. The parent evaluates nothing of a
template.
"""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import BinaryIO, Final, Protocol

from callwright.chat_templates import wire
from callwright.chat_templates.guard import DENIED
from callwright.chat_templates.model import INSTALL, ChatTemplateError, Failed, FailureKind, Job, Outcome, Variables
from callwright.children import shut_out_folder, working_folder

#: Seconds for all jobs of a template, for one of them, and for the process to start.
MAX_SECONDS: Final = 10.0
MAX_SECONDS_OF_JOB: Final = 3.0
MAX_SECONDS_TO_START: Final = 60.0
#: Seconds in which the process ends a job by itself, once it has taken too long.
GRACE: Final = 0.5
#: How many times the processor time of a job may pass on the clock: a busy machine gives a process a part of its time.
PATIENCE: Final = 3
#: The longest line that a child may send.
MAX_LINE: Final = 100_000_000

_PROGRAM: Final = "from callwright.chat_templates.child import main; main()"
#: What Python itself needs to find its modules.
_KEPT: Final = (
    *("PYTHONHOME", "PYTHONPATH", "PYTHONSAFEPATH", "PYTHONPLATLIBDIR", "PYTHONUSERBASE", "PYTHONNOUSERSITE"),
    *("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "HOME"),
    *("USERPROFILE", "APPDATA", "SYSTEMROOT", "SYSTEMDRIVE", "__PYVENV_LAUNCHER__"),
)


class Renderer:
    """A process that renders chat templates; it is started with the first of them and ends with the context.

    No template takes longer than `seconds`, and no job more than `seconds_of_job` of the processor's time. A process
    that needs longer, or dies, is replaced, and the other jobs are rendered as if nothing had happened.
    """

    def __init__(self, *, seconds: float = MAX_SECONDS, seconds_of_job: float = MAX_SECONDS_OF_JOB) -> None:
        self._seconds = seconds
        self._seconds_of_job = seconds_of_job
        self._lock = threading.Lock()
        self._child: _Process | None = None

    def __enter__(self) -> Renderer:
        with self._lock:
            # It starts while the caller does something else.
            self._child = self._child or _Process()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process; another one is started where it is needed."""
        with self._lock:
            self._end()

    def render(self, source: str, jobs: Sequence[Job], *, seconds: float | None = None) -> list[Outcome]:
        """Return the outcome of each job with a template; raises ChatTemplateError where nothing can be rendered.

        `seconds` is how much time is left for the template, where it is less than all.
        """
        outcomes: dict[int, Outcome] = {}
        lines: dict[int, bytes] = {}
        for number, job in enumerate(jobs):
            try:
                lines[number] = wire.to_job(job)
            except (ValueError, TypeError, RecursionError) as error:
                outcomes[number] = Failed("error", f"{type(error).__name__}: {error}")
        with self._lock:
            self._ready()
            end = time.monotonic() + (self._seconds if seconds is None else seconds)
            while lines:
                if time.monotonic() >= end:
                    outcomes.update(dict.fromkeys(lines, self._late(outcomes.values())))
                    break
                self._batch(source, lines, outcomes, end)
        return [outcomes[number] for number in range(len(jobs))]

    def variables(self, source: str) -> Variables | Failed:
        """Return the variables that a template reads; raises ChatTemplateError where nothing can be rendered."""
        with self._lock:
            child = self._ready()
            line = child.ask(self._request(source, []), PATIENCE * self._seconds_of_job + GRACE)
            try:
                return wire.from_variables(line, len(source)) if line else self._lost(child)
            except ValueError:
                return self._lost(child)

    def _request(self, source: str, lines: Sequence[bytes]) -> bytes:
        return wire.to_line([source, len(lines), self._seconds_of_job]) + b"".join(lines)

    def _ready(self) -> _Process:
        """Return a process that waits for requests."""
        if self._child is not None and self._child.is_dead():
            self._end()
        self._child = child = self._child or _Process()
        try:
            child.wait_until_ready()
        except ChatTemplateError:
            self._end()
            raise
        return child

    def _late(self, outcomes: Iterable[Outcome]) -> Failed:
        """Return the outcome of the jobs for which no time is left: the failure of the job that took it, if one did."""
        took = (each for each in outcomes if isinstance(each, Failed) and each.kind == "time")
        late = Failed("time", f"not rendered: the template took its {self._seconds:g} s for other jobs")
        return next(took, late)

    def _batch(self, source: str, lines: dict[int, bytes], outcomes: dict[int, Outcome], end: float) -> None:
        """Have jobs rendered until all are, or the process is lost; what has an outcome leaves `lines`."""
        child = self._ready()
        numbers = list(lines)
        request: bytes | None = self._request(source, list(lines.values()))
        spoilt = False
        for number in numbers:
            line = child.ask(request, min(PATIENCE * self._seconds_of_job + GRACE, max(end - time.monotonic(), 0)))
            request = None
            try:
                outcome = wire.from_outcome(line, len(source)) if line else self._lost(child)
            except ValueError:
                outcome = self._lost(child)
            outcomes[number] = outcome
            del lines[number]
            spoilt = spoilt or _spoils(outcome)
            if self._child is None:
                return
        if spoilt or child.expired:
            self._end()

    def _lost(self, child: _Process) -> Failed:
        """Give a process up, and return what became of the job that it had."""
        self._end()
        return child.failure(self._seconds_of_job)

    def _end(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None


class Renders(Protocol):
    """What has templates rendered: a `Renderer`, or what asks one."""

    def render(self, source: str, jobs: Sequence[Job], *, seconds: float | None = None) -> list[Outcome]:
        """Return what came of each job, as `Renderer` does."""

    def variables(self, source: str) -> Variables | Failed:
        """Return the variables that the template reads, or why it does not compile."""


class TimedRenderer:
    """Renders one template, also with its fixes, and limits the time of all requests together."""

    _now = staticmethod(time.monotonic)

    def __init__(self, renderer: Renders, seconds: float = MAX_SECONDS) -> None:
        self._renderer = renderer
        self._seconds = self._left = seconds
        #: The template that took the time, and the failure of the job that did.
        self._took: tuple[str, Failed] | None = None

    def render(self, source: str, jobs: Sequence[Job]) -> list[Outcome]:
        """Return what came of each job; nothing is rendered where no time is left."""
        if self._left <= 0:
            late = Failed("time", f"not rendered: the template took its {self._seconds:g} s for other jobs")
            took = self._took[1] if self._took is not None and self._took[0] == source else late
            return [took for _ in jobs]
        begun = self._now()
        outcomes = self._renderer.render(source, jobs, seconds=self._left)
        self._left -= self._now() - begun
        failed = (each for each in outcomes if isinstance(each, Failed) and each.kind == "time")
        self._took = self._took or next(((source, each) for each in failed), None)
        return outcomes

    def variables(self, source: str) -> Variables | Failed:
        """Return the variables that the template reads, or why it does not compile."""
        return self._renderer.variables(source)


def _spoils(outcome: Outcome) -> bool:
    """Return whether a process is not used again after an outcome: its memory is in pieces, or its guard was met."""
    return isinstance(outcome, Failed) and (outcome.kind == "memory" or outcome.message.startswith(DENIED))


class _Process:
    """One child process, and a thread that ends it where it does not answer in time."""

    def __init__(self) -> None:
        shut_out_folder()
        if not sys.executable:
            raise ChatTemplateError("chat templates are rendered by a Python interpreter, and there is none to start")
        # Nothing is written to it: it is closed with this process, however that ends.
        lifeline, written = os.pipe()
        self._lifeline = io.FileIO(written, "w")
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-X", "utf8", "-W", "ignore", "-c", _PROGRAM],
                cwd=working_folder(),
                env={name: value for name in _KEPT if (value := os.environ.get(name)) is not None},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=lifeline,
            )
        except OSError as error:
            self._lifeline.close()
            raise ChatTemplateError(f"the process that renders chat templates does not start: {error}") from None
        finally:
            os.close(lifeline)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin: BinaryIO = self._process.stdin  # type: ignore[assignment]
        self._stdout: BinaryIO = self._process.stdout  # type: ignore[assignment]
        self._is_ready = False
        #: Whether it closed its output: it is about to end, and how it ends tells why.
        self._is_gone = False
        #: Whether the process was ended because it did not answer.
        self.expired = False
        self._deadline: float | None = None
        self._ended = False
        self._changed = threading.Condition()
        threading.Thread(target=self._watch, name="chat-template-deadline", daemon=True).start()

    def is_dead(self) -> bool:
        """Return whether the process ended."""
        return self._process.poll() is not None

    def wait_until_ready(self) -> None:
        """Wait until templates can be rendered; raises ChatTemplateError where they never can."""
        if self._is_ready:
            return
        line = self.ask(None, MAX_SECONDS_TO_START)
        try:
            said = wire.from_line(line)
        except ValueError:
            said = {}
        if "missing" in said:
            raise ChatTemplateError(f"chat templates need Jinja, which is not installed: run `{INSTALL}`")
        if "old" in said:
            raise ChatTemplateError(f"chat templates need Jinja 3.1.6 or newer: run `{INSTALL}`")
        if "ready" not in said:
            raise ChatTemplateError("the process that renders chat templates does not start")
        self._is_ready = True

    def ask(self, request: bytes | None, seconds: float) -> bytes:
        """Return the next line of the process, after sending it a request; empty where it does not answer in time."""
        with self._changed:
            self._deadline = time.monotonic() + seconds
            self._changed.notify()
        line = b""
        try:
            if request is not None:
                self._stdin.write(request)
                self._stdin.flush()
            line = self._stdout.readline(MAX_LINE)
        except (OSError, ValueError):
            # It is gone.
            line = b""
        with self._changed:
            self._deadline = None
            self._is_gone = not line
        return line if line.endswith(b"\n") else b""

    def failure(self, seconds: float) -> Failed:
        """Return why the process did not answer."""
        kind: FailureKind = "error"
        code = self._process.returncode
        if self.expired:
            return Failed("time", f"it takes longer than {seconds:g} s")
        if code is not None and code < 0:
            name = _signal_name(-code)
            if name == "SIGXCPU":
                return Failed("time", f"it takes longer than {seconds:g} s")
            kind = "memory" if name == "SIGKILL" else "error"
            return Failed(kind, f"the process that renders it was ended by {name}")
        return Failed(kind, "the process that renders it ended")

    def end(self) -> None:
        """End the process."""
        with self._changed:
            self._ended = True
            self._changed.notify()
        if not self._is_gone:
            # It has nothing that must be put in order.
            self._process.kill()
        try:
            self._process.wait(1)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for pipe in (self._lifeline, self._stdin, self._stdout):
            try:
                pipe.close()
            except OSError:
                # A request that was not read is lost with the process.
                continue

    def _watch(self) -> None:
        with self._changed:
            while not self._ended:
                left = None if self._deadline is None else self._deadline - time.monotonic()
                if left is not None and left <= 0:
                    self.expired = True
                    self._deadline = None
                    self._process.kill()
                    continue
                self._changed.wait(left)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
