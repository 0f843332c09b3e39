"""The feedback loop: what a model is sent, which tools are run, when it stops, how all kinds of models are driven."""

from __future__ import annotations

import asyncio
import copy
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from callwright.runtime.limits import Limits
from callwright.runtime.log import LogEvent
from callwright.runtime.loop import FeedbackLoop
from callwright.runtime.models import Reply
from callwright.runtime.session import Session
from callwright.runtime.strict import StrictParser
from callwright.runtime.strikes import Strikes
from callwright.runtime.turns import LoopResult
from invariants.streams import chunks
from runtime.loops import (
    FENCED,
    Deploy,
    Message,
    RunCode,
    Script,
    awaited,
    awaited_in_pieces,
    fenced,
    in_pieces,
    manager_of,
    run_code,
)

ASKED: list[Message] = [{"role": "user", "content": "Print hello."}]
GOOD = run_code("print('hello')")
EXTRA_BRACES = fenced('{"tool": "run_code", "arguments": {"code": "print(\'hello\')"}}}}')
UNKNOWN = fenced('{"tool": "run_cod", "arguments": {"code": "print(\'hello\')"}}')
TWO = run_code("print('one')") + "\n\nand\n\n" + run_code("print('two')")
HALF_GOOD = f"{GOOD}\n\nand\n\n{EXTRA_BRACES}"


def loop_of(model: Any, tool: RunCode | None = None, **options: Any) -> tuple[FeedbackLoop, RunCode]:
    """Return a loop with one tool, and the tool."""
    tool = tool if tool is not None else RunCode()
    manager = options.pop("manager", manager_of(tool))
    parser = options.pop("parser", None) or StrictParser(tools=manager_of(tool).registry, dialect=FENCED)
    return FeedbackLoop(model=model, parser=parser, manager=manager, **options), tool


async def until(event: asyncio.Event, task: asyncio.Task[LoopResult]) -> None:
    """Wait until an event is set, which a task is to do; a task that ends before has failed."""
    waiting = asyncio.ensure_future(event.wait())
    await asyncio.wait({waiting, task}, return_when=asyncio.FIRST_COMPLETED)
    if not event.is_set():
        waiting.cancel()
        raise AssertionError(f"the run ended: {task.result()}")


def roles(result: LoopResult) -> str:
    return "".join(message["role"][0] for message in result.messages)


# -- the feedback ------------------------------------------------------------------------------------------------------


def test_a_mistake_is_reported_and_fixed_and_the_result_is_answered() -> None:
    script = Script(EXTRA_BRACES, f"I apologize for the extra braces.\n\n{GOOD}", "It says hello.")
    loop, tool = loop_of(script)
    result = loop.run(ASKED)
    assert (result.stop, result.turns, result.text) == ("answer", 3, "It says hello.")
    assert tool.ran == [{"code": "print('hello')"}]
    assert roles(result) == "uauaua"
    reported = result.messages[2]["content"]
    assert "2 extra closing braces" in reported
    assert reported == result.errors[0].feedback()
    assert "hello" in result.messages[4]["content"]
    assert [each.value for each in result.results] == ["hello"]
    assert (result.error, result.strikes.count) == (None, 0)
    assert loop.result == result


def test_the_model_is_asked_with_all_that_was_stated_so_far() -> None:
    script = Script(EXTRA_BRACES, GOOD)
    loop, _ = loop_of(script)
    result = loop.run(ASKED)
    assert [len(prompt) for prompt in script.prompts] == [1, 3, 5]
    assert script.prompts == [result.messages[: len(prompt)] for prompt in script.prompts]


def test_messages_of_the_caller_are_left_alone_and_kept_whole() -> None:
    given: list[Message] = [
        {"role": "system", "content": "Be brief.", "cache": {"type": "ephemeral"}},
        {"role": "user", "content": [{"type": "text", "text": "Print hello."}]},
    ]
    before = copy.deepcopy(given)
    loop, _ = loop_of(Script(EXTRA_BRACES, GOOD))
    result = loop.run(tuple(given))
    assert given == before
    assert result.messages[:2] == before
    result.messages[0]["content"] = "changed"
    assert given == before


