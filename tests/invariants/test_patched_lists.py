"""Invariant 3 for long lists in JSON, of which only the entry that an edit lies in is read again.

Whatever may be seen of a document after edits in its entries is what opening the new text gives: calls, diagnostics and
fixes, conversations, and what features say of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator
from random import Random
from typing import Any

import pytest

from callwright.conversation.conversation import conversations
from callwright.document import patched
from callwright.document.patched import Patched
from callwright.document.progress import Progress
from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.features import (
    text_document_code_lens,
    text_document_completion,
    text_document_definition,
    text_document_document_highlight,
    text_document_document_symbol,
    text_document_folding_range,
    text_document_hover,
    text_document_inlay_hint,
    text_document_references,
    text_document_semantic_tokens_full,
)
from callwright.features.base import Request
from callwright.hosts.support.transcript import entries_of
from callwright.lint.linter import diagnostics, look
from callwright.lsp.wire import DocumentEdge
from callwright.text.positions import PositionEncoding
from callwright.text.span import Edit, Span
from invariants.corpus import BATCHES, corpus, seeded
from invariants.host_documents import PIECES, Document, documents
from invariants.test_documents_of_every_host import shown
from invariants.test_incremental_equals_full import seen
from support.sampling import sampled

ABOUT_ALL = (
    text_document_code_lens,
    text_document_document_symbol,
    text_document_folding_range,
    text_document_inlay_hint,
    text_document_semantic_tokens_full,
)
ABOUT_A_PLACE = (
    text_document_completion,
    text_document_definition,
    text_document_document_highlight,
    text_document_hover,
    text_document_references,
)
#: What is typed, and what a whole string may become.
TYPED = ("x", "word ", "<read_file>", "</", "`", "\n", "{", "error: no such file", "é😀")
WORDS = ("role", "tool", "user", "assistant", "content", "call_1", "tool_calls", "read_file", "x", "messages", "")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*+)"')
#: Under which member a list of transcripts may be.
KEYS = (None, None, "conversations", "rows", "data", "cases_of_day")
#: What may lie around each of them.
WRAPS = (None, None, None, "call_of_model", "body")


@pytest.fixture(autouse=True)
def _short_ones_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patched, "LEAST", 0)


def transcripts() -> list[tuple[Any, Settings]]:
    """Return the values of all documents in JSON that are one transcript, or many."""
    found = []
    for document in documents():
        if document.path.endswith(".json") and len(document.text) < 20_000:
            try:
                value = json.loads(document.text)
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict | list) and value:
                found.append((value, document.settings))
    return found


def lists(random: Random, count: int) -> Iterator[Document]:
    """Yield documents that are a list of transcripts, and such that are one."""
    known = transcripts()
    for number in range(count):
        value, settings = random.choice(known)
        if number % 2:
            alike = [each for each, own in known if own == settings]
            value = random.sample(alike, min(len(alike), random.randint(1, 5)))
            wrap = random.choice(WRAPS)
            value = value if wrap is None else [{"number": 1, wrap: each} for each in value]
            key = random.choice(KEYS)
            value = value if key is None else {"about": "examples", key: value, "more": {"rate": [1, 2]}}
        text = json.dumps(value, indent=random.choice((None, None, 1, 2)), ensure_ascii=random.random() < 0.2)
        try:
            text.encode()
        except UnicodeEncodeError:
            continue
        yield Document("a.json", text, settings)


def typed(text: str, random: Random, near: int | None) -> Edit:
    """Return what someone types next: mostly in a string, and mostly near the place where they have typed before."""
    strings = list(_STRING.finditer(text))
    if near is not None and random.random() < 0.6:
        strings = [each for each in strings if each.start() <= near <= each.end()] or strings
    if not strings or random.random() < 0.1:
        start = random.randint(0, len(text))
        return Edit(Span(start, min(len(text), start + random.choice((0, 1, 40)))), random.choice(PIECES))
    start, end = random.choice(strings).span(1)
    at = random.randint(start, end)
    kind = random.random()
    if kind < 0.5:
        return Edit(Span(at, at), _quoted(random.choice(TYPED)))
    if kind < 0.65:
        return Edit(Span(at, min(end, at + random.choice((1, 2, 9)))), "")
    if kind < 0.8:
        return Edit(Span(at, at), _quoted(random.choice(corpus())))
    if kind < 0.9:
        return Edit(Span(at, at), random.choice(PIECES))
    return Edit(Span(start, end), random.choice(WORDS))


def _quoted(text: str) -> str:
    return json.dumps(text)[1:-1]


def stated_by(snapshot: Snapshot, random: Random) -> list[Any]:
    """Return what is to be seen of a document beside its calls and diagnostics."""
    spans = [
        (
            conversation.shape,
            conversation.provider,
            [
                (
                    turn.turn.role,
                    turn.span(turn.turn.place).shift(conversation.start),
                    [call.span.shift(conversation.start - call.start + turn.start) for call in turn.calls],
                    sorted((each.code, each.span) for each in turn.faults),
                )
                for turn in conversation.turns
            ],
        )
        for conversation in conversations(snapshot)
    ]
    size = len(snapshot.document)
    answers = [answer(feature, snapshot, Request(span=Span(0, size))) for feature in ABOUT_ALL]
    for _ in range(3):
        at = random.randint(0, size)
        request = Request(span=Span(at, at), offsets=(at,))
        answers += [answer(feature, snapshot, request) for feature in ABOUT_A_PLACE]
    return [snapshot.kind, spans, answers]


def answer(feature: Any, snapshot: Snapshot, request: Request) -> Any:
    """Return what a feature says, as a client is sent it."""
    result = feature.FEATURE.handle(snapshot, request)
    if isinstance(result, Generator):
        result = stated(result)
    edge = DocumentEdge(
        snapshot.document, uri="a.json", version=None, encoding=PositionEncoding.UTF16, client=request.client
    )
    sent = None if result is None else feature.FEATURE.to_lsp(result, edge)
    # What distinguishes one answer from another is not part of it.
    return {**sent, "resultId": ""} if isinstance(sent, dict) else sent


def stated(steps: Generator[None, None, Any]) -> Any:
    """Return the diagnostics after all steps."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value


