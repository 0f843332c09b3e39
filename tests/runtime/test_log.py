"""The log: what events say, and that no sink ever stops an agent."""

from __future__ import annotations

import io
import json
import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.api import Call
from callwright.runtime import ParseError, StrictParser, StrictToolManager, Strikes
from callwright.runtime.log import (
    LogEvent,
    NodeType,
    guarded,
    to_all,
    to_jsonl,
    to_logging,
    to_span_events,
)
from callwright.runtime.plain import json_text, plain
from callwright.text.span import Span
from support.sampling import tries

NODE_TYPES = get_args(NodeType)

TOOLS: list[dict[str, Any]] = [
    {
        "name": "run_code",
        "input_schema": {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]},
    }
]
EXTRA = '```json\n{"tool": "run_code", "arguments": {"code": "1"}}}}\n```'


class Colour(Enum):
    RED = "red"


@dataclass
class Point:
    x: int
    y: Any = None


class Rude:
    """Raises whatever is asked of it."""

    def __repr__(self) -> str:
        raise RuntimeError("no")

    def to_dict(self) -> Any:
        raise RuntimeError("never")


def rejected(strikes: Strikes | None = None) -> ParseError:
    error = StrictParser(tools=TOOLS, dialect="fenced-json", strikes=strikes).parse(EXTRA).error
    assert error is not None
    return error


def the_call(**arguments: Any) -> Call:
    return Call("run_code", arguments, "fenced-json", Span(8, 20), "c1")


# -- events ------------------------------------------------------------------------------------------------------------


def test_a_rejected_reply_is_a_validation_error_with_all_that_is_known() -> None:
    strikes = Strikes()
    error = rejected(strikes)
    event = LogEvent.of_error(error, turn=2, strikes=strikes, at=1.5, session="s1", feedback="Mend it.")
    at = EXTRA.index("}}}}") + 2
    assert event.to_dict() == {
        "node_type": "validation_error",
        "session": "s1",
        "at": 1.5,
        "data": {
            "turn": 2,
            "type": "MALFORMED_JSON",
            "message": error.message,
            "details": error.details,
            "codes": ["TC201"],
            "spans": [[at, at + 2]],
            "call": 1,
            "tool": "run_code",
            "dialect": "fenced-json",
            "strikes": {"count": 1, "maximum": 3},
            "feedback": "Mend it.",
        },
    }
    assert "2 extra closing braces" in error.message


def test_the_failure_that_is_one_too_many_is_reported_with_its_own_type() -> None:
    strikes = Strikes(1, count=1)
    event = LogEvent.of_error(rejected(strikes), strikes=strikes)
    assert event.node_type == "max_mistakes"
    assert event.data["type"] == "MALFORMED_JSON"
    assert event.data["strikes"] == {"count": 2, "maximum": 1}


def test_a_reply_without_a_call_has_an_event_too() -> None:
    error = StrictParser(tools=TOOLS, dialect="fenced-json", require_call=True).parse("Hm.").error
    assert error is not None
    data = LogEvent.of_error(error).data
    assert (data["type"], data["call"], data["tool"], data["codes"], data["spans"]) == ("NO_CALLS", None, None, [], [])


@pytest.mark.parametrize(
    ("event", "error", "summary"),
    [
        (LogEvent("turn", {"turn": 1, "messages": 2}), False, "turn"),
        (LogEvent("stop", {"reason": "answer", "turn": 3}), False, "stop: answer"),
        (LogEvent.of_call("tool_call", the_call(code="1")), False, "tool_call: run_code"),
        (LogEvent.of_call("approval", the_call(), approved=False), False, "approval: run_code denied"),
        (LogEvent.of_call("approval", the_call(), approved=True), False, "approval: run_code approved"),
        (LogEvent.of_call("tool_result", the_call(), ok=True, kind="ok"), False, "tool_result: run_code ok"),
        (
            LogEvent.of_call("tool_result", the_call(), ok=False, kind="error", error="no\nsuch\x1bfile"),
            True,
            "tool_result: run_code error: no such file",
        ),
        (
            LogEvent("validation_error", {"type": "UNKNOWN_TOOL", "tool": "x", "message": "`x` is not a tool."}),
            True,
            "validation_error: UNKNOWN_TOOL x: `x` is not a tool.",
        ),
    ],
)
def test_an_event_is_reported_on_one_line(event: LogEvent, error: bool, summary: str) -> None:
    assert (event.is_error, event.summary) == (error, summary)
    assert event.node_type in NODE_TYPES