@pytest.mark.parametrize("messages", ["Print hello.", {"role": "user", "content": "a"}, b"a", None, 7])
def test_what_is_no_list_of_messages_is_refused(messages: Any) -> None:
    loop, _ = loop_of(Script())
    with pytest.raises(TypeError, match="messages must be a list of objects"):
        loop.run(messages)


@pytest.mark.parametrize("message", ["Print hello.", {"content": "a"}, {"role": None, "content": "a"}])
def test_a_message_without_a_role_is_refused(message: Any) -> None:
    loop, _ = loop_of(Script())
    with pytest.raises(TypeError, match="message 2 is not an object"):
        loop.run([*ASKED, message])


def test_feedback_may_be_worded_otherwise() -> None:
    loop, _ = loop_of(Script(EXTRA_BRACES), feedback=lambda error: f"No: {error.type.value}")
    assert loop.run(ASKED).messages[2] == {"role": "user", "content": "No: MALFORMED_JSON"}


def test_feedback_that_is_no_text_is_refused() -> None:
    loop, _ = loop_of(Script(EXTRA_BRACES), feedback=lambda _: None)
    with pytest.raises(TypeError, match="`feedback` returned a `NoneType`"):
        loop.run(ASKED)
    assert loop.result is not None
    assert (loop.result.stop, loop.result.messages) == ("failed", ASKED)


# -- which tools are run -----------------------------------------------------------------------------------------------


def test_no_tool_of_a_rejected_reply_is_run() -> None:
    loop, tool = loop_of(Script(HALF_GOOD))
    result = loop.run(ASKED)
    assert tool.ran == []
    assert (result.results, result.turns, len(result.errors)) == ([], 2, 1)


def test_calls_are_run_in_their_order_and_answered_together() -> None:
    loop, tool = loop_of(Script(TWO))
    result = loop.run(ASKED)
    assert [each["code"] for each in tool.ran] == ["print('one')", "print('two')"]
    assert roles(result) == "uaua"
    reported = result.messages[2]["content"]
    assert reported.index("one") < reported.index("two")


def test_a_tool_that_fails_gives_a_result() -> None:
    loop, _ = loop_of(Script(run_code("print(")))
    result = loop.run(ASKED)
    assert [(each.kind, each.ok) for each in result.results] == [("error", False)]
    assert "invalid syntax" in result.messages[2]["content"]
    assert result.stop == "answer"


def test_a_dangerous_tool_is_not_run_unless_it_is_allowed() -> None:
    call = fenced('{"tool": "deploy", "arguments": {"code": "all"}}')
    tool = Deploy()
    result = loop_of(Script(call), tool)[0].run(ASKED)
    assert tool.ran == []
    assert [each.kind for each in result.results] == ["denied"]
    assert "not run" in result.messages[2]["content"]
    allowing = manager_of(tool, approve=lambda call, _: call.arguments == {"code": "all"})
    assert loop_of(Script(call), tool, manager=allowing)[0].run(ASKED).results[0].value == "deployed"


def test_without_a_manager_the_caller_runs_the_calls_and_goes_on() -> None:
    script = Script(EXTRA_BRACES, TWO, "One, two.")
    loop, tool = loop_of(script, manager=None)
    result = loop.run(ASKED)
    assert (result.stop, result.turns, roles(result)) == ("calls", 2, "uaua")
    assert [call.arguments["code"] for call in result.calls] == ["print('one')", "print('two')"]
    from callwright.runtime.tools.results import render_results

    manager = manager_of(tool)
    answers = render_results([manager.run(call) for call in result.calls], FENCED)
    result = loop.run([*result.messages, *answers])
    assert (result.stop, result.text, roles(result)) == ("answer", "One, two.", "uauaua")


# -- when it stops -----------------------------------------------------------------------------------------------------


def test_a_reply_without_a_call_is_the_answer() -> None:
    loop, _ = loop_of(Script("Hello!"))
    result = loop.run(ASKED)
    assert (result.stop, result.turns, result.text, result.calls, roles(result)) == ("answer", 1, "Hello!", [], "ua")


def test_a_reply_without_a_call_is_a_mistake_where_calls_are_required() -> None:
    tool = RunCode()
    parser = StrictParser(tools=manager_of(tool).registry, dialect=FENCED, require_call=True)
    loop, _ = loop_of(Script("Hello!", GOOD), tool, parser=parser, max_turns=2)
    result = loop.run(ASKED)
    assert (result.stop, [error.type.value for error in result.errors]) == ("max_turns", ["NO_CALLS"])
    assert len(tool.ran) == 1


