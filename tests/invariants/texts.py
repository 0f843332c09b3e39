"""Texts to hold invariants against: tools, calls in every dialect, broken calls, and documents made of them.

Owns: the strategies that the modules beside this one share. Must not know: what is asserted of the texts.
"""

from __future__ import annotations

import json
from typing import Any, Final

from hypothesis import strategies as st

from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.lint.opening import open_snapshot
from callwright.tools.registry import ToolRegistry

_TEXT: Final = {"type": "string"}


def _tool(name: str, properties: dict[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "description": f"Does {name}.", "inputSchema": schema, **more}


DEFINITIONS: Final = [
    _tool("read_file", {"path": _TEXT, "limit": {"type": "integer", "minimum": 1}, "encoding": _TEXT}, "path"),
    _tool("write_file", {"path": _TEXT, "content": _TEXT}, "path", "content"),
    _tool(
        "debug_launch",
        {
            "program": _TEXT,
            "mode": {"enum": ["pytest", "script"]},
            "args": {"type": "array", "items": _TEXT},
            "env": {"type": "object", "additionalProperties": _TEXT},
            "stop_on_entry": {"type": "boolean"},
            "timeout": {"type": "number"},
        },
        "program",
    ),
    _tool(
        "edit_file",
        {
            "path": _TEXT,
            "edits": {
                "type": "array",
                "items": {"type": "object", "properties": {"old": _TEXT, "new": _TEXT}, "required": ["old", "new"]},
            },
        },
        "path",
        "edits",
    ),
    _tool("git_status", {}),
]
#: The tools of this module, whose values are XML.
REGISTRY: Final = ToolRegistry.of(DEFINITIONS).with_markup("xml")
EMPTY: Final = ToolRegistry()

#: One clean call or more in each dialect; each text begins and ends with a call.
GOOD_CALLS: Final = [
    "<read_file><path>src/a.py</path></read_file>",
    "<read_file>\n  <path>src/a.py</path>\n  <limit>10</limit>\n</read_file>",
    (
        "<write_file>\n<path>b.md</path>\n"
        "<content><![CDATA[# Title\n\n```py\nif a < b: pass\n```\n]]></content>\n</write_file>"
    ),
    "<write_file><path>a &amp; b</path><content>1 &lt; 2 &#x1F600;</content></write_file>",
    (
        "<debug_launch>\n<program>a</program>\n<args>\n<item>-v</item>\n<item>007</item>\n</args>\n"
        "<env><A>1</A></env>\n<stop_on_entry>true</stop_on_entry>\n</debug_launch>"
    ),
    (
        "<edit_file><path>a</path><edits><edit><old>x</old><new>y</new></edit>"
        "<edit><old>z</old><new></new></edit></edits></edit_file>"
    ),
    "<git_status></git_status>",
    "<git_status/>",
    '<debug_launch>{"program": "src/app/main.py", "mode": "pytest", "args": ["--verbose"]}</debug_launch>',
    '<write_file>\n{\n  "path": "a",\n  "content": "</write_file> \\"quoted\\" \\ud83d\\ude00 \\n"\n}\n</write_file>',
    "<git_status>{}</git_status>",
    (
        "<tool_call>\n  <tool_name>write_file</tool_name>\n"
        '  <arguments>{"path": "a", "content": "</arguments>"}</arguments>\n</tool_call>'
    ),
    (
        '<tool_calls>\n<tool_call><tool_name>read_file</tool_name><arguments>{"path": "a"}</arguments></tool_call>\n'
        "<tool_call><tool_name>read_file</tool_name><arguments><path>b</path></arguments></tool_call>\n</tool_calls>"
    ),
    (
        "<tool_call>\n<tool_name>write_file</tool_name>\n<arguments>\n<path>é.md</path>\n"
        "<content><![CDATA[a </tool_call> ]]]]><![CDATA[> b]]></content>\n</arguments>\n</tool_call>"
    ),
    '```json\n{"tool": "read_file", "arguments": {"path": "a", "limit": 3}}\n```',
    (
        '~~~json\n{"tool_calls": [{"tool_name": "git_status", "arguments": {}}, '
        '{"tool_name": "read_file", "arguments": {"path": "a"}}]}\n~~~'
    ),
    '{"tool": "write_file", "arguments": {"path": "a", "content": "b\\nc"}}',
]

GOOD_CALLS.append(
    '<tool_call><tool_name>write_file</tool_name><arguments>{"path": "a", "content": "<tool_call>\\n</tool_call>"}'
    "</arguments></tool_call>"
)

#: Calls that each have at least one diagnostic of severity error under `REGISTRY`.
BROKEN_CALLS: Final = [
    "<read_file><path>a</read_file>",
    "<read_file><path>a</path>",
    "<read_file>\n<path>a\n</read_file>",
    "<read_file><path>a</paht></read_file>",
    "<raed_file><path>a</path></raed_file>",
    "<read_file><paht>a</paht></read_file>",
    "<read_file></read_file>",
    "<read_file><path>a</path><limit>ten</limit></read_file>",
    "<read_file><path>a</path><limit>0</limit></read_file>",
    "<read_file><path>a</path><path>b</path></read_file>",
    "<write_file><path>a</path><content>if a < b && c: <b>x</content></write_file>",
    "<write_file><path>a</path><content>a ]]> b</content></write_file>",
    "<write_file><path>a</path><content><![CDATA[a ]]> b]]></content></write_file>",
    "<write_file><path>a</path><content><![CDATA[a</content></write_file>",
    "<write_file><path>a</content><content>b</content></write_file>",
    "<write_file>\n<path>a</path>\nand now\n<content>b</content>\n</write_file>",
    '<read_file pth="a"/>',
    '<read_file path="a" limit="ten"/>',
    '<debug_launch>{"program": "a", "mode": "pytst"}</debug_launch>',
    '<debug_launch>{"program": "a", "stop_on_entry": "true"}</debug_launch>',
    '<debug_launch>{"program": "a", "args": "-v"}</debug_launch>',
    '<debug_launch>{"program": "a",}</debug_launch>',
    """<debug_launch>{"program": 'a'}</debug_launch>""",
    '<debug_launch>{"program": "a", "stop_on_entry": True}</debug_launch>',
    '<debug_launch>{"program": "a"}}}</debug_launch>',
    '<debug_launch>{"program": "a", "args": ["-v"}</debug_launch>',
    '<debug_launch>{"program": "a</debug_launch>',
    '<debug_launch>{"program": "a", "timeout": NaN}</debug_launch>',
    '<debug_launch>{program: "a"}</debug_launch>',
    '<debug_launch>{"program": "a" "mode": "pytest"}</debug_launch>',
    '<debug_launch>"{\\"program\\": \\"a\\"}"</debug_launch>',
    "<debug_launch>[1]</debug_launch>",
    '<debug_launch>{"program": "a"}',
    '<debug_launch>{"program": "a"}</debug_lunch>',
    '<write_file>{"path": "a", "content": "b\nc\td"}</write_file>',
    '<tool_call><tool_name>read_file</tool_name><arguments>{"path": "a"</arguments></tool_call>',
    "<tool_call><tool_name>read_file</tool_name><arguments><path>a</arguments></tool_call>",
    "<tool_call><tool_name>raed_file</tool_name><arguments><path>a</path></arguments></tool_call>",
    "<tool_call><arguments><path>a</path></arguments></tool_call>",
    "<tool_call><tool_name>read_file</tool_name></tool_call>",
    '<tool_call><tool_name>read_file</tool_name><arguments>{"path": "a"}</tool_call>',
    '<tool_call><tool_name>read_file</tool_name><arguments>{"path": "a"}</arguments>',
    '```json\n{"tool": "write_file", "arguments": {"path": "a", "content": "b"}}}}\n```',
    '```json\n{"tool": "write_file", "arguments": {"path": "a", "content": "b"\n```',
    '```json\n{"tool": "write_file", "arguments": {"path": "a", "content": "print("hello)}}\n```',
    '```json\n{"tool": "read_file", "arguments": "a"}\n```',
    '```json\n{"tool": "raed_file", "arguments": {"path": "a"}}\n```',
    '```json\n{"arguments": {"path": "a"}}\n```',
    '```json\n{"tool": "read_file", "arguments": "{\\"path\\": \\"a\\"}"}\n```',
]

#: Calls whose diagnostics are warnings: they are read, but not by every reader.
FRAGILE_CALLS: Final = [
    '<debug_launch>{"program": "a", "program": "b"}</debug_launch>',
    '```json\n{"tool": "read_file", "arguments": {"path": "a"}}\n',
    '{"tool": "git_status"}',
]

#: Prose that is not a call, however much it looks like one.
PROSE: Final = [
    "Use the `<read_file>` tool, or ``<write_file> ` ``.",
    "<!-- <read_file><path>a</path></read_file> -->",
    "<!-- never closed <read_file>",
    "<p>Some <b>HTML</b><br/></p>",
    "The read_file tool: <read_file> reads.",
    "- item one\n- item two\n  > quoted",
    "```python\nx = {'tool': 1}\n<not_a_call>\n```",
    "```\nunclosed fence",
    "~~~~",
    "`unclosed span",
    "---\ntitle: x\n---",
    "\ufeffé — 😀 \u2028 \x85 \x0b",
    "",
    "</read_file>",
    "</tool_calls>",
    '"<read_file>{\\"path\\": \\"a\\"}</read_file>"',
]

_TOKENS: Final = [
    *("<read_file>", "</read_file>", "<path>", "</path>", "<write_file>", "</write_file>", "<content>", "</content>"),
    *("<tool_call>", "</tool_call>", "<tool_calls>", "</tool_calls>", "<tool_name>", "</tool_name>", "<arguments>"),
    *("</arguments>", "<git_status/>", "<args>", "<item>", "</item>", "<![CDATA[", "]]>", "<!--", "-->", "<", ">", "/"),
    *(
        "&amp;",
        "&",
        "&#0;",
        "&#x110000;",
        "<?x?>",
        "<!DOCTYPE a>",
        '{"tool": ',
        '"read_file"',
        '"arguments": ',
        "{",
        "}",
    ),
    *(
        "[",
        "]",
        '"',
        "\\",
        '\\"',
        "'",
        ":",
        ",",
        "null",
        "True",
        "NaN",
        "1e999",
        "007",
        "\\u",
        "\\ud83d",
        "\ud83d",
        "😀",
    ),
    *(
        "```",
        "```json\n",
        "~~~",
        "`",
        "``",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        " ",
        "\t",
        "\x00",
        "\ufdd0",
        "\ufeff",
        "\u2028",
    ),
    *("...", "…", "{...}", "${x}", "{{ x }}", "a", "read_file", "debug_launch", "<debug_launch>{", "}</debug_launch>"),
    *('"<read_file>{\\"path\\": ', "---\n", "> ", "- ", "1. ", "//", "#", "“", "”", "<a_b>", "</a_b>", "<div>"),
]


def noise() -> st.SearchStrategy[str]:
    """Return texts made of the tokens that readers look for, in any order."""
    return st.lists(st.sampled_from(_TOKENS), max_size=30).map("".join)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """Return a call, good or broken, with pieces cut out, doubled, moved or replaced by tokens."""
    text = draw(st.sampled_from(GOOD_CALLS + BROKEN_CALLS + FRAGILE_CALLS))
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 12)))
        new = draw(st.one_of(st.just(""), st.sampled_from(_TOKENS), st.just(text[start:end] * 2)))
        text = text[:start] + new + text[end:]
    return text


