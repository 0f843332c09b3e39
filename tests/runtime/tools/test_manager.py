"""The manager: which steps a call passes, who is asked, how tools are timed, stopped and answered for."""

import asyncio
import contextvars
import gc
import json
import threading
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.api import Call
from callwright.runtime.log import LogEvent
from callwright.runtime.strict import StrictParser
from callwright.runtime.tools.base import StrictTool, ToolError, ToolResult, is_dangerous
from callwright.runtime.tools.manager import Approve, StrictToolManager
from callwright.text.span import Span
from callwright.tools.objects import tool_schema

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
#: Long enough that no test comes to its end by it.
NEVER = 600


class Tool:
    """A tool of any function, with whatever attributes a test wants."""

    def __init__(
        self,
        name: str = "echo_text",
        execute: Callable[[Mapping[str, Any]], Any] = lambda params: params["text"],
        *,
        schema: Mapping[str, Any] | None = None,
        **attributes: Any,
    ) -> None:
        self.name = name
        self.schema: Mapping[str, Any] = TEXT if schema is None else schema
        self.executed: list[Any] = []
        self._execute = execute
        vars(self).update(attributes)

    def validate(self, params: Mapping[str, Any]) -> None:
        if params.get("text") == "odd":
            raise ToolError("The text is odd.")

    def execute(self, params: Mapping[str, Any]) -> Any:
        self.executed.append(params)
        return self._execute(params)


class Waiter(Tool):
    """The same, awaited."""

    async def execute(self, params: Mapping[str, Any]) -> Any:
        self.executed.append(params)
        return await self._execute(params)


def call(tool: str | None = "echo_text", **arguments: Any) -> Call:
    return Call(tool, arguments, "xml-children", Span(0, 0))


def both(manager: StrictToolManager, given: Call) -> ToolResult:
    """Run a call in both ways, which must come to the same."""
    blocking = manager.run(given)
    suspending = asyncio.run(manager.arun(given))
    assert (blocking.kind, blocking.value, blocking.error) == (suspending.kind, suspending.value, suspending.error)
    return blocking


def test_a_call_is_carried_out() -> None:
    manager = StrictToolManager([Tool()])
    result = both(manager, call(text="a"))
    assert result == ToolResult(call(text="a"), ok=True, value="a")
    assert result.text == "a"
    assert result.to_dict() == {
        "tool": "echo_text", "call_id": None, "ok": True, "kind": "ok", "value": "a", "error": None,
    }  # fmt: skip


def test_an_unknown_tool_is_reported_with_what_may_be_meant() -> None:
    manager = StrictToolManager([Tool()])
    assert both(manager, call("echo_txt", text="a")).error == "`echo_txt` is not a tool; did you mean `echo_text`?"
    assert both(manager, call("launch")).error == "`launch` is not a tool; there are `echo_text`."
    assert both(manager, call(None)).kind == "unknown"
    assert StrictToolManager().run(call()).error == "`echo_text` is not a tool; there are no tools."


def test_arguments_are_held_against_the_schema_again() -> None:
    tool = Tool()
    manager = StrictToolManager([tool])
    result = both(manager, call(text=1))
    assert result.kind == "invalid"
    assert result.error == (
        "The arguments of `echo_text` are not valid: `text` is an integer, but the schema requires a string."
    )
    assert both(manager, call()).error == (
        "The arguments of `echo_text` are not valid: the call lacks `text`, which is required."
    )
    assert tool.executed == []


def test_the_tool_itself_may_refuse_arguments() -> None:
    tool = Tool()
    result = both(StrictToolManager([tool]), call(text="odd"))
    assert (result.kind, result.error) == ("invalid", "The text is odd.")
    assert tool.executed == []


def test_an_alias_of_a_parameter_comes_under_its_proper_name() -> None:
    schema = {
        "type": "object",
        "properties": {"text": {"type": "string"}, "words": {"type": "string", "x-alias-of": "text"}},
        "required": ["text"],
    }
    tool = Tool(schema=schema)
    assert both(StrictToolManager([tool]), call(words="a")).value == "a"
    assert tool.executed == [{"text": "a"}, {"text": "a"}]


def test_a_tool_cannot_change_the_call() -> None:
    def change(params: Any) -> str:
        params["text"] = "changed"
        return "done"

    given = call(text="a")
    assert both(StrictToolManager([Tool(execute=change)]), given).ok
    assert given.arguments == {"text": "a"}