def test_the_fourth_mistake_in_a_row_is_one_too_many() -> None:
    script = Script(EXTRA_BRACES, UNKNOWN, EXTRA_BRACES, UNKNOWN, GOOD)
    loop, tool = loop_of(script)
    result = loop.run(ASKED)
    assert (result.stop, result.turns, tool.ran) == ("max_mistakes", 4, [])
    types = [error.type.value for error in result.errors]
    assert types == ["MALFORMED_JSON", "UNKNOWN_TOOL", "MALFORMED_JSON", "MAX_MISTAKES"]
    assert result.error is result.errors[-1]
    assert result.error is not None
    assert result.error.cause is not None
    assert result.error.cause.type.value == "UNKNOWN_TOOL"
    assert roles(result) == "uauauauau"
    assert result.messages[-1]["content"] == result.error.feedback()


def test_a_sound_call_sets_the_count_to_zero() -> None:
    script = Script(EXTRA_BRACES, EXTRA_BRACES, EXTRA_BRACES, GOOD, EXTRA_BRACES, EXTRA_BRACES, EXTRA_BRACES)
    loop, _ = loop_of(script)
    result = loop.run(ASKED)
    assert (result.stop, result.turns, result.strikes.count) == ("answer", 8, 3)


def test_turns_are_used_up_by_mistakes_and_by_calls() -> None:
    loop, tool = loop_of(Script(EXTRA_BRACES, GOOD, GOOD), max_turns=2)
    result = loop.run(ASKED)
    assert (result.stop, result.turns, roles(result)) == ("max_turns", 2, "uauau")
    assert len(tool.ran) == 1, "the calls of the last turn are run, and their results told"
    assert len(result.calls) == 1


def test_a_run_can_go_on_where_the_turns_were_used_up() -> None:
    script = Script(EXTRA_BRACES, GOOD)
    loop, _ = loop_of(script, max_turns=1)
    first = loop.run(ASKED)
    second = loop.run(first.messages)
    third = loop.run(second.messages)
    assert [each.stop for each in (first, second, third)] == ["max_turns", "max_turns", "answer"]
    assert third.messages[: len(second.messages)] == second.messages


def test_each_run_counts_its_own_strikes_unless_they_are_given() -> None:
    loop, tool = loop_of(Script(*[EXTRA_BRACES] * 8), max_turns=2)
    assert [loop.run(ASKED).strikes.count for _ in range(3)] == [2, 2, 2]
    strikes = Strikes()
    loop, _ = loop_of(Script(*[EXTRA_BRACES] * 8), tool, max_turns=2, strikes=strikes)
    assert [loop.run(ASKED).stop for _ in range(2)] == ["max_turns", "max_mistakes"]
    assert strikes.count == 4


def test_strikes_of_the_parser_are_counted_once() -> None:
    tool = RunCode()
    strikes = Strikes(1)
    parser = StrictParser(tools=manager_of(tool).registry, dialect=FENCED, strikes=strikes)
    loop, _ = loop_of(Script(EXTRA_BRACES, EXTRA_BRACES), tool, parser=parser)
    result = loop.run(ASKED)
    assert (result.stop, result.turns, strikes.count) == ("max_mistakes", 2, 2)
    assert result.strikes is strikes
    assert FeedbackLoop(model=Script(), parser=parser, strikes=strikes).strikes is strikes
    with pytest.raises(ValueError, match="not to both"):
        FeedbackLoop(model=Script(), parser=parser, strikes=Strikes())


def test_what_cannot_be_a_loop_is_refused() -> None:
    parser = StrictParser(tools=manager_of(RunCode()).registry, dialect=FENCED)
    with pytest.raises(ValueError, match="whole number of at least 1"):
        FeedbackLoop(model=Script(), parser=parser, max_turns=0)
    with pytest.raises(TypeError, match="must be callable"):
        FeedbackLoop(model="gpt", parser=parser)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="the manager is a `list`: pass a `StrictToolManager` with the tools"):
        FeedbackLoop(model=Script(), parser=parser, manager=[RunCode()])  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["feedback", "on_event"])
