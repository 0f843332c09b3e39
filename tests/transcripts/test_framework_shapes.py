"""What holds for the shapes of frameworks and agents: they read any JSON value, and claim none that is not theirs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callwright.syntax.json import read_json
from callwright.syntax.json_views import JsonView
from callwright.transcripts.catalogue import all_shapes, detect, find_shape
from support.sampling import tries

NAMES = (
    *("atif", "bedrock", "claude-code", "codex", "inspect-log", "langchain", "pydantic-ai", "sharegpt", "vercel-ai"),
    *("opentelemetry", "single-calls"),
)
KEYS = (
    *("conversations", "from", "value", "system", "tools", "chosen", "steps", "source", "message", "tool_calls"),
    *("observation", "results", "source_call_id", "agent", "subagent_trajectories", "schema_version", "type", "data"),
    *("content", "lc", "id", "kwargs", "messages", "inputs", "outputs", "generations", "args", "name", "status"),
    *("invalid_tool_calls", "additional_kwargs", "response_metadata", "role", "parts", "toolInvocations", "state"),
    *("toolCallId", "input", "output", "toolInvocation", "samples", "eval", "epoch", "events", "event", "choices"),
    *("part_kind", "tool_name", "kind", "toolUse", "toolResult", "toolUseId", "toolConfig", "toolSpec", "stopReason"),
    *("function", "arguments", "error", "sessionId", "payload", "call_id", "text", "tool_call_id"),
    *("function_call", "functionCall", "toolCalls", "tool_uses", "tool_call", "tool_input", "toolName", "response"),
)
WORDS = (
    *("human", "gpt", "tool", "system", "agent", "user", "ATIF-v1.4", "ai", "constructor", "AIMessage", "assistant"),
    *("tool-x", "dynamic-tool", "output-available", "text", "tool-call", "tool-result", "step-start", "model"),
    *("response_item", "function_call", "message", "custom_tool_call", "function_call_output", "tool_use", "<tools>{"),
    *("tool_call_response", "function", "{}"),
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(WORDS) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=24,
)
STARTS: tuple[dict[str, Any], ...] = (
    {"conversations": [{"from": "human", "value": "x"}]},
    {"schema_version": "ATIF-v1.4", "steps": []},
    {"messages": [{"type": "human", "content": "x"}]},
    {"lc": 1, "type": "constructor", "id": ["AIMessage"], "kwargs": {"content": ""}},
    {"role": "assistant", "parts": [{"type": "tool-x", "toolCallId": "1", "state": "output-available"}]},
    {"eval": {}, "samples": [{"messages": []}]},
    {"type": "user", "sessionId": "s", "message": {"role": "user", "content": []}},
    {"type": "response_item", "payload": {"type": "function_call"}},
    {"role": "user", "content": [{"toolUse": {}}, {"toolResult": {"content": [{}]}}]},
    {"output": {"message": {"role": "assistant", "content": [{"text": "x"}]}}, "stopReason": "x"},
    {"kind": "response", "parts": [{"part_kind": "tool-call", "args": {}}]},
    {"role": "assistant", "parts": [{"type": "tool_call", "name": "x"}, {"type": "tool_call_response", "response": 1}]},
    {"tool_calls": [{"name": "x", "args": {}}], "function_call": {"name": "x", "arguments": "{}"}},
    {"tool_name": "x", "tool_input": {}},
)


OTHERS: tuple[Any, ...] = (None, 1, "x", [], {}, [None])


def read_all(value: Any) -> None:
    """Let every shape that takes a value read it, and each of the others, too, as far as it goes."""
    text = json.dumps(value)
    for name in NAMES:
        shape = find_shape(name)
        assert shape is not None
        certain = shape.matches(value)
        assert 0 <= certain <= 100
        if not certain:
            continue
        root = JsonView.of(read_json(text))
        for view in shape.conversations(root):
            shape.tools(view)
            for turn in shape.turns(view):
                assert turn.place.span.end <= len(text)
                for stated in turn.texts:
                    assert isinstance(stated.value, str)
                    assert stated.place.span.end <= len(text)
                for call in turn.calls:
                    assert call.tool is None or isinstance(call.tool, str)
                    assert call.place.span.end <= len(text)
                    assert call.name is None or call.name.span.end <= len(text)


@settings(max_examples=tries(200), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.data())
def test_any_value_is_read(data: st.DataObject) -> None:
    start = dict(data.draw(st.sampled_from(STARTS)))
    spot = data.draw(st.sampled_from(sorted(start)))
    start[spot] = data.draw(VALUES)
    start[data.draw(st.sampled_from(KEYS))] = data.draw(VALUES)
    read_all(data.draw(st.sampled_from([start, [start], [start, start], {"messages": [start]}])))


@settings(max_examples=tries(200), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(VALUES)
def test_whatever_it_is(value: Any) -> None:
    read_all(value)


def corpora() -> list[Path]:
    here = Path(__file__).parent
    return [file for name in NAMES for file in sorted((here / name / "corpus").iterdir()) if file.suffix != ".md"]


@pytest.mark.parametrize("file", corpora(), ids=lambda file: f"{file.parent.parent.name}-{file.name}")
def test_a_value_that_is_replaced_does_no_harm(file: Path) -> None:
    text = file.read_bytes().decode("utf-8")
    lines = text.splitlines() if file.suffix == ".jsonl" else [text]
    for line in lines[::4]:
        value = json.loads(line)
        for path in _paths(value):
            for other in OTHERS:
                read_all(_replaced(value, path, other))


def _paths(value: Any) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    waiting: list[tuple[tuple[Any, ...], Any]] = [((), value)]
    while waiting:
        path, each = waiting.pop()
        if path:
            found.append(path)
        entries = each.items() if isinstance(each, dict) else enumerate(each) if isinstance(each, list) else ()
        waiting += [((*path, key), inner) for key, inner in entries]
    # All of them would take long, and they are much alike.
    return found[:: max(1, len(found) // 25)]


def _replaced(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    if not path:
        return other
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = _replaced(value[path[0]], path[1:], other)
    return copy


@pytest.mark.parametrize(
    "value",
    [
        {"name": "p", "version": "1", "scripts": {"build": "x"}, "type": "module"},
        {"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": {"type": "Point"}}]},
        {"cells": [{"cell_type": "code", "source": ["x"], "outputs": []}], "metadata": {}, "nbformat": 4},
        {"openapi": "3.0.0", "info": {"title": "x"}, "paths": {"/a": {"get": {"responses": {}}}}},
        {"from": "a@example.org", "to": "b@example.org", "value": "12.5"},
        {"steps": [{"source": "agent", "uses": "x"}], "schema_version": "1"},
        {"type": "object", "data": {"content": "x"}},
        {"type": "system", "content": "x"},
        {"samples": [{"x": 1, "y": 2}], "eval": "accuracy", "epoch": 3},
        {"sessionId": "s", "type": "click", "message": "x"},
        {"type": "push", "payload": {"ref": "main", "type": "message"}},
        {"role": "admin", "parts": [{"type": "wheel", "toolCallId": "x"}]},
        {"inputs": {"messages": "none"}, "outputs": [1]},
        {"kind": "Deployment", "parts": [{"name": "x"}]},
        {"output": {"message": "x"}, "stopReason": "x", "role": "admin"},
        [{"type": "text", "content": "x"}, {"type": "image", "content": "y"}],
    ],
)
def test_other_data_is_not_taken(value: Any) -> None:
    shape = detect(value)
    assert shape is None or shape.name not in NAMES


@pytest.mark.parametrize(
    ("pieces", "calls"),
    [(['{"pa'], 0), ([""], 0), (['{"path": "a"}'], 1), (['{"path": "a"}', '{"path'], 1)],
)
def test_a_streamed_piece_of_a_call_states_nothing(pieces: list[str], calls: int) -> None:
    chunks = [
        {"name": "f", "args": args, "id": f"c{at}", "index": at, "type": "tool_call_chunk"}
        for at, args in enumerate(pieces)
    ]
    message = {
        "type": "AIMessageChunk",
        "content": "",
        "additional_kwargs": {"tool_calls": [{"index": 0, "id": "c0", "function": {"name": "f", "arguments": "{"}}]},
        "tool_calls": [{"name": "f", "args": {}, "id": chunk["id"]} for chunk in chunks],
        "tool_call_chunks": chunks,
    }
    shape = detect(message)
    assert shape is not None
    assert shape.name == "langchain"
    (turn,) = shape.turns(JsonView.of(read_json(json.dumps(message))))
    assert turn.role == "assistant"
    assert len(turn.calls) == calls


def test_every_shape_reports_where_its_format_is_published() -> None:
    for shape in all_shapes():
        assert shape.sources, shape.name
        assert all(re.fullmatch(r"https://\S+", source) for source in shape.sources), shape.name
        assert shape.about.strip(), shape.name
