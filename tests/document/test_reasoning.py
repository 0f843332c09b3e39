"""Reasoning blocks: what is in them is mentioned, not called, unless a setting says otherwise."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from callwright.document.settings import Settings
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.syntax.reasoning import BLOCKS
from callwright.tools.registry import ToolRegistry

TOOL: Mapping[str, object] = {
    "name": "read_file",
    "description": "",
    "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
}
CALL = "<read_file><path>a</path></read_file>"


def tools_called(
    text: str,
    *,
    reasoning: str = "mentions",
    tools: tuple[Mapping[str, object], ...] = (TOOL,),
    strict: bool = False,
) -> list[str | None]:
    settings = Settings(dialect="xml-children" if strict else None, reasoning=reasoning, strict=strict)
    snapshot = open_snapshot(text, path="a.md", registry=ToolRegistry.of(list(tools)), settings=settings)
    diagnostics(snapshot)
    return [placed.call.tool for placed in snapshot.placed_calls()]


@pytest.mark.parametrize("opener", BLOCKS)
def test_calls_in_a_closed_block_are_mentions(opener: str) -> None:
    text = f"{opener}I could {CALL} now{BLOCKS[opener][0]}\n{CALL}"
    assert tools_called(text) == ["read_file"]
    assert tools_called(text, reasoning="calls") == ["read_file", "read_file"]


def test_a_block_that_is_never_closed_is_prose() -> None:
    assert tools_called(f"Put it into <think> first.\n\n{CALL}") == ["read_file"]


def test_a_block_is_closed_by_its_own_marker_only() -> None:
    assert tools_called(f"<think>{CALL}</thinking>{CALL}</think>{CALL}") == ["read_file"]


def test_a_tag_that_a_sentence_names_begins_no_block_where_a_block_follows_it() -> None:
    named = f"Check this in <think>.\n\n{CALL}\n\nIn <think></think> tags, say why.\n\n{CALL}"
    assert tools_called(named) == ["read_file", "read_file"]
    assert tools_called(f"So <think>it is {CALL}</think>{CALL}") == ["read_file"]
    assert tools_called(f"<think>\nWhat is <think>? {CALL}\n</think>\n{CALL}") == ["read_file"]


def test_a_model_is_taken_at_its_word_where_it_thinks_of_the_tag() -> None:
    reply = f"So <think>I write {CALL} and open <think> again.</think>\n{CALL}"
    assert tools_called(reply) == ["read_file", "read_file"]
    assert tools_called(reply, strict=True) == ["read_file"]


def test_an_opener_in_a_code_span_or_a_fence_of_another_end_begins_nothing() -> None:
    assert tools_called(f"Use `<think>` so.\n\n{CALL}\n\nand `</think>`") == ["read_file"]
    assert tools_called(f"```text\n<think>\n```\n{CALL}\n</think>") == ["read_file"]


def test_a_marker_inside_a_call_is_text() -> None:
    text = "<read_file><path>a<![CDATA[<think>]]></path></read_file>" + CALL + "</think>"
    assert tools_called(text) == ["read_file", "read_file"]


def test_a_tool_of_the_blocks_name_is_called() -> None:
    tool = {**TOOL, "name": "thinking"}
    assert tools_called("<thinking><path>a</path></thinking>", tools=(tool,)) == ["thinking"]