def test_what_a_loop_is_to_call_must_be_callable(name: str) -> None:
    parser = StrictParser(tools=manager_of(RunCode()).registry, dialect=FENCED)
    options: dict[str, Any] = {name: "Mend it."}
    with pytest.raises(TypeError, match=f"`{name}` is a `str`: it must be callable with"):
        FeedbackLoop(model=Script(), parser=parser, **options)


# -- models of all kinds -----------------------------------------------------------------------------------------------


class AsyncModel:
    """An object whose call is a coroutine."""

    def __init__(self, script: Script) -> None:
        self.script = script

    async def __call__(self, messages: list[Message]) -> str:
        await asyncio.sleep(0)
        return self.script.next(messages)


def test_every_kind_of_model_gives_the_same_run() -> None:
    replies = (EXTRA_BRACES, TWO, "Done.")
    plain = loop_of(Script(*replies))[0].run(ASKED)
    assert loop_of(in_pieces(Script(*replies), [3, 1]))[0].run(ASKED).messages == plain.messages
    for model in (
        Script(*replies),
        in_pieces(Script(*replies), [2]),
        awaited(Script(*replies)),
        awaited_in_pieces(Script(*replies), [5]),
        AsyncModel(Script(*replies)),
    ):
        result = asyncio.run(loop_of(model)[0].arun(ASKED))
        assert (result.messages, result.stop, result.turns) == (plain.messages, plain.stop, plain.turns)


def test_a_coroutine_may_give_pieces() -> None:
    script = Script(GOOD)

    async def pieces(messages: list[Message]) -> Iterator[str]:
        return iter([*script.next(messages)])

    async def more(messages: list[Message]) -> AsyncIterator[str]:
        return awaited_in_pieces(script, [4])(messages)

    assert asyncio.run(loop_of(pieces)[0].arun(ASKED)).turns == 2
    script.prompts.clear()
    assert asyncio.run(loop_of(more)[0].arun(ASKED)).turns == 2


@pytest.mark.parametrize("made", [awaited, lambda script: awaited_in_pieces(script, [1]), AsyncModel])
def test_run_refuses_an_asynchronous_model_and_names_arun(made: Any) -> None:
    script = Script(GOOD)
    loop, _ = loop_of(made(script))
    with pytest.raises(TypeError, match=r"await loop\.arun\(messages\)"):
        loop.run(ASKED)
    assert script.prompts == []


@pytest.mark.parametrize("given", [None, 7, b"text", {"content": "text"}])
def test_what_is_no_reply_is_refused(given: Any) -> None:
    loop, _ = loop_of(lambda _: given)
    with pytest.raises(TypeError, match="a reply must be a string or an iterator"):
        loop.run(ASKED)
    with pytest.raises(TypeError, match="a reply must be a string or an iterator"):
        asyncio.run(loop.arun(ASKED))


def test_pieces_that_are_no_text_are_refused() -> None:
    loop, _ = loop_of(lambda _: iter(["a", None]))
    with pytest.raises(TypeError, match="chunk of type `NoneType`"):
        loop.run(ASKED)


def test_what_the_provider_states_of_the_end_is_passed_on() -> None:
    loop, _ = loop_of(lambda _: Reply("Half an ans", finish_reason="length"))
    result = loop.run(ASKED)
    assert (result.stop, result.finish_reason, result.cut_off) == ("answer", "length", True)
    assert type(result.messages[-1]["content"]) is str


# -- replies that arrive -----------------------------------------------------------------------------------------------


class Response:
    """The pieces of a reply from a connection, which notes that it is closed."""

    def __init__(self, text: str, size: int = 1) -> None:
        self.pieces = chunks(text, [size])
        self.given = 0
        self.closed = 0

    def __iter__(self) -> Response:
        return self

    def __next__(self) -> str:
        piece = next(self.pieces)
        self.given += len(piece)
        return piece

    def close(self) -> None:
        self.closed += 1


class AsyncResponse(Response):
    """The same for `async for`; its `close` is a coroutine function, as that of some clients is."""

    def __aiter__(self) -> AsyncResponse:
        return self

    async def __anext__(self) -> str:
        for piece in self.pieces:
            self.given += len(piece)
            return piece
        raise StopAsyncIteration

    async def aclose(self) -> None:
        await asyncio.sleep(0)
        self.closed += 1


