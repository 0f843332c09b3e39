"""Calls of one reply that run side by side: only those of tools that only read, and nothing of the others is lost."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any, ClassVar

import pytest

from callwright.runtime import Call, FeedbackLoop, LoopResult, Session, StrictParser, StrictToolManager, ToolError
from callwright.runtime.tools.base import ToolResult

#: How long a call waits for the others before it gives up, in seconds; they come at once where they run side by side.
LIMIT = 30


class Tool:
    """A tool that returns its argument once `do` has been done."""

    schema: ClassVar[dict[str, Any]] = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}

    def __init__(self, name: str, do: Any, *, reads: bool) -> None:
        self.name, self.do = name, do
        self.annotations = {"readOnlyHint": reads}
        self.dangerous = False

    def validate(self, params: Any) -> None:
        del params

    def execute(self, params: Any) -> Any:
        outcome = self.do(params["n"])
        return outcome if outcome is not None else params["n"]


def reply_of(*calls: tuple[str, int]) -> str:
    each = (json.dumps({"name": name, "arguments": {"n": number}}) for name, number in calls)
    return "".join(f"<tool_call>{one}</tool_call>\n" for one in each)


def run(manager: Any, reply: str, session: Session | None = None) -> LoopResult:
    tools = [{"name": name, "inputSchema": Tool.schema} for name in ("read", "write")]
    replies = iter([reply, "Done."])
    parser = StrictParser(tools=tools, dialect="hermes")
    loop = FeedbackLoop(model=lambda _: next(replies), parser=parser, manager=manager, session=session)
    return asyncio.run(loop.arun([{"role": "user", "content": "Go."}]))


@pytest.mark.parametrize("kind", ["blocking", "awaited"])
def test_calls_that_only_read_run_side_by_side_and_keep_their_order(kind: str) -> None:
    threads, tasks = threading.Barrier(3, timeout=LIMIT), asyncio.Barrier(3)

    def blocking(number: int) -> int:
        threads.wait()
        return number

    async def awaited(number: int) -> int:
        await tasks.wait()
        return number

    do = awaited if kind == "awaited" else blocking
    session = Session()
    result = run(
        StrictToolManager([Tool("read", do, reads=True)], timeout=LIMIT),
        reply_of(("read", 3), ("read", 1), ("read", 2)),
        session,
    )
    assert [each.value for each in result.results] == [3, 1, 2]
    assert [each["arguments"]["n"] for each in session.calls] == [3, 1, 2]
    assert all(each["ok"] for each in session.calls)


def test_a_call_that_writes_runs_alone_and_in_its_place() -> None:
    under_way: set[int] = set()
    seen: list[tuple[int, set[int]]] = []

    async def do(number: int) -> int:
        under_way.add(number)
        for _ in range(10):
            # Whatever may run beside it begins meanwhile.
            await asyncio.sleep(0)
        seen.append((number, set(under_way)))
        under_way.discard(number)
        return number

    tools = [Tool("read", do, reads=True), Tool("write", do, reads=False)]
    run(StrictToolManager(tools), reply_of(("read", 1), ("write", 2), ("write", 3), ("read", 4)))
    assert seen == [(number, {number}) for number in (1, 2, 3, 4)]


def test_a_tool_that_fails_takes_no_other_call_with_it() -> None:
    def do(number: int) -> None:
        if number == 2:
            raise ToolError("no such file")

    result = run(StrictToolManager([Tool("read", do, reads=True)]), reply_of(("read", 1), ("read", 2), ("read", 3)))
    assert [(each.ok, each.value, each.error) for each in result.results] == [
        (True, 1, None),
        (False, None, "no such file"),
        (True, 3, None),
    ]


def test_a_runner_that_raises_loses_no_result_of_another_call() -> None:
    class Runner:
        def may_overlap(self, call: Call) -> bool:
            del call
            return True

        async def arun(self, call: Call) -> ToolResult:
            if call.arguments["n"] == 2:
                raise LookupError("broken")
            return ToolResult(call, ok=True, value=call.arguments["n"])

    with pytest.raises(LookupError, match="broken") as caught:
        run(Runner(), reply_of(("read", 1), ("read", 2), ("read", 3)))
    result: LoopResult = caught.value.loop_result  # type: ignore[attr-defined]
    assert [each.value for each in result.results] == [1, 3]
    reported = result.messages[-1]["content"]
    assert reported.index("1") < reported.index("was interrupted") < reported.rindex("3")
