"""The invariants for whole documents: every host, every shape of transcripts, and mutations of all of them.

Reading never fails; spans are exact; incremental equals full, with the diagnostics of conversations; fixes converge,
and what lies outside their edits stays.
"""

from __future__ import annotations

from itertools import pairwise

import pytest

from callwright.conversation.conversation import conversations
from callwright.document import block_reading
from callwright.document.snapshot import Snapshot
from callwright.fix.fixer import fix_all
from callwright.lint.linter import diagnostics
from callwright.rules.base import Severity
from callwright.text.span import Edit, Span, apply_edits
from invariants.corpus import BATCHES, MUTATIONS, seeded
from invariants.host_documents import Document, changed, documents, mutants, random_edit
from invariants.test_incremental_equals_full import SMALL, seen
from support.sampling import sampled

#: How many mutations a batch has.
COUNT = MUTATIONS // BATCHES // 5


def shown(document: Document, what: str) -> str:
    return f"{what}: {document.path} {document.settings}\n{document.text!r}"


def assert_sound(document: Document) -> Snapshot:
    """Everything that is read and found lies in the text, in order; passages lead there and back."""
    snapshot = document.opened()
    text, size = document.text, len(document.text)
    assert sum(block.length for block in snapshot.blocks) == size, shown(document, "blocks")
    for placed in snapshot.placed_calls():
        assert 0 <= placed.span.start <= placed.span.end <= size, shown(document, "call")
        assert isinstance(placed.binding.arguments, dict)
        for span in (placed.call.tool_span, placed.call.body, placed.call.frame or placed.call.span):
            raw = placed.raw_span(span)
            assert 0 <= raw.start <= raw.end <= size, shown(document, "part of a call")
    for start, block in zip(snapshot.starts, snapshot.blocks, strict=True):
        for read in block.passages:
            passage = read.passage
            assert passage.projection.length == len(passage.text), shown(document, "passage")
            step = max(1, len(passage.text) // 20)
            for offset in range(0, len(passage.text) + 1, step):
                raw_offset = passage.projection.to_raw(offset)
                assert 0 <= raw_offset + start <= size, shown(document, "place")
                assert passage.projection.to_decoded(raw_offset) == offset, shown(document, f"way back of {offset}")
    for conversation in conversations(snapshot):
        for turn in conversation.turns:
            places = [turn.turn.place, turn.turn.role_place, turn.turn.finish_place]
            places += [
                place for result in turn.turn.results for place in (result.place, result.call_id, result.content)
            ]
            for place in places:
                if place is not None:
                    span = turn.span(place).shift(conversation.start)
                    assert 0 <= span.start <= span.end <= size, shown(document, "turn")
    found = diagnostics(snapshot)
    assert [each.span.start for each in found] == sorted(each.span.start for each in found), shown(document, "order")
    for each in found:
        assert each.message
        assert 0 <= each.span.start <= each.span.end <= size, shown(document, f"{each.code}")
        for span, _ in each.related:
            assert 0 <= span.start <= span.end <= size, shown(document, f"related to {each.code}")
        for fix in each.fixes:
            edits = sorted(fix.edits, key=lambda edit: edit.span)
            assert fix.title
            assert all(0 <= edit.span.start <= edit.span.end <= size for edit in edits), shown(document, fix.title)
            assert all(one.span.end <= two.span.start for one, two in pairwise(edits)), shown(document, fix.title)
            assert edits == [] or apply_edits(text, edits) != text, shown(document, f"{fix.title} changes nothing")
    return snapshot


def errors(snapshot: Snapshot) -> int:
    return sum(each.severity is Severity.ERROR for each in diagnostics(snapshot))


def assert_fixed(document: Document, *, unsafe: bool) -> None:
    """Fixing all ends, leaves no more errors than there were, and a second run changes nothing."""
    snapshot = document.opened()
    before = errors(snapshot)
    once, fixed = fix_all(snapshot, unsafe=unsafe)
    assert fixed or once == document.text
    after = document._replace(text=once)
    assert errors(after.opened()) <= before, shown(document, "more errors")
    twice, again = fix_all(after.opened(), unsafe=unsafe)
    assert (twice, again) == (once, []), shown(document, f"not settled, then {[each.code for each in again]}")


def assert_same(document: Document, snapshot: Snapshot) -> None:
    fresh = document.opened(snapshot.document.text())
    assert snapshot.host is fresh.host, shown(document, "host")
    assert seen(snapshot) == seen(fresh), shown(document, f"edited to {snapshot.document.text()!r}")


@pytest.mark.parametrize("batch", sampled(range(BATCHES), by=lambda batch: batch % len(SMALL)))
def test_documents_are_read_and_their_spans_are_exact(batch: int) -> None:
    for document in documents()[batch::BATCHES]:
        assert_sound(document)


@pytest.mark.parametrize("batch", sampled(range(BATCHES), by=lambda batch: batch % len(SMALL)))
def test_mutated_documents_are_read_and_their_spans_are_exact(batch: int) -> None:
    for document in mutants(batch, COUNT):
        assert_sound(document)


@pytest.mark.parametrize("batch", sampled(range(BATCHES), by=lambda batch: batch % len(SMALL)))
def test_a_document_cut_anywhere_is_read(batch: int) -> None:
    random = seeded(f"cut{batch}")
    for document in documents()[batch::BATCHES]:
        size = len(document.text)
        for end in range(size) if size < 60 else random.sample(range(size), 12):
            assert_sound(document._replace(text=document.text[:end]))


@pytest.mark.parametrize("batch", sampled(range(BATCHES), by=lambda batch: batch % len(SMALL)))
def test_fixes_of_documents_converge(batch: int) -> None:
    for number, document in enumerate([*documents()[batch::BATCHES], *mutants(batch, COUNT // 4, "fix")]):
        assert_fixed(document, unsafe=number % 2 == 0)


@pytest.mark.parametrize("batch", sampled(range(BATCHES), by=lambda batch: batch % len(SMALL)))
def test_edits_of_documents_equal_a_full_reading(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = seeded(f"edit{batch}")
    block, window = SMALL[batch % len(SMALL)]
    monkeypatch.setattr(block_reading, "BLOCK", block)
    monkeypatch.setattr(block_reading, "WINDOW", window)
    for document in documents()[batch::BATCHES]:
        if len(document.text) > 20_000:
            continue
        snapshot = document.opened()
        for _ in range(3):
            diagnostics(snapshot)
            edits: list[Edit] = []
            text = snapshot.document.text()
            for _ in range(random.choice((1, 1, 2))):
                edits.append(random_edit(text, random))
                text = changed(text, edits[-1])
            snapshot = snapshot.edit(edits)
            assert snapshot.document.text() == text
            assert_same(document, snapshot)


@pytest.mark.parametrize("batch", sampled(range(BATCHES), by=lambda batch: batch % len(SMALL)))
def test_typing_and_deleting_leads_back(batch: int) -> None:
    """An edit and its reverse leave what was there before, whatever the text was read as in between."""
    random = seeded(f"back{batch}")
    for document in documents()[batch::BATCHES]:
        snapshot = document.opened()
        before = seen(snapshot)
        edit = random_edit(document.text, random)
        between = snapshot.edit([edit])
        diagnostics(between)
        start, end = edit.span
        back = between.edit([Edit(Span(start, start + len(edit.text)), document.text[start:end])])
        assert back.document.text() == document.text
        assert seen(back) == before, shown(document, f"{edit}")
