"""One run of a conversation with a model: the outcome of each reply, and the next messages.

Owns: `Run`, its result, when a run stops, what is written into the conversation. Must not know: how a model is asked,
how a tool is run, threads, asyncio.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from callwright.rules.base import ErrorType
from callwright.runtime.tools.base import ToolResult

if TYPE_CHECKING:
    import os

    from callwright.api import Call
    from callwright.runtime.errors import ParseError
    from callwright.runtime.log import Log
    from callwright.runtime.replies import ReadReply
    from callwright.runtime.session import Session
    from callwright.runtime.strict import StrictParser
    from callwright.runtime.strikes import Strikes

#: A message: `role` and `content`; other members are the caller's and are passed on.
Message: TypeAlias = dict[str, Any]

#: Why a run ended: the model answered without a call; the caller must run the calls, since there is no manager; too
#: many replies in a row were rejected; all turns are used up; it was cancelled; the model or another callback raised.
StopReason: TypeAlias = Literal["answer", "calls", "max_mistakes", "max_turns", "cancelled", "failed"]

#: The result for a call that was not run, or did not finish.
_NOT_RUN = "This call was not run: the run was cancelled first."
_BROKEN_OFF = "This call was interrupted; it is not known whether it had an effect."


@dataclass(frozen=True, slots=True)
class LoopResult:
    """The result of a run.

    `messages` is the whole conversation, beginning with the initial messages: each reply is an `assistant` message,
    each rejected one is followed by its feedback as a `user` message, each with calls by their results. `turns` counts
    the replies of the model. `text` is the last of them, `calls` the calls in it (with the stop reason `"calls"` they
    are still to be run), `error` the error that it was rejected with. `results` has the result of every call that was
    run, `errors` every rejection, both in order. `strikes` is the counter that the run used, `parser` its parser.

    `finish_reason` is the provider's reason why the last reply ended, and `cut_off` says that it reached its length
    limit, where the model passes these on: such an answer may be incomplete.
    """

    messages: list[Message]
    stop: StopReason
    turns: int
    error: ParseError | None
    text: str
    calls: list[Call]
    results: list[ToolResult]
    errors: list[ParseError]
    strikes: Strikes
    parser: StrictParser = field(repr=False, compare=False)
    finish_reason: str | None = None
    cut_off: bool = False

    def dump(self, path: str | os.PathLike[str]) -> None:
        """Write the run to a file that `callwright check` and `callwright replay` read.

        Raises OSError where the file cannot be written.
        """
        from callwright.runtime.session import Session

        Session.of(self.parser, self).dump(path)


class Journal:
    """Reports the steps of a run to a log, and the conversation to a session; without them no events are built."""

    def __init__(self, log: Log | None, session: Session | str | None, clock: Callable[[], float] | None) -> None:
        self._log = log
        self._clock = clock
        self._record: Session | None = None
        self._session: str | None
        if session is None or isinstance(session, str):
            self._session = session
            return
        from callwright.runtime.log import to_all

        self._record, self._session = session, session.id
        self._log = to_all(session, log)

    def begin(self, parser: StrictParser, strikes: Strikes) -> None:
        """Pass the options and tools for reading replies to a session that was made without a parser."""
        if self._record is not None and self._record.dialect is None and not self._record.tools:
            self._record.read_by(parser, strikes)

    def stated(self, messages: Sequence[Message]) -> None:
        """Record the current conversation; the messages before a session's first turn are its history."""
        if self._record is not None:
            if not self._record.messages:
                self._record.history = len(messages)
            self._record.messages = [dict(message) for message in messages]

    def note(self, node_type: str, data: Mapping[str, Any]) -> None:
        """Report a step."""
        if self._log is not None:
            from callwright.runtime.log import LogEvent

            self._log(LogEvent(node_type, data, self._now(), self._session))

    def call(self, node_type: Literal["tool_call", "tool_result"], call: Call, data: Mapping[str, Any]) -> None:
        """Report a call, or its result."""
        if self._log is not None:
            from callwright.runtime.log import LogEvent

            self._log(LogEvent.of_call(node_type, call, at=self._now(), session=self._session, **data))

    def rejected(self, error: ParseError, turn: int, strikes: Strikes, feedback: str) -> None:
        """Report a rejected reply and its feedback."""
        if self._log is not None:
            from callwright.runtime.log import LogEvent

            now, more = self._now(), {"feedback": feedback}
            self._log(LogEvent.of_error(error, turn=turn, strikes=strikes, at=now, session=self._session, **more))

    def _now(self) -> float:
        return self._clock() if self._clock is not None else time.time()