def answering(response: Response) -> Any:
    """Return a model that gives a response first, and a last word then."""

    def model(messages: list[Message]) -> Any:
        return response if len(messages) == 1 else "Done."

    return model


def test_events_come_while_the_reply_arrives() -> None:
    seen: list[tuple[int, str]] = []
    response = Response(f"I print.\n\n{GOOD}\n\nDone.")
    loop, _ = loop_of(answering(response), on_event=lambda event: seen.append((response.given, type(event).__name__)))
    result = loop.run(ASKED)
    names = [name for _, name in seen]
    assert names.index("CallOpened") < names.index("ArgumentText") < names.index("CallClosed")
    opened = next(at for at, name in seen if name == "CallOpened")
    assert opened <= len("I print.\n\n") + GOOD.index('"arguments"')
    assert result.messages[1]["content"] == f"I print.\n\n{GOOD}\n\nDone."
    assert response.closed


def test_events_come_for_replies_that_come_whole() -> None:
    names: list[str] = []
    loop, _ = loop_of(Script(EXTRA_BRACES, GOOD), on_event=lambda event: names.append(type(event).__name__))
    result = loop.run(ASKED)
    assert (result.stop, result.turns) == ("answer", 3)
    assert (names.count("ProblemFound"), names.count("CallClosed"), names[-1]) == (1, 1, "Text")


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("kind", [Response, AsyncResponse])
def test_a_reply_is_left_when_its_first_call_is_complete(kind: type[Response], size: int) -> None:
    before = f"I print.\n\n{GOOD}"
    response = kind(f"{before}\n\nIt printed hello, so now {EXTRA_BRACES}", size)
    loop, tool = loop_of(answering(response), interrupt=True)
    result = asyncio.run(loop.arun(ASKED)) if kind is AsyncResponse else loop.run(ASKED)
    assert (result.stop, len(tool.ran), result.errors) == ("answer", 1, [])
    assert result.messages[1]["content"] == before
    assert response.given <= len(before) + 1 + size
    assert response.closed


@pytest.mark.parametrize("kind", [Response, AsyncResponse])
def test_a_reply_is_left_when_a_mistake_in_it_is_certain(kind: type[Response]) -> None:
    response = kind(f"{UNKNOWN}\n\nand {'more ' * 1000}")
    loop, tool = loop_of(answering(response), interrupt=True)
    result = asyncio.run(loop.arun(ASKED)) if kind is AsyncResponse else loop.run(ASKED)
    assert ([error.type.value for error in result.errors], tool.ran) == (["UNKNOWN_TOOL"], [])
    assert len(UNKNOWN) <= len(result.messages[1]["content"]) <= len(UNKNOWN) + 2
    assert response.given <= len(UNKNOWN) + 2
    assert response.closed


def test_a_reply_that_only_talks_is_heard_to_its_end() -> None:
    response = Response("I only talk. " * 100)
    loop, _ = loop_of(answering(response), interrupt=True)
    assert loop.run(ASKED).text == "I only talk. " * 100


def test_a_reply_without_an_end_is_left() -> None:
    closed: list[bool] = []

    def model(messages: list[Message]) -> Iterator[str]:
        if len(messages) > 1:
            yield "Sorry."
            return
        try:
            while True:
                yield "and on "
        finally:
            closed.append(True)

    tool = RunCode()
    parser = StrictParser(tools=manager_of(tool).registry, dialect=FENCED, limits=Limits(max_text=10_000))
    loop, _ = loop_of(model, tool, parser=parser)
    result = loop.run(ASKED)
    assert (result.stop, closed) == ("answer", [True])
    assert "longer than 10000 characters" in result.errors[0].message
    assert len(result.messages[1]["content"]) == 10_001


def test_what_a_listener_raises_comes_out_and_closes_the_reply() -> None:
    response = Response(GOOD)

    def listener(_: object) -> None:
        raise UnreachableError("nobody listens")

    loop, _ = loop_of(answering(response), on_event=listener)
    with pytest.raises(UnreachableError):
        loop.run(ASKED)
    assert response.closed


