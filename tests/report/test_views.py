"""What is shown of transcripts of every shape: each call and each diagnostic once, each outcome as `replay` gives
it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]  # it ships no types
import pytest

from callwright.conversation.conversation import conversations
from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.report.model import view_of
from callwright.runtime.dialogues import as_replies, dialogues
from callwright.runtime.exported import session_of
from callwright.runtime.replaying import StrictReplay
from callwright.runtime.session import Session
from callwright.tools.registry import EMPTY
from support.sampling import sampled

ROOT = Path(__file__).parents[2]
FILES = sorted(
    path for path in (ROOT / "tests" / "transcripts").glob("*/corpus/*") if path.suffix in {".json", ".jsonl"}
)
SCHEMA = json.loads((ROOT / "schemas" / "session.schema.json").read_text(encoding="utf-8"))


def opened(path: Path) -> Snapshot:
    text = path.read_bytes().decode("utf-8")
    return open_snapshot(text, path=str(path), registry=EMPTY, settings=Settings())


@pytest.fixture(
    params=sampled(FILES, keep=2, by=lambda path: path.parts[-3]), ids=lambda path: f"{path.parts[-3]}/{path.name}"
)
def snapshot(request: pytest.FixtureRequest) -> Snapshot:
    return opened(request.param)


def test_every_call_and_every_diagnostic_is_shown_once(snapshot: Snapshot) -> None:
    view = view_of(snapshot, "a")
    turns = [turn for each in view.conversations for turn in each.turns]
    found = [(each.code, each.span) for turn in turns for each in turn.all_diagnostics]
    found += [(each.code, each.span) for each in view.rest]
    assert Counter(found) == Counter((each.code, each.span) for each in diagnostics(snapshot))
    spans = Counter(call.span for turn in turns for call in turn.calls)
    in_turns = [call for each in conversations(snapshot) for placed in each.turns for call in placed.calls]
    assert spans.total() == len(in_turns)
    assert view.counts.calls == len(in_turns)
    assert view.counts.turns == len(turns)


def test_outcomes_are_those_of_a_walk(snapshot: Snapshot) -> None:
    strict = snapshot.with_project(snapshot.registry, as_replies(snapshot.given))
    reported = [
        (step.outcome, step.count, step.stops)
        for dialogue in dialogues(strict)
        for step in StrictReplay(dialogue, dialogue.maximum or snapshot.settings.max_mistakes).steps()
    ]
    shown = [
        (turn.outcome.kind, turn.outcome.strikes, turn.outcome.stops)
        for each in view_of(snapshot, "a").conversations
        for turn in each.turns
        if turn.outcome is not None
    ]
    assert shown == reported


def test_an_exported_session_is_one_that_the_runtime_reads(snapshot: Snapshot) -> None:
    session = session_of(snapshot)
    if session is None:
        strict = snapshot.with_project(snapshot.registry, as_replies(snapshot.given))
        first = next(iter(dialogues(strict)), None)
        assert first is None or not first.replies
        return
    data = json.loads(json.dumps(session.to_dict()))
    jsonschema.validate(data, SCHEMA)
    assert Session.from_dict(data) == session
    again = open_snapshot(json.dumps(data), path="a.json", registry=EMPTY, settings=Settings())
    assert again.is_session
    replies = [message for message in session.messages if message["role"] == "assistant"]
    numbers = [each["turn"] for each in (*session.errors, *session.calls)]
    assert len(replies) >= max(numbers, default=0)


def test_a_logged_error_is_shown_beside_the_outcome() -> None:
    view = view_of(opened(ROOT / "tests" / "transcripts" / "callwright-session" / "corpus" / "four-attempts.json"), "a")
    (conversation,) = view.conversations
    logged = [turn.outcome.logged.type for turn in conversation.turns if turn.outcome and turn.outcome.logged]
    assert logged
    assert view.session == "four-attempts"


def test_a_document_that_is_no_transcript_shows_its_calls() -> None:
    calls = "<read_file><path>a</path></read_file>\n\nAnd again:\n\n<read_file><path>b</read_file>\n"
    text = f"# Tools\n\n- read_file: reads\n\n{calls}"
    snapshot = open_snapshot(text, path="a.prompt", registry=EMPTY, settings=Settings())
    view = view_of(snapshot, "a.prompt")
    assert not view.is_transcript
    (conversation,) = view.conversations
    (turn,) = conversation.turns
    assert [call.tool for call in turn.calls] == [placed.call.tool for placed in snapshot.placed_calls()]