def pieces() -> st.SearchStrategy[str]:
    """Return one piece of a document: prose, a call, a broken call, noise."""
    return st.one_of(
        st.sampled_from(PROSE), st.sampled_from(GOOD_CALLS), st.sampled_from(BROKEN_CALLS), mutated(), noise()
    )


def documents(*, most: int = 8) -> st.SearchStrategy[str]:
    """Return documents of several pieces."""
    parts = st.tuples(pieces(), st.sampled_from(["\n\n", "\n", " ", "", "\r\n\r\n", "\n> ", "\n  - "]))
    return st.lists(parts, max_size=most).map(lambda found: "".join(piece + gap for piece, gap in found))


def transcript(*texts: str, ascii_only: bool = False) -> str:
    """Return a transcript in JSON whose messages have these texts."""
    messages = [{"role": "assistant" if i % 2 else "user", "content": text} for i, text in enumerate(texts)]
    return json.dumps({"messages": messages}, ensure_ascii=ascii_only)


def opened(
    text: str,
    path: str = "a.md",
    registry: ToolRegistry = REGISTRY,
    settings: Settings | None = None,
    *,
    by_shape: bool = False,
) -> Snapshot:
    """Return the snapshot of a text under the tools of this module."""
    return open_snapshot(text, path=path, registry=registry, settings=settings or Settings(), by_shape=by_shape)
