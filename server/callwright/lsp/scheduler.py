"""The scheduler: what is done next while no message waits, and which work is ended or put by.

Owns: the order of work, time slices and their deadlines, cancellation, and how much may wait. Must not know: methods of
the protocol, documents, what any of the work is.

Work is of four kinds, and goes in this order: messages that were held back; what is due, each once under its key
however often it was scheduled; by turns one step of a request (a job) and one slice of long work; and what can wait for
a quiet moment. So a message waits for one slice at most. Long work that waits for another thread has no turn until
`resume`.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from callwright.lsp.connection import CANCELLED, MAX_WAITING, SERVER_CANCELLED
from callwright.lsp.deadlines import DEADLINE
from callwright.lsp.garbage import Garbage
from callwright.lsp.slices import Slices, Work

if TYPE_CHECKING:
    from callwright.lsp.connection import Connection, Message, RequestId
    from callwright.lsp.deadlines import Deadline
    from callwright.lsp.failures import Failures

#: How long what is due may be put off while messages keep coming, in seconds.
PATIENCE: Final = 0.3
#: How long nothing must have been asked for a moment to be quiet, in seconds.
QUIET: Final = 1.0
#: How long nothing must have been asked before preparations begin, in seconds.
_PAUSE: Final = 0.05
#: How many requests may be under way, and how many may be put by; those that come later are refused.
MAX_REQUESTS: Final = 256


class Clocked(Protocol):
    """What long work is about: something with versions, each of which has a deadline."""

    version: int
    deadline: Deadline


def _continue_silently(_last: bool) -> None:
    """Let a request continue without progress messages."""


@dataclass(slots=True, eq=False)
class Steps:
    """What is done step by step, and returns a result in the end.

    `tell` is called after each step, and with True once before the answer.
    """

    work: Generator[None, None, Any]
    report: Callable[[bool], None] = _continue_silently


@dataclass(slots=True, eq=False)
class _Job:
    """A request that is answered in several steps, between which other messages are."""

    request: RequestId
    method: str
    steps: Steps


@dataclass(slots=True, eq=False)
class _PutBy:
    """A request that waits for its turn; `again` takes it up."""

    request: RequestId
    method: str
    again: Callable[[], None]


@dataclass(slots=True, eq=False)
class _Due:
    """What is to be done once there is time, and since when."""

    what: str
    do: Callable[[], object]
    since: float


@dataclass(slots=True, eq=False)
class _Slow:
    """What is done in slices; `late` is called when the deadline of what it is `about` has passed."""

    what: str
    work: Work
    done: Callable[[Any], object]
    about: Clocked
    late: Callable[[], object]


class Scheduler:
    """The work of one server, which one thread does."""

    def __init__(self, connection: Connection, failures: Failures, take: Callable[[Message], None]) -> None:
        """Do work between the messages of `connection`; `take` is given those that were held back."""
        self._connection = connection
        self._failures = failures
        self._take = take
        self.slices = Slices()
        self.garbage = Garbage()
        #: How long the slices of one version may take before what is known is reported, in seconds.
        self.deadline = DEADLINE
        #: What is done once, in the first pause.
        self.preparation: Callable[[], object] | None = None
        self._held: list[Message] | None = None
        self._held_until = 0.0
        self._held_weight = 0
        self._due: dict[str, _Due] = {}
        self._jobs: deque[_Job] = deque()
        self._slow: dict[str, _Slow] = {}
        #: Long work that has no turn until `resume`.
        self._waiting: dict[str, _Slow] = {}
        self._put_by: list[_PutBy] = []
        self._stepped = 0.0
        self._alternate = False

    # What is next

    def timeout(self) -> float | None:
        """Return how long to wait for a message before turning to other work; None where there is none."""
        if self._held is not None:
            return max(0.0, self._held_until - time.monotonic())
        if self._due or self._jobs or self._slow or self.garbage.pending:
            return 0
        if self.preparation is not None:
            return _PAUSE
        return QUIET if self.garbage.overdue else None

    def idle(self) -> None:
        """Do one piece of the work that no message is waiting for."""
        if self._held is not None:
            self.release()
        elif self._due:
            self._do_due(next(iter(self._due)))
        elif self._jobs or self._slow:
            self._turn_about()
        elif self.garbage.pending:
            self.garbage.sweep()
        elif self.preparation is not None:
            prepare, self.preparation = self.preparation, None
            prepare()
        elif self.garbage.overdue:
            self.garbage.look_at_all()

    def keep_up(self) -> None:
        """Do one piece of what messages that keep coming have put off for too long."""
        if not (self._due or self._slow) or self._connection.idle or self._held is not None:
            return
        now = time.monotonic()
        key = next(iter(self._due), None)
        if key is not None and now - self._due[key].since > PATIENCE:
            self._do_due(key)
        elif self._slow and now - self._stepped > PATIENCE:
            self._turn_about()

    def _turn_about(self) -> None:
        """Do one step of a request that takes several, or one slice of long work, by turns."""
        self._alternate = not self._alternate
        if self._jobs and (self._alternate or not self._slow):
            self._step(self._jobs[0])
            if len(self._jobs) > 1:
                self._jobs.rotate(-1)
        elif self._slow:
            self._slice(next(iter(self._slow)))
        self._drop_cancelled()
        self.garbage.after_slice()

    # Messages that are held back

    @property
    def holds(self) -> bool:
        """Whether messages are held back."""
        return self._held is not None

    def hold(self, seconds: float) -> None:
        """Hold messages back until `release`, for so long at most."""
        self._held, self._held_weight = [], 0
        self._held_until = time.monotonic() + seconds

    def hold_back(self, message: Message) -> None:
        """Hold one message back, while all together are not too much."""
        if self._held is None:
            self._take(message)
            return
        self._held.append(message)
        self._held_weight += self._connection.weight
        if self._held_weight > MAX_WAITING:
            self.release()

    def release(self) -> None:
        """Take what was held back, in its order."""
        held, self._held = self._held or [], None
        for message in held:
            self._take(message)

    # What is due

    def schedule(self, key: str, what: str, do: Callable[[], object]) -> None:
        """Have something done once there is time; what is due under the same key is done once for all."""
        if key not in self._due:
            self._due[key] = _Due(what, do, time.monotonic())

    def is_scheduled(self, key: str) -> bool:
        """Return whether anything is due, or under way in slices, under a key."""
        return key in self._due or key in self._slow or key in self._waiting

    def forget(self, key: str) -> None:
        """Drop what is due under a key, and end what is under way there."""
        self._due.pop(key, None)
        self.abandon(key)

    def _do_due(self, key: str) -> None:
        due = self._due.pop(key)
        self._failures.guard(None, due.what, due.do)

    # Long work

    def begin(
        self,
        key: str,
        what: str,
        do: Callable[[], Any],
        *,
        done: Callable[[Any], object],
        about: Clocked,
        late: Callable[[], object],
    ) -> None:
        """Begin what takes long, in place of what is under way under the same key; `done` is given its result."""
        self.abandon(key)
        self._slow[key] = _Slow(what, self.slices.begin(do), done, about, late)

    def in_slices(self, do: Callable[[], Any]) -> Generator[None, None, Any]:
        """Do something in slices, one at each step, and return what it returns."""
        work = self.slices.begin(do)
        try:
            while not work.step():
                yield
        finally:
            work.abandon()
        return work.result()

    def abandon(self, key: str) -> None:
        """End what is under way under a key: it is not wanted any more."""
        slow = self._slow.pop(key, None) or self._waiting.pop(key, None)
        if slow is not None:
            slow.work.abandon()

    def resume(self, key: str) -> None:
        """Give work under a key its turns again: what it waits for may be there."""
        slow = self._waiting.pop(key, None)
        if slow is not None:
            self._slow[key] = slow

    def _slice(self, key: str) -> None:
        """Do one slice of long work."""
        slow = self._slow.pop(key)
        self._stepped = time.monotonic()
        if slow.work.step():
            self._failures.guard(None, slow.what, lambda: slow.done(slow.work.result()))
            return
        # After the others: each has its turn.
        (self._waiting if slow.work.waits else self._slow)[key] = slow
        if slow.about.deadline.passes(slow.about.version, time.monotonic() - self._stepped, self.deadline):
            self._failures.guard(None, slow.what, slow.late)

    # Requests that take several steps

    def begin_job(self, request: RequestId, method: str, steps: Steps) -> None:
        """Take a request that is answered in several steps."""
        if len(self._jobs) >= MAX_REQUESTS:
            steps.work.close()
            self._refuse(request, method)
        else:
            self._jobs.append(_Job(request, method, steps))

    def _step(self, job: _Job) -> None:
        """Do one step of a request that takes several, and answer it after the last one."""
        if self._connection.is_cancelled(job.request):
            self._end(job)
            self._cancel(job)
            return
        try:
            next(job.steps.work)
        except StopIteration as stop:
            result = stop.value
            self._end(job)
            self._failures.guard(job.request, job.method, lambda: self._connection.reply(job.request, result))
        except Exception as error:  # noqa: BLE001 - as in `Failures.guard`
            self._end(job)
            self._failures.report(job.request, job.method, error)
        else:
            job.steps.report(False)

    def _end(self, job: _Job) -> None:
        """Forget a request that is about to be answered."""
        self._jobs.remove(job)
        job.steps.work.close()
        job.steps.report(True)

    # Requests that are put by

    def put_by(self, request: RequestId, method: str, again: Callable[[], None]) -> None:
        """Keep a request until `take_up`, which calls `again`."""
        if len(self._put_by) >= MAX_REQUESTS:
            self._refuse(request, method)
        else:
            self._put_by.append(_PutBy(request, method, again))

    def take_up(self) -> None:
        """Take up the requests that were put by; they may be put by once more."""
        waiting, self._put_by = self._put_by, []
        for each in waiting:
            each.again()

    def _drop_cancelled(self) -> None:
        """Answer the requests that were put by and are not wanted any more."""
        for each in [each for each in self._put_by if self._connection.is_cancelled(each.request)]:
            self._put_by.remove(each)
            self._cancel(each)

    # The end of work

    def _refuse(self, request: RequestId, method: str) -> None:
        """Answer a request that comes while more wait for an answer than can be kept."""
        words = f"`{method}` is not answered: {MAX_REQUESTS} requests wait for an answer"
        self._connection.fail(request, SERVER_CANCELLED, words)

    def _cancel(self, one: _Job | _PutBy, words: str = "was cancelled") -> None:
        self._connection.fail(one.request, CANCELLED, f"`{one.method}` {words}")

    def cancel_requests(self, words: str) -> None:
        """Answer every request that waits or is under way with an error."""
        for each in self._put_by:
            self._cancel(each, words)
        self._put_by.clear()
        for job in self._under_way():
            self._cancel(job, words)

    def _under_way(self) -> Iterator[_Job]:
        while self._jobs:
            job = self._jobs[0]
            self._end(job)
            yield job

    def close(self) -> None:
        """End everything that is under way."""
        for key in [*self._slow, *self._waiting]:
            self.abandon(key)
        while self._jobs:
            self._jobs.popleft().steps.work.close()
        self.slices.close()
