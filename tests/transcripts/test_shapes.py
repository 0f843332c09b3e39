"""What holds for every shape: any value can be read, places say what values say, and other JSON is not a transcript."""

from __future__ import annotations

import json
import os
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callwright.calls.turns import Located, Turn
from callwright.conversation.conversation import Conversation, conversations
from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.hosts.base import Record, TranscriptPart
from callwright.hosts.support import transcript_search
from callwright.hosts.support.transcript import transcript_record
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.syntax.json import read_json
from callwright.syntax.json_views import JsonView
from callwright.text.span import Edit, Span, apply_edits
from callwright.tools.registry import EMPTY, ToolRegistry
from callwright.transcripts.base import Shape
from callwright.transcripts.catalogue import all_shapes, detect, find_shape
from hosts.host_cases import SHAPES, corpus_files
from support.sampling import sampled

CORPUS = [file for shape in all_shapes() for file in corpus_files(SHAPES / shape.name)]
WORDS = sorted(
    {key for shape in all_shapes() for key in shape.keys}
    | {"content", "tool_calls", "function", "name", "arguments", "id", "type", "tool_call_id", "function_call", "text"}
    | {"message", "finish_reason", "item", "status", "instructions", "tools", "custom", "error", "reason", "system"}
    | {"incomplete_details", "previous_response_id", "tool_use_id", "is_error", "stop_reason", "functionCall", "args"}
    | {"functionResponse", "finishReason", "systemInstruction", "thought", "config", "params", "result", "isError"}
    | {"structuredContent", "requestId", "task", "request", "response", "body", "data", "value", "isSidechain"}
)
TEXTS = [
    *("user", "assistant", "tool", "system", "model", "tool_use", "tool_result", "text", "function_call", "message"),
    *("function_call_output", "custom_tool_call", "mcp_call", "reasoning", "item_reference", "function", "custom"),
    *("2.0", "tools/call", "initialize", "notifications/cancelled", "", '{"a": 1', "<tool_call>{}</tool_call>"),
    '{"role": "user", "content": "<x>"}',
]
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.sampled_from(TEXTS) | st.text()
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=6),
    max_leaves=30,
)
SHAPE = st.sampled_from(all_shapes())
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def places(turn: Turn) -> Iterator[Located]:
    found: list[Located | None] = [turn.place, turn.role_place, turn.finish_place]
    found += [stated.place for stated in turn.texts]
    for call in turn.calls:
        found += [call.place, call.name, call.arguments, call.call_id]
    for result in turn.results:
        found += [result.place, result.call_id, result.tool_place, result.content]
    return (place for place in found if place is not None)


def look_at(record: Record, size: int) -> None:
    """Ask for everything that a record says."""
    for part in record.transcripts:
        for turn in part.turns:
            for place in places(turn):
                raw = part.projection.raw_span(place.span)
                assert 0 <= raw.start <= raw.end <= size
    for passage in record.passages:
        assert passage.projection.length == len(passage.text)
        whole = passage.projection.raw_span(Span(0, len(passage.text)))
        assert 0 <= whole.start <= whole.end <= size


@PATIENT
@given(VALUES, SHAPE)
def test_any_value_can_be_read_as_any_shape(value: Any, shape: Shape) -> None:
    certain = shape.matches(value)
    assert 0 <= certain <= 100
    if not certain:
        return
    text = json.dumps(value)
    for root in shape.conversations(JsonView.of(read_json(text))):
        assert shape.is_whole(root.value) in (True, False)
        assert shape.is_certain(root.value) in (True, False)
        shape.tools(root)
        for turn in shape.turns(root):
            for place in places(turn):
                assert 0 <= place.span.start <= place.span.end <= len(text)


@PATIENT
@given(VALUES, st.data())
def test_any_text_can_be_read(value: Any, data: st.DataObject) -> None:
    text = json.dumps(value)
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(text)))
        text = (
            text[:at]
            + data.draw(st.sampled_from(["", '"', "{", "}", "[", "]", ",", ":", "\\", "'", "\n", "😀"]))
            + text[at + 1 :]
        )
    look_at(transcript_record(text), len(text))


