"""A JSON document that is known to be clean has the diagnostics, calls and turns of one taken apart at once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from callwright.document import block_reading
from callwright.document.block_reading import BlockReading
from callwright.document.blocks import FAULTS, Block
from callwright.document.contents import Deferred
from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.fastpath import triage
from callwright.fastpath.triage import is_clean_text
from callwright.hosts.base import RecordHost
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.text.span import Edit, Span
from callwright.tools.registry import EMPTY, ToolRegistry
from fastpath.plain_transcripts import (
    DECLARING,
    REGISTRY,
    RETURNED,
    blocks,
    changed,
    chat,
    dumped,
    scratched,
    texts,
)
from invariants.corpus import seeded
from support.sampling import sampled, whole

TESTS = Path(__file__).parents[1]
DOCUMENTS = 2_200 if whole() else 1_100
_COMMA = re.compile(",")
_BETWEEN = re.compile(r',(?=\s*"\w+"\s*:)')
#: Of values that have no other name.
_ADDRESS = re.compile(r" at 0x[0-9a-f]++")


@pytest.fixture(autouse=True)
def _however_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_reading, "_MIN_TRIAGE_LENGTH", 0)


def opened(text: str, registry: ToolRegistry = REGISTRY, settings: Settings | None = None) -> Snapshot:
    return open_snapshot(text, path="a.json", registry=registry, settings=settings or Settings())


def at_once(text: str, registry: ToolRegistry, settings: Settings) -> Snapshot:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(triage, "triage", lambda *_: None)
        return opened(text, registry, settings)


def listed(values: list[Any], random: Random) -> str:
    """Write a list in one of the ways in which lists are written."""
    way = random.randrange(4)
    if way == 0:
        return json.dumps(values, indent=random.choice((1, 2, "\t")), ensure_ascii=random.random() < 0.5)
    if way == 1:
        return "[\n" + ",\n".join(dumped(value, random) for value in values) + "\n]\n"
    if way == 2:
        return json.dumps(values, separators=(",", ":"))
    return " [" + " , ".join(dumped(value, random) for value in values) + "] "


def clean(make: Callable[[Random], dict[str, Any]], random: Random) -> dict[str, Any]:
    """Return a conversation that the quick check knows to be in order, also among others.

    Where a tool said that it failed it is checked closely, and items of a list are distinguished by how they all begin.
    """
    while True:
        value = make(random)
        if next(iter(value)) == "messages" and not any(stated["content"] in RETURNED[1:] for stated in _results(value)):
            return value


def _results(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what holds a result, a message or a part of one."""
    for message in value["messages"]:
        if message["role"] == "tool":
            yield message
        elif isinstance(message["content"], list):
            yield from (part for part in message["content"] if part["type"] == "tool_result")


