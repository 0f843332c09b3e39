"""Calls as the objects of an API: each is found once wherever it lies, and none gets past a strict parser."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.document.settings import Settings
from callwright.lint.opening import open_snapshot
from callwright.runtime import StrictParser
from callwright.runtime.errors import ParseError
from invariants.corpus import registry
from support.sampling import tries

ARGUMENTS = {"path": 'a "b"\n'}
OPENAI = {"id": "c", "type": "function", "function": {"name": "read_file", "arguments": json.dumps(ARGUMENTS)}}
ANTHROPIC = {"type": "tool_use", "id": "c", "name": "read_file", "input": ARGUMENTS}
GEMINI = {"functionCall": {"name": "read_file", "args": ARGUMENTS}}
LEGACY = {"role": "assistant", "content": None, "function_call": OPENAI["function"]}
ITEM = {"type": "function_call", "call_id": "c", "name": "read_file", "arguments": json.dumps(ARGUMENTS)}
CALLS: dict[str, Any] = {
    "openai-json": OPENAI,
    "anthropic-json": ANTHROPIC,
    "gemini-json": GEMINI,
    "openai-json, the older": LEGACY,
    "openai-json, an item": ITEM,
}
DATA: st.SearchStrategy[Any] = st.sampled_from(
    [
        *(
            None,
            3,
            "text",
            [],
            {},
            "tool_use",
            {"type": "text", "text": "tool_calls"},
            {"role": "user", "content": "x"},
        ),
        *({"type": "tool_result", "tool_use_id": "c", "content": [ANTHROPIC]}, {"delta": {"tool_calls": [OPENAI]}}),
        *({"tools": [OPENAI]}, {"tool_choice": {"type": "function", "function": {"name": "read_file"}}}),
        {"functionResponse": {"name": "read_file", "response": GEMINI}},
    ]
)
CALL = st.sampled_from(sorted(CALLS)).map(lambda name: ("call", name))


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    keys = st.sampled_from(["content", "parts", "messages", "message", "choices", "steps", "a"])
    return st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=2)


VALUES = st.recursive(CALL | DATA, nested, max_leaves=6)


def filled(value: Any, found: list[str]) -> Any:
    """Return a value with the calls in it, of which the dialects are added to `found` in the order of the text."""
    if isinstance(value, tuple):
        found.append(value[1].partition(",")[0])
        return CALLS[value[1]]
    if isinstance(value, list):
        return [filled(item, found) for item in value]
    return {key: filled(item, found) for key, item in value.items()} if isinstance(value, dict) else value


@settings(max_examples=tries(400), deadline=None)
@given(value=VALUES, indent=st.sampled_from([None, 2]), language=st.sampled_from(["json", "", "jsonc"]))
def test_each_call_of_a_value_in_a_fence_is_found_once(value: Any, indent: int | None, language: str) -> None:
    wanted: list[str] = []
    text = json.dumps({"log": filled(value, wanted)}, indent=indent)
    snapshot = open_snapshot(
        f"Before.\n\n```{language}\n{text}\n```\n\nBehind.\n", path="a.md", registry=registry(), settings=Settings()
    )
    found = list(snapshot.placed_calls())
    assert [placed.call.dialect for placed in found] == wanted
    assert all(dict(placed.binding.arguments) == ARGUMENTS for placed in found)
    spans = [placed.span for placed in found]
    assert spans == sorted(spans)
    assert all(one.end <= other.start for one, other in pairwise(spans))


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("around", ["{}", "So:\n\n{}\n", "I call {} now.", "```json\n{}\n```", "[{}]", '{{"log": {}}}'])
def test_a_strict_parser_of_another_dialect_rejects_it(name: str, around: str) -> None:
    reply = around.format(json.dumps(CALLS[name]))
    calls, error = StrictParser(tools=registry(), dialect="hermes").parse(reply)
    assert calls == []
    assert isinstance(error, ParseError)


@pytest.mark.parametrize("name", CALLS)
def test_a_strict_parser_of_its_own_dialect_gives_it_out(name: str) -> None:
    calls, error = StrictParser(tools=registry(), dialect=name.partition(",")[0]).parse(json.dumps(CALLS[name]))
    assert error is None
    assert [(call.tool, call.arguments) for call in calls] == [("read_file", ARGUMENTS)]


@pytest.mark.parametrize("name", CALLS)
def test_a_name_that_no_tool_has_is_rejected(name: str) -> None:
    reply = json.dumps(CALLS[name]).replace("read_file", "raed_flie")
    calls, error = StrictParser(tools=registry(), dialect=name.partition(",")[0]).parse(reply)
    assert calls == []
    assert error is not None
