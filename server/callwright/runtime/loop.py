"""The feedback loop: a model is asked, its reply read strictly, and it is told what came of it, until it answers.

Owns: `FeedbackLoop`. Must not know: what a reply comes to (`turns`), how pieces of a reply are taken (`replies`), the
words of feedback, providers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from callwright.runtime.replies import Intake, Model, aask, ask
from callwright.runtime.strikes import Strikes
from callwright.runtime.turns import Journal, LoopResult, Run

if TYPE_CHECKING:
    from callwright.api import Call
    from callwright.runtime.errors import ParseError
    from callwright.runtime.events import Event
    from callwright.runtime.log import Log
    from callwright.runtime.session import Session
    from callwright.runtime.strict import StrictParser
    from callwright.runtime.tools.base import ToolResult

#: How many replies a model may give by default.
MAX_TURNS = 10


class CallRunner(Protocol):
    """Anyone who runs calls: a `StrictToolManager`, or what behaves like one."""

    def run(self, call: Call) -> ToolResult:
        """Run a call and return what came of it; a tool that fails is a result."""

    async def arun(self, call: Call) -> ToolResult:
        """Do the same for tools that may be asynchronous."""


@runtime_checkable
class OverlapJudge(Protocol):
    """A runner of calls that says which of them may run side by side."""

    def may_overlap(self, call: Call) -> bool:
        """Return whether a call may run while others do."""


class FeedbackLoop:
    """Lets a model work with tools: it is asked, its calls are run, its mistakes are told to it, until it answers.

    Each turn asks the model with the whole conversation and reads the reply strictly.

    - A rejected reply uses up the turn: none of its tools is run, and the feedback is appended as a `user` message.
    - The calls of a sound reply are run by the manager in their order, one after another. `arun` runs those side by
      side that follow each other and of which the manager says so (`may_overlap`: the tool only reads). The results are
      appended in the dialect, in the order of the calls. Without a manager the run stops with `"calls"`: run
      `result.calls`, append `render_results(results, parser.dialect)` to `result.messages`, and run the loop with that.
    - A reply without a call is the answer and ends the run; with `StrictParser(require_call=True)` it is a mistake.

    A run also stops with the failure that is one too many (`"max_mistakes"`; three report themselves by default, and a
    sound call sets the count to zero), when `max_turns` replies were given (`"max_turns"`; the calls of the last one
    are still run), and when it is cancelled. A tool that fails or is not allowed gives a result that says so. What the
    model, `feedback` or `on_event` raises comes out unchanged; `loop.result`, and the exception's attribute
    `loop_result`, then hold what the run had come to. A log that fails stops nothing.

    The model is a function, or any object that can be called, of the messages. It returns the reply as a text or as an
    iterator of pieces; for `arun` also a coroutine of either or an asynchronous iterator. With `on_event`, the events
    of the reply come while it arrives. With `interrupt`, a reply is left and its iterator closed as soon as its first
    call is complete, or a mistake in it is certain: it then ends with that call and the others of its frame, or with
    what had arrived. A reply that is longer than the parser's limits is always left.

    One loop may run many conversations at the same time, in threads and tasks: each run has a state of its own. Only
    `strikes` are shared, where they are given here or to the parser, which then counts.
    """

    def __init__(
        self,
        *,
        model: Model,
        parser: StrictParser,
        manager: CallRunner | None = None,
        max_turns: int = MAX_TURNS,
        strikes: Strikes | None = None,
        feedback: Callable[[ParseError], str] | None = None,
        log: Log | None = None,
        on_event: Callable[[Event], None] | None = None,
        interrupt: bool = False,
        session: Session | str | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        """Take the model, the parser, and who runs tools.

        `feedback` words the message for a rejected reply; without one it is that of `ParseError.feedback()`.

        `log` is given each step as a `LogEvent`, with the name of the `session` and the time that `clock` tells, that
        of the system without one; who was asked for leave and what was answered, the manager tells its own log. A
        `Session` is told each step, too, with the parser's dialect and tools where it has none, and is given the
        conversation after each turn, so that it can be dumped at any time; it is for one conversation, which several
        runs after each other may carry on.

        Raises ValueError where `max_turns` is less than 1 or strikes would be counted twice, TypeError where the model,
        `feedback` or `on_event` cannot be called, the parser reads no replies, or the manager cannot run a call.
        """
        if not callable(model):
            raise TypeError(f"the model is a `{type(model).__name__}`: it must be callable with the list of messages")
        for name, given, what in (("feedback", feedback, "the error"), ("on_event", on_event, "an event")):
            if given is not None and not callable(given):
                raise TypeError(f"`{name}` is a `{type(given).__name__}`: it must be callable with {what}, or None")
        if not all(hasattr(parser, name) for name in ("parse", "stream", "registry")):
            raise TypeError(f"the parser is a `{type(parser).__name__}`: pass a `StrictParser` with the tools")
        if manager is not None and not any(callable(getattr(manager, name, None)) for name in ("run", "arun")):
            raise TypeError(f"the manager is a `{type(manager).__name__}`: pass a `StrictToolManager` with the tools")
        if max_turns < 1:
            raise ValueError(f"the maximum number of turns is {max_turns}: it must be at least 1")
        if strikes is not None and parser.strikes is not None and strikes is not parser.strikes:
            raise ValueError(
                "the parser already counts strikes: pass `strikes` to the parser or to the loop, not to both"
            )
        self.model = model
        self.parser = parser
        self.manager = manager
        self.max_turns = max_turns
        self.strikes = strikes if strikes is not None else parser.strikes
        self.feedback = feedback
        self.log = _guarded(log)
        self.on_event = on_event
        self.interrupt = interrupt
        self.session = session
        self.clock = clock
        named = {name: getattr(model, name, None) for name in ("provider", "model")}
        self._asked = {name: value for name, value in named.items() if isinstance(value, str)}
        #: What the run that ended last has come to, also where an exception ended it; None before any has ended.
        self.result: LoopResult | None = None
        self._runs: set[Run] = set()
        self._lock = Lock()

    def run(self, messages: Sequence[Mapping[str, Any]]) -> LoopResult:
        """Drive the model through a conversation that begins with `messages`, which are left as they are.

        Raises TypeError where `messages` are none, or the model is asynchronous, which `arun` is for.
        """
        with self._begun(messages) as run:
            while run.goes_on():
                reply = ask(self.model, run.prompt(), self._intake(run))
                if reply is None:
                    continue
                with run.turn(reply) as groups:
                    for (call,) in groups:
                        assert self.manager is not None, "without one no call is given to be run"
                        run.ran(self.manager.run(call))
        return run.result()

    async def arun(self, messages: Sequence[Mapping[str, Any]]) -> LoopResult:
        """Do as `run` does with models, tools and approvals of any kind, asynchronous or not.

        A plain model is called directly and blocks the event loop while it works: where that takes long, give
        `lambda messages: asyncio.to_thread(model, messages)`. A cancelled task cancels the model or the tool that is
        awaited.
        """
        with self._begun(messages) as run:
            while run.goes_on():
                reply = await aask(self.model, run.prompt(), self._intake(run))
                if reply is None:
                    continue
                judge: object = self.manager
                overlap = judge.may_overlap if isinstance(judge, OverlapJudge) else _one_by_one
                with run.turn(reply, overlap) as groups:
                    for calls in groups:
                        assert self.manager is not None, "without one no call is given to be run"
                        if len(calls) == 1:
                            run.ran(await self.manager.arun(calls[0]))
                        else:
                            await _run_together(self.manager, calls, run)
        return run.result()

    def cancel(self) -> None:
        """Cancel the runs that are under way; any thread may do so.

        Each stops before it asks the model again, runs the next tool or takes the next piece of a reply. What is being
        waited for comes to its end; `StrictToolManager.cancel` stops a tool. Runs that begin later are not concerned.
        """
        with self._lock:
            runs = list(self._runs)
        for run in runs:
            run.cancel()

    @contextmanager
    def _begun(self, messages: Sequence[Mapping[str, Any]]) -> Iterator[Run]:
        run = Run(
            messages,
            parser=self.parser,
            strikes=self.strikes if self.strikes is not None else Strikes(),
            max_turns=self.max_turns,
            feedback=self.feedback,
            journal=Journal(self.log, self.session, self.clock),
            runs_tools=self.manager is not None,
            asked=self._asked,
        )
        with self._lock:
            self._runs.add(run)
        try:
            yield run
        except BaseException as error:
            run.fail(error)
            error.__dict__["loop_result"] = run.result()
            raise
        finally:
            with self._lock:
                self._runs.discard(run)
            self.result = run.end()

    def _intake(self, run: Run) -> Intake:
        return Intake(self.parser, on_event=self.on_event, interrupt=self.interrupt, cancelled=lambda: run.cancelled)


def _one_by_one(_: Call) -> bool:
    return False


async def _run_together(manager: CallRunner, calls: Sequence[Call], run: Run) -> None:
    """Run calls side by side and note what came of each, in their order; then raise what a runner raised first."""
    import asyncio

    outcomes = await asyncio.gather(*map(manager.arun, calls), return_exceptions=True)
    for call, outcome in zip(calls, outcomes, strict=True):
        if isinstance(outcome, BaseException):
            run.broke(call)
        else:
            run.ran(outcome)
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome


def _guarded(log: Log | None) -> Log | None:
    if log is None:
        return None
    from callwright.runtime.log import guarded

    return guarded(log)