def test_a_cancelled_task_closes_the_reply() -> None:
    async def main() -> None:
        closed = asyncio.Event()
        waiting = asyncio.Event()

        async def model(_: list[Message]) -> AsyncIterator[str]:
            try:
                yield "I "
                waiting.set()
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0)
                closed.set()

        loop, _ = loop_of(model)
        task = asyncio.create_task(loop.arun(ASKED))
        await until(waiting, task)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert closed.is_set()

    asyncio.run(main())


# -- exceptions and cancellation ---------------------------------------------------------------------------------------


class UnreachableError(Exception):
    """A provider's error."""


def failing_after(script: Script, turns: int) -> Any:
    def model(messages: list[Message]) -> str:
        if len(script.prompts) == turns:
            raise UnreachableError("no route to host")
        return script.next(messages)

    return model


def test_an_exception_of_the_model_comes_out_and_the_run_so_far_is_kept() -> None:
    loop, tool = loop_of(failing_after(Script(EXTRA_BRACES, GOOD), 2))
    with pytest.raises(UnreachableError) as caught:
        loop.run(ASKED)
    assert loop.result is not None
    assert caught.value.loop_result == loop.result  # type: ignore[attr-defined]
    assert (loop.result.stop, loop.result.turns, roles(loop.result)) == ("failed", 2, "uauau")
    assert len(tool.ran) == 1


def test_an_exception_within_a_reply_loses_that_reply_only() -> None:
    closed: list[bool] = []

    def model(messages: list[Message]) -> Iterator[str]:
        try:
            yield GOOD
            if len(messages) > 1:
                raise UnreachableError("connection reset")
        finally:
            closed.append(True)

    loop, _ = loop_of(model)
    with pytest.raises(UnreachableError):
        loop.run(ASKED)
    assert loop.result is not None
    assert roles(loop.result) == "uau"
    assert closed == [True, True]


def test_an_interrupt_in_a_tool_leaves_a_whole_turn() -> None:
    class Interrupted(RunCode):
        def execute(self, params: Any) -> Any:
            if self.ran:
                raise KeyboardInterrupt
            return super().execute(params)

    loop, _ = loop_of(Script(f"{TWO}\n\n{GOOD}"), Interrupted())
    with pytest.raises(KeyboardInterrupt):
        loop.run(ASKED)
    assert loop.result is not None
    assert (loop.result.stop, roles(loop.result), len(loop.result.results)) == ("cancelled", "uau", 1)
    reported = loop.result.messages[-1]["content"]
    assert reported.index("one") < reported.index("interrupted") < reported.index("not run")


def test_cancelling_from_a_tool_keeps_what_was_done() -> None:
    loops: list[FeedbackLoop] = []

    class Cancelling(RunCode):
        def execute(self, params: Any) -> Any:
            loops[0].cancel()
            return super().execute(params)

    loop, tool = loop_of(Script(TWO), Cancelling())
    loops.append(loop)
    result = loop.run(ASKED)
    assert (result.stop, result.turns, len(tool.ran)) == ("cancelled", 1, 1)
    assert roles(result) == "uau"
    assert "one" in result.messages[-1]["content"]
    assert "not run" in result.messages[-1]["content"]
    assert loop.run(ASKED).stop == "answer", "runs that begin later are not concerned"


def test_cancelling_between_pieces_drops_the_reply_and_closes_it() -> None:
    loops: list[FeedbackLoop] = []
    closed: list[str] = []

    def model(_: list[Message]) -> Iterator[str]:
        try:
            yield "I "
            loops[0].cancel()
            yield "go "
            raise AssertionError("nobody wants another piece")
        finally:
            closed.append("closed")

    loop, _ = loop_of(model)
    loops.append(loop)
    result = loop.run(ASKED)
    assert (result.stop, result.turns, roles(result), closed) == ("cancelled", 0, "u", ["closed"])
    result = asyncio.run(loop.arun(ASKED))
    assert (result.stop, result.turns, roles(result), closed) == ("cancelled", 0, "u", ["closed"] * 2)


