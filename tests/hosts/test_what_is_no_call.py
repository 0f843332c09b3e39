"""Which texts hold calls: prose, masks and other languages do not, however much they look like it; examples do."""

from __future__ import annotations

import pytest

import callwright
from callwright.document.settings import Settings
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.tools.registry import ToolRegistry

TOOLS = ToolRegistry.of(
    [
        {
            "name": name,
            "description": "",
            "inputSchema": {"type": "object", "properties": {p: {"type": "string"} for p in given}},
        }
        for name, given in {"read_file": ["path"], "write_file": ["path", "content"], "git_status": []}.items()
    ]
)
CALL = "<read_file><path>a</path></read_file>"


def tools_in(text: str, path: str = "a.md") -> list[str | None]:
    snapshot = open_snapshot(text, path=path, registry=TOOLS, settings=Settings())
    assert diagnostics(snapshot) == []
    return [placed.call.tool for placed in snapshot.placed_calls()]


@pytest.mark.parametrize(
    "text",
    [
        f"Inline code: `{CALL}`, and ``{CALL} ` ``.",
        f"<!-- {CALL} -->",
        f"<!--\n{CALL}\n-->",
        "Use <read_file> to read a file.",
        "Use the <read_file> tool, and then </read_file> ends it.",
        "<p>HTML</p> <details><summary>x</summary>y</details> <br> <img src='a'>",
        "<thinking>I think.</thinking>",
        '{"name": "x", "version": 1}',
        '```json\n{"name": "x", "tools": ["read_file"]}\n```',
        '```python\ncall = {"tool": name}\n```',
        "---\ntitle: <read_file><path>a</path></read_file>\n---\n",
        "",
    ],
)
def test_it_is_no_call(text: str) -> None:
    assert tools_in(text) == []


@pytest.mark.parametrize(
    ("text", "tools"),
    [
        (CALL, ["read_file"]),
        (f"Text before {CALL} and after.", ["read_file"]),
        (f"```\n{CALL}\n```", ["read_file"]),
        (f"```xml\n{CALL}\n```", ["read_file"]),
        (f"> {CALL}", ["read_file"]),
        (f"- {CALL}\n- {CALL}", ["read_file"] * 2),
        (f"1. Do it:\n   ```xml\n   {CALL}\n   ```", ["read_file"]),
        ("<git_status></git_status>", ["git_status"]),
        ("<git_status/>", ["git_status"]),
        (f"````markdown\n```xml\n{CALL}\n```\n````\n\n{CALL}", ["read_file"] * 2),
        (f"~~~\n{CALL}\n~~~", ["read_file"]),
    ],
)
def test_it_is_a_call(text: str, tools: list[str]) -> None:
    assert tools_in(text) == tools


def test_back_ticks_in_a_value_are_text_and_mask_nothing_after_the_call() -> None:
    text = (
        f"<write_file><path>a</path><content><![CDATA[`open\n```\n<!-- x]]></content></write_file>\n\n{CALL} `{CALL}`"
    )
    assert tools_in(text) == ["write_file", "read_file"]


def test_plain_text_knows_no_code_spans() -> None:
    assert tools_in(f"Do `{CALL}`", "a.txt") == ["read_file"]


def test_a_transcript_is_read_by_its_messages_only() -> None:
    source = (
        '{"note": "<read_file><path>a</path></read_file>", "messages": [{"role": "user", "content": "<git_status/>"}]}'
    )
    assert tools_in(source, "a.json") == ["git_status"]
    assert tools_in('{"note": "<read_file><path>a</path></read_file>"}', "a.json") == []


def test_calls_in_a_wrapper_keep_their_ids() -> None:
    inner = "<tool_call><id>c{0}</id><tool_name>git_status</tool_name><arguments></arguments></tool_call>"
    parsed = callwright.parse(f"<tool_calls>{inner.format(1)}\n{inner.format(2)}</tool_calls>", tools=TOOLS)
    assert [(call.tool, call.id) for call in parsed.calls] == [("git_status", "c1"), ("git_status", "c2")]
    assert parsed.diagnostics == []
