"""Logs of chats as text: what is read as one, and where turns end."""

from __future__ import annotations

import re
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callwright.conversation.conversation import conversations
from callwright.document.settings import Settings
from callwright.hosts.base import HostContext
from callwright.hosts.catalogue import HEAD, choose_host
from callwright.hosts.chat_log import HOST
from callwright.lint.opening import open_snapshot
from callwright.tools.registry import EMPTY
from support.sampling import whole

PAIRS = (
    ("User: {}\n", "Assistant: {}\n"),
    ("USER:\n{}\n\n", "ASSISTANT:\n{}\n\n"),
    ("user: {}\r\n", "assistant: {}\r\n"),
    ("Human: {}\n\n", "AI: {}\n\n"),
    ("**User:** {}\n\n", "**Assistant:** {}\n\n"),
    ("**Human**: {}\n", "**Claude**: {}\n"),
    ("### User\n{}\n\n", "### Assistant\n{}\n\n"),
    ("### Instruction:\n{}\n\n", "### Response:\n{}\n\n"),
    ("[user] {}\n", "[assistant] {}\n"),
    ("[User]: {}\n", "[Bot]: {}\n"),
    ("user> {}\n", "assistant> {}\n"),
    ("--- user ---\n{}\n", "--- assistant ---\n{}\n"),
    ("=== Human Message ===\n{}\n", "=== Ai Message ===\n{}\n"),
    ("[2025-03-01 10:00:01] User: {}\n", "[2025-03-01 10:00:02] Assistant: {}\n"),
    ("[12/5/24, 10:03:22 AM] User: {}\n", "[12/5/24, 10:03:25 AM] ChatGPT: {}\n"),
    ("2025-03-01T10:00:01.123Z user: {}\n", "2025-03-01T10:00:02.456Z assistant (gpt-4o): {}\n"),
    ("10:00 - Human: {}\n", "10:01 - Assistant [claude]: {}\n"),
    ("<|im_start|>user\n{}<|im_end|>\n", "<|im_start|>assistant\n{}<|im_end|>\n"),
    ("<|user|>\n{}<|end|>\n", "<|assistant|>\n{}<|end|>\n"),
    ("<start_of_turn>user\n{}<end_of_turn>\n", "<start_of_turn>model\n{}<end_of_turn>\n"),
    (
        "<|start_header_id|>user<|end_header_id|>\n\n{}<|eot_id|>",
        "<|start_header_id|>assistant<|end_header_id|>\n\n{}<|eot_id|>",
    ),
    ("<|start_of_role|>user<|end_of_role|>{}<|end_of_text|>\n", "<|start_of_role|>assistant<|end_of_role|>{}\n"),
)


def turns_of(text: str) -> list[tuple[str | None, str]]:
    snapshot = open_snapshot(text, path="a.txt", registry=EMPTY, settings=Settings())
    assert snapshot.host is HOST
    return [
        (placed.turn.role, stated.value)
        for conversation in conversations(snapshot)
        for placed in conversation.turns
        for stated in placed.turn.texts
    ]


@pytest.mark.parametrize(("user", "assistant"), PAIRS)
@pytest.mark.parametrize("front", ["", "\ufeff", "A log.\n\n"])
def test_forms_of_headers(user: str, assistant: str, front: str) -> None:
    text = front + user.format("go 😀") + assistant.format("é, User: no\n  and Assistant: no") + user.format("thanks")
    assert HOST.claims(text)
    assert turns_of(text) == [
        ("user", "go 😀"),
        ("assistant", "é, User: no\n  and Assistant: no"),
        ("user", "thanks"),
    ]


@pytest.mark.parametrize("path", ["a.txt", "a.log", "a", None, "a.transcript"])
def test_a_log_is_known_by_how_it_begins(path: str | None) -> None:
    assert choose_host(path, None, "User: a\nAssistant: b\n") is HOST


@pytest.mark.parametrize(
    "first",
    [
        "<|im_start|>system\n",
        "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\n",
        "<s><|system|>\n",
        "\ufeff\n" + "=" * 32 + " System Message " + "=" * 32 + "\n\n",
    ],
)
def test_a_long_prompt_may_come_first(first: str) -> None:
    assert HOST.claims((first + "You can call tools. " * 400)[:HEAD])
    assert not HOST.claims(("Of tokens: " + first + "You can call tools. " * 400)[:HEAD])