NUMBERS = {
    "type": "object",
    "properties": {
        "count": {"type": "integer"},
        "maybe": {"type": ["integer", "null"]},
        "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        "one_of": {"enum": [1, 2]},
        "ratio": {"type": "number"},
        "any": {},
        "lines": {"type": "array", "items": {"$ref": "#/$defs/line"}},
        "pair": {"prefixItems": [{"type": "integer"}, {"type": "number"}]},
    },
    "additionalProperties": {"type": "integer"},
    "$defs": {"line": {"type": "object", "properties": {"at": {"type": "integer"}, "line": {"$ref": "#/$defs/line"}}}},
}


def test_a_tool_is_given_an_int_where_its_schema_wants_an_integer() -> None:
    written: dict[str, Any] = {
        "count": 5.0,
        "maybe": 4.0,
        "either": 3.0,
        "one_of": 2.0,
        "ratio": 5.0,
        "any": 5.0,
        "lines": [{"at": 1.0, "line": {"at": 2.0}}],
        "pair": [1.0, 1.0],
        "more": -0.0,
    }
    tool, asked = Tool(schema=NUMBERS, execute=lambda params: list(range(params["count"])), dangerous=True), []

    def approve(one: Call, _: StrictTool) -> bool:
        asked.append(one.arguments)
        return True

    given_call = call(**written)
    assert both(StrictToolManager([tool], approve=approve), given_call).value == [0, 1, 2, 3, 4]
    wanted = {
        "count": 5,
        "maybe": 4,
        "either": 3,
        "one_of": 2,
        "ratio": 5.0,
        "any": 5.0,
        "lines": [{"at": 1, "line": {"at": 2}}],
        "pair": [1, 1.0],
        "more": 0,
    }
    assert [repr(each) for each in (*tool.executed, *asked)] == [repr(wanted)] * 4
    assert repr(given_call.arguments) == repr(written)


def test_a_number_that_is_no_integer_is_refused_as_it_was_written() -> None:
    assert both(StrictToolManager([Tool(schema=NUMBERS)]), call(count=5.5)).kind == "invalid"