def documents(batch: int) -> Iterator[str]:
    random = seeded(f"deferred{batch}")
    for _ in range(DOCUMENTS // 4):
        values = [random.choice((chat, blocks, texts))(random) for _ in range(random.choice((1, 1, 2, 5)))]
        for _ in range(random.choice((0, 0, 1))):
            values[random.randrange(len(values))] = changed(random.choice(values), random)
        text = listed(values, random) if len(values) > 1 or random.random() < 0.2 else dumped(values[0], random)
        for _ in range(random.choice((0, 0, 0, 1, 2))):
            text = scratched(text, random)
        yield without_commas(text, random, random.choice((0, 0, 0, 0, 1, 3)))


#: Names on the way to a conversation: some wrap messages in logs, others mean nothing.
_WAYS = ("request", "response", "body", "trace", "payload", "io", "attributes", "output", "raw_request", "delta", "x")


def wrapped(values: list[dict[str, Any]], random: Random) -> dict[str, Any]:
    """Return an object that has conversations at different depths, among other records."""
    runs: list[Any] = []
    for value in values:
        inner: Any = {**value, **beside(random)} if random.random() < 0.3 else value
        inner = value["messages"] if random.random() < 0.1 and "messages" in value else inner
        for _ in range(random.randrange(4)):
            inner = json.dumps(inner) if random.random() < 0.05 else inner
            inner = [inner] if random.random() < 0.2 else {random.choice(_WAYS): inner}
            if isinstance(inner, dict) and random.random() < 0.3:
                inner = {**beside(random), **inner}
        runs.append(inner)
    return {"version": 2, "session": {"runs": runs, "note": "a"}}


def beside(random: Random) -> dict[str, Any]:
    """Return members of other records: labels, a call, a message, an answer, tools."""
    call = {"id": "call_9", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "a"}'}}
    said = random.choice(({"content": "Done."}, {"content": None, "tool_calls": [call]}))
    return random.choice(
        (
            {"model": "gpt-x", "temperature": 0.5, "usage": {"input": 3}},
            {"spans": [{"kind": "llm", "attributes": {"usage": {"input": 1}}}]},
            {"kind": "function"},
            {"call": {"name": "read_file", "arguments": {"pth": "a"}}},
            {"tool_calls": [call]},
            {"message": {"role": "assistant", **said}},
            {"response": {"choices": [{"message": {"role": "assistant", **said}}]}},
            {"tools": [{"type": "function", "function": {"name": "other", "parameters": {"type": "object"}}}]},
            {"text": '<read_file>{"pth": "a"}</read_file>'},
            {"said": json.dumps({"messages": [{"role": "assistant", **said}]})},
        )
    )


@pytest.mark.parametrize("batch", sampled(range(4)))
def test_conversations_at_any_depth_are_what_they_are_when_taken_apart_at_once(batch: int) -> None:
    random = seeded(f"nested{batch}")
    is_clean = 0
    for _ in range(DOCUMENTS // 4):
        values = [random.choice((chat, blocks, texts))(random) for _ in range(random.choice((1, 2, 4)))]
        if random.random() < 0.3:
            values[random.randrange(len(values))] = changed(random.choice(values), random)
        text = json.dumps(wrapped(values, random), indent=random.choice((None, 1)))
        text = scratched(text, random) if random.random() < 0.1 else text
        registry = random.choice([REGISTRY, REGISTRY, EMPTY, DECLARING])
        settings = random.choice([Settings(), Settings(), Settings(strict=True), Settings(provider="mistral")])
        late, early = opened(text, registry, settings), at_once(text, registry, settings)
        # What is in them first: a check of a call keeps something with it.
        apart = shown(early) if isinstance(late.blocks[0].content, Deferred) else []
        assert diagnostics(late) == diagnostics(early), text
        if apart:
            is_clean += not late.blocks[0].problems
            assert shown(late) == apart, text
    assert is_clean > DOCUMENTS // 55


def without_commas(text: str, random: Random, number: int) -> str:
    """Take some of its commas out of a text, most of them between members."""
    for _ in range(number):
        pattern = _BETWEEN if random.random() < 0.8 else _COMMA
        commas = [match.start() for match in pattern.finditer(text)]
        if commas:
            at = random.choice(commas)
            text = text[:at] + text[at + 1 :]
    return text


def shown(snapshot: Snapshot) -> list[str]:
    """Return what is in a document, as far as anyone may ask."""
    block = snapshot.blocks[0]
    lists = ([*block.passages], [*block.transcripts], [*block.problems], [*block.embedded], [*block.fenced])
    parts = (*lists, block.inline, block.log)
    return [_ADDRESS.sub("", repr(part)) for part in (*parts, block.length, block.reach, block.state, block.after)]


def apart_alone(block: Block) -> bool:
    """Return whether parts of a block were read in place of the whole."""
    return isinstance(block.content, Deferred) and bool(block.suspects)


@pytest.mark.parametrize("batch", sampled(range(4)))
def test_documents_are_what_they_are_when_taken_apart_at_once(batch: int) -> None:
    random = seeded(batch)
    is_clean = faulty = partly = 0
    for text in documents(batch):
        registry = random.choice([REGISTRY, REGISTRY, EMPTY, DECLARING])
        settings = random.choice([Settings(), Settings(), Settings(strict=True), Settings(provider="mistral")])
        late, early = opened(text, registry, settings), at_once(text, registry, settings)
        # What is in them first: a check of a call keeps something with it.
        apart = shown(early) if isinstance(late.blocks[0].content, Deferred) else []
        found = diagnostics(late)
        assert found == diagnostics(early), text
        assert [[*each.fixes] for each in found] == [[*each.fixes] for each in diagnostics(early)], text
        if apart:
            uncertain = apart_alone(late.blocks[0])
            is_clean += not (late.blocks[0].problems or uncertain)
            partly += bool(found) and uncertain
            faulty += bool(late.blocks[0].problems)
            assert shown(late) == apart, text
            assert diagnostics(late) == found, text
            if uncertain:
                # What is kept of its turns is kept once it was read.
                faults = [[*(FAULTS.get(each.blocks[0]) or {}).values()] for each in (late, early)]
                assert faults[0] == faults[1], text
    assert partly > DOCUMENTS // 220
    assert is_clean > DOCUMENTS // 55
    assert faulty > DOCUMENTS // 220


def test_files_of_corpora_have_their_diagnostics() -> None:
    files = [*(TESTS / "transcripts").glob("*/corpus/*.json"), *(TESTS / "hosts").glob("*/corpus/*.json")]
    assert len(files) > 10
    for path in sorted(files):
        text = path.read_bytes().decode()
        for registry in (REGISTRY, EMPTY):
            assert diagnostics(opened(text, registry)) == diagnostics(at_once(text, registry, Settings())), path


def test_a_clean_document_is_checked_without_taking_it_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    random = seeded("apart")
    text = json.dumps([clean(chat, random) for _ in range(3)], indent=2)
    monkeypatch.setattr(block_reading.BlockReading, "taken_apart", lambda *_: pytest.fail("it was taken apart"))
    assert diagnostics(opened(text)) == []


def test_a_document_that_lacks_commas_is_reported_without_taking_it_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    random = seeded("commas")
    text = json.dumps([clean(blocks, random) for _ in range(3)], indent=2)
    missing = _BETWEEN.sub("", text, count=2)
    monkeypatch.setattr(block_reading.BlockReading, "taken_apart", lambda *_: pytest.fail("it was taken apart"))
    assert [each.code for each in diagnostics(opened(missing))] == ["TC208", "TC208"]


def test_only_conversations_that_are_suspect_are_taken_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    random = seeded("doubt")
    values = [clean(blocks, random) for _ in range(30)]
    values[17]["messages"].append({"role": "assistant", "content": "<read_file><pth>a</pth></read_file>"})
    text = json.dumps(values, indent=2)
    reads: list[str] = []
    read = block_reading.BlockReading.taken_apart

    def counted(reading: BlockReading, host: RecordHost, text: str) -> Block:
        reads.append(text)
        return read(reading, host, text)

    monkeypatch.setattr(block_reading.BlockReading, "taken_apart", counted)
    found = diagnostics(opened(text))
    assert found
    assert [json.loads(each) for each in reads] == [values[17]]


def test_what_is_asked_of_a_deferred_document_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    random = seeded("once")
    reads: list[str] = []
    read = block_reading.BlockReading.taken_apart

    def counted(reading: BlockReading, host: RecordHost, text: str) -> Block:
        reads.append(text)
        return read(reading, host, text)

    monkeypatch.setattr(block_reading.BlockReading, "taken_apart", counted)
    snapshot = opened(json.dumps([clean(blocks, random) for _ in range(3)]))
    block = snapshot.blocks[0]
    assert not reads
    assert block.passages is block.passages
    assert block.transcripts
    assert list(snapshot.placed_calls())
    assert reads == [snapshot.document.text()]
    with pytest.raises(AttributeError, match="nothing"):
        _ = block.nothing  # type: ignore[attr-defined]


def test_an_edit_that_brings_a_fault_is_reported() -> None:
    random = seeded("edit")
    text = json.dumps([clean(blocks, random) for _ in range(3)])
    snapshot = opened(text)
    assert isinstance(snapshot.blocks[0].content, Deferred)
    at = text.index('"text":') + 6
    broken = snapshot.edit([Edit(Span(at, at + 1), "")])
    assert diagnostics(broken) == diagnostics(opened(broken.document.text())) != []
    fixed = broken.edit([Edit(Span(at, at), ":")])
    assert isinstance(fixed.blocks[0].content, Deferred)
    assert diagnostics(fixed) == []


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "[ ]",
        "",
        "[1]",
        "[{}]",
        '[{"messages": []}',
        '[{"messages": [{"role": "user", "content": "a"}]}]]',
        '[{"messages": [{"role": "user", "content": "a"}]} {"messages": []}]',
        '[{"messages": [{"role": "user", "content": "a"}]},]',
        '[{"messages": [{"role": "user", "content": "a"}]}, 1]',
        '{"messages": [{"role": "user", "content": "\ud800"}]}',
        "[" * 5_000,
    ],
    ids=range(12),
)
def test_what_is_no_list_of_plain_conversations_is_not_certain(text: str) -> None:
    assert not is_clean_text(text, REGISTRY, Settings())