@pytest.mark.parametrize("path", ["a.md", "a.py", "a.json", "a.yaml"])
def test_a_name_that_states_more_counts(path: str) -> None:
    assert choose_host(path, None, "User: a\nAssistant: b\n") is not HOST


@pytest.mark.parametrize(
    "text",
    [
        "",
        "User: root\nHost: example.org\nSystem: Linux\nModel: X\nAgent: curl\n",
        "Assistant: hello\nUser: the other way round\n",
        "The user: a\nThe assistant: b\n",
        "User: a\nassistant: b\n",
        "user:\n  name: a\nagent:\n  name: b\n",
        "[user]\nname = a\n[core]\nai = b\n",
        "User:x\nAssistant:y\n",
        "Users: a\nAssistants: b\n",
        "## User guide\n## Assistant manager\n",
        "User, Assistant: both speak\n",
        "<user>a</user><assistant>b</assistant>",
        "10:00 User: a\nAssistant: b\n",
        "=== System ===\nname: x\n",
        "-------- Model --------\nname: x\n",
    ],
)
def test_it_is_no_log(text: str) -> None:
    assert not HOST.claims(text)


def texts() -> Iterator[str]:
    """Yield text files of the environment, and the beginnings of every twentieth of its programs."""
    paths = sysconfig.get_paths()
    programs = 0
    for root in (paths["purelib"], paths["stdlib"]):
        for file in sorted(Path(root).rglob("*")):
            if file.suffix not in {".py", ".txt", ".md", ".rst", ""} or not file.is_file():
                continue
            programs += file.suffix == ".py"
            if file.suffix == ".py" and programs % (20 if whole() else 60):
                continue
            try:
                yield file.read_bytes()[: 3 * HEAD].decode("utf-8", "ignore")
            except OSError:
                continue


@pytest.mark.whole(reason="every file of the environment")
def test_no_file_of_the_environment_is_taken_for_a_log(record_property: pytest.FixtureRequest) -> None:
    count, taken = 0, []
    for text in texts():
        if "callwright" in text or "im_start" in text:
            # Our own sources and tests, and those of others that speak of such logs.
            continue
        count += 1
        # Not only how files begin: any of their parts might be a file of its own.
        taken += [
            text[at : at + 200] for at in range(0, min(len(text), 3 * HEAD), HEAD) if HOST.claims(text[at:][:HEAD])
        ]
    record_property("files", count)  # type: ignore[operator]
    assert count > (1_000 if whole() else 300)
    assert taken == []


LINES = st.sampled_from(
    [
        "User: a",
        "Assistant: b",
        "Tool: c",
        "user: d",
        "Observation: e",
        "Thought: f",
        "x",
        "",
        "<|user|>",
        "10:00 User: g",
    ]
)


@given(st.lists(LINES, max_size=12), st.sampled_from(["\n", "\r\n", "\r"]))
def test_a_turn_ends_where_the_text_states_however_much_follows(lines: list[str], newline: str) -> None:
    text = newline.join(lines)
    length = HOST.cut(text, at_end=True)
    assert length is not None
    assert 0 < length <= len(text) or text == ""
    for end in range(len(text) + 1):
        sooner = HOST.cut(text[:end], at_end=False)
        assert sooner is None or sooner == length
        # No more than `ahead` characters after a turn say that it ends there.
        assert sooner is not None or end <= length + HOST.ahead
    record = HOST.read(text[:length], HostContext())
    for part in record.transcripts:
        for turn in part.turns:
            assert 0 <= turn.place.span.start <= turn.place.span.end <= length
            for stated in turn.texts:
                assert stated.place.span.of(text) == stated.value


def test_what_is_stated_is_reported_in_order() -> None:
    text = "".join(f"{who}: {number}\n" for number in range(500) for who in ("User", "Assistant"))
    found = turns_of(text)
    assert [value for _, value in found] == [str(number) for number in range(500) for _ in range(2)]
    assert re.fullmatch("(user,assistant,)+", "".join(f"{role}," for role, _ in found))