def test_a_list_that_holds_itself_comes_to_an_end() -> None:
    loop: list[Any] = [1.0]
    loop.append(loop)
    schema = {"type": "object", "properties": {"any": {"$ref": "#/$defs/list"}}}
    defs = {"list": {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/list"}]}}}
    result = StrictToolManager([Tool(schema={**schema, "$defs": defs}, execute=lambda _: "done")]).run(call(any=loop))
    assert result.kind in ("ok", "invalid", "error")


@pytest.mark.parametrize("name", ["a b", "a\tb", "<lambda>", "a`b", "a\u200bb", "\ud800", "say 'it'"])
def test_a_name_that_most_formats_cannot_call_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="cannot be called in most dialects because its name contains"):
        StrictToolManager([Tool(name)])


@pytest.mark.parametrize("name", ["echo", "mcp__files__read", "files/read", "a.b-c:d", "läs_fil", "読む"])
def test_a_name_that_formats_can_call_is_taken(name: str) -> None:
    assert StrictToolManager([Tool(name)]).registry.names == (name,)


# -- exceptions --------------------------------------------------------------------------------------------------------


def failing(error: BaseException) -> Tool:
    def fail(_: Any) -> None:
        raise error

    return Tool(execute=fail)


def test_an_exception_becomes_a_result_without_a_traceback() -> None:
    result = both(StrictToolManager([failing(ValueError("no\nsuch thing"))]), call(text="a"))
    assert (result.kind, result.error) == ("error", "`echo_text` failed: ValueError: no such thing")
    assert result.trace is not None
    assert "Traceback" in result.trace
    assert "Traceback" not in result.text
    assert result.to_dict()["trace"] == result.trace


def test_what_a_tool_states_of_its_failure_is_passed_on() -> None:
    result = both(StrictToolManager([failing(ToolError("There is no such file."))]), call(text="a"))
    assert (result.kind, result.error) == ("error", "There is no such file.")


def test_long_reasons_are_cut() -> None:
    result = StrictToolManager([failing(ValueError("x" * 100_000))]).run(call(text="a"))
    assert len(str(result.error)) < 1_100


def test_exceptions_that_cannot_be_printed() -> None:
    class Rude(Exception):  # noqa: N818
        def __str__(self) -> str:
            raise RuntimeError("no words")

    assert both(StrictToolManager([failing(Rude())]), call(text="a")).error == "`echo_text` failed: Rude."


@pytest.mark.parametrize("error", [StopIteration(), StopAsyncIteration(), TimeoutError("own"), asyncio.QueueEmpty()])
@pytest.mark.parametrize("timeout", [None, NEVER])
def test_unusual_exceptions_are_errors_too(error: Exception, timeout: float | None) -> None:
    assert both(StrictToolManager([failing(error)], timeout=timeout), call(text="a")).kind == "error"


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("timeout", [None, NEVER])
def test_what_ends_a_program_passes(error: type[BaseException], timeout: float | None) -> None:
    manager = StrictToolManager([failing(error())], timeout=timeout)
    with pytest.raises(error):
        manager.run(call(text="a"))
    with pytest.raises(error):
        asyncio.run(manager.arun(call(text="a")))
    assert manager.running == ()


def test_a_coroutine_that_raises() -> None:
    async def fail(_: Any) -> None:
        raise LookupError("nowhere")

    assert both(StrictToolManager([Waiter(execute=fail)]), call(text="a")).error == (
        "`echo_text` failed: LookupError: nowhere"
    )


def test_a_coroutine_that_cancels_itself_does_not_cancel_the_caller() -> None:
    async def abandon(_: Any) -> None:
        raise asyncio.CancelledError

    assert both(StrictToolManager([Waiter(execute=abandon)]), call(text="a")).kind == "cancelled"


# -- leave -------------------------------------------------------------------------------------------------------------


def test_a_dangerous_tool_needs_leave_and_is_denied_by_default() -> None:
    tool = Tool(dangerous=True)
    result = both(StrictToolManager([tool]), call(text="a"))
    assert result.kind == "denied"
    assert result.error == ("`echo_text` was not run: it needs approval, and no `approve` is set. Continue without it.")
    assert tool.executed == []


async def _later(answer: Any) -> Any:
    await asyncio.sleep(0)
    return answer


def _refuse(*_: Any) -> bool:
    raise RuntimeError("the window is closed")


async def _refuse_later(*_: Any) -> bool:
    raise RuntimeError("the window is closed")


@pytest.mark.parametrize(
    ("approve", "allowed"),
    [
        (lambda *_: True, True),
        (lambda *_: _later(True), True),
        (lambda *_: False, False),
        (lambda *_: _later(False), False),
        (lambda *_: "yes", False),
        (lambda *_: 1, False),
        (lambda *_: None, False),
        (_refuse, False),
        (_refuse_later, False),
    ],
)
def test_only_true_allows(approve: Approve, *, allowed: bool) -> None:
    tool = Tool(dangerous=True)
    events: list[LogEvent] = []
    result = both(StrictToolManager([tool], approve=approve, log=events.append), call(text="a"))
    assert result.ok is allowed
    assert len(tool.executed) == (2 if allowed else 0)
    assert [event.node_type for event in events] == ["approval", "approval"]
    assert events[0].data["approved"] is allowed


def test_harmless_tools_and_bad_arguments_need_no_confirmation() -> None:
    asked: list[Call] = []

    def approve(asked_for: Call, _: StrictTool) -> bool:
        asked.append(asked_for)
        return True

    manager = StrictToolManager([Tool(dangerous=True), Tool("harmless_one")], approve=approve)
    assert both(manager, call("harmless_one", text="a")).ok
    assert both(manager, call(text=3)).kind == "invalid"
    assert both(manager, call(text="odd")).kind == "invalid"
    assert asked == []


def test_what_is_allowed_is_what_runs() -> None:
    def approve(asked: Call, _: StrictTool) -> bool:
        asked.arguments["text"] = "other"
        return True

    tool = Tool(dangerous=True)
    given = call(text="a")
    assert both(StrictToolManager([tool], approve=approve), given).value == "a"
    assert given.arguments == {"text": "a"}


def test_a_log_that_fails_does_not_stop_the_work() -> None:
    def broken(_: LogEvent) -> None:
        raise OSError("disk full")

    assert StrictToolManager([Tool(dangerous=True)], approve=lambda *_: True, log=broken).run(call(text="a")).ok


@pytest.mark.parametrize(
    ("attributes", "dangerous"),
    [
        ({}, False),
        ({"dangerous": True}, True),
        ({"annotations": {"destructiveHint": True}}, True),
        ({"annotations": {"readOnlyHint": False}}, True),
        ({"annotations": {"readOnlyHint": True}}, False),
        ({"annotations": {"readOnlyHint": True, "destructiveHint": True}}, False),
        ({"annotations": {"destructiveHint": True}, "dangerous": False}, False),
        ({"annotations": {"readOnlyHint": True}, "dangerous": True}, True),
    ],
)
def test_what_is_dangerous(attributes: dict[str, Any], *, dangerous: bool) -> None:
    tool = Tool(**attributes)
    assert is_dangerous(tool, tool_schema(tool)) is dangerous
    assert StrictToolManager([tool]).needs_leave("echo_text") is dangerous


# -- time --------------------------------------------------------------------------------------------------------------


def test_a_tool_that_blocks_is_given_up() -> None:
    release = threading.Event()
    manager = StrictToolManager([Tool(execute=lambda _: release.wait(NEVER))], timeout=0.01)
    try:
        result = both(manager, call(text="a"))
        assert (result.kind, result.error) == (
            "timeout",
            "`echo_text` took longer than 0.01 seconds and may still be running.",
        )
        assert manager.running == ()
    finally:
        release.set()


def test_an_awaited_tool_is_cancelled_in_time() -> None:
    ended: list[str] = []

    async def wait(_: Any) -> None:
        try:
            await asyncio.sleep(NEVER)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    result = both(StrictToolManager([Waiter(execute=wait)], timeout=0.01), call(text="a"))
    assert (result.kind, str(result.error).endswith("and was cancelled.")) == ("timeout", True)
    assert ended == ["cancelled", "cancelled"]


def test_a_plain_tool_may_return_an_awaitable() -> None:
    async def wait(_: Any) -> str:
        await asyncio.sleep(0)
        return "waited"

    async def wait_long(_: Any) -> None:
        await asyncio.sleep(NEVER)

    assert both(StrictToolManager([Tool(execute=wait)]), call(text="a")).value == "waited"
    assert both(StrictToolManager([Tool(execute=wait_long)], timeout=0.05), call(text="a")).kind == "timeout"


def test_a_tools_own_timeout_comes_first() -> None:
    release = threading.Event()
    slow = Tool(execute=lambda _: release.wait(NEVER), timeout=0.01)
    patient = Tool("patient_one", execute=lambda _: "done", timeout=NEVER)
    manager = StrictToolManager([slow, patient], timeout=NEVER)
    try:
        assert both(manager, call(text="a")).kind == "timeout"
        assert both(manager, call("patient_one", text="a")).ok
    finally:
        release.set()


@pytest.mark.parametrize("timeout", [0, -1, True, "3", float("nan")])
def test_a_timeout_is_a_number_above_zero(timeout: Any) -> None:
    with pytest.raises(ValueError, match="must be a number of seconds greater than 0"):
        StrictToolManager(timeout=timeout)
    with pytest.raises(ValueError, match="the timeout of the tool `echo_text`"):
        StrictToolManager([Tool(timeout=timeout)])


def test_threads_are_bounded_and_wait_for_their_turn() -> None:
    together, most = threading.Barrier(2), []

    def work(_: Any) -> str:
        most.append(threading.active_count())
        together.wait(NEVER)
        return "done"

    manager = StrictToolManager([Tool(execute=work)], max_threads=2)

    async def many() -> list[ToolResult]:
        return await asyncio.gather(*(manager.arun(call(text="a")) for _ in range(8)))

    before = threading.active_count()
    assert all(result.ok for result in asyncio.run(many()))
    assert max(most) <= before + 2


def test_a_call_that_got_no_thread_in_time_never_runs() -> None:
    release = threading.Event()
    tool = Tool(execute=lambda params: release.wait(NEVER) and params["text"])
    manager = StrictToolManager([tool], timeout=0.05, max_threads=1)
    assert manager.run(call(text="first")).kind == "timeout"
    assert manager.run(call(text="second")).kind == "timeout"
    release.set()
    # The thread is free again, and what waited too long is forgotten.
    patient = StrictToolManager([], timeout=NEVER)
    patient._workers = manager._workers
    patient.register(Tool())
    assert patient.run(call(text="third")).ok
    assert [params["text"] for params in tool.executed] == ["first"]


def test_a_system_without_threads_gives_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    tool = Tool()
    manager = StrictToolManager([tool], timeout=NEVER)
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        for _ in range(3):
            assert manager.run(call(text="a")).error == "`echo_text` failed: RuntimeError: can't start new thread"
    assert manager.run(call(text="b")).ok
    assert tool.executed == [{"text": "b"}]


def test_tools_see_the_callers_context() -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable")
    variable.set("seen")
    for timeout in (None, NEVER):
        assert both(StrictToolManager([Tool(execute=lambda _: variable.get())], timeout=timeout), call(text="a")).ok


def test_run_works_inside_a_running_loop() -> None:
    async def answer(_: Any) -> str:
        return "done"

    async def main() -> ToolResult:
        return StrictToolManager([Waiter(execute=answer)]).run(call(text="a"))

    assert asyncio.run(main()).value == "done"


# -- stopping ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suspends", [True, False])
def test_cancel_stops_what_runs(*, suspends: bool) -> None:
    begun, release = threading.Event(), threading.Event()

    async def wait(_: Any) -> None:
        begun.set()
        await asyncio.sleep(NEVER)

    def block(_: Any) -> None:
        begun.set()
        release.wait(NEVER)

    tool = Waiter(execute=wait) if suspends else Tool(execute=block)
    manager = StrictToolManager([tool], timeout=NEVER)

    def stop() -> None:
        begun.wait(NEVER)
        assert manager.running == (call(text="a"),)
        manager.cancel()
        manager.cancel()

    try:
        for run in (manager.run, lambda given: asyncio.run(manager.arun(given))):
            begun.clear()
            thread = threading.Thread(target=stop)
            thread.start()
            result = run(call(text="a"))
            thread.join()
            assert (result.kind, result.error) == ("cancelled", "`echo_text` was stopped before it finished.")
            assert manager.running == ()
    finally:
        release.set()


def test_cancel_stops_the_wait_for_leave() -> None:
    asked = threading.Event()

    async def approve(*_: Any) -> bool:
        asked.set()
        await asyncio.sleep(NEVER)
        return True

    tool = Tool(dangerous=True)
    manager = StrictToolManager([tool], approve=approve)

    def stop() -> None:
        asked.wait(NEVER)
        manager.cancel()

    thread = threading.Thread(target=stop)
    thread.start()
    assert manager.run(call(text="a")).kind == "cancelled"
    thread.join()
    assert tool.executed == []


@pytest.mark.parametrize("suspends", [True, False])
def test_the_cancellation_of_the_caller_passes_and_reaches_the_tool(*, suspends: bool) -> None:
    ended: list[str] = []
    release = threading.Event()

    async def main() -> None:
        begun = asyncio.Event()
        loop = asyncio.get_running_loop()

        async def wait(_: Any) -> None:
            begun.set()
            try:
                await asyncio.sleep(NEVER)
            finally:
                ended.append("tool")

        def block(_: Any) -> None:
            loop.call_soon_threadsafe(begun.set)
            release.wait(NEVER)

        tool = Waiter(execute=wait) if suspends else Tool(execute=block)
        manager = StrictToolManager([tool])
        task = asyncio.create_task(manager.arun(call(text="a")))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert manager.running == ()

    try:
        asyncio.run(main())
    finally:
        release.set()
    assert ended == (["tool"] if suspends else [])


def test_many_tasks_share_a_manager() -> None:
    async def answer(params: Mapping[str, Any]) -> str:
        await asyncio.sleep(0)
        return str(params["text"]) + "!"

    manager = StrictToolManager([Waiter(execute=answer)], timeout=NEVER)

    async def main() -> list[ToolResult]:
        return await asyncio.gather(*(manager.arun(call(text=str(number))) for number in range(200)))

    results = asyncio.run(main())
    assert [result.value for result in results] == [f"{number}!" for number in range(200)]
    assert [result.call.arguments["text"] for result in results] == [str(number) for number in range(200)]


# -- results -----------------------------------------------------------------------------------------------------------

OUTPUT = {"type": "object", "properties": {"size": {"type": "integer"}}, "required": ["size"]}


def test_a_result_is_held_against_the_output_schema() -> None:
    good = Tool(execute=lambda _: {"size": 3}, output_schema=OUTPUT)
    result = both(StrictToolManager([good]), call(text="a"))
    assert (result.value, result.text) == ({"size": 3}, '{"size": 3}')
    bad = Tool(execute=lambda _: {"size": "3"}, output_schema=OUTPUT)
    result = both(StrictToolManager([bad]), call(text="a"))
    assert (result.kind, result.ok, result.value) == ("output", False, {"size": "3"})
    assert result.error == (
        "`echo_text` returned a result that does not match its output schema: `size` is a string, but the schema"
        " requires an integer."
    )
    lacking = Tool(execute=lambda _: {}, output_schema=OUTPUT)
    assert both(StrictToolManager([lacking]), call(text="a")).error == (
        "`echo_text` returned a result that does not match its output schema: the result lacks `size`, which is"
        " required."
    )


def _cycle() -> list[Any]:
    items: list[Any] = []
    items.append(items)
    return items


class Fickle(dict[str, Any]):
    def items(self) -> Any:
        raise RuntimeError("not today")


@pytest.mark.parametrize(
    ("returned", "stated"),
    [
        (b"bytes", "a `bytes` is at the top"),
        ({"a": [object()]}, "a `object` is at `a.0`"),
        ({1: "a"}, "a key at the top is a `int`, not a string"),
        ([float("nan")], "`nan` is not a JSON number (at `0`)"),
        ({"a": float("inf")}, "`inf` is not a JSON number (at `a`)"),
        ([10**5000], "there is a number with too many digits at `0`"),
        (_cycle(), "it is nested more than 100 levels deep"),
        (Fickle(a=1), "RuntimeError: not today"),
        (iter([1]), "is at the top"),
    ],
)
def test_only_json_is_passed_on(returned: Any, stated: str) -> None:
    result = StrictToolManager([Tool(execute=lambda _: returned)]).run(call(text="a"))
    assert result.kind == "output"
    assert stated in str(result.error)
    assert result.value is None


def test_a_result_is_plain_data_of_its_own() -> None:
    inner = (1, 2.5, None, True, "\ud83d\ude00 \ud800")
    returned = {"a": inner}
    result = StrictToolManager([Tool(execute=lambda _: returned)]).run(call(text="a"))
    assert result.value == {"a": [1, 2.5, None, True, "😀 \ufffd"]}
    result.text.encode()
    returned["b"] = inner
    assert "b" not in result.value


ODD = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(st.characters(codec=None)), st.binary(max_size=3),
        st.complex_numbers(), st.dates(), st.sets(st.integers(), max_size=2), st.just(object()), st.just(Fickle(a=1)),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner, inner),
        st.dictionaries(st.one_of(st.text(st.characters(codec=None), max_size=3), st.none()), inner, max_size=3),
    ),
    max_leaves=8,
)  # fmt: skip