def test_another_thread_may_cancel() -> None:
    asked, go_on = threading.Event(), threading.Event()

    def model(_: list[Message]) -> str:
        asked.set()
        assert go_on.wait(60)
        return EXTRA_BRACES

    loop, _ = loop_of(model)
    results: list[LoopResult] = []
    thread = threading.Thread(target=lambda: results.append(loop.run(ASKED)))
    thread.start()
    assert asked.wait(60)
    loop.cancel()
    go_on.set()
    thread.join(60)
    assert [(each.stop, each.turns, roles(each)) for each in results] == [("cancelled", 1, "uau")]


def test_a_cancelled_task_cancels_the_model_that_is_awaited() -> None:
    async def main() -> None:
        waiting = asyncio.Event()
        ended: list[str] = []

        async def model(messages: list[Message]) -> str:
            if len(messages) == 1:
                return GOOD
            waiting.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                ended.append("cancelled")
                raise
            return ""

        loop, _ = loop_of(model)
        task = asyncio.create_task(loop.arun(ASKED))
        await until(waiting, task)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert ended == ["cancelled"]
        assert loop.result is not None
        assert (loop.result.stop, loop.result.turns, roles(loop.result)) == ("cancelled", 1, "uau")

    asyncio.run(main())


def test_a_cancelled_task_cancels_the_tool_and_leaves_a_whole_turn() -> None:
    async def main() -> None:
        waiting = asyncio.Event()
        ended: list[str] = []

        class Waiting(RunCode):
            async def execute(self, params: Any) -> Any:
                if params["code"] == "print('one')":
                    return "one"
                waiting.set()
                try:
                    await asyncio.Event().wait()
                finally:
                    ended.append("ended")

        loop, _ = loop_of(Script(f"{TWO}\n\n{GOOD}"), Waiting())
        task = asyncio.create_task(loop.arun(ASKED))
        await until(waiting, task)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert ended == ["ended"]
        assert loop.result is not None
        assert (loop.result.stop, roles(loop.result), len(loop.result.results)) == ("cancelled", "uau", 1)
        reported = loop.result.messages[-1]["content"]
        assert reported.index("one") < reported.index("interrupted") < reported.index("not run")

    asyncio.run(main())


def test_a_task_that_only_drives_plain_models_can_be_cancelled() -> None:
    async def main() -> None:
        loop, _ = loop_of(lambda _: GOOD, max_turns=10**9)
        task = asyncio.create_task(loop.arun(ASKED))
        for _ in range(10):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert loop.result is not None
        assert loop.result.stop == "cancelled"

    asyncio.run(main())


def test_runs_of_one_loop_at_the_same_time_do_not_mix() -> None:
    async def main() -> None:
        async def model(messages: list[Message]) -> str:
            for _ in range(len(messages[0]["content"]) % 3 + 1):
                await asyncio.sleep(0)
            if len(messages) < 4:
                return EXTRA_BRACES
            return run_code(f"print('{messages[0]['content']}')") if len(messages) < 7 else messages[0]["content"]

        loop, tool = loop_of(model)
        names = [f"run {'x' * number}" for number in range(20)]
        results = await asyncio.gather(*(loop.arun([{"role": "user", "content": name}]) for name in names))
        for name, result in zip(names, results, strict=True):
            assert (result.text, result.stop, result.turns) == (name, "answer", 4)
            assert [each.value for each in result.results] == [name]
            assert len(result.errors) == 2
        assert len(tool.ran) == 20

    asyncio.run(main())


