"""Calls cut off at each structural point: still one call of the same tool and dialect, and told to be cut off."""

from __future__ import annotations

import pytest

import callwright

STRING = {"type": "string"}
TOOL = {
    "name": "write_file",
    "description": "",
    "inputSchema": {
        "type": "object",
        "properties": {"path": STRING, "content": STRING},
        "required": ["path", "content"],
    },
}
#: A call, its dialect, and the text from which on it is recognised as a call of this tool.
CALLS = [
    ("<write_file>\n<path>a</path>\n<content>b</content>\n</write_file>", "xml-children", "<path>"),
    ('<write_file>{"path": "a", "content": "b"}</write_file>', "xml-json", '"path"'),
    (
        "<tool_call><tool_name>write_file</tool_name><arguments><path>a</path><content>b</content></arguments></tool_call>",
        "tool-call-xml",
        "<path>",
    ),
    (
        '<tool_call><tool_name>write_file</tool_name><arguments>{"path": "a", "content": "b"}</arguments></tool_call>',
        "tool-call-json",
        '"path"',
    ),
    ('```json\n{"tool": "write_file", "arguments": {"path": "a", "content": "b"}}\n```', "fenced-json", '"arguments"'),
]


@pytest.mark.parametrize(("call", "dialect", "known"), CALLS, ids=lambda value: str(value)[:20])
def test_a_call_that_is_cut_off_stays_a_call_and_is_told(call: str, dialect: str, known: str) -> None:
    for end in range(call.index(known) + len(known), len(call)):
        parsed = callwright.parse(call[:end], tools=[TOOL])
        assert [(each.tool, each.dialect) for each in parsed.calls] == [("write_file", dialect)], call[:end]
        assert parsed.diagnostics, call[:end]
        assert not [each for each in parsed.diagnostics if each.code == "TC301"], call[:end]


@pytest.mark.parametrize(("call", "dialect", "known"), CALLS, ids=lambda value: str(value)[:20])
def test_the_whole_call_is_clean_and_typed(call: str, dialect: str, known: str) -> None:
    parsed = callwright.parse(call, tools=[TOOL], dialect=dialect)
    assert [(each.dialect, each.arguments) for each in parsed.calls] == [(dialect, {"path": "a", "content": "b"})]
    assert parsed.diagnostics == []