def records(file: Path) -> Iterator[tuple[str, Record]]:
    text = file.read_bytes().decode("utf-8")
    for line in text.splitlines() if file.suffix == ".jsonl" else [text]:
        yield line, transcript_record(line)


@pytest.mark.parametrize(
    "file",
    sampled(CORPUS, keep=2, by=lambda file: file.parent.parent.name),
    ids=lambda file: f"{file.parent.parent.name}/{file.name}",
)
def test_any_member_of_a_document_may_be_of_another_type(file: Path) -> None:
    """Each value of a document in turn is replaced by values of other types."""
    for text, _ in sampled(records(file), keep=2):
        try:
            value = json.loads(text.removeprefix("\ufeff"))
        except ValueError:
            continue
        for path in [*paths(value)][:: max(1, len([*paths(value)]) // 16)]:
            for other in (None, 7, "x", [], {}, ["x"], {"type": "x"}):
                changed = json.dumps(replaced(value, path, other))
                look_at(transcript_record(changed), len(changed))


def paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield path
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in entries:
        yield from paths(inner, (*path, key))


def replaced(value: Any, path: tuple[str | int, ...], new: Any) -> Any:
    if not path:
        return new
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


@pytest.mark.parametrize(
    "file",
    sampled(CORPUS, keep=2, by=lambda file: file.parent.parent.name),
    ids=lambda file: f"{file.parent.parent.name}/{file.name}",
)
def test_places_report_what_values_report(file: Path) -> None:
    for text, record in records(file):
        look_at(record, len(text))
        for part in record.transcripts:
            for turn in part.turns:
                for stated in turn.texts:
                    assert decoded(text, part, stated.place) in (stated.value, None)
                for call in turn.calls:
                    for place in (call.name, call.call_id):
                        assert place is None or decoded(text, part, place) in (place.value, None)
                for result in turn.results:
                    if result.content is not None:
                        assert decoded(text, part, result.content) in (result.value, None)


def decoded(text: str, part: TranscriptPart, place: Located) -> Any:
    """Return what is at a place: JSON as it is meant, else the text. None where the JSON is broken, or nested."""
    raw = part.projection.raw_span(place.span).of(text)
    if not isinstance(place, JsonView):
        return raw if "\\" not in raw else None
    try:
        return json.loads(raw, strict=False)
    except ValueError:
        return None


@pytest.mark.whole(reason="every JSON file of the environment")
def test_json_of_other_kinds_is_no_transcript(capsys: pytest.CaptureFixture[str]) -> None:
    read = 0
    for root in {sysconfig.get_path("purelib"), sysconfig.get_path("stdlib"), "/usr/share", "/usr/lib"}:
        found = (Path(folder, name) for folder, _, names in os.walk(root) for name in names if name.endswith(".json"))
        for file in sampled(sorted(found)[:500], keep=20):
            try:
                text = file.read_text("utf-8")
            except (OSError, ValueError):
                continue
            if len(text) > 1_000_000:
                continue
            read += 1
            assert [part.shape for part in transcript_record(text).transcripts] == [], file
    with capsys.disabled():
        sys.stdout.write(f" [{read} JSON files]")


@pytest.mark.parametrize(
    "value",
    [
        {"name": "pkg", "version": "1.0.0", "scripts": {"test": "x"}, "messages": ["a"]},
        {"cells": [{"cell_type": "code", "source": ["x"], "outputs": []}], "metadata": {}, "nbformat": 4},
        {"openapi": "3.1.0", "paths": {"/a": {"post": {"parameters": []}}}, "tools": []},
        {"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": {"type": "Point"}}]},
        {"compilerOptions": {"strict": True}, "include": ["src"]},
        {"tools": [{"name": "f", "inputSchema": {"type": "object"}}]},
        [{"type": "function", "function": {"name": "f", "parameters": {}}}],
        {"role": "admin", "name": "x"},
        {"roles": [{"role": "user"}], "contents": ["a"], "parts": [1]},
        {"model": "text-embedding-3-small", "input": "text"},
        {"object": "list", "data": [{"object": "embedding", "embedding": [0.1]}]},
        {"id": 1, "jsonrpc": "2.0", "method": "eth_call", "params": [{"to": "0x0"}]},
        {"id": 1, "jsonrpc": "2.0", "result": "0x0"},
        {"type": "message", "text": "x", "user": "U1"},
        {"input": ["a.ts"], "output": [{"file": "a.js"}]},
        {"choices": ["a", "b"], "candidates": [{"name": "x"}]},
        {"messages": [{"id": "greeting", "defaultMessage": "Hi"}]},
        {"status": "ok", "data": [{"text": "x", "content": "y"}]},
        [1, "a", None],
    ],
)
def test_a_value_of_another_kind_has_no_shape(value: Any) -> None:
    assert detect(value) is None
    assert not transcript_record(json.dumps(value)).transcripts


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        ({"system": "x", "messages": [{"role": "user", "content": "x"}]}, "anthropic"),
        ({"system": "x", "messages": [{"role": "assistant", "tool_calls": [{"id": "x"}]}]}, "openai-chat"),
        ({"system": "x", "messages": [{"role": "system", "content": "x"}]}, "openai-chat"),
        ({"model": "claude-x", "max_tokens": 1, "messages": [{"role": "user", "content": "x"}]}, "anthropic"),
        ({"model": "claude-x", "max_tokens": 1, "messages": [{"role": "system", "content": "x"}]}, "openai-chat"),
        ({"tools": [{"input_schema": {}}], "messages": [{"role": "system", "content": "x"}]}, "anthropic"),
        (
            [{"role": "system", "content": "x"}, {"role": "assistant", "content": [{"type": "tool_use", "name": "f"}]}],
            "anthropic",
        ),
        ({"model": "gpt-x", "max_tokens": 1, "messages": [{"role": "user", "content": "x"}]}, "openai-chat"),
        ([{"role": "assistant", "content": [{"type": "thinking", "thinking": [{"text": "x"}]}]}], "openai-chat"),
        ([{"role": "assistant", "content": [{"type": "thinking", "thinking": "x"}]}], "anthropic"),
        (
            {"role": "assistant", "content": [{"type": "output_text", "text": "x"}], "type": "message"},
            "openai-responses",
        ),
        ({"role": "model", "parts": [{"text": "x"}]}, "gemini"),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, "mcp"),
        ({"jsonrpc": "2.0", "id": 1, "method": "textDocument/hover"}, None),
    ],
)
def test_a_value_is_of_the_shape_whose_markers_it_has(value: Any, shape: str | None) -> None:
    found = detect(value)
    assert (found.name if found is not None else None) == shape