class Run:
    """The state of one run. A driver asks it whether to continue and what to send, and passes it replies and results.

    Invariant: a turn is in the conversation completely or not at all: a reply with its feedback or results. `cancel`
    may be called by any thread, everything else only by the driver's.
    """

    def __init__(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        parser: StrictParser,
        strikes: Strikes,
        max_turns: int,
        feedback: Callable[[ParseError], str] | None,
        journal: Journal,
        runs_tools: bool,
        asked: Mapping[str, str],
    ) -> None:
        """Begin with copies of the messages; `asked` names the model for the log.

        Raises TypeError where there are no messages.
        """
        self._messages = _copied(messages)
        self._parser = parser
        self._strikes = strikes
        self._max_turns = max_turns
        self._feedback = feedback
        self._journal = journal
        journal.begin(parser, strikes)
        journal.stated(self._messages)
        self._runs_tools = runs_tools
        self._asked = asked
        self._turns = 0
        self._stop: StopReason | None = None
        self._text = ""
        self._finish_reason: str | None = None
        self._cut_off = False
        self._calls: list[Call] = []
        self._running: list[Call] = []
        #: The results of the turn's calls, in their order.
        self._came: list[ToolResult] = []
        self._error: ParseError | None = None
        self._results: list[ToolResult] = []
        self._errors: list[ParseError] = []
        self._cancelled = False

    @property
    def cancelled(self) -> bool:
        """Whether the run is cancelled and has to stop."""
        return self._cancelled

    def cancel(self) -> None:
        """Stop the run before the next request to the model, the next tool, the next piece of a reply."""
        self._cancelled = True

    def goes_on(self) -> bool:
        """Return whether to ask the model again."""
        if self._stop is None:
            if self._cancelled:
                self._stop = "cancelled"
            elif self._turns >= self._max_turns:
                self._stop = "max_turns"
        return self._stop is None

    def prompt(self) -> list[Message]:
        """Return copies of the messages for the model, which may change them."""
        self._journal.note("turn", {"turn": self._turns + 1, "messages": len(self._messages), **self._asked})
        return [dict(message) for message in self._messages]

    @contextmanager
    def turn(
        self, reply: ReadReply, overlap: Callable[[Call], bool] = lambda _: False
    ) -> Iterator[Iterator[Sequence[Call]]]:
        """Process a reply and yield the calls to run, none where it is rejected or is an answer.

        Successive calls that `overlap` accepts come as one group and may run concurrently. The driver passes each
        result to `ran`, in order, or calls `broke` where its runner raised. At the end, also after an exception, the
        turn is written into the conversation; a call without a result then gets one that says so.
        """
        calls, error = reply.result
        if error is not None and self._parser.strikes is None:
            error = self._strikes.failed(error)
        elif calls and self._parser.strikes is None:
            self._strikes.succeeded()
        self._turns += 1
        self._text, self._finish_reason, self._cut_off = reply.text, reply.finish_reason, reply.cut_off
        self._calls, self._error = calls, error
        ended = {"finish_reason": reply.finish_reason, "cut_off": reply.cut_off, "interrupted": reply.interrupted}
        self._journal.note("model_reply", {"turn": self._turns, "text": reply.text, **ended})
        stated: Message = {"role": "assistant", "content": reply.text}
        if error is not None:
            self._rejected(stated, error)
            yield iter(())
        elif not calls or not self._runs_tools:
            self._write(stated)
            self._stop = "calls" if calls else "answer"
            yield iter(())
        else:
            self._came = []
            try:
                yield self._to_run(calls, overlap)
            finally:
                self._answer(stated, calls)

    def ran(self, result: ToolResult) -> None:
        """Record the result of a call."""
        self._results.append(result)
        self._came.append(result)
        self._journal.call("tool_result", result.call, {"turn": self._turns, **result.to_dict()})

    def broke(self, call: Call) -> None:
        """Record that the result of a call is unknown, because its runner raised."""
        self._came.append(ToolResult(call, ok=False, error=_BROKEN_OFF, kind="cancelled"))

    def fail(self, error: BaseException) -> None:
        """Record the exception that ends the run: one that is not an `Exception` (a cancelled task, an interrupt)
        cancels it.
        """
        self._stop = "failed" if isinstance(error, Exception) else "cancelled"

    def end(self) -> LoopResult:
        """End the run and return its result."""
        result = self.result()
        self._journal.stated(self._messages)
        counted = {"errors": len(result.errors), "strikes": self._strikes.to_dict()}
        self._journal.note("stop", {"turn": result.turns, "reason": result.stop, **counted})
        return result

    def result(self) -> LoopResult:
        """Return the result of the run so far."""
        return LoopResult(
            messages=list(self._messages),
            stop=self._stop or "cancelled",
            turns=self._turns,
            error=self._error,
            text=self._text,
            calls=list(self._calls),
            results=list(self._results),
            errors=list(self._errors),
            strikes=self._strikes,
            parser=self._parser,
            finish_reason=self._finish_reason,
            cut_off=self._cut_off,
        )

    def _rejected(self, stated: Message, error: ParseError) -> None:
        """Answer a rejected reply with feedback, also the last one, so that the conversation is complete."""
        self._errors.append(error)
        reported = self._feedback_for(error)
        if error.type is ErrorType.MAX_MISTAKES:
            self._stop = "max_mistakes"
        self._journal.rejected(error, self._turns, self._strikes, reported)
        self._write(stated, {"role": "user", "content": reported})

    def _feedback_for(self, error: ParseError) -> str:
        from callwright.runtime.feedback import DEFAULT, Feedback

        feedback = self._feedback if self._feedback is not None else DEFAULT
        reported: Any = feedback(error, cut_off=self._cut_off) if isinstance(feedback, Feedback) else feedback(error)
        if not isinstance(reported, str):
            raise TypeError(f"`feedback` returned a `{type(reported).__name__}`: it must return a string")
        return reported

    def _to_run(self, calls: Sequence[Call], overlap: Callable[[Call], bool]) -> Iterator[Sequence[Call]]:
        numbered = enumerate(calls, 1)
        for _, several in groupby(numbered, lambda each: None if overlap(each[1]) else each[0]):
            if self._cancelled:
                return
            together = list(several)
            self._running = [call for _, call in together]
            for number, call in together:
                self._journal.call("tool_call", call, {"turn": self._turns, "number": number})
            yield self._running

    def _answer(self, stated: Message, calls: Sequence[Call]) -> None:
        """Write the reply and a result for each of its calls into the conversation."""
        from callwright.runtime.tools.results import render_results

        results = list(self._came)
        for call in calls[len(results) :]:
            why = _BROKEN_OFF if any(call is one for one in self._running) else _NOT_RUN
            results.append(ToolResult(call, ok=False, error=why, kind="cancelled"))
        self._write(stated, *render_results(results, self._parser.dialect))

    def _write(self, *messages: Message) -> None:
        """Write a whole turn into the conversation."""
        self._messages += messages
        self._journal.stated(self._messages)


def _copied(messages: Any) -> list[Message]:
    """Return copies of the caller's messages. Raises TypeError where they are not messages."""
    if isinstance(messages, (str, bytes, Mapping)) or not isinstance(messages, Iterable):
        raise TypeError('messages must be a list of objects, such as `[{"role": "user", "content": "…"}]`')
    copies: list[Message] = []
    for message in messages:
        if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
            raise TypeError(f"message {len(copies) + 1} is not an object with a string `role`")
        copies.append(dict(message))
    return copies
