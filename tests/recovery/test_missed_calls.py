"""Calls that no reader takes: a reply in which one is missed is rejected, one that only speaks of calls is not."""

from __future__ import annotations

import pytest

from callwright.rules.base import ErrorType
from callwright.runtime import StrictParser

TOOLS = [
    {
        "name": "read_file",
        "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    },
    {"name": "git_status", "input_schema": {"type": "object", "properties": {}}},
]

LOST = [
    ("hermes", "<tool_call></tool_call>"),
    ("hermes", "<tool_call>[]</tool_call>"),
    ("hermes", '<tool_call>read_file(path="a")</tool_call>'),
    ("hermes", '<tool_call>"x"</tool_call>'),
    ("hermes", '{"name": "read_file", "args": {"path": "a"}}'),
    ("hermes", 'read_file {"path": "a"}'),
    ("invoke", "<function_calls></function_calls>"),
    ("fenced-json", '```json\n{"name": "read_file", "args": {"path": "a"}}\n```'),
    ("fenced-json", '```json\n{"Tool": "read_file", "Arguments": {"path": "a"}}\n```'),
    ("fenced-json", '```json\n{"tool": {"name": "read_file", "arguments": {"path": "a"}}}\n```'),
    ("fenced-json", '```json\n{"tol": "read_file", "arguments": {"path": "a"}}\n```'),
    ("fenced-json", '```json\n{"tool": "read_file", "arguments": {"path": "a"}} // done\n```'),
    ("functionary", '>>>read_file\n{"path": "a"} as requested'),
    ("functionary", 'read_fle\n{"path": "a"}'),
    ("gigachat", '<|function_call|>{"name": "read_file", "arguments": {"path": "a"}} and so on'),
    ("pythonic", "I will look: [read_file(path'a')] and tell."),
    ("directive", 'TOOL_CALL: read_file\nINPUT:\n```json\n{"path": "a"}\n```'),
    ("xml-json", '<read_file>{"path": "a"}</ read_file>'),
    ("xml-children", "<git_status></GIT_STATUS>"),
    ("fenced-json", '```json\n{"": "read_file", "arguments": {"path": "a"}}\n```'),
    ("json", '{"tool_calls": [{"": "read_file", "arguments": {"path": "a"}}]}'),
    ("xlam", '[{"name:" "read_file", "arguments": {"path": "a"}}]'),
    ("xlam", '[{"name": ""read_file", "arguments": {"path": "a"}}]'),
    ("minicpm", '<function name=read_file""><param name="path">a</param></function>'),
    (
        "minimax-m3",
        (
            ']<]minimax[>[<tool_call>]<]minimax[>[<invoke nmae="read_file">]<]minimax[>[<path>a]<]minimax[>[</path>'
            "]<]minimax[>[</invoke>]<]minimax[>[</tool_call>"
        ),
    ),
    (
        "kimi-k3",
        (
            '<|open|>tools<|sep|><|open|>call tool=="read_file" index="1"<|sep|><|open|>argument key="path" '
            'type="string"<|sep|>a<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>'
        ),
    ),
    ("react", 'Action read_file\nAction Input: {"path": "a"}'),
    ("react", "Acton: git_status\nAction Input: {}"),
    ("directive", 'TOOL_CALL read_file\nINPUT: {"path": "a"}'),
    ("xml-children", "<readfile><path>a</path></read_file>"),
    ("xml-children", "<path>a</path></read_file>"),
    ("xml-children", "<gitstatus></git_status>"),
    # A tool's tag, after which the text ends in another one, or its tag opens again instead of closing.
    ("xml-children", "<read_file>\n  <pa"),
    ("xml-json", "I look:\n<read_file></read"),
    ("hermes", "<read_file>a.py<read_file>"),
    ("yaml", "tool_calls:\n  - toolname: read_file\n    arguments:\n      path: a\n"),
    ("yaml", "tool_calls:\n  - tool_name git_status\n    arguments: {}\n"),
    ("hermes", '{"name": "read_file", "path": "a", "result": "text"}'),
    # A marker of another dialect, with a name in it, beside a call.
    ("functionary", ">>><function=git_status>\n>>>git_status\n{}"),
    # A fence that is never closed, whatever its first line says.
    ("python-action", "Thought:\nCode:\n```ppy\nread_file(path='a', limit=3)\n``` now"),
    # Markers that a dialect has beside those that it writes.
    ("hermes", "<longcat_tool_call>x</longcat_tool_call>"),
    ("granite", "<functioncall>x</functioncall>"),
    ("invoke", "<minimax:tool_call>x</minimax:tool_call>"),
]

HERMES = '<tool_call>\n{"name": "git_status", "arguments": {}}\n</tool_call>'
BARE = '{"name": "git_status", "parameters": {}}'
TYPED = '{"type": "function", "function": {"name": "git_status", "arguments": "{}"}}'
#: Calls that are read, but are part of something else.
HELD = [
    # Reasoning that does not end, that began before the reply, or whose tags are written in another way.
    ("hermes", f"<think>I could call {HERMES}"),
    ("hermes", f"I could call {HERMES}</think>Done."),
    ("hermes", f"<think>I could call {HERMES}</thinking>Done."),
    ("hermes", f"<think >I could call {HERMES}</think >Done."),
    ("hermes", f"<THINK>I could call {HERMES} and more.</THINK>Done."),
    ("hermes", f"<think>First.</think>{HERMES}</think>Done."),
    ("hermes", f"[THINK]I could call {HERMES}"),
    ("hermes", f"<|channel|>analysis<|message|>I could call {HERMES}"),
    # Data with an object of a call in it, on lines of its own.
    ("llama-json", f'{{"examples":\n{BARE}\n}}'),
    ("llama-json", f'{{"examples": [\n{BARE},\n{BARE}\n]}}'),
    ("openai-json", f'{{\n  "tool_calls" [\n    {TYPED}\n  ]\n}}'),
]
ALONE = [
    ("hermes", f"<think>First.</think>{HERMES}"),
    ("hermes", f"First.</think>{HERMES}"),
    ("hermes", f"<THINK>First.</THINK>{HERMES}"),
    ("hermes", f"`<think>` and {HERMES} and `</think>`"),
    ("hermes", f"{HERMES}<think>Next.</think>"),
    ("llama-json", f'{{"a": 1}}\n{BARE}'),
    ("openai-json", f"[\n{TYPED},\n{TYPED}\n]"),
]

#: The feedback for a model that lost a call: it is broken, names no tool, or is in a dialect that is not asked for.
REJECTED = (
    *(ErrorType.MALFORMED_XML, ErrorType.MALFORMED_JSON, ErrorType.UNKNOWN_TOOL),
    *(ErrorType.NO_CALLS, ErrorType.NO_XML_BLOCKS),
)
TALK = [
    ("hermes", "I'll use read_file to look."),
    ("hermes", "Let me run read_file(path='a') on it."),
    ("hermes", "A call stands in <tool_call> here."),
    ("hermes", "Write `<tool_call></tool_call>` or `read_file(path='a')`."),
    ("hermes", "```python\nx = [read_file(path) for path in paths]\n```"),
    ("hermes", '{"name": "read_file", "description": "Reads", "parameters": {"type": "object"}}'),
    ("fenced-json", '```json\n{"a": 1}\n```'),
    ("xml-children", "The tool <read_file> is nice."),
    ("xml-children", "It ends with <path> and </read_file>."),
    ("react", "What follows is for read_file\nAction Input: a path."),
    ("invoke", "Begin <invoke with read_file in it, and {braces} later."),
]


@pytest.mark.parametrize(("dialect", "text"), LOST)
def test_a_lost_call_rejects_the_reply(dialect: str, text: str) -> None:
    calls, error = StrictParser(tools=TOOLS, dialect=dialect).parse(text)
    assert calls == []
    assert error is not None
    assert error.type in REJECTED
    assert error.diagnostics


@pytest.mark.parametrize(("dialect", "text"), TALK)
def test_talk_of_calls_is_text(dialect: str, text: str) -> None:
    calls, error = StrictParser(tools=TOOLS, dialect=dialect).parse(text)
    assert (calls, error) == ([], None)


@pytest.mark.parametrize(("dialect", "text"), HELD)
def test_a_call_in_reasoning_or_in_data_rejects_the_reply(dialect: str, text: str) -> None:
    parser = StrictParser(tools=TOOLS, dialect=dialect)
    stream = parser.stream()
    for char in text:
        stream.feed(char)
    for calls, error in (parser.parse(text), stream.finish()):
        assert calls == []
        assert error is not None
        assert error.type in REJECTED
    assert StrictParser(tools=[], dialect=dialect).parse(text).calls == []


@pytest.mark.parametrize(("dialect", "text"), ALONE)
def test_a_call_beside_reasoning_or_data_is_taken(dialect: str, text: str) -> None:
    calls, error = StrictParser(tools=TOOLS, dialect=dialect).parse(text)
    assert calls
    assert error is None


def test_a_call_in_reasoning_is_taken_where_the_parser_says_so() -> None:
    parser = StrictParser(tools=TOOLS, dialect="hermes", reasoning="calls")
    assert all(len(parser.parse(text).calls) == 1 for text in (f"<think>{HERMES}", f"{HERMES}</think>"))