def test_a_summary_is_short_whatever_is_stated() -> None:
    assert len(LogEvent("max_mistakes", {"message": "x" * 10_000_000}).summary) <= 500


# -- plain data --------------------------------------------------------------------------------------------------------


def circle() -> list[Any]:
    around: list[Any] = [1]
    around += [around, around]
    return around


def deep() -> Any:
    value: Any = "core"
    for _ in range(100_000):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({1: "a", None: "b", Colour.RED: "c", (1, 2): "d"}, {"1": "a", "null": "b", "red": "c", "[1,2]": "d"}),
        (b"\x00\xff", "data:application/octet-stream;base64,AP8="),
        ([float("nan"), float("inf"), -0.5], ["nan", "inf", -0.5]),
        (10**400, hex(10**400)),
        ({3, 1, 2}, [1, 2, 3]),
        (Point(1, Point(2)), {"x": 1, "y": {"x": 2, "y": None}}),
        (ValueError("no\ud800"), "ValueError: no\ud800"),
        (Path("a/b"), "a/b"),
        ("\ud83d\ude00", "😀"),
        (Strikes(2), {"count": 0, "maximum": 2}),
        (Rude(), "<Rude>"),
        ([Rude(), True], ["<Rude>", True]),
        (circle(), [1, "…", "…"]),
        (object(), "<object object>"),
        (Point, repr(Point)),
    ],
)
def test_anything_is_plain_data(value: Any, expected: Any) -> None:
    assert plain(value) == expected
    assert json.loads(json_text(plain(value))) == plain(value)


def test_what_lies_too_deep_is_left_out() -> None:
    text = json_text(plain(deep()))
    assert text.count("[") == text.count("]") < 200
    assert "…" in text


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | st.binary()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner), max_leaves=20
)


@settings(deadline=None, max_examples=tries(50))
@given(VALUES)
def test_plain_data_is_one_line_of_json_and_is_read_back(value: Any) -> None:
    found = plain(value)
    text = json_text(found)
    assert len(text.splitlines()) <= 1
    assert json.loads(text.encode("utf-8")) == found
    assert plain(found) == found


# -- sinks -------------------------------------------------------------------------------------------------------------

NASTY = [
    LogEvent("model_reply", {"turn": 1, "text": "ä\u2028\u0085\n\ud800 \ud83d\ude00"}),
    LogEvent("tool_result", {"ok": False, "value": b"\xff", "error": "no", "thing": Rude(), "around": circle()}),
    LogEvent("stop", {"reason": "answer"}, 2.5, "s"),
]


def test_a_file_holds_one_object_a_line_as_soon_as_it_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"node_type":"turn"}\n')
    log = to_jsonl(path)
    for number, event in enumerate(NASTY, 2):
        log(event)
        lines = path.read_bytes().decode("utf-8").splitlines()
        assert len(lines) == number
        assert json.loads(lines[-1]) == event.to_dict()
    assert "ä" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_a_stream_gets_what_it_can_write(encoding: str) -> None:
    raw = io.BytesIO()
    log = to_jsonl(io.TextIOWrapper(raw, encoding=encoding, newline=""))
    for event in NASTY:
        log(event)
    lines = raw.getvalue().decode(encoding).splitlines()
    assert [json.loads(line) for line in lines] == [event.to_dict() for event in NASTY]