def test_threads_may_run_one_loop_at_the_same_time() -> None:
    from concurrent.futures import ThreadPoolExecutor

    def model(messages: list[Message]) -> str:
        return [EXTRA_BRACES, GOOD, str(messages[0]["content"])][len(messages) // 2]

    loop, _ = loop_of(model)
    with ThreadPoolExecutor(8) as pool:
        results = [*pool.map(lambda number: loop.run([{"role": "user", "content": f"run {number}"}]), range(40))]
    assert [(each.text, each.turns, len(each.errors)) for each in results] == [(f"run {n}", 3, 1) for n in range(40)]


# -- the log -----------------------------------------------------------------------------------------------------------


def test_the_log_reports_every_step() -> None:
    events: list[LogEvent] = []
    ticks = iter(range(100))
    loop, _ = loop_of(Script(EXTRA_BRACES, TWO), log=events.append, session="s-1", clock=lambda: float(next(ticks)))
    result = loop.run(ASKED)
    assert [(event.data["turn"], event.node_type) for event in events] == [
        (1, "turn"),
        (1, "model_reply"),
        (1, "validation_error"),
        (2, "turn"),
        (2, "model_reply"),
        (2, "tool_call"),
        (2, "tool_result"),
        (2, "tool_call"),
        (2, "tool_result"),
        (3, "turn"),
        (3, "model_reply"),
        (3, "stop"),
    ]
    assert [event.at for event in events] == [float(tick) for tick in range(12)]
    assert {event.session for event in events} == {"s-1"}
    failed = events[2].data
    assert failed["feedback"] == result.messages[2]["content"]
    assert (failed["type"], failed["strikes"]) == ("MALFORMED_JSON", {"count": 1, "maximum": 3})
    assert [event.data["number"] for event in events if event.node_type == "tool_call"] == [1, 2]
    assert (events[6].data["ok"], events[6].data["value"], events[6].data["tool"]) == (True, "one", "run_code")
    assert events[-1].data["reason"] == "answer"


def test_events_are_dated_by_the_system_where_no_clock_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(100))
    monkeypatch.setattr("time.time", lambda: float(next(ticks)))
    events: list[LogEvent] = []
    loop, _ = loop_of(Script(TWO), log=events.append)
    loop.run(ASKED)
    assert [event.at for event in events] == [float(tick) for tick in range(9)]


def test_the_log_reports_too_many_mistakes_and_of_failures() -> None:
    events: list[LogEvent] = []
    loop, _ = loop_of(Script(*[UNKNOWN] * 9), log=events.append, strikes=Strikes(1))
    loop.run(ASKED)
    kinds = [event.node_type for event in events]
    assert kinds[-4:] == ["turn", "model_reply", "max_mistakes", "stop"]
    assert events[-2].data["type"] == "UNKNOWN_TOOL"
    events.clear()
    loop, _ = loop_of(failing_after(Script(), 0), log=events.append)
    with pytest.raises(UnreachableError):
        loop.run(ASKED)
    assert [event.node_type for event in events] == ["turn", "stop"]
    assert events[-1].data["reason"] == "failed"


def test_a_log_that_fails_stops_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def broken(event: LogEvent) -> None:
        raise OSError(f"disk full at {event.node_type}")

    loop, _ = loop_of(Script(EXTRA_BRACES, GOOD), log=broken)
    assert loop.run(ASKED).stop == "answer"
    assert len(caplog.records) == 1


def test_the_log_names_the_model_where_it_states_who_it_is() -> None:
    events: list[LogEvent] = []
    script: Any = Script()
    script.provider, script.model = "openai", "small"
    loop, _ = loop_of(script, log=events.append)
    loop.run(ASKED)
    assert (events[0].data["provider"], events[0].data["model"]) == ("openai", "small")


# -- the session -------------------------------------------------------------------------------------------------------


def test_a_session_has_the_conversation_and_every_step() -> None:
    loop, _ = loop_of(Script(EXTRA_BRACES, TWO), max_turns=2)
    session = Session.begin(loop.parser, ASKED, id="s-1")
    loop.session = session
    first = loop.run(ASKED)
    assert session.messages == first.messages
    second = loop.run(first.messages)
    assert session.messages == second.messages
    assert (session.history, session.stop) == (1, {"reason": "answer", "turn": 1})
    assert [error["type"] for error in session.errors] == ["MALFORMED_JSON"]
    assert [call["value"] for call in session.calls] == ["one", "two"]


def test_a_session_learns_its_history_from_the_first_run() -> None:
    loop, _ = loop_of(Script(GOOD))
    session = Session.begin(loop.parser)
    loop.session = session
    result = loop.run([{"role": "system", "content": "Be brief."}, *ASKED])
    assert (session.history, session.messages) == (2, result.messages)


def test_a_run_can_be_dumped_without_a_log(tmp_path: Path) -> None:
    loop, _ = loop_of(Script(EXTRA_BRACES, TWO))
    result = loop.run(ASKED)
    result.dump(tmp_path / "run.json")
    session = Session.load(tmp_path / "run.json")
    assert session.messages == result.messages
    assert [error["type"] for error in session.errors] == ["MALFORMED_JSON"]
    assert [call["value"] for call in session.calls] == ["one", "two"]