@settings(deadline=None)
@given(returned=ODD, name=st.one_of(st.none(), st.text(st.characters(codec=None), max_size=8)))
def test_whatever_comes_back_can_be_reported_and_logged(returned: Any, name: str | None) -> None:
    manager = StrictToolManager([Tool(execute=lambda _: returned)], max_result=40)
    for given_call in (call(text="a"), call(name, text="a")):
        result = manager.run(given_call)
        assert result.kind in ("ok", "output", "unknown")
        result.text.encode()
        assert len(result.text) < 40 + 60
        assert json.loads(json.dumps(result.value, allow_nan=False)) == result.value


def test_a_long_result_is_cut_with_a_marker() -> None:
    manager = StrictToolManager([Tool(execute=lambda _: "ab" * 50)], max_result=10)
    result = both(manager, call(text="a"))
    assert result.ok
    assert result.value == "ab" * 50
    assert result.text == "ababababab\n[… cut here: 10 of 100 characters are shown]"
    items = StrictToolManager([Tool(execute=lambda _: ["ab"] * 3)], max_result=4).run(call(text="a"))
    assert items.text == '["ab\n[… cut here: 4 of 18 characters are shown]'
    stated = StrictToolManager([failing(ToolError("x" * 100))], max_result=10).run(call(text="a"))
    assert stated.text == "x" * 10 + "\n[… cut here: 10 of 100 characters are shown]"


