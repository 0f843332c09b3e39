"""The streaming parser: which events come when, what is held back, what is kept, and how much is read."""

from __future__ import annotations

from typing import Any

import pytest

import callwright
from callwright.runtime.events import (
    ArgumentClosed,
    ArgumentOpened,
    ArgumentText,
    CallClosed,
    CallDropped,
    CallOpened,
    Event,
    ProblemFound,
    Text,
)
from callwright.runtime.streaming import StreamingParser
from invariants.streams import chunks
from invariants.texts import DEFINITIONS

HERMES = '<tool_call>\n{"name": "write_file", "arguments": {"path": "a.py", "content": "x = \\"1\\"\\n"}}\n</tool_call>'
INVOKE = (
    '<function_calls>\n<invoke name="write_file">\n<parameter name="path">a.py</parameter>\n'
    '<parameter name="content">if a < b:\n    pass</parameter>\n</invoke>\n</function_calls>'
)


def fed(text: str, size: int = 1) -> tuple[StreamingParser, list[list[Event]]]:
    """Return a parser that was fed with a text, not finished, and the events after each piece."""
    parser = StreamingParser(tools=DEFINITIONS)
    return parser, [parser.feed(piece) for piece in chunks(text, [size])]


def shape(events: list[Event]) -> str:
    """Return the kinds of events, each in a few letters, with texts in one piece."""
    letters = {
        Text: "t",
        CallOpened: "(",
        ArgumentOpened: "[",
        ArgumentText: "a",
        ArgumentClosed: "]",
        CallClosed: ")",
        CallDropped: "x",
        ProblemFound: "!",
    }
    found = "".join(letters[type(event)] for event in events)
    while "tt" in found or "aa" in found:
        found = found.replace("tt", "t").replace("aa", "a")
    return found


@pytest.mark.parametrize("call", [HERMES, INVOKE])
@pytest.mark.parametrize("size", [1, 3, 16, 1000])
def test_events_of_a_call_with_text_around_it(call: str, size: int) -> None:
    parser, steps = fed(f"I write.\n\n{call}\n\nIt is written.\n", size)
    events = [event for step in steps for event in step] + parser.finish()
    assert shape(events) == "t([a][a])t"
    text = "".join(event.text for event in events if isinstance(event, Text))
    assert text == "I write.\n\n\n\nIt is written.\n"
    (closed,) = (event for event in events if isinstance(event, CallClosed))
    assert closed.call == parser.calls[0]


@pytest.mark.parametrize("call", [HERMES, INVOKE])
def test_values_are_reported_as_they_arrive(call: str) -> None:
    _, steps = fed(call)
    at = call.index("a.py") + 2
    before = [event for step in steps[:at] for event in step]
    assert shape(before) == "([a"
    reported = "".join(event.text for event in before if isinstance(event, ArgumentText))
    assert reported == "a."


def test_a_string_is_reported_decoded_and_a_tag_in_a_value_is_text() -> None:
    for call, content in ((HERMES, 'x = "1"\n'), (INVOKE, "if a < b:\n    pass")):
        parser, steps = fed(call)
        events = [event for step in steps for event in step] + parser.finish()
        texts = [event for event in events if isinstance(event, ArgumentText)]
        assert "".join(event.text for event in texts if event.name == "content") == content
        assert parser.calls[0].arguments["content"] == content


def test_the_call_closes_soon_after_its_last_marker() -> None:
    for call in (HERMES, INVOKE):
        _, steps = fed(call + "\nAnd then there is more to say than a few words, for a marker may be long.\n" * 2)
        closed = next(i for i, step in enumerate(steps) if any(isinstance(event, CallClosed) for event in step))
        assert closed < len(call) + 80


@pytest.mark.parametrize("marker", ["<tool_call>", "<function_calls>", "```json\n{", "<|python_tag|>{", "Action: "])
def test_what_may_become_a_marker_is_held_back_and_given_out_where_it_is_none(marker: str) -> None:
    parser, steps = fed("So " + marker[:-1])
    shown = "".join(event.text for step in steps for event in step if isinstance(event, Text))
    assert shown == "So " or marker == "```json\n{"
    events = parser.feed("~ no.") + parser.finish()
    assert shown + "".join(event.text for event in events if isinstance(event, Text)) == f"So {marker[:-1]}~ no."
    assert parser.calls == []


def test_a_call_that_was_reported_and_is_none_is_taken_back() -> None:
    text = "Write the [TOOL_CALLS] token { and so on }."
    parser, steps = fed(text)
    events = [event for step in steps for event in step] + parser.finish()
    assert shape(events) == "t(xt"
    assert parser.calls == []
    assert "".join(event.text for event in events if isinstance(event, Text)) == text


@pytest.mark.parametrize(("opener", "closer"), [("<think>", "</think>"), ("[THINK]", "[/THINK]"), ("<!--", "-->")])
def test_text_that_holds_no_call_either_way_is_reported_before_its_block_ends(opener: str, closer: str) -> None:
    text = f"{opener}First I read `a.py`, then <b>b</b>.\n\nThen {{so}}."
    parser, steps = fed(text)
    assert "".join(event.text for step in steps for event in step if isinstance(event, Text)) == text
    call = "<read_file><path>a</path></read_file>"
    _, steps = chunks_of(parser, f" Or {call} so. {closer} Yes. ")
    shown = "".join(event.text for step in steps for event in step if isinstance(event, Text))
    assert shown == f" Or {call} so. {closer} Yes. "
    assert parser.calls == []


