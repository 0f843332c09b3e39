"""Content that was evicted is read again where it is asked for, and is then what it was."""

from __future__ import annotations

from bisect import bisect_left

import pytest

from callwright.document import block_reading, memo
from callwright.document import progress as progresses
from callwright.document.blocks import Block
from callwright.document.contents import Evictable, Read
from callwright.document.documented_names import DocumentedNames
from callwright.document.flow_reading import FlowReader
from callwright.document.progress import Progress
from callwright.document.settings import Settings
from callwright.document.snapshot import Origin, Snapshot
from callwright.lint.linter import diagnostics, look
from callwright.lint.opening import triage
from callwright.text.document import TextDocument
from callwright.text.span import Edit, Span
from invariants.test_incremental_equals_full import PARAGRAPH, assert_same
from invariants.texts import REGISTRY, opened

SOUND = "<read_file>\n<path>src/a.py</path>\n</read_file>\n\n"
FAULTY = '```json\n{"tool": "read_file", "arguments": {"paht": "a",}}\n```\n\n'
PROSE = "Look at the failing test before you change anything, and say what you expect to see.\n\n"
TEXT = "---\ntitle: a\n---\n\n" + (PROSE + SOUND + FAULTY) * 40
TEMPLATE = ("{% if a %}\n" + SOUND + "{% endif %}\n\nWords with {{ value }} in them.\n\n") * 40
PATHS = {"a.md": TEXT, "a.jinja": TEMPLATE}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let blocks be short and few contents held."""
    for module in (block_reading, progresses):
        monkeypatch.setattr(module, "BLOCK", 200)
    monkeypatch.setattr(block_reading, "WINDOW", 600)
    monkeypatch.setattr(memo, "MAX_HELD", 4)


def read(text: str, path: str) -> Snapshot:
    document = TextDocument.from_text(text)
    snapshot = Snapshot.open(
        document, Origin(path, path, triage=triage), registry=REGISTRY, settings=Settings(), budget=None
    )
    return Progress(snapshot, look=look).run()


def is_evicted(block: Block) -> bool:
    return isinstance(block.content, Evictable) and block.content.is_evicted


@pytest.mark.parametrize("path", PATHS)
def test_all_but_the_first_and_the_latest_contents_are_evicted_and_diagnostics_read_none(path: str) -> None:
    snapshot = read(PATHS[path], path)
    first, *others = snapshot.blocks
    assert isinstance(first.content, Read)
    assert len(others) > 10
    assert all(isinstance(block.content, Evictable) for block in others)
    evicted = [True] * (len(others) - 4) + [False] * 4
    assert list(map(is_evicted, others)) == evicted
    found = diagnostics(snapshot)
    assert list(map(is_evicted, others)) == evicted
    fresh = diagnostics(opened(PATHS[path], path))
    assert [(each.code, each.span, each.message) for each in found] == [
        (each.code, each.span, each.message) for each in fresh
    ]


def test_a_document_that_documents_tools_is_reported_the_same_about() -> None:
    text = (PARAGRAPH + SOUND + FAULTY) * 30
    snapshot = read(text, "a.md")
    for _ in range(3):
        assert_same(snapshot, "a.md")


@pytest.mark.parametrize("path", PATHS)
def test_what_is_asked_for_is_what_was_there_and_fixes_are_made_late(path: str) -> None:
    snapshot = read(PATHS[path], path)
    found = diagnostics(snapshot)
    assert_same(snapshot, path)
    fresh = diagnostics(opened(PATHS[path], path))
    for mine, its in zip(found, fresh, strict=True):
        assert [fix.edits for fix in mine.fixes] == [fix.edits for fix in its.fixes]


def test_few_are_held_at_once_and_one_that_is_read_often_stays() -> None:
    snapshot = read(TEXT, "a.md")
    others = snapshot.blocks[1:]
    for round_ in range(1, 4):
        calls = len(list(snapshot.placed_calls()))
        assert calls > 60
        held = sum(not is_evicted(block) for block in others)
        assert held == (4 if round_ < 3 else len(others))


def test_an_edit_leaves_contents_evicted_that_it_does_not_touch() -> None:
    snapshot = read(TEXT, "a.md")
    at = TEXT.index("src/a.py", len(TEXT) // 2)
    progress = Progress.of(snapshot, look=look).edit([Edit(Span(at, at), "x")])
    after = progress.run()
    known = set(map(id, snapshot.blocks))
    reload = [block for block in after.blocks[1:] if id(block) not in known]
    assert 0 < len(reload) <= 2
    diagnostics(after)
    held = [block for block in after.blocks[1:] if not is_evicted(block)]
    assert len(held) == 4
    assert {*map(id, reload)} <= {*map(id, held)} <= {*map(id, reload), *map(id, snapshot.blocks[-4:])}
    # What rests was read from lines that the document has no more, and holds on to them itself.
    del snapshot, progress
    assert_same(after, "a.md")


def test_evicted_contents_hold_no_document() -> None:
    snapshot = read(TEXT, "a.md")
    readers = [read_by(block).context.documented for block in snapshot.blocks[1:]]
    assert all(not isinstance(names, DocumentedNames) for names in readers)
    assert len({id(read_by(block)) for block in snapshot.blocks[1:]}) == 1


def read_by(block: Block) -> FlowReader:
    assert isinstance(block.content, Evictable)
    reader = block.content._read.args[0]  # type: ignore[attr-defined]
    assert isinstance(reader, FlowReader)
    return reader


def test_a_content_that_was_evicted_knows_the_names_that_its_document_documented_then() -> None:
    """A name that is documented nowhere any more is no evidence for a block that is read after that."""
    text = "- `look_up`: finds a word.\n\n" + (PROSE + "<look_up><word>a</word></look_up>\n\n") * 20
    snapshot = read(text, "a.md")
    assert len(list(snapshot.placed_calls())) == 20
    assert_same(snapshot, "a.md")
    progress = Progress.of(snapshot, look=look).edit([Edit(Span(2, 11), "words")])
    assert_same(progress.run(), "a.md")


def test_blocks_that_were_read_from_all_that_follows_keep_their_content() -> None:
    """Waking one would take as long as the text after it is, and so would holding on to that text's lines."""
    few, many = (read(PROSE + ('<write_file>{"path": "a"\n' + PROSE * 3) * number, "a.prompt") for number in (8, 300))
    assert any(isinstance(block.content, Evictable) for block in few.blocks)
    half = bisect_left(many.starts, len(many.document) // 2)
    assert not any(isinstance(block.content, Evictable) for block in many.blocks[1:half])
    assert any(isinstance(block.content, Evictable) for block in many.blocks[half:])