# -- which tools there are ---------------------------------------------------------------------------------------------


def test_the_registry_holds_what_is_registered() -> None:
    manager = StrictToolManager([Tool(output_schema=OUTPUT, description="Says it again.")])
    (tool,) = manager.registry
    assert (tool.name, tool.description, tool.input_schema, tool.output_schema) == (
        "echo_text", "Says it again.", TEXT, OUTPUT,
    )  # fmt: skip
    calls = StrictParser(tools=manager.registry, dialect="xml-children").parse_or_raise(
        "<echo_text><text>a</text></echo_text>"
    )
    with pytest.raises(ValueError, match="there is already a tool `echo_text`"):
        manager.register(Tool())
    first = manager.tools[0]
    assert manager.unregister("echo_text") is first
    assert (manager.tools, len(manager.registry)) == ((), 0)
    assert manager.run(calls[0]).kind == "unknown"
    with pytest.raises(KeyError):
        manager.unregister("echo_text")
    manager.register(Tool())
    assert manager.run(calls[0]).ok


def test_a_whole_definition_may_be_the_schema() -> None:
    definition = {
        "type": "function",
        "function": {"name": "echo_text", "description": "From OpenAI.", "parameters": TEXT},
    }
    tool = tool_schema(Tool(schema=definition, output_schema=OUTPUT, annotations={"readOnlyHint": True}))
    assert (tool.description, tool.input_schema, tool.output_schema) == ("From OpenAI.", TEXT, OUTPUT)
    assert tool.annotations == {"readOnlyHint": True}
    tool = tool_schema(Tool(schema={"inputSchema": TEXT, "aliases": ["say_text"]}))
    assert tool.aliases == ("say_text",)


