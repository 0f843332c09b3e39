"""The feedback loop: ask a model, read its reply strictly, send back results or feedback, until it answers.

Owns: `FeedbackLoop`. Must not know: the outcome of a reply (`turns`), how pieces of a reply are received (`replies`),
the words of feedback, providers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from callwright.runtime.replies import Intake, Model, aask, ask
from callwright.runtime.strikes import Strikes, check_strikes
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
    """An object that runs calls: a `StrictToolManager`, or one with the same methods."""

    def run(self, call: Call) -> ToolResult:
        """Run a call and return its result; a failed tool gives a result, too."""

    async def arun(self, call: Call) -> ToolResult:
        """Run a call of a tool that may be asynchronous."""


@runtime_checkable
class OverlapJudge(Protocol):
    """A runner that says which calls may run concurrently."""

    def may_overlap(self, call: Call) -> bool:
        """Return whether a call may run concurrently with others."""


class FeedbackLoop:
    """Lets a model work with tools: asks it, runs its calls, sends it feedback on its mistakes, until it answers.

    Each turn asks the model with the whole conversation and reads the reply strictly.

    - A rejected reply uses up the turn: none of its calls is run, and the feedback is appended as a `user` message.
    - The calls of a valid reply are run by the manager in order, one after another. `arun` runs successive calls
      concurrently where the manager allows it (`may_overlap`: the tool only reads). The results are appended in the
      dialect, in the order of the calls. Without a manager the run stops with `"calls"`: run
      `result.calls`, append `render_results(results, parser.dialect)` to `result.messages`, and run the loop with that.
    - A reply without a call is the answer and ends the run; with `StrictParser(require_call=True)` it is a mistake.

    A run also stops when mistakes in a row exceed the maximum (`"max_mistakes"`; three by default, and a valid call
    resets the count), after `max_turns` replies (`"max_turns"`; the calls of the last one are still run), and when it
    is cancelled. A tool that fails or is not allowed gives a result that says so. Exceptions of the model, `feedback`
    or `on_event` are passed on unchanged; `loop.result`, and the exception's attribute `loop_result`, then have the
    result so far. A failing log does not stop the run.

    The model is a callable that takes the messages. It returns the reply as a text or as an iterator of pieces; for
    `arun` also a coroutine of either or an asynchronous iterator. With `on_event`, the events of the reply are passed
    on while it arrives. With `interrupt`, the reply is abandoned and its iterator closed as soon as its first call is
    complete, or a mistake in it is certain: it then ends with that call and the others of its frame, or with the text
    that had arrived. A reply that is longer than the parser's limits is always abandoned.

    One loop may run many conversations at the same time, in threads and tasks: each run has its own state. Only
    `strikes` are shared, if they are passed here or to the parser, which then counts.
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
        """Set the model, the parser, and the runner of tools.

        `feedback` makes the message for a rejected reply; the default is that of `ParseError.feedback()`.

        `log` receives each step as a `LogEvent`, with the name of the `session` and the time of `clock`, by default the
        system's; the manager reports approvals to its own log. A `Session` as `log` also receives the parser's dialect
        and tools, if it has none, and the conversation after each turn, so that it can be dumped at any time; it is for
        one conversation, which several successive runs may continue.

        Raises ValueError where `max_turns` is less than 1 or strikes would be counted twice, TypeError where the model,
        `feedback` or `on_event` is not callable, the parser reads no replies, or the manager cannot run a call.
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
        if type(max_turns) is not int or max_turns < 1:
            raise ValueError(f"the maximum number of turns is {max_turns!r}: it must be a whole number of at least 1")
        check_strikes(strikes)
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
        #: The result of the last run, also where an exception ended it; None before the first run has ended.
        self.result: LoopResult | None = None
        self._runs: set[Run] = set()
        self._lock = Lock()

    def run(self, messages: Sequence[Mapping[str, Any]]) -> LoopResult:
        """Run a conversation that begins with `messages`, which are not changed.

        Raises TypeError where `messages` are not messages, or the model is asynchronous: use `arun` for that.
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
        """Do as `run` does, with asynchronous or plain models, tools and approvals.

        A plain model is called directly and blocks the event loop: if it is slow, pass `lambda messages:
        asyncio.to_thread(model, messages)`. A cancelled task cancels the model or the tool that is awaited.
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
        """Cancel the current runs; any thread may call this.

        Each stops before it asks the model again, runs the next tool or takes the next piece of a reply. A pending
        request or tool finishes first; `StrictToolManager.cancel` stops a tool. Later runs are not affected.
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
    """Run calls concurrently and record each result, in their order; then raise the first exception of a runner."""
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
