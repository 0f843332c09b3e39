"""Turns become conversations, and each result finds its call, in time that is linear in both."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from callwright.conversation.attempts import attempts
from callwright.conversation.conversation import Conversation, conversations
from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.lint.conversations import CHECKED
from callwright.lint.linter import diagnostics
from callwright.transcripts.support.profiles import NONE, PROVIDERS, Wants, find_profile
from support.engine import snapshot_of
from support.sampling import crossed

READ = json.dumps({"path": "a.py"})


def call(name: str, call_id: str | None = None, arguments: Any = READ) -> dict[str, Any]:
    own = {"id": call_id} if call_id is not None else {}
    return {**own, "type": "function", "function": {"name": name, "arguments": arguments}}


def states(role: str, text: str | None = "", *calls: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"role": role, "content": text, **({"tool_calls": list(calls)} if calls else {}), **more}


def result(call_id: str | None, text: str = "ok", **more: Any) -> dict[str, Any]:
    return {"role": "tool", **({"tool_call_id": call_id} if call_id is not None else {}), "content": text, **more}


def talk_of(*messages: dict[str, Any], path: str = "chat.json", settings: Settings | None = None) -> Conversation:
    text = json.dumps(list(messages)) if path.endswith(".json") else "\n".join(map(json.dumps, messages))
    (conversation,) = conversations(snapshot_of(text, path=path, settings=settings))
    return conversation


def pairs(conversation: Conversation) -> list[tuple[int, int | None]]:
    """Return for each result its number and that of the call it answers."""
    return [
        (number, answer.asked.number if answer.asked is not None else None)
        for number, answer in enumerate(conversation.ledger.answers)
    ]


def test_results_find_their_calls_by_id_whatever_their_order() -> None:
    conversation = talk_of(
        states("user", "Go."),
        states("assistant", None, call("read_file", "a"), call("read_file", "b")),
        result("b"),
        result("a"),
        result("c"),
    )
    assert pairs(conversation) == [(0, 1), (1, 0), (2, None)]


def test_results_without_ids_find_their_calls_by_name_and_then_by_order() -> None:
    named = talk_of(
        states("user", "Go."),
        states("assistant", None, call("read_file"), call("git_status"), call("read_file")),
        result(None, name="git_status"),
        result(None, name="read_file"),
        result(None, name="read_file"),
        result(None, name="read_file"),
    )
    assert pairs(named) == [(0, 1), (1, 0), (2, 2), (3, None)]
    bare = talk_of(
        states("user", "Go."),
        states("assistant", None, call("read_file"), call("git_status")),
        result(None),
        result(None),
        result(None),
    )
    assert pairs(bare) == [(0, 0), (1, 1), (2, None)]


def test_an_id_that_is_used_again_means_the_first_call_that_is_open() -> None:
    conversation = talk_of(
        states("user", "Go."),
        states("assistant", None, call("read_file", "a"), call("git_status", "a")),
        result("a"),
        result("a"),
        states("assistant", None, call("run_code", "a")),
        result("a"),
        result("a"),
    )
    assert pairs(conversation) == [(0, 0), (1, 1), (2, 2), (3, 2)]


def test_a_call_in_text_is_answered_too_and_owes_no_answer() -> None:
    text = [
        {"from": "human", "value": "Read."},
        {"from": "gpt", "value": '<tool_call>\n{"name": "read_file", "arguments": {"path": "a.py"}}\n</tool_call>'},
        {"from": "tool", "value": '<tool_response>\n{"name": "read_file", "content": "x"}\n</tool_response>'},
    ]
    (conversation,) = conversations(snapshot_of(json.dumps({"conversations": text}), path="chat.json"))
    (asked,) = conversation.ledger.asked
    assert (asked.native, asked.tool, len(asked.answers)) == (None, "read_file", 1)


@pytest.mark.parametrize(
    ("messages", "provider", "expected"),
    [
        ([states("assistant", None, call("read_file", "a")), states("user", "x")], None, "openai"),
        ([states("assistant", None, call("read_file")), result(None), states("user", "x")], None, "huggingface"),
        ([states("assistant", None, call("read_file")), result("a"), states("user", "x")], None, "openai"),
        ([states("assistant", "No call."), states("user", "x")], None, "openai"),
        ([states("assistant", None, call("read_file")), result(None), states("user", "x")], "openai", "openai"),
        ([states("assistant", None, call("read_file", "a")), states("user", "x")], "mistral", "mistral"),
        ([states("assistant", None, call("read_file", "a")), states("user", "x")], "none", "none"),
    ],
)
def test_the_profile_is_the_settings_else_the_shapes_but_for_data_without_ids(
    messages: list[dict[str, Any]], provider: str | None, expected: str
) -> None:
    assert talk_of(*messages, settings=Settings(provider=provider)).profile.name == expected


def test_every_demand_names_a_public_source() -> None:
    for name in PROVIDERS:
        profile = find_profile(name)
        assert profile.name == name
        assert all(demand.source.startswith("https://") for demand in profile.demands.values())
        assert (Wants.ARGUMENTS in profile.demands) == (profile.arguments is not None)
        assert (Wants.ROLES in profile.demands) == bool(profile.roles)
        assert (Wants.ID_FORM in profile.demands) == (profile.id_pattern is not None) == bool(profile.id_stated)
    assert find_profile("something else") is NONE
    assert not NONE.demands


def test_single_messages_of_a_log_join_the_conversation_around_them() -> None:
    use = {"id": "t1", "name": "read_file", "input": {"path": "a.py"}}
    lines = [
        states("user", "Read."),
        {
            "role": "assistant",
            "content": [{"type": "tool_use", **use}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "x"}]},
        states("assistant", "It is x."),
    ]
    conversation = talk_of(*lines, path="log.jsonl")
    assert (conversation.shape, conversation.provider, len(conversation.turns)) == ("anthropic", "anthropic", 4)
    assert pairs(conversation) == [(0, 0)]


def test_failures_are_counted_where_the_call_or_its_result_is_at_fault() -> None:
    conversation = talk_of(
        states("user", "Go."),
        states("assistant", None, call("read_file", "a", json.dumps({"file": "x"}))),
        result("a", "Error: `path` is missing"),
        states("assistant", None, call("read_file", "b")),
        result("b", '{"status": "error"}'),
        states("assistant", None, call("read_file", "c")),
        result("c", '{"status": "success", "error": "none"}'),
        states("assistant", "<read_file><file>a.py</file></read_file>"),
        states("assistant", "<read_file><path>a.py</path></read_file>"),
    )
    diagnostics(conversation.snapshot)
    found = [(attempt.failed, attempt.by_result) for attempt in attempts(conversation)]
    assert found == [(True, False), (True, True), (False, False), (True, False), (False, False)]


@contextmanager
def counted() -> Iterator[list[int]]:
    """Count the calls of Python functions while the body runs."""
    count = [0]

    def count_one(_frame: Any, event: str, _arg: Any) -> None:
        if event == "call":
            count[0] += 1

    sys.setprofile(count_one)
    try:
        yield count
    finally:
        sys.setprofile(None)


def _fine(number: int) -> list[dict[str, Any]]:
    return [states("assistant", None, call("read_file", f"c{number}")), result(f"c{number}")]


def _same_id(_number: int) -> list[dict[str, Any]]:
    return [states("assistant", None, call("read_file", "c")), result("c"), result("c")]


def _left_open(number: int) -> list[dict[str, Any]]:
    return [states("assistant", None, call("read_file", f"c{number}")), states("user", "Go on.")]


def _orphans(number: int) -> list[dict[str, Any]]:
    return [result(f"c{number}"), result(None)]


def _failing(number: int) -> list[dict[str, Any]]:
    return [states("assistant", None, call("read_file", f"c{number}")), result(f"c{number}", "Error: no")]


def _nameless(_number: int) -> list[dict[str, Any]]:
    return [states("assistant", None, call("read_file"), call("git_status")), result(None, name="git_status")]


def _late(number: int) -> list[dict[str, Any]]:
    return [states("assistant", None, call("read_file", f"c{number}")), states("user", "?"), result(f"c{number // 2}")]


def _work(snapshot: Snapshot) -> tuple[int, int]:
    """Return how many functions are called to say what is wrong with the conversations, and how much is wrong."""
    diagnostics(snapshot)
    for block in snapshot.blocks:
        CHECKED.drop(block)
    with counted() as count:
        found = diagnostics(snapshot)
    return count[0], len(found)


@pytest.mark.parametrize(
    ("of", "path"),
    crossed([_fine, _same_id, _left_open, _orphans, _failing, _nameless, _late], ["chat.json", "log.jsonl"]),
)
def test_time_is_linear_in_the_turns(of: Any, path: str) -> None:
    works: list[float] = []
    for size in (60, 240):
        messages = [states("user", "Go."), *(message for number in range(size) for message in of(number))]
        text = json.dumps(messages) if path == "chat.json" else "\n".join(map(json.dumps, messages))
        works.append(_work(snapshot_of(text, path=path))[0] / size)
    assert works[1] < 1.5 * works[0] + 5


@pytest.mark.parametrize("named", ["c", "d"])
def test_one_message_with_many_calls_takes_linear_time_too(named: str) -> None:
    works: list[float] = []
    for size in (100, 400):
        many = [call("read_file", f"c{number}", json.dumps({"file": "x"})) for number in range(size)]
        messages = [
            states("user", "Go."),
            states("assistant", None, *many),
            *(result(f"{named}{n}") for n in range(size)),
        ]
        works.append(_work(snapshot_of(json.dumps(messages), path="chat.json"))[0] / size)
    assert works[1] < 1.5 * works[0] + 5