def test_examples_are_known() -> None:
    (tool,) = StrictToolManager([Tool(examples=[{"text": "a"}])]).registry
    assert tool.examples == ({"text": "a"},)
    definition = {"type": "function", "function": {"name": "echo_text", "parameters": TEXT}}
    assert tool_schema(Tool(schema=definition, examples=[{"text": "a"}])).examples == ({"text": "a"},)


def test_aliases_of_tools_are_names_too() -> None:
    manager = StrictToolManager([Tool(schema={"inputSchema": TEXT, "aliases": ["say_text"]})])
    assert both(manager, call("say_text", text="a")).ok
    with pytest.raises(ValueError, match="there is already a tool `say_text`"):
        manager.register(Tool("say_text"))


@pytest.mark.parametrize("schema", [{"type": "objekt"}, {"name": "other_one", "inputSchema": TEXT}])
def test_a_schema_that_cannot_be_worked_with_is_refused(schema: Mapping[str, Any]) -> None:
    with pytest.raises(ValueError, match="the tool `echo_text`"):
        StrictToolManager([Tool(schema=schema)])


def test_what_is_no_tool_is_refused() -> None:
    for thing in (Tool, object(), "read_file", {"name": "f"}):
        with pytest.raises(TypeError, match="not a tool"):
            StrictToolManager([thing])  # type: ignore[list-item]


