"""Properties of the feedback loop with models that reply well, badly or not with calls at all, in any order."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.api import Call
from callwright.calls.protocol import RenderStyle
from callwright.dialects.catalogue import dialect_names, find_dialect
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.rules.base import Severity
from callwright.runtime.errors import ParseError
from callwright.runtime.loop import FeedbackLoop
from callwright.runtime.strict import StrictParser
from callwright.runtime.tools.base import ToolResult
from callwright.runtime.turns import LoopResult
from invariants.texts import BROKEN_CALLS, DEFINITIONS, GOOD_CALLS, REGISTRY
from runtime.loops import FENCED, Message, Script, awaited, awaited_in_pieces, fenced, in_pieces
from support.dialects import general_names

ASKED: Final[list[Message]] = [{"role": "system", "content": "Work."}, {"role": "user", "content": "Go on."}]
READ: Final = fenced('{"tool": "read_file", "arguments": {"path": "a.py"}}')
WRITE: Final = fenced('{"tool": "write_file", "arguments": {"path": "b.py", "content": "x = 1\\n"}}')
STATUS: Final = fenced('{"tool": "git_status", "arguments": {}}')
#: Replies of which it is known without any parser what they are: with so many calls, invalid, without a call.
KNOWN_GOOD: Final = [(READ, 1), (f"I write.\n\n{WRITE}\n", 1), (f"{READ}\n\nand\n\n{STATUS}\n\n{WRITE}", 3)]
KNOWN_BAD: Final = [
    fenced('{"tool": "read_file", "arguments": {"path": "a.py"}}}}'),
    fenced('{"tool": "read_file", "arguments": {"path": "a.py"'),
    fenced('{"tool": "read_file", "arguments": "a.py"}'),
    fenced('{"tool": "raed_file", "arguments": {"path": "a.py"}}'),
    fenced('{"tool": "read_file", "arguments": {"path": 1}}'),
    fenced('{"tool": "write_file", "arguments": {"content": "a"}}'),
    "<read_file>\n<path>a.py</path>\n</read_file>",
    f"{READ}\n\nand\n\n" + fenced('{"tool": "write_file", "arguments": {"path": "a.py"}}'),
    fenced('{"tool": "write_file", "arguments": {"path": "a.py"}}') + f"\n\nand\n\n{READ}",
]
TALK: Final = ["It is done.", "Is `a.py` meant? Then <b>say</b> so.", "", "```python\nprint(1)\n```", " \n"]


@dataclass(frozen=True)
class Scripted:
    """A reply, and how many calls it holds; None where it is invalid."""

    text: str
    calls: int | None


REPLIES: Final = st.one_of(
    st.sampled_from([Scripted(*each) for each in KNOWN_GOOD]),
    st.sampled_from([Scripted(text, None) for text in KNOWN_BAD]),
    st.sampled_from([Scripted(text, None) for text in KNOWN_BAD]),
    st.sampled_from([Scripted(text, 0) for text in TALK]),
)
SCRIPTS: Final = st.lists(REPLIES, max_size=12)
SIZES: Final = st.lists(st.integers(1, 40), min_size=1, max_size=4)


class Runner:
    """Runs calls by noting them; some of them fail."""

    def __init__(self) -> None:
        self.ran: list[Call] = []

    def run(self, call: Call) -> ToolResult:
        self.ran.append(call)
        if call.tool == "write_file":
            return ToolResult(call, ok=False, error="The disk is full.", kind="error")
        return ToolResult(call, ok=True, value={"tool": call.tool, "text": "<tool_call> is what I read"})

    async def arun(self, call: Call) -> ToolResult:
        await asyncio.sleep(0)
        return self.run(call)


def parser_of(dialect: str | Sequence[str] = FENCED) -> StrictParser:
    return StrictParser(tools=DEFINITIONS, dialect=dialect)


def brief(error: ParseError) -> str:
    """Return feedback that costs next to nothing."""
    return f"{error.type.value}: try again."


def run(replies: Sequence[Scripted], max_turns: int, **options: Any) -> tuple[LoopResult, Runner]:
    runner = Runner()
    script = Script(*(reply.text for reply in replies))
    options = {"feedback": brief, **options}
    loop = FeedbackLoop(model=script, parser=parser_of(), manager=runner, max_turns=max_turns, **options)
    return loop.run(ASKED), runner


def foretold(replies: Sequence[Scripted], max_turns: int) -> tuple[str, int, int, int]:
    """Return why a run stops, after how many turns and calls, and with how many strikes: the rules in few lines."""
    strikes = calls = 0
    for turn, reply in enumerate([*replies, Scripted(Script.LAST, 0)], 1):
        if reply.calls == 0:
            return "answer", turn, calls, strikes
        if reply.calls is None:
            strikes += 1
            if strikes == 4:
                return "max_mistakes", turn, calls, strikes
        else:
            strikes, calls = 0, calls + reply.calls
        if turn == max_turns:
            return "max_turns", turn, calls, strikes
    raise AssertionError("the last word is an answer")


@settings(deadline=None)
@given(SCRIPTS, st.integers(1, 14))
def test_a_run_stops_as_its_rules_foretell(replies: list[Scripted], max_turns: int) -> None:
    result, runner = run(replies, max_turns)
    found = (result.stop, result.turns, len(runner.ran), result.strikes.count)
    assert found == foretold(replies, max_turns)
    assert result.turns <= max_turns


@settings(deadline=None)
@given(SCRIPTS, st.integers(1, 14))
def test_tools_run_for_the_calls_of_sound_replies_and_for_no_others(replies: list[Scripted], max_turns: int) -> None:
    result, runner = run(replies, max_turns)
    parser = parser_of()
    heard = [reply.text for reply in replies][: result.turns]
    assert runner.ran == [call for text in heard for call in parser.parse(text).calls]
    assert [each.call for each in result.results] == runner.ran
    assert [error.text for error in result.errors] == [text for text in heard if parser.parse(text).error]


@settings(deadline=None)
@given(SCRIPTS, st.integers(1, 14))
def test_assistant_and_user_take_turns(replies: list[Scripted], max_turns: int) -> None:
    result, _ = run(replies, max_turns)
    assert result.messages[: len(ASKED)] == ASKED
    stated = result.messages[len(ASKED) :]
    assert [message["role"] for message in stated] == [("assistant", "user")[at % 2] for at in range(len(stated))]
    assert [message["content"] for message in stated[::2]] == [
        *[reply.text for reply in replies],
        Script.LAST,
    ][: result.turns]
    assert len(stated) == 2 * result.turns - (result.stop == "answer")
    assert all(isinstance(message["content"], str) for message in stated)


def plain(result: LoopResult) -> dict[str, Any]:
    """Return a result as data that can be compared."""
    return {
        "messages": result.messages,
        "stop": result.stop,
        "turns": result.turns,
        "text": result.text,
        "calls": result.calls,
        "results": result.results,
        "error": result.error and result.error.to_dict(),
        "errors": [error.to_dict() for error in result.errors],
        "strikes": result.strikes.count,
    }


@settings(deadline=None)
@given(SCRIPTS, st.integers(1, 14), SIZES)
def test_it_does_not_matter_how_a_model_is_asked(replies: list[Scripted], max_turns: int, sizes: list[int]) -> None:
    texts = [reply.text for reply in replies]

    def loop(model: Any, **options: Any) -> FeedbackLoop:
        parser = parser_of()
        return FeedbackLoop(
            model=model, parser=parser, manager=Runner(), max_turns=max_turns, feedback=brief, **options
        )

    expected = plain(loop(Script(*texts)).run(ASKED))
    assert plain(loop(in_pieces(Script(*texts), sizes)).run(ASKED)) == expected
    assert plain(loop(in_pieces(Script(*texts), sizes), on_event=lambda _: None).run(ASKED)) == expected

    async def asynchronous() -> Iterator[LoopResult]:
        models = [Script(*texts), in_pieces(Script(*texts), sizes), awaited(Script(*texts))]
        models += [awaited_in_pieces(Script(*texts), sizes)]
        return iter([await loop(model, on_event=lambda _: None).arun(ASKED) for model in models])

    for result in asyncio.run(asynchronous()):
        assert plain(result) == expected


@settings(deadline=None)
@given(SCRIPTS, SIZES)
def test_an_interrupted_reply_ends_with_its_first_call(replies: list[Scripted], sizes: list[int]) -> None:
    texts = [reply.text for reply in replies]

    def loop(model: Any) -> FeedbackLoop:
        parser = parser_of()
        return FeedbackLoop(model=model, parser=parser, manager=Runner(), interrupt=True, max_turns=14, feedback=brief)

    result = loop(in_pieces(Script(*texts), sizes)).run(ASKED)
    stated = [message["content"] for message in result.messages[len(ASKED) :: 2]]
    assert all(whole.startswith(text) for whole, text in zip([*texts, Script.LAST], stated, strict=False))
    parser = parser_of()
    for reply, text in zip(replies, stated, strict=False):
        calls, error = parser.parse(text)
        first = parser.parse(READ).calls[0].tool if text.startswith(READ) else None
        if first is not None:
            assert (text, error, [call.tool for call in calls]) == (READ, None, [first])
        elif reply.calls is None:
            assert error is not None
        else:
            assert len(calls) == min(reply.calls, 1)
    assert len(result.results) == sum(len(parser.parse(text).calls) for text in stated)


@settings(deadline=None)
@given(SCRIPTS, st.integers(1, 14))
def test_a_conversation_is_read_as_a_transcript_with_the_errors_of_its_rejections(
    replies: list[Scripted], max_turns: int
) -> None:
    result, _ = run(replies, max_turns, feedback=None)
    assert errors_of(result) == rejections_of(result)


class SlowRunner(Runner):
    """Lets others continue in the midst of each call, and notes which calls came to their end."""

    def __init__(self) -> None:
        super().__init__()
        self.ended: list[Call] = []

    async def arun(self, call: Call) -> ToolResult:
        await asyncio.sleep(0)
        result = self.run(call)
        await asyncio.sleep(0)
        self.ended.append(call)
        return result


@settings(deadline=None)
@given(SCRIPTS, SIZES, st.integers(0, 60), st.booleans())
def test_whenever_a_run_is_cancelled_it_leaves_whole_turns(
    replies: list[Scripted], sizes: list[int], after: int, by_task: bool
) -> None:
    texts = [reply.text for reply in replies]

    def loop(runner: Runner) -> FeedbackLoop:
        model = awaited_in_pieces(Script(*texts), sizes, pause=True)
        return FeedbackLoop(model=model, parser=parser_of(), manager=runner, max_turns=14, feedback=brief)

    async def broken_off() -> tuple[LoopResult, SlowRunner, bool]:
        runner = SlowRunner()
        running = loop(runner)
        task = asyncio.create_task(running.arun(ASKED))
        for _ in range(after):
            await asyncio.sleep(0)
        if by_task:
            task.cancel()
        else:
            running.cancel()
        await asyncio.wait({task})
        assert running.result is not None
        return running.result, runner, task.cancelled()

    whole = asyncio.run(loop(Runner()).arun(ASKED))
    if by_task and after == 0:
        return  # a task that never began has no run
    result, runner, was_cancelled = asyncio.run(broken_off())
    assert result.stop == ("cancelled" if was_cancelled or result.stop == "cancelled" else whole.stop)
    assert [each.call for each in result.results] == runner.ended
    assert runner.ended == [each.call for each in whole.results][: len(runner.ended)]
    stated = result.messages[len(ASKED) :]
    assert [message["role"] for message in stated] == [("assistant", "user")[at % 2] for at in range(len(stated))]
    assert len(stated) == 2 * result.turns - (result.stop == "answer")
    # All but the answer to the last reply is as without the cancellation.
    assert (
        result.messages[: len(ASKED) + max(len(stated) - 1, 0)]
        == whole.messages[: len(ASKED) + max(len(stated) - 1, 0)]
    )
    heard = [parser_of().parse(message["content"]) for message in stated[::2]]
    assert len(runner.ended) <= sum(len(each.calls) for each in heard)
    assert [error.text for error in result.errors] == [each.error.text for each in heard if each.error is not None]


def rejections_of(result: LoopResult) -> list[tuple[str, str]]:
    """Return what replies of a run were rejected for."""
    return [(each.code, each.message) for error in result.errors for each in error.diagnostics]


def errors_of(result: LoopResult) -> list[tuple[str, str]]:
    """Return the errors that a check finds in the replies of a conversation."""
    parser = result.parser
    text = json.dumps({"messages": result.messages}, ensure_ascii=False)
    # How many mistakes are too many is the run's affair here.
    settled = replace(parser.settings, max_mistakes=1000)
    snapshot = open_snapshot(text, path="chat.json", registry=parser.registry, settings=settled)
    found = [each for each in diagnostics(snapshot) if each.error_type is not None and each.severity is Severity.ERROR]
    return [(each.code, each.message) for each in found]


@pytest.mark.parametrize("dialect", general_names())
def test_a_conversation_in_any_dialect_is_read_with_the_errors_of_its_rejections(dialect: str) -> None:
    format_ = find_dialect(dialect)
    assert format_ is not None
    tool = REGISTRY.get("read_file")[0]
    calls = [
        format_.render(name, arguments, tool, RenderStyle())
        for name, arguments in (
            ("read_file", {"path": "a.py", "limit": 3}),
            ("raed_file", {"path": "a.py"}),
            ("read_file", {"path": "a.py", "limit": "three"}),
        )
    ]
    good, *bad = [call for call in calls if isinstance(call, str)]
    script = Script(good, good[:-4], good, *(reply for call in bad for reply in (call, good)))
    result = FeedbackLoop(model=script, parser=parser_of(dialect), manager=Runner()).run(ASKED)
    assert (result.stop, result.turns) == ("answer", 4 + 2 * len(bad))
    assert len(result.errors) >= len(bad)
    assert errors_of(result) == rejections_of(result)


@pytest.mark.parametrize("dialect", general_names())
def test_a_reply_is_left_after_its_first_call_in_every_dialect(dialect: str) -> None:
    format_ = find_dialect(dialect)
    assert format_ is not None
    call = format_.render("read_file", {"path": "a.py", "limit": 3}, REGISTRY.get("read_file")[0], RenderStyle())
    assert isinstance(call, str)
    text = f"{call}\n\nand then I go on.\n" if not format_.alone else call
    loop = FeedbackLoop(model=in_pieces(Script(text), [1]), parser=parser_of(dialect), manager=Runner(), interrupt=True)
    result = loop.run(ASKED)
    assert [(each.call.tool, each.call.arguments) for each in result.results] == [
        ("read_file", {"path": "a.py", "limit": 3})
    ]
    assert (result.stop, result.errors) == ("answer", [])
    stated = result.messages[len(ASKED)]["content"]
    assert text.startswith(stated)


ANY_CALL: Final = st.sampled_from([*GOOD_CALLS, *BROKEN_CALLS])


@settings(deadline=None)
@given(st.lists(st.lists(ANY_CALL, min_size=1, max_size=3).map("\n\nand\n\n".join), max_size=6))
def test_calls_of_every_dialect_are_run_or_rejected_as_the_parser_states(texts: list[str]) -> None:
    dialects = dialect_names()
    runner = Runner()
    loop = FeedbackLoop(model=Script(*texts), parser=parser_of(dialects), manager=runner, feedback=brief)
    result = loop.run(ASKED)
    reader = parser_of(dialects)
    calls: list[Call] = []
    errors: list[str] = []
    for text in texts[: result.turns]:
        parsed = reader.parse(text)
        calls += parsed.calls
        errors += [parsed.error.message] if parsed.error is not None else []
    assert runner.ran == calls
    assert [(error.cause or error).message for error in result.errors] == errors
