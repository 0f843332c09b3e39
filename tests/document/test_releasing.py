"""What an edit makes useless is released at once: nothing of it waits for the collector, which seldom comes by."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator

import pytest

from callwright.calls.turns import Turn
from callwright.conversation.conversation import PlacedTurn, conversations
from callwright.document.progress import Progress
from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.lint.linter import diagnostics, look
from callwright.lint.opening import open_snapshot
from callwright.text.span import Edit, Span
from invariants.test_incremental_equals_full import assert_same
from invariants.texts import REGISTRY

EXCHANGES = 40


def conversation() -> str:
    turns = []
    for number in range(EXCHANGES):
        function = {"name": "read_file", "arguments": json.dumps({"path": f"src/{number}.py"})}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        turns.append({"role": "assistant", "content": None, "tool_calls": [call]})
        turns.append({"role": "tool", "tool_call_id": f"call_{number}" if number % 5 else "none", "content": "x = 1"})
    return json.dumps({"messages": turns}, indent=1)


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Keep the collector away."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def held(kind: type) -> int:
    return sum(type(each) is kind for each in gc.get_objects())


def opened(text: str) -> Snapshot:
    return open_snapshot(text, path="chat.json", registry=REGISTRY, settings=Settings())


@pytest.mark.usefixtures("uncollected")
def test_edits_of_a_conversation_leave_none_of_its_turns() -> None:
    text = conversation()
    snapshot = opened(text)
    assert diagnostics(snapshot)
    turns, placed = held(Turn), held(PlacedTurn)
    assert turns >= 2 * EXCHANGES
    assert placed >= 2 * EXCHANGES
    for number in range(3):
        at = text.index(f"src/{number}.py")
        snapshot = Progress.of(snapshot, look=look).edit([Edit(Span(at, at), "x")]).run()
        diagnostics(snapshot)
        assert (held(Turn), held(PlacedTurn)) == (turns, placed)


def test_who_still_has_the_old_text_is_reported_the_same_about_it() -> None:
    text = conversation()
    before = opened(text)
    stated = [str(each) for each in diagnostics(before)]
    paired = [(answer.id, answer.asked is None) for each in conversations(before) for answer in each.ledger.answers]
    at = text.index("src/3.py")
    after = Progress.of(before, look=look).edit([Edit(Span(at, at), "x")]).run()
    assert [str(each) for each in diagnostics(before)] == stated
    assert paired == [
        (answer.id, answer.asked is None) for each in conversations(before) for answer in each.ledger.answers
    ]
    assert_same(before, "chat.json")
    assert_same(after, "chat.json")