def test_a_validation_that_would_not_run_is_refused() -> None:
    class Late(Tool):
        async def validate(self, params: Mapping[str, Any]) -> None:  # type: ignore[override]
            raise ToolError(str(params))

    with pytest.raises(TypeError, match="must be a plain function"):
        StrictToolManager([Late()])  # type: ignore[list-item]

    class Sly(Tool):
        def validate(self, params: Mapping[str, Any]) -> Any:
            return _later(params)

    sly = Sly()
    result = both(StrictToolManager([sly]), call(text="a"))
    assert (result.kind, sly.executed) == ("error", [])


def test_registering_is_atomic_among_threads() -> None:
    manager = StrictToolManager()
    failures: list[BaseException] = []

    def register() -> None:
        for number in range(50):
            try:
                manager.register(Tool(f"tool_{number}"))
            except ValueError as error:
                failures.append(error)

    threads = [threading.Thread(target=register) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(manager.tools) == len(manager.registry) == 50
    assert len(failures) == 150


def test_nothing_is_left_over() -> None:
    manager = StrictToolManager([Tool()], timeout=NEVER)
    for _ in range(20):
        both(manager, call(text="a"))
    gc.collect()
    assert manager.running == ()
    assert not [thread for thread in threading.enumerate() if thread.name == "callwright-tool-loop"]
