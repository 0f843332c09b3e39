"""Invariant 3, incremental equals full: after any edits a snapshot is the one that opening the new text gives."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from callwright.document import block_reading
from callwright.document.snapshot import Snapshot
from callwright.lint.linter import diagnostics
from callwright.text.span import Edit, Span
from invariants.corpus import BATCHES, corpus, mutants, seeded
from invariants.texts import documents, opened, pieces, transcript
from support.sampling import sampled, tries

#: Small blocks and windows, so that short texts have many of them; what they are must not change what is read.
SMALL = [(1, 8), (40, 64), (200, 1_000)]

#: The diagnostic is marked up to what is on the line after the call.
UNCLOSED_IN_A_FENCE = (
    '```\n\n<tool_call><tool_name>read_file</tool_name><arguments>{"path": "a"}</arguments>\n  - more\n'
)
UNCLOSED_OVER_AN_EMPTY_LINE = "<tool_call><tool_name<s></u>`\n\n<tool_call</tool_call"


def seen(snapshot: Snapshot) -> list[Any]:
    """Return everything that may be observed of a snapshot."""
    calls = [
        (
            placed.call.dialect,
            placed.span,
            placed.call.tool,
            placed.binding.arguments,
            placed.raw_span(placed.call.body),
        )
        for placed in snapshot.placed_calls()
    ]
    found = [
        (each.code, each.span, each.severity, each.message, [(fix.title, fix.edits) for fix in each.fixes])
        for each in diagnostics(snapshot)
    ]
    return [repr(calls), repr(found)]


def assert_same(snapshot: Snapshot, path: str) -> None:
    text = snapshot.document.text()
    fresh = opened(text, path)
    assert sum(block.length for block in snapshot.blocks) == len(text)
    assert seen(snapshot) == seen(fresh)


@st.composite
def edits_of(draw: st.DrawFn, text: str) -> Edit:
    start = draw(st.integers(0, len(text)))
    length = draw(st.sampled_from([0, 0, 1, 3, 20, 200]))
    new = draw(st.one_of(st.just(""), st.sampled_from(["x", "\n", "`", "```", "<", ">", "\r", '"', "-"]), pieces()))
    return Edit(Span(start, min(len(text), start + length)), new)


def play(data: st.DataObject, text: str, path: str) -> None:
    """Edit a document a few times, at once and one by one, and compare after each time."""
    snapshot = opened(text, path)
    for _ in range(data.draw(st.integers(1, 4))):
        diagnostics(snapshot)
        batch: list[Edit] = []
        current = snapshot.document.text()
        for _ in range(data.draw(st.integers(1, 3))):
            edit = data.draw(edits_of(current))
            current = current[: edit.span.start] + edit.text + current[edit.span.end :]
            batch.append(edit)
        snapshot = snapshot.edit(batch)
        assert snapshot.document.text() == current
        assert_same(snapshot, path)


@pytest.mark.parametrize(("block", "window"), SMALL)
@pytest.mark.parametrize("path", ["a.md", "a.txt"])
@settings(max_examples=tries(30), deadline=None)
@given(data=st.data())
def test_edits_of_flowing_text(data: st.DataObject, path: str, block: int, window: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_reading, "BLOCK", block)
        patch.setattr(block_reading, "WINDOW", window)
        play(data, data.draw(documents(most=12)), path)


@pytest.mark.parametrize("path", ["a.jsonl", "a.json"])
@settings(max_examples=tries(25), deadline=None)
@given(data=st.data())
def test_edits_of_transcripts(data: st.DataObject, path: str) -> None:
    lines = [transcript(data.draw(pieces()), data.draw(pieces())) for _ in range(data.draw(st.integers(1, 3)))]
    text = data.draw(st.sampled_from(["\n", "\r\n", "\r"])).join(lines)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_reading, "WINDOW", 64)
        play(data, text, path)


@settings(max_examples=tries(30), deadline=None)
@given(text=documents(most=12), block=st.sampled_from([1, 30, 300]), window=st.sampled_from([4, 100, 1_000]))
@example(text=UNCLOSED_IN_A_FENCE, block=1, window=4)
@example(text=UNCLOSED_OVER_AN_EMPTY_LINE, block=1, window=4)
def test_where_blocks_end_changes_nothing(text: str, block: int, window: int) -> None:
    whole = seen(opened(text))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_reading, "BLOCK", block)
        patch.setattr(block_reading, "WINDOW", window)
        small = seen(opened(text))
    assert small == whole


@pytest.mark.parametrize("batch", sampled(range(BATCHES), by=lambda batch: batch % len(SMALL)))
def test_edits_of_every_format(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mutated calls of all dialects below each other, edited with pieces of more of them."""
    random = seeded(batch)
    block, window = SMALL[batch % len(SMALL)]
    monkeypatch.setattr(block_reading, "BLOCK", block)
    monkeypatch.setattr(block_reading, "WINDOW", window)
    texts = [mutant.text for mutant in mutants(batch, 60, "edit")]
    for _ in range(6):
        text = random.choice(["\n\n", "\n", "\n\n> ", "\r\n\r\n"]).join(random.sample(texts, 4))
        snapshot = opened(text)
        for _ in range(3):
            current = snapshot.document.text()
            start = random.randint(0, len(current))
            end = min(len(current), start + random.choice([0, 0, 1, 3, 20, 200]))
            piece = random.choice([*'<`{[|\n"', "", "```", "x", random.choice(corpus()), random.choice(texts)])
            snapshot = snapshot.edit([Edit(Span(start, end), piece)])
            assert_same(snapshot, "a.md")