CHAT = {"messages": [{"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]}]}


@pytest.mark.parametrize(
    "wrap",
    [
        {"body": CHAT},
        {"log": {"entries": [{"request": {"postData": {"text": json.dumps(CHAT)}}}]}},
        {"rows": [{"row_idx": 0, "row": CHAT}]},
        [[CHAT]],
        [json.dumps(CHAT)],
        {"data": json.dumps({"payload": json.dumps(CHAT)})},
    ],
)
def test_a_transcript_is_found_in_what_wraps_it(wrap: Any) -> None:
    text = json.dumps(wrap)
    record = transcript_record(text)
    assert [part.shape for part in record.transcripts] == ["openai-chat"]
    (passage,) = record.passages
    assert passage.calls is not None
    name = passage.projection.raw_span(passage.calls[0].tool_span)
    assert name.of(text) == "f"


def found_in(value: Any) -> list[tuple[str, str, bool]]:
    """Return the shape and provider of each transcript in a value, and whether it is alone."""
    return [(part.shape, part.provider, part.alone) for part in transcript_record(json.dumps(value)).transcripts]


CALLED_ONCE = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
OBJECT_ONCE = {"id": "c", "type": "function", "function": {"name": "f", "arguments": {}}}
STATED_ONCE = {"role": "assistant", "content": None, "tool_calls": [CALLED_ONCE]}


@pytest.mark.parametrize("depth", [1, 20, 60])
@pytest.mark.parametrize("key", ["data", "whatever", "Ü 1"])
def test_a_transcript_is_found_at_any_depth_under_any_name(key: str, depth: int) -> None:
    value: Any = CHAT
    for _ in range(depth):
        value = {key: value, "other": 1}
    assert found_in(value) == [("openai-chat", "openai", False)]
    value = CALLED_ONCE
    for number in range(depth):
        value = {key: value} if number % 2 else [7, value]
    assert found_in(value) == [("single-calls", "none", True)]


def test_a_transcript_nested_too_deep_is_not_sought() -> None:
    value: Any = CHAT
    for _ in range(500):
        value = {"data": value}
    assert not found_in(value)


def test_strings_in_strings_are_read_for_some_levels() -> None:
    value: Any = {"a": {"b": CHAT}}
    for _ in range(5):
        value = {"x": [json.dumps(value)]}
    assert found_in(value) == [("openai-chat", "openai", False)]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        # A single message is an entry of a log under the names of logs alone.
        ({"message": STATED_ONCE}, [("openai-chat", "openai", False)]),
        ({"reply_of_model": STATED_ONCE}, [("openai-chat", "none", True)]),
        # The interface of plain messages is not stated, and no interface has this role or this form of arguments.
        ({"turns_of_run": [{"role": "user", "content": "x"}]}, [("openai-chat", "none", False)]),
        ({"turns_of_run": [{**STATED_ONCE, "role": "agent"}]}, [("openai-chat", "none", False)]),
        ({"turns_of_run": [STATED_ONCE]}, [("openai-chat", "openai", False)]),
        ({"turns_of_run": [{**STATED_ONCE, "tool_calls": [OBJECT_ONCE]}]}, [("openai-chat", "none", False)]),
        # What is beside a conversation.
        (
            {**CHAT, "expected": {"calls": [CALLED_ONCE]}},
            [("openai-chat", "openai", False), ("single-calls", "none", True)],
        ),
        ({**CHAT, "output": {"x": CALLED_ONCE}}, [("openai-chat", "openai", False), ("single-calls", "none", True)]),
        ({**CHAT, "tools": [{"examples": [CALLED_ONCE]}]}, [("openai-chat", "openai", False)]),
        # Results, pieces of a stream, schemas and descriptions of interfaces.
        ({"tool_result": STATED_ONCE, "x": {"type": "tool_result", "y": STATED_ONCE}}, []),
        ({"choices": [{"index": 0, "delta": {"tool_calls": [CALLED_ONCE]}}]}, []),
        ({"type": "content_block_start", "content_block": {"type": "tool_use", "name": "f", "input": {}}}, []),
        ({"type": "response.output_item.added", "item": {"type": "function_call", "name": "f", "arguments": ""}}, []),
        ({"x": {"type": "object", "properties": {}, "examples": [STATED_ONCE]}}, []),
        ({"x": {"$schema": "https://json-schema.org/draft/2020-12/schema", "examples": [STATED_ONCE]}}, []),
        ({"openapi": "3.1.0", "paths": {"/chat": {"post": {"example": STATED_ONCE}}}}, []),
    ],
)
def test_far_places_report_less(value: Any, found: list[tuple[str, str, bool]]) -> None:
    assert found_in(value) == found


def test_a_conversation_in_a_far_place_may_go_on_with_what_is_elsewhere() -> None:
    result = {"role": "tool", "tool_call_id": "c", "content": "x"}
    for listed, continues in (
        ([result], True),
        ([STATED_ONCE, result], True),
        ([{"role": "user", "content": "x"}], False),
    ):
        (part,) = transcript_record(json.dumps({"rest_of_it": listed})).transcripts
        assert part.turns[0].continues is continues


def test_a_request_and_its_answer_are_one_conversation_in_far_places_too() -> None:
    answer = {"choices": [{"message": STATED_ONCE, "finish_reason": "tool_calls"}]}
    for names in (("request", "response"), ("llm_request", "llm_response"), ("modelRequest", "modelResponse")):
        call = {names[1]: answer, names[0]: {"messages": [{"role": "user", "content": "x"}]}}
        (part,) = transcript_record(json.dumps({"steps_of_run": [{"call": call}]})).transcripts
        assert [turn.role for turn in part.turns] == ["user", "assistant"]


def test_no_provider_demands_anything_of_lone_calls() -> None:
    """They have no ids and no results, and their arguments are an object."""
    alone = {"function_call": {"name": "fnid", "arguments": {}}}
    text = json.dumps({"runs_of_day": [alone, {"said": {**STATED_ONCE, "role": "assistant"}}]})
    for provider in (None, "openai", "anthropic"):
        snapshot = open_snapshot(text, path="a.json", registry=OTHER, settings=Settings(provider=provider))
        assert [each.code for each in diagnostics(snapshot)] == ["TC301"]


def test_tools_that_come_with_calls_are_those_of_the_calls() -> None:
    defined = {"name": "find", "parameters": {"type": "object", "properties": {"q": {"type": "string"}}}}
    call = {"function_call": {"name": "find", "arguments": {"q": 1}}}
    for inline_tools in (
        {"tools": [{"type": "function", "function": defined}]},
        {"functions": [defined]},
        {"function": [defined]},
        {"gen_ai.tool.definitions": json.dumps([{"type": "function", **defined}])},
    ):
        for value in ({**inline_tools, **call}, {**inline_tools, "expected": [call]}):
            snapshot = open_snapshot(json.dumps(value), path="a.json", registry=OTHER, settings=Settings())
            assert [each.code for each in diagnostics(snapshot)] == ["TC304"], value


@pytest.mark.parametrize("many", [200, 1_600])
def test_what_is_searched_is_searched_once(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However values lie in each other, a shape is asked about each of them once."""
    asked = 0

    def counted(value: Any) -> Shape | None:
        nonlocal asked
        asked += 1
        return detect(value)

    monkeypatch.setattr(transcript_search, "detect", counted)
    deep: Any = {"x": 1}
    for number in range(40):
        deep = {"a": deep, "request": {"b": number}} if number % 2 else [deep, deep if number < 8 else 1]
    text = json.dumps({"role": "x", "runs": [{"input": {"c": {"d": [{}]}}, "output": {}}] * many, "deep": deep})
    assert not transcript_record(text).transcripts
    values = text.count("{") + text.count("[")
    assert asked <= values


@pytest.mark.parametrize(
    ("text", "path", "kind"),
    [
        ('{"role": "user", "content": "x"}\n', "a.jsonl", "JSON Lines transcript, OpenAI chat messages"),
        ('{"contents": [{"parts": [{"text": "x"}]}]}', "a.json", "JSON transcript, Gemini contents"),
        (
            '{"role": "user", "content": "x"}\n{"role": "assistant", "content": [{"type": "tool_use", "name": "f"}]}\n',
            "a.jsonl",
            "JSON Lines transcript, Anthropic messages",
        ),
        ("# Title", "a.md", "Markdown"),
    ],
)
def test_the_kind_of_a_document_names_its_shapes(text: str, path: str, kind: str) -> None:
    assert open_snapshot(text, path=path, registry=EMPTY, settings=Settings()).kind == kind


LISTED = '{"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "find", "inputSchema": {"type": "object"}}]}}\n'
CALLED = '{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "fnid", "arguments": {}}}\n'
ANSWERED = '{"jsonrpc": "2.0", "id": 2, "result": {"content": []}}\n'
OTHER = ToolRegistry.of([{"name": "fnid", "inputSchema": {"type": "object"}}])


def opened(text: str) -> Snapshot:
    return open_snapshot(text, path="log.jsonl", registry=OTHER, settings=Settings())


def test_the_tools_of_a_log_are_those_that_an_entry_lists() -> None:
    assert [each.code for each in diagnostics(opened(LISTED + CALLED + ANSWERED))] == ["TC301"]
    assert [each.code for each in diagnostics(opened(CALLED + ANSWERED + LISTED))] == ["TC301"]
    assert diagnostics(opened(CALLED + ANSWERED)) == []


def test_the_tools_of_a_log_are_kept_in_step_with_edits() -> None:
    snapshot = opened(CALLED + ANSWERED)
    snapshot = snapshot.edit([Edit(Span(0, 0), LISTED)])
    assert [each.code for each in diagnostics(snapshot)] == ["TC301"]
    renamed = snapshot.edit([Edit(Span(LISTED.index("find"), LISTED.index("find") + 4), "fnid")])
    assert diagnostics(renamed) == []
    assert renamed.edit([Edit(Span(len(LISTED), len(LISTED)), "\n")]).log_tools is renamed.log_tools
    removed = renamed.edit([Edit(Span(0, len(LISTED)), "")])
    assert removed.log_tools.registry is None
    assert [placed.binding.registry for placed in removed.placed_calls()] == [removed.registry]


def test_the_provider_knows_its_own_tools() -> None:
    call = {"type": "server_tool_use", "id": "s", "name": "web_serach", "input": {}}
    text = json.dumps([{"role": "assistant", "content": [call, {**call, "type": "tool_use", "name": "fnid"}]}])
    snapshot = open_snapshot(text, path="a.json", registry=OTHER, settings=Settings())
    assert [placed.binding.registry for placed in snapshot.placed_calls()] == [EMPTY, OTHER]


def test_a_request_and_its_answer_are_one_conversation_whatever_comes_first() -> None:
    answer = {"choices": [{"message": {"role": "assistant", "content": "x"}, "finish_reason": "stop"}]}
    text = json.dumps({"response": answer, "request": {"messages": [{"role": "user", "content": "x"}]}})
    (conversation,) = conversations(open_snapshot(text, path="a.json", registry=EMPTY, settings=Settings()))
    assert [placed.turn.role for placed in conversation.turns] == ["user", "assistant"]
    assert not any(placed.turn.continues for placed in conversation.turns)


@pytest.mark.parametrize("many", [20, 80])
def test_many_conversations_are_scanned_up_and_not_searched(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    same_as = Conversation.same_as

    def counted(own: Conversation, other: Conversation) -> bool:
        nonlocal asked
        asked += 1
        return same_as(own, other)

    monkeypatch.setattr(Conversation, "same_as", counted)
    text = json.dumps([CHAT] * many)
    snapshot = open_snapshot(text, path="a.json", registry=EMPTY, settings=Settings())
    first = diagnostics(snapshot)
    assert diagnostics(snapshot) == first
    assert asked <= many


def test_the_tools_of_a_log_are_merged_once() -> None:
    """Each entry lists other tools: all of them count, and equal lists count once."""
    lists = [LISTED.replace("find", f"find{number % 30}") for number in range(90)]
    snapshot = opened("".join(lists) + CALLED + ANSWERED)
    assert snapshot.log_tools.registry is not None
    assert len(snapshot.log_tools.registry) == 30
    assert [each.code for each in diagnostics(snapshot)] == ["TC301"]


def test_a_fix_lands_in_a_string_that_holds_a_transcript() -> None:
    """The arguments are an object of the inner text, so what is written there is escaped as the outer string wants."""
    tools = ToolRegistry.of(
        [{"name": "f", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}}}]
    )
    used = {
        **USED,
        "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {"path": 1, "x": "\u00e9\u0301"}}],
    }
    text = json.dumps({"body": json.dumps({"messages": [used]}, ensure_ascii=False)})
    snapshot = open_snapshot(text, path="a.json", registry=tools, settings=Settings())
    found = {each.code: each for each in diagnostics(snapshot)}
    fix = next(iter(found["TC304"].fixes))
    fixed = json.loads(json.loads(apply_edits(text, fix.edits))["body"])
    assert fixed["messages"][0]["content"][0]["input"] == {"path": "1", "x": "\u00e9\u0301"}
    assert found["TC303"].span.of(text) == '\\"x\\"'


def test_faults_of_json_in_a_string_are_found_and_fixed() -> None:
    text = json.dumps({"body": '{"messages": [{"role": "user", "content": "é\u0301"},]}'})
    snapshot = open_snapshot(text, path="a.json", registry=EMPTY, settings=Settings())
    (found,) = diagnostics(snapshot)
    assert found.code == "TC207"
    (fix,) = found.fixes
    assert json.loads(json.loads(apply_edits(text, fix.edits))["body"])["messages"] == [
        {"role": "user", "content": "é\u0301"}
    ]


def test_a_body_that_a_log_cuts_is_no_fault() -> None:
    text = json.dumps({"body": json.dumps(CHAT)[:-12]})
    snapshot = open_snapshot(text, path="a.json", registry=EMPTY, settings=Settings())
    assert [part.shape for block in snapshot.blocks for part in block.transcripts] == ["openai-chat"]
    assert [each.code for each in diagnostics(snapshot)] == []


ASKED = {"role": "user", "content": "x"}
USED = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]}
STATED = {"role": "assistant", "content": "x"}


@pytest.mark.parametrize(
    ("value", "shapes", "turns"),
    [
        ({"messages": [ASKED], "response": {"choices": [{"message": STATED}]}}, ["openai-chat"], [2]),
        ({"messages": [ASKED], "response": STATED}, ["openai-chat"], [2]),
        ({"input": [ASKED], "output": STATED}, ["openai-chat"], [2]),
        ({"input": [ASKED], "output": USED}, ["anthropic"], [2]),
        ({"messages": [ASKED, USED, ASKED], "response": STATED}, ["anthropic"], [4]),
        ({"prompt": [ASKED], "chosen": [STATED], "rejected": [STATED, ASKED]}, ["openai-chat", "openai-chat"], [2, 2]),
        ({"messages": [ASKED], "response": json.dumps(STATED)}, ["openai-chat", "openai-chat"], [1, 1]),
        ({"request": {"messages": [ASKED]}, "response": {"contents": [{"parts": [{"text": "x"}]}]}}, None, [1, 1]),
        ({"request": [ASKED], "response": [{"parts": [{"text": "x"}]}]}, None, [1, 1]),
        ({"contents": [{"parts": [{"text": "x"}]}], "response": {"role": "model", "parts": []}}, ["gemini"], [1]),
    ],
)
def test_an_answer_goes_on_with_what_it_answers(value: Any, shapes: list[str] | None, turns: list[int]) -> None:
    parts = transcript_record(json.dumps(value)).transcripts
    assert [len(part.turns) for part in parts] == turns
    assert [part.shape for part in parts] == (shapes or ["openai-chat", "gemini"])
    for part in parts[1:]:
        assert part.turns[0].continues


@pytest.mark.parametrize("shape", all_shapes(), ids=lambda shape: str(shape.name))
def test_a_shape_states_where_its_format_is_published(shape: Shape) -> None:
    assert find_shape(shape.name) is shape
    assert shape.sources
    assert all(address.startswith("https://") for address in shape.sources)
    assert shape.about.strip()
    assert shape.keys


@pytest.mark.parametrize("tools", [7, "x", True, {"a": 1}, [7], [[1]], [{"name": 5}], [None]], ids=str)
@pytest.mark.parametrize(
    "entry",
    [
        {"messages": [{"role": "user", "content": "x"}]},
        {"conversations": [{"from": "human", "value": "x"}]},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"role": "user", "content": "x"},
    ],
    ids=lambda entry: next(iter(entry)),
)
def test_what_is_in_the_place_of_tools_may_be_anything(entry: dict[str, Any], tools: Any) -> None:
    inner = entry.get("result", entry)
    line = json.dumps({**entry, "result": {"tools": tools}} if inner is not entry else {**entry, "tools": tools})
    for path, text in (("a.json", line), ("a.jsonl", f"{line}\n{line}\n")):
        assert diagnostics(open_snapshot(text, path=path, registry=EMPTY, settings=Settings())) == []
