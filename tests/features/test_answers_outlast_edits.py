"""What is kept with blocks: after any edits an answer is what a document that was just opened gets."""

from collections.abc import Generator
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from callwright.document.snapshot import Snapshot
from callwright.features import (
    text_document_code_lens,
    text_document_document_symbol,
    text_document_folding_range,
    text_document_inlay_hint,
    text_document_semantic_tokens_full,
    text_document_semantic_tokens_full_delta,
)
from callwright.features.base import Client, Feature, Request
from callwright.lsp.wire import DocumentEdge
from callwright.text.facts import Holder
from callwright.text.positions import PositionEncoding
from callwright.text.span import Edit, Span
from features.edges import CLIENT
from invariants.corpus import seeded
from invariants.host_documents import documents
from support.engine import snapshot_of
from support.sampling import sampled

BATCHES = 3
ROUNDS = 3
FEATURES: tuple[Feature[Any], ...] = (
    text_document_document_symbol.FEATURE,
    text_document_folding_range.FEATURE,
    text_document_code_lens.FEATURE,
    text_document_inlay_hint.FEATURE,
    text_document_semantic_tokens_full.FEATURE,
)
FEW = Client.of({"textDocument": {"foldingRange": {"rangeLimit": 4, "lineFoldingOnly": True}}})
#: What is written into a document: lines that move what follows, and what changes how it is read.
WRITTEN = (
    "x",
    "\n",
    "\n\n# A heading\n\n",
    "```\n",
    "<b>\n",
    "</b>\n",
    "<notes>\n",
    "</notes>\n",
    "<!--",
    "é✓𝄞",
    "<read_file>\n<path>a</path>\n</read_file>\n",
)
PROSE = (
    "A sentence of some length, to fill the block. ✓\n\n",
    "## Part\n\n",
    "<notes>\n",
    "</notes>\n",
    "<tone id='%d'>\n",
    "</tone>\n",
    "```json\n",
    "```\n",
)


def asked(feature: Any, snapshot: Snapshot, client: Client, memory: Holder, previous: str = "") -> Any:
    params = SimpleNamespace(previous_result_id=previous)
    request = Request(Span(0, len(snapshot.document)), client, params, None, (), memory)
    result = feature.handle(snapshot, request)
    while isinstance(result, Generator):
        try:
            next(result)
        except StopIteration as stop:
            result = stop.value
    edge = DocumentEdge(snapshot.document, uri="file:///a", version=1, encoding=PositionEncoding.UTF16, client=client)
    return None if result is None else feature.to_lsp(result, edge)


def fresh(snapshot: Snapshot) -> Snapshot:
    return Snapshot.open(
        type(snapshot.document).from_text(snapshot.document.text()),
        snapshot.origin,
        registry=snapshot.project_tools,
        settings=snapshot.given,
    )


def edited(snapshot: Snapshot, random: Random) -> Snapshot:
    size = len(snapshot.document)
    start = random.randint(0, size)
    end = min(size, start + random.choice((0, 0, 0, 1, 3, 40)))
    return snapshot.edit([Edit(Span(start, end), random.choice(WRITTEN))])


def long_prompt(random: Random) -> str:
    calls = WRITTEN[-1:]
    return "".join(random.choice((*PROSE, *calls * 3, PROSE[0] * 9)) for _ in range(random.randint(20, 120)))


@pytest.mark.parametrize("batch", sampled(range(BATCHES)))
def test_answers_after_edits_are_those_of_a_document_just_opened(batch: int) -> None:
    random = seeded(f"outlast {batch}")
    opened = [document.opened() for document in documents()[batch :: BATCHES * 8]]
    opened += [snapshot_of(long_prompt(random)) for _ in range(2)]
    for snapshot in opened:
        now = snapshot
        for _ in range(ROUNDS):
            for client in (CLIENT, FEW):
                for feature in FEATURES:
                    kept = asked(feature, now, client, Holder())
                    assert kept == asked(feature, fresh(now), client, Holder()), (feature.method, now.document.text())
            now = edited(now, random)


def test_differences_of_tokens_lead_from_one_answer_to_the_next() -> None:
    random = seeded("differences")
    full, delta = text_document_semantic_tokens_full.FEATURE, text_document_semantic_tokens_full_delta.FEATURE
    changed = 0
    for _ in range(6):
        memory = Holder()
        now = snapshot_of(long_prompt(random))
        sent = asked(full, now, CLIENT, memory)
        data, previous = list(sent["data"]), sent["resultId"]
        for _ in range(6):
            now = edited(now, random)
            sent = asked(delta, now, CLIENT, memory, previous)
            previous = sent["resultId"]
            for edit in sent["edits"]:
                data[edit["start"] : edit["start"] + edit["deleteCount"]] = edit["data"]
                changed += 1
            assert data == asked(full, fresh(now), CLIENT, Holder())["data"]
    assert changed