def test_a_file_that_cannot_be_opened_states_so_at_once(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        to_jsonl(tmp_path / "nowhere" / "log.jsonl")


@pytest.mark.parametrize("target", [None, 5, b"log.jsonl", io.BytesIO(), io.BufferedRandom(io.BytesIO())])  # type: ignore[arg-type]
def test_what_no_text_can_be_written_to_is_refused_at_once(target: Any) -> None:
    with pytest.raises(TypeError, match=r"pass a path|pass its path"):
        to_jsonl(target)


def test_what_is_no_log_and_no_span_is_refused_at_once() -> None:
    wrong: Any = "log.jsonl"
    with pytest.raises(TypeError, match="a `str` is not a log: pass a callable that accepts an event"):
        to_all(print, wrong)
    with pytest.raises(TypeError, match="a `str` is not a span: it has no method `add_event`"):
        to_span_events(wrong)


def test_threads_write_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = to_jsonl(str(path))

    def report(name: str) -> None:
        for number in range(200):
            log(LogEvent("turn", {"turn": number, "text": name * 500}))

    threads = [threading.Thread(target=report, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    reported = [json.loads(line)["data"] for line in path.read_text(encoding="utf-8").splitlines()]
    for name in "abcd":
        own = [each["turn"] for each in reported if each["text"] == name * 500]
        assert own == list(range(200))
    assert len(reported) == 800


def test_logging_gets_level_line_and_structure(caplog: pytest.LogCaptureFixture) -> None:
    log = to_logging()
    with caplog.at_level(logging.INFO, "callwright.runtime"):
        for event in (*NASTY, LogEvent.of_error(rejected())):
            log(event)
    records = caplog.records
    assert [record.levelname for record in records] == ["INFO", "WARNING", "INFO", "WARNING"]
    assert [record.__dict__["node_type"] for record in records] == [
        *("model_reply", "tool_result", "stop", "validation_error")
    ]
    assert records[-1].__dict__["callwright"]["data"]["codes"] == ["TC201"]
    assert records[-1].getMessage().startswith("validation_error: MALFORMED_JSON run_code: 2 extra")
    assert {record.name for record in records} == {"callwright.runtime"}
    json.dumps([record.__dict__["callwright"] for record in records])


def test_another_logger_is_used_and_a_silent_one_costs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("mine")
    log = to_logging(logger)
    with caplog.at_level(logging.WARNING, "mine"):
        log(LogEvent("turn", {"text": Rude()}))
        log(LogEvent("max_mistakes", {"type": "UNKNOWN_TOOL"}))
    assert [(record.name, record.getMessage()) for record in caplog.records] == [("mine", "max_mistakes: UNKNOWN_TOOL")]


def test_a_log_that_fails_is_reported_once_and_stops_nothing(caplog: pytest.LogCaptureFixture) -> None:
    heard: list[LogEvent] = []

    def broken(event: LogEvent) -> None:
        raise OSError(f"disk full at {event.node_type}")

    log = to_all(broken, None, heard.append)
    for event in NASTY:
        log(event)
    assert heard == NASTY
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert "OSError: disk full at model_reply" in record.getMessage()


def test_a_stream_that_was_closed_stops_nothing(caplog: pytest.LogCaptureFixture) -> None:
    stream = io.StringIO()
    log = to_jsonl(stream)
    log(NASTY[0])
    stream.close()
    log(NASTY[1])
    log(NASTY[2])
    assert len(caplog.records) == 1
    assert "ValueError" in caplog.text


def test_an_interrupt_is_no_failure_of_a_log() -> None:
    def interrupted(event: LogEvent) -> None:
        raise KeyboardInterrupt(event.node_type)

    with pytest.raises(KeyboardInterrupt):
        guarded(interrupted)(NASTY[0])


def test_no_log_hears_nothing_and_a_guarded_one_is_not_guarded_again() -> None:
    log = guarded(None)
    log(NASTY[0])
    assert guarded(log) is log
    once = guarded(print)
    assert guarded(once) is once


# -- OpenTelemetry -----------------------------------------------------------------------------------------------------


def test_attributes_have_the_names_of_the_conventions_where_there_are_some() -> None:
    event = LogEvent.of_call(
        "tool_result",
        the_call(code="1"),
        turn=1,
        session="s1",
        ok=False,
        kind="timeout",
        value={"a": [1]},
        error="too long",
        trace="secret",
    )
    assert event.attributes() == {
        "callwright.node_type": "tool_result",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.conversation.id": "s1",
        "gen_ai.tool.name": "run_code",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.tool.type": "function",
        "error.type": "timeout",
        "callwright.turn": 1,
        "callwright.dialect": "fenced-json",
        "callwright.span": [8, 20],
        "callwright.result.ok": False,
        "callwright.result.kind": "timeout",
    }
    more = event.attributes(content=True)
    assert more["gen_ai.tool.call.arguments"] == '{"code":"1"}'
    assert more["gen_ai.tool.call.result"] == '{"a":[1]}'
    assert more["callwright.error.message"] == "too long"
    assert more["callwright.error.trace"] == "secret"


@pytest.mark.parametrize("value", [42, 1.5, True, "secret", ["secret"], {"a": "secret"}])
def test_what_a_tool_returned_reaches_a_span_only_where_it_is_asked_for(value: Any) -> None:
    event = LogEvent.of_call("tool_result", the_call(), ok=True, kind="ok", value=value)
    found, more = event.attributes(), event.attributes(content=True)
    assert set(more) - set(found) == {"gen_ai.tool.call.arguments", "gen_ai.tool.call.result"}
    assert not any("value" in name for name in found)


def test_the_trace_of_a_tool_reaches_a_span_only_where_it_is_asked_for() -> None:
    class Failing:
        name = "run_code"
        schema: Mapping[str, Any] = {"type": "object"}

        def validate(self, params: Mapping[str, Any]) -> None: ...

        def execute(self, params: Mapping[str, Any]) -> Any:
            raise RuntimeError(f"the password is hunter2: {params}")

    call = the_call()
    result = StrictToolManager([Failing()]).run(call)
    event = LogEvent.of_call("tool_result", call, turn=1, **result.to_dict())
    assert "hunter2" in event.attributes(content=True)["callwright.error.trace"]
    assert "hunter2" not in repr(event.attributes())


def test_a_rejected_reply_names_its_type_as_the_conventions_want_it() -> None:
    strikes = Strikes()
    event = LogEvent.of_error(rejected(strikes), turn=1, strikes=strikes, session="s1", feedback="Mend it.")
    found = event.attributes()
    assert found["error.type"] == "MALFORMED_JSON"
    assert found["gen_ai.operation.name"] == "chat"
    assert found["callwright.error.codes"] == ["TC201"]
    assert (found["callwright.strikes.count"], found["callwright.strikes.maximum"]) == (1, 3)
    assert found["callwright.call.number"] == 1
    stated = event.attributes(content=True)
    assert set(stated) - set(found) == {"callwright.error.message", "callwright.error.details", "callwright.feedback"}


def test_unknown_data_of_an_event_is_content() -> None:
    event = LogEvent("model_reply", {"turn": 1, "text": "My name is Ann.", "note": "hers", "cut_off": True})
    assert set(event.attributes()) == {
        *("callwright.node_type", "gen_ai.operation.name", "callwright.turn", "callwright.cut_off")
    }
    assert {"callwright.text", "callwright.note"} <= set(event.attributes(content=True))


def test_the_model_is_named_where_it_is_known() -> None:
    found = LogEvent("turn", {"turn": 1, "model": "m", "provider": "openai", "messages": 3}).attributes()
    assert (found["gen_ai.request.model"], found["gen_ai.provider.name"]) == ("m", "openai")


@settings(deadline=None, max_examples=tries(50))
@given(st.sampled_from(NODE_TYPES), st.dictionaries(st.text(), VALUES), st.booleans())
def test_attributes_are_of_kinds_that_attributes_may_be(node_type: str, data: dict[str, Any], content: bool) -> None:
    for value in LogEvent(node_type, data).attributes(content=content).values():
        kinds = {type(each) for each in value} if isinstance(value, list) else {type(value)}
        assert len(kinds) <= 1
        assert kinds <= {str, bool, int, float}


def test_a_span_gets_events_as_opentelemetry_takes_them() -> None:
    trace = pytest.importorskip("opentelemetry.trace")

    class Span(trace.NonRecordingSpan):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__(trace.INVALID_SPAN_CONTEXT)
            self.events: list[tuple[str, Any]] = []

        def add_event(self, name: str, attributes: Any = None, timestamp: int | None = None) -> None:
            assert timestamp is None
            self.events.append((name, attributes))

    span = Span()
    log = to_span_events(span)
    event = LogEvent.of_error(rejected(), turn=1)
    log(event)
    assert span.events == [("callwright.validation_error", event.attributes())]
    to_span_events(trace.INVALID_SPAN, content=True)(event)
