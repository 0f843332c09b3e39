"""Whatever ends a line: a text whose lines end with CR alone is read as one whose lines end with LF.

LF, CR and CRLF end a line (`text/line_ends.py`); `re.MULTILINE` and `splitlines` know other sets of them.
"""

from __future__ import annotations

from typing import Any

import pytest

from callwright.api import parse
from callwright.document.settings import Settings
from callwright.lint.linter import diagnostics
from callwright.runtime import StrictParser
from invariants.chunkings import texts
from invariants.corpus import corpus, registry
from invariants.host_documents import Document, documents
from support.sampling import sampled

#: In these a line is a record, and CR is white space within one.
RECORDS = (".jsonl", ".log", ".transcript")
SHARDS = 8


def with_cr(text: str) -> str:
    return text.replace("\n", "\r")


def stated(message: str) -> str:
    """Return the report whichever character ends lines: excerpts show it, and a raw one in a string is named."""
    return message.replace("\r", "\n").replace("\\r", "\\n").replace("carriage return", "line break")


def facts(document: Document, text: str) -> list[Any]:
    snapshot = document.opened(text)
    found = [(each.code, each.span, stated(each.message)) for each in diagnostics(snapshot)]
    calls = [
        # A name that is cut off may continue after a line's end.
        (each.call.tool and stated(each.call.tool), each.call.dialect, each.call.span, each.call.complete)
        for block in snapshot.blocks
        for read in block.passages
        for each in read.calls
    ]
    return [found, calls]


def apt(text: str) -> bool:
    return "\n" in text and "\r" not in text


@pytest.mark.parametrize("shard", sampled(range(SHARDS)))
def test_texts_of_all_formats_have_the_same_diagnostics(shard: int) -> None:
    scanned_at = 0
    for text in corpus()[shard::SHARDS]:
        if apt(text):
            document = Document("a.md", text, Settings())
            assert facts(document, with_cr(text)) == facts(document, text), text
            scanned_at += 1
    assert scanned_at > 100


@pytest.mark.parametrize("shard", sampled(range(SHARDS)))
def test_documents_of_all_kinds_have_the_same_diagnostics(shard: int) -> None:
    scanned_at = 0
    for document in documents()[shard::SHARDS]:
        if apt(document.text) and not document.path.endswith(RECORDS):
            assert facts(document, with_cr(document.text)) == facts(document, document.text), document
            scanned_at += 1
    assert scanned_at > 15


@pytest.mark.parametrize("shard", sampled(range(SHARDS)))
def test_replies_are_rejected_for_the_same_reason(shard: int) -> None:
    scanned_at = 0
    for text in texts()[shard::SHARDS]:
        if not apt(text):
            continue
        for dialect in sorted({call.dialect for call in parse(text, tools=registry()).calls} or {"hermes"}):
            parser = StrictParser(tools=registry(), dialect=dialect)
            one, other = parser.parse(text), parser.parse(with_cr(text))
            assert [(call.tool, call.span) for call in one.calls] == [(call.tool, call.span) for call in other.calls]
            assert (one.error is None) == (other.error is None), text
            if one.error is not None and other.error is not None:
                assert other.error.type is one.error.type, text
                assert stated(other.error.message) == stated(one.error.message)
                assert (other.error.spans, other.error.codes) == (one.error.spans, one.error.codes), text
            scanned_at += 1
    assert scanned_at > 50