def assert_same(document: Document, snapshot: Snapshot, seed: int) -> None:
    fresh = document.opened(snapshot.document.text())
    assert seen(snapshot) == seen(fresh), shown(document, f"edited to {snapshot.document.text()!r}")
    one, other = stated_by(snapshot, Random(seed)), stated_by(fresh, Random(seed))  # noqa: S311 - the same places
    assert one == other, shown(document, f"edited to {snapshot.document.text()!r}")


def edited(document: Document, random: Random, count: int) -> Iterator[Snapshot]:
    """Yield a document after each of some edits, as the library follows them or as an editor's server does."""
    snapshot = document.opened()
    reading = Progress.of(snapshot, look=look) if random.random() < 0.5 else None
    near: int | None = None
    undo: Edit | None = None
    for _ in range(count):
        if random.random() < 0.8:
            diagnostics(snapshot)
        text = snapshot.document.text()
        edit = typed(text, random, near)
        if undo is not None and snapshot.blocks[0].problems and random.random() < 0.7:
            edit = undo
        (start, end), new = edit
        near, undo = start, Edit(Span(start, start + len(new)), text[start:end])
        if reading is None:
            snapshot = snapshot.edit([edit])
        else:
            reading = Progress.of(snapshot, look=look).edit([edit])
            if random.random() < 0.3:
                # Another key is hit before anything was read.
                reading = reading.edit([typed(reading.snapshot.document.text(), random, near)])
                undo = None
            snapshot = reading.run()
        yield snapshot


@pytest.mark.parametrize("batch", sampled(range(BATCHES), keep=2))
def test_edits_of_entries_equal_a_full_reading(batch: int) -> None:
    random = seeded(f"patched{batch}")
    for document in lists(random, 12):
        for snapshot in edited(document, random, 8):
            assert_same(document, snapshot, random.randrange(1 << 30))


def entries_in(document: Document) -> bool:
    """Return whether a document is a list of which each entry is read by itself, or one transcript with such a list."""
    value = document.opened().blocks[0].value
    return value is not None and entries_of(value) is not None


def test_most_edits_of_entries_are_patches() -> None:
    random = seeded("patches")
    read = [
        isinstance(snapshot.blocks[0].content, Patched)
        for document in lists(random, 40)
        for snapshot in edited(document, random, 6)
        if entries_in(document)
    ]
    assert sum(read) > len(read) / 3