PARAGRAPH = (
    "Prose about `read_file` and <b>tags</b>.\n\n"
    "<read_file>\n<path>src/a.py</path>\n</read_file>\n\n```json\n{}\n```\n\n"
)
INSERTED = ["x", "<", "`", "", "\n\n", "<write_file><path>b</path><content>c</content></write_file>"]


@pytest.fixture(scope="module")
def long_document() -> Snapshot:
    return opened(PARAGRAPH * (1_000_000 // len(PARAGRAPH)))


@pytest.mark.parametrize("new", INSERTED)
def test_an_edit_of_a_long_document_reads_few_blocks_again(
    new: str, long_document: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, text = long_document, long_document.document.text()
    read: list[int] = []
    one_block = block_reading.BlockReading.block

    def counting(reading: Any, at: int, *more: Any) -> Any:
        read.append(at)
        return one_block(reading, at, *more)

    monkeypatch.setattr(block_reading.BlockReading, "block", counting)
    middle = text.index("Prose", len(text) // 2)
    after = before.edit([Edit(Span(middle, middle + 5), new)])
    assert len(before.blocks) > 200
    assert len(read) <= 4
    assert sum(block.length for block in after.blocks) == len(text) - 5 + len(new)
    kept = {id(block) for block in before.blocks} & {id(block) for block in after.blocks}
    assert len(kept) >= len(before.blocks) - 4


def test_what_the_first_session_of_many_states_of_its_dialect_changes_what_is_found_in_all() -> None:
    stated = {"role": "assistant", "content": '<read_file>{"path": "a.py",}</read_file>'}
    session = {"callwright_session": {"version": 1, "dialect": "xml-json"}, "messages": [stated]}
    before = opened((json.dumps(session) + "\n") * 3, "a.jsonl")
    start = before.document.text().index("xml-json")
    after = before.edit([Edit(Span(start, start + len("xml-json")), "fenced-json")])
    assert len(diagnostics(after)) == 2 * len(diagnostics(before)) > 0
    assert_same(after, "a.jsonl")
    assert_same(after.edit([Edit(Span(start, start + len("fenced-json")), "xml-json")]), "a.jsonl")