def test_a_call_in_a_block_that_never_ends_is_no_text() -> None:
    parser, steps = fed("<think>First <read_file><path>a</path></read_file> so.")
    events = [event for step in steps for event in step] + parser.finish()
    assert "".join(event.text for event in events if isinstance(event, Text)) == "<think>First  so."
    assert [call.tool for call in parser.calls] == ["read_file"]


def chunks_of(parser: StreamingParser, text: str) -> tuple[StreamingParser, list[list[Event]]]:
    """Feed a parser with more text, one character at a time."""
    return parser, [parser.feed(piece) for piece in chunks(text, [1])]


@pytest.mark.parametrize("piece", [b"x", b"", None, 5, ["a"]])
def test_a_piece_that_is_no_text_is_refused_and_leaves_the_stream_as_it_was(piece: Any) -> None:
    text = '<read_file>{"path": "a"}</read_file>'
    parser, whole = StreamingParser(), StreamingParser()
    parser.feed(text[:20])
    with pytest.raises(TypeError, match=f"a chunk of the text is a `{type(piece).__name__}`: "):
        parser.feed(piece)
    parser.feed(text[20:])
    whole.feed(text)
    assert parser.finish() == whole.finish()
    assert parser.calls == whole.calls
    assert [call.arguments for call in parser.calls] == [{"path": "a"}]


def test_finish_closes_what_is_open_and_reports_it() -> None:
    parser, steps = fed('<tool_call>\n{"name": "write_file", "arguments": {"path": "a.py", "content": "x = 1')
    assert shape([event for step in steps for event in step]) == "([a][a"
    assert parser.calls == []
    events = parser.finish()
    assert shape(events).startswith("])!")
    assert parser.calls[0].arguments == {"path": "a.py", "content": "x = 1"}
    assert parser.diagnostics
    assert parser.finish() == []


def test_feeding_a_finished_stream_is_an_error_that_states_what_to_do() -> None:
    parser = StreamingParser()
    parser.finish()
    with pytest.raises(RuntimeError, match="create a new `StreamingParser`"):
        parser.feed("a")


def test_an_unknown_dialect_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no dialect `xmll`"):
        StreamingParser(dialect="xmll")


def test_an_empty_stream_and_empty_pieces_report_nothing() -> None:
    parser = StreamingParser()
    assert parser.feed("") == parser.finish() == []
    assert not parser.calls
    assert not parser.diagnostics


def test_the_library_exports_the_parser() -> None:
    assert callwright.StreamingParser is StreamingParser


def test_a_diagnostic_comes_with_its_call_and_its_fix_fits_the_whole_text() -> None:
    text = "\n\n" * 600 + '<debug_launch>{"program": "a", "mode": "pytst"}</debug_launch>\n\nSo it is.\n'
    _, steps = fed(text)
    (found,) = (event.diagnostic for step in steps for event in step if isinstance(event, ProblemFound))
    assert text[found.span.start : found.span.end] == '"pytst"'
    assert found.fix is not None
    (edit,) = found.fix.edits
    assert text[edit.span.start : edit.span.end] in ('"pytst"', "pytst")


LINE = "Some prose about `code` and <b>tags</b>, and {braces} at length. "


@pytest.mark.parametrize("end", ["\n\n", "\n", ""])
def test_settled_text_is_not_kept(end: str) -> None:
    parser, _ = fed((LINE + end) * 2_000, 50)
    assert parser._reader.kept < 10_000


def test_only_the_open_call_is_kept() -> None:
    parser, _ = fed((INVOKE + "\n\nMore text.\n\n") * 200, 7)
    assert len(parser.calls) >= 199
    assert parser._reader.kept < 5_000


HOSTILE = {
    "tools": "<read_file> ",
    "shapes": "<a_b><c>",
    "calls": "<tool_call>",
    "cut calls": '<tool_call>{"name": "f", "arguments": {"a": "',
    "objects": '{"tool": "a\n',
    "spans": "`a ``` b\n",
    "thoughts": "<think> ",
    "comments": "<!-- ",
    "fences": '```json\n{"tool": \n',
    "quoted": '"<read_file> \\"',
    "parameters": "<function=f>\n<parameter=a>\n",
    "actions": "Action: f\n",
    "keys": "<arg_key>a</arg_key><arg_value>",
    "closers": "</read_file>",
    "sections": "<read_file><path><![CDATA[",
    "spaces": " ",
    "names": "read_file\n",
    "stars": "*",
}


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE)
def test_no_text_is_read_more_than_a_fixed_number_of_times(unit: str) -> None:
    text = unit * (4_000 // len(unit))
    parser, _ = fed(text)
    parser.finish()
    grant = 1 << 14
    assert parser._reader.work <= 9 * len(text) + grant


def test_a_long_call_is_read_a_few_times_whatever_the_pieces() -> None:
    call = INVOKE.replace("pass", "pass\n" * 20_000)
    for size in (1, 4096):
        parser, _ = fed(call, size) if size > 1 else fed(call[:30_000])
        parser.finish()
        assert len(parser.calls) == 1
        assert parser._reader.work <= 10 * len(call)
