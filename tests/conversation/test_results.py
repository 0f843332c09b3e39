"""What a tool returned is read as a value, and says whether the tool failed."""

import json
from typing import Any

import pytest

from callwright.calls.turns import Spot, TurnResult
from callwright.conversation.conversation import conversations
from callwright.conversation.results import faulty_result, read_result, states_failure
from callwright.syntax.json import read_json
from callwright.syntax.json_views import JsonView
from callwright.text.span import Span
from support.engine import snapshot_of


def returned(content: Any, failed: bool | None = None) -> TurnResult:
    view = JsonView.of(read_json(json.dumps({"content": content})))
    place = view.get("content")
    assert place is not None
    return TurnResult(view, content=place, value=place.value, failed=failed)


@pytest.mark.parametrize(
    ("content", "value", "is_json"),
    [
        ({"a": 1}, {"a": 1}, True),
        ('{"a": 1}', {"a": 1}, True),
        (" [1, 2]\n", [1, 2], True),
        ("plain", "plain", False),
        ('{"a": ', '{"a": ', False),
        ("7", "7", False),
        ([{"type": "text", "text": '{"a": 1}'}], {"a": 1}, True),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], None, True),
        ({"content": [{"type": "text", "text": "x"}], "isError": False}, "x", False),
        ({"content": [{"type": "text", "text": "x"}], "structuredContent": {"a": 1}}, {"a": 1}, True),
        ([{"type": ["text"], "text": "x"}], None, True),
        ({"content": "x", "path": "a.py"}, {"content": "x", "path": "a.py"}, True),
    ],
)
def test_a_result_is_its_value(content: Any, value: Any, is_json: bool) -> None:
    read = read_result(returned(content))
    assert read.is_json == is_json
    assert read.value == (content if value is None else value)
    assert read.place is not None


@pytest.mark.parametrize(
    ("content", "failed"),
    [
        ("Error: no such file", True),
        ("  ERROR: no", True),
        ("Traceback (most recent call last):\n  File", True),
        ("<tool_use_error>no</tool_use_error>", True),
        ("There was no error: all is well", False),
        ("errors are listed below", False),
        ('{"status": "error"}', True),
        ('{"status": "success", "error": "none"}', False),
        ('{"error": "not found"}', True),
        ('{"error": null}', False),
        ('{"error": ""}', False),
        ('{"success": false}', True),
        ('{"ok": true}', False),
        ({"isError": True, "content": []}, True),
        ({"status": "Failed"}, True),
        ([], False),
        (None, False),
        (7, False),
    ],
)
def test_a_result_states_whether_the_tool_failed(content: Any, failed: bool) -> None:
    assert states_failure(returned(content)) == failed
    assert states_failure(returned(content, True))
    assert not states_failure(returned(content, False))


def faults_of(content: Any, **more: Any) -> list[str] | None:
    """Return what is wrong with a result of `debug_launch`: kinds of problems, or keywords of errors."""
    text = json.dumps(
        [
            {"role": "user", "content": "Go."},
            {"role": "assistant", "content": None, "tool_calls": [_CALL]},
            {"role": "tool", "tool_call_id": "c", "content": content, **more},
        ]
    )
    snapshot = snapshot_of(text, path="chat.json")
    (conversation,) = conversations(snapshot)
    bound = faulty_result(conversation.ledger.answers[0], snapshot)
    if bound is None:
        return None
    if bound.binding is None:
        return ["text"]
    return [problem.kind for problem in bound.problems] or [error.keyword for error in bound.binding.errors]


_CALL = {"id": "c", "type": "function", "function": {"name": "debug_launch", "arguments": '{"program": "a"}'}}


@pytest.mark.parametrize(
    ("content", "faults"),
    [
        ('{"status": "success", "pid": 1}', None),
        ('{"status": "success", "pid": 1.5}', ["type"]),
        ('{"status": "success"}', ["required"]),
        ("[]", ["type"]),
        ("started", ["text"]),
        ("", ["text"]),
        ("7", ["text"]),
        ('{"status": "success", "pid": 1,}', ["trailing-comma"]),
        ('{"status": "success", "pid": {...}}', None),
    ],
)
def test_a_result_is_held_against_the_output_schema(content: Any, faults: list[str] | None) -> None:
    assert faults_of(content) == faults


def test_a_place_that_is_not_known_states_nothing() -> None:
    result = TurnResult(Spot(Span(0, 1)), content=Spot(Span(0, 1)), value='{"status": 1}')
    assert read_result(result).value == {"status": 1}
