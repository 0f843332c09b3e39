"""What an editor shows of a stranger's tools and texts does nothing: no links, images, HTML or code of theirs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from markdown_it import MarkdownIt

from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.features.base import Client, Request
from callwright.features.support.markdown import markup_content, schema_markdown, tool_markdown
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.text.facts import Holder
from callwright.text.span import Span
from callwright.tools.registry import ToolRegistry
from features.test_any_place import FEATURES, Around, answer, params_of
from support.sampling import sampled

HOSTILE = {
    "command": "[run](command:workbench.action.terminal.new?%5B%5D)",
    "script": "[x](javascript:alert(1)) <javascript:alert(1)>",
    "image": "![x](https://example.com/x.png)",
    "image by reference": "![x][y]\n\n[y]: https://example.com/x.png",
    "html": '<img src="https://example.com/x.png" onerror="alert(1)"><script>alert(1)</script>',
    "fence": "```\n````\n`````\n[x](command:y)\n``",
    "tildes": "~~~~\n[x](command:y)\n~~~~\n[x](command:y)",
    "bare": "https://example.com/x www.example.com command:x a@example.com",
    "angles": "<https://example.com> <a@example.com>",
    "ticks": "`` ` ``` [x](command:y) `",
    "backslashes": "\\[x](command:y) \\\\[x](command:y) \\`[x](command:y)`",
    "entities": "&lt;img&gt; &#91;x&#93;(command:y) &#x5b;x](command:y)",
    "lines": "a\n\n# Title\n\n- [x](command:y)\n\n    code\n\n|a|b|\n|-|-|\n|[x](command:y)|c|",
    "controls": "\x00\x1b[2J\u202e\ud800[x](command:y)",
    "icons": "$(sync~spin) $(trash)",
}
#: An editor that shows Markdown wherever it may be sent.
EDITOR = Client.of(
    {
        "textDocument": {
            "hover": {"contentFormat": ["markdown", "plaintext"]},
            "completion": {"completionItem": {"documentationFormat": ["markdown"], "snippetSupport": True}},
            "signatureHelp": {"signatureInformation": {"documentationFormat": ["markdown"]}},
            "inlayHint": {"resolveSupport": {"properties": ["tooltip"]}},
        }
    }
)
MARKDOWN = MarkdownIt("gfm-like", {"html": True, "linkify": False})
#: What text becomes of which an editor would load or run something, and what is laid out by someone else.
ACTIVE = {"link_open", "image", "html_inline", "html_block", "heading_open", "table_open"}


#: An address that is none of a file.
LEADS_OUT = re.compile(r'"(?:target|href|uri|targetUri)": "(?!file:)[A-Za-z][A-Za-z0-9+.-]*:')


def tools_statement(text: str) -> list[dict[str, Any]]:
    part = {
        "type": "string",
        "title": text,
        "description": text,
        "default": text,
        "examples": [text],
        "pattern": text,
        "format": text,
    }
    listed = {"description": text, "enum": [text, f"{text} 2", f"{text} 3", f"{text} 4", f"{text} 5"]}
    properties = {
        "path": part,
        "mode": listed,
        text: part,
        "inner": {"type": "object", "properties": {text: part, "a": part}},
    }
    return [
        {
            "name": "read_file",
            "title": text,
            "description": text,
            "deprecated": text,
            "input_schema": {"type": "object", "properties": properties, "required": ["path", text]},
        },
        {"name": text, "description": text, "input_schema": {"type": "object", "properties": {"path": part}}},
    ]


def shown(value: Any, key: str = "") -> Iterator[str]:
    """Yield every text that an editor reads as Markdown."""
    if isinstance(value, dict):
        if value.get("kind") == "markdown":
            yield value["value"]
        for name, inner in value.items():
            yield from shown(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from shown(inner, key)


def active(text: str) -> list[str]:
    """Return what there is in a Markdown text that is more than words, lists and code."""
    found = []
    for token in MARKDOWN.parse(text):
        found += [inner.type for inner in (token, *(token.children or ())) if inner.type in ACTIVE]
    return found


def answers(snapshot: Snapshot, places: list[int]) -> Iterator[tuple[str, Any]]:
    around: Any = Around(snapshot)
    for method, feature in FEATURES.items():
        if method.endswith("/resolve") or method.startswith("workspace/execute"):
            continue
        for at in places:
            span = Span(at, at)
            params = params_of(method, snapshot, span, Random(0))  # noqa: S311 - nothing secret
            request = Request(span, EDITOR, params, around, (at, at), Holder())
            yield method, answer(feature, snapshot, request)


@pytest.mark.parametrize("name", sampled(HOSTILE, keep=3))
def test_no_answer_of_any_feature_is_active(name: str) -> None:
    hostile = HOSTILE[name]
    registry = ToolRegistry.of(tools_statement(hostile))
    value = json.dumps(hostile)
    texts = {
        "a.prompt": f"<read_file><path>{hostile}</path><mode>x</mode><inner></inner></read_file>\n<read_file><",
        "b.prompt": f'<read_file>{{"path": {value}, {value}: {value}, "mode": ""}}</read_file>\n<',
        "c.md": f'```json\n{{"tool": {value}, "arguments": {{"path": {value}}}}}\n```\n',
        "d.json": json.dumps({"messages": [{"role": hostile, "content": f"<read_file><{hostile}></read_file>"}]}),
        "tools.json": json.dumps(tools_statement(hostile)),
    }
    stated = 0
    for path, text in texts.items():
        snapshot = open_snapshot(text, path=path, registry=registry, settings=Settings())
        places = sorted({0, 3, 14, 22, len(text) // 2, *(m.start() + 1 for m in re.finditer(r"[<{]|mode|inner", text))})
        for method, found in answers(snapshot, places[:25]):
            json.dumps(found).encode("ascii")
            for markdown in shown(found):
                stated += 1
                assert active(markdown) == [], (method, markdown)
            assert LEADS_OUT.search(json.dumps(found)) is None, (method, found)
        assert all(isinstance(one.message, str) for one in diagnostics(snapshot))
    assert stated


@pytest.mark.parametrize("name", list(HOSTILE))
def test_what_is_stated_of_a_tool_is_not_active(name: str) -> None:
    for tool in ToolRegistry.of(tools_statement(HOSTILE[name])):
        pages = [tool_markdown([tool]), tool_markdown([tool, tool])]
        for parameter in tool.parameters.values():
            schemas = [(parameter.schema, tool.input_schema)]
            pages.append(schema_markdown(parameter.name, schemas, of=tool.name, alias_of=HOSTILE[name]))
        for markdown in pages:
            assert active(markdown.replace("\n\n---\n\n", "\n\n")) == [], markdown
            assert markup_content(markdown, ["plaintext"])["kind"] == "plaintext"
            assert not set(markdown) & set("\x00\x1b\u202e\ud800")


def test_what_would_be_active_is_seen_as_such() -> None:
    seen = {name for name, text in HOSTILE.items() if active(text)}
    assert {"command", "image", "image by reference", "html", "tildes", "angles", "lines"} <= seen
