"""Replies with more calls, or more faults, than are useful: rejected without all of it being read or reported."""

import pytest

from callwright.document.reader import read_reply
from callwright.runtime import Limits, StrictParser, strict_reader

TOOL = {
    "name": "read_file",
    "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
}
CALLS = {
    "hermes": '<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>\n',
    "xml-children": "<read_file><path>a</path></read_file>\n",
    "invoke": '<invoke name="read_file"><parameter name="path">a</parameter></invoke>\n',
    "fenced-json": '```json\n{"tool": "read_file", "arguments": {"path": "a"}}\n```\n',
}


@pytest.mark.parametrize("dialect", CALLS)
def test_nothing_is_read_after_one_call_too_many(dialect: str) -> None:
    parser = StrictParser(tools=[TOOL], dialect=dialect, limits=Limits(max_calls=3))
    segment = read_reply(CALLS[dialect] * 50, parser.reader.context, most=3)
    assert len(segment.calls) == 4
    assert segment.calls[-1].call.place.end <= len(CALLS[dialect]) * 4
    calls, error = parser.parse(CALLS[dialect] * 50)
    assert calls == []
    assert error is not None
    assert "more than 3 calls" in error.message
    assert error.call is not None
    assert error.call.number == 4
    assert len(parser.parse(CALLS[dialect] * 3).calls) == 3


@pytest.mark.parametrize("dialect", CALLS)
def test_an_earlier_excess_is_reported_first_however_many_calls_follow(dialect: str) -> None:
    long = CALLS[dialect].replace('"a"', f'"{"a" * 200}"').replace(">a<", f">{'a' * 200}<")
    parser = StrictParser(tools=[TOOL], dialect=dialect, limits=Limits(max_calls=3, max_call=150))
    calls, error = parser.parse(long + CALLS[dialect] * 10)
    assert calls == []
    assert error is not None
    assert "max_call`" in error.message


@pytest.mark.parametrize("faulty", ["<read_file><path>", "<read_file>\n<path>a</pat>\n"])
def test_of_very_many_faults_the_first_are_reported(faulty: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parser = StrictParser(tools=[TOOL], dialect="xml-children", limits=Limits(max_depth=None))
    few = parser.parse(faulty * 700).error
    monkeypatch.setattr(strict_reader, "_MAX_PROBLEMS", 1_000_000)
    every = parser.parse(faulty * 700).error
    assert few is not None
    assert every is not None
    assert (few.type, few.message, few.call) == (every.type, every.message, every.call)
    reported = [each for each in few.diagnostics if each.code.startswith("TC1")]
    assert [each.span for each in reported[:100]] == [each.span for each in every.diagnostics if each.code < "TC2"][
        :100
    ]
    assert len(reported) < sum(each.code.startswith("TC1") for each in every.diagnostics)
