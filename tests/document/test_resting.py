"""Blocks that rest hold nothing of what was read in them, and whoever asks is told what was there."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

import pytest

from callwright.document import block_reading, resting
from callwright.document import progress as progresses
from callwright.document.blocks import Block
from callwright.document.progress import Progress
from callwright.document.resting import RestingBlock
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
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let blocks be short and few of them awake, and nothing be known from another test."""
    for module in (block_reading, progresses):
        monkeypatch.setattr(module, "BLOCK", 200)
    monkeypatch.setattr(block_reading, "WINDOW", 600)
    monkeypatch.setattr(resting, "_AWAKE", 4)
    monkeypatch.setattr(resting, "_latest", None)
    resting._awake.clear()
    yield
    resting._awake.clear()


def read(text: str, path: str) -> Snapshot:
    document = TextDocument.from_text(text)
    snapshot = Snapshot.open(
        document, Origin(path, path, triage=triage), registry=REGISTRY, settings=Settings(), budget=None
    )
    return Progress(snapshot, look=look).run()


def is_asleep(block: Block) -> bool:
    try:
        # The slot itself, which wakes nobody.
        vars(Block)["passages"].__get__(block)
    except AttributeError:
        return True
    return False


@pytest.mark.parametrize("path", PATHS)
def test_all_but_the_first_and_the_latest_blocks_rest_and_findings_wake_none(path: str) -> None:
    snapshot = read(PATHS[path], path)
    first, *others = snapshot.blocks
    assert type(first) is Block
    assert len(others) > 10
    assert all(isinstance(block, RestingBlock) for block in others)
    asleep = [True] * (len(others) - 4) + [False] * 4
    assert list(map(is_asleep, others)) == asleep
    found = diagnostics(snapshot)
    assert list(map(is_asleep, others)) == asleep
    fresh = diagnostics(opened(PATHS[path], path))
    assert [(each.code, each.span, each.message) for each in found] == [
        (each.code, each.span, each.message) for each in fresh
    ]


def test_a_document_that_documents_tools_is_told_the_same_about() -> None:
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


def test_few_are_awake_at_once_and_one_that_is_woken_often_stays_so() -> None:
    snapshot = read(TEXT, "a.md")
    others = snapshot.blocks[1:]
    for round_ in range(1, 4):
        calls = len(list(snapshot.placed_calls()))
        assert calls > 60
        awake = sum(not is_asleep(block) for block in others)
        assert awake == (4 if round_ < 3 else len(others))


def test_an_edit_leaves_the_blocks_asleep_that_it_does_not_touch() -> None:
    snapshot = read(TEXT, "a.md")
    at = TEXT.index("src/a.py", len(TEXT) // 2)
    progress = Progress.of(snapshot, look=look).edit([Edit(Span(at, at), "x")])
    after = progress.run()
    known = set(map(id, snapshot.blocks))
    anew = [block for block in after.blocks[1:] if id(block) not in known]
    assert 0 < len(anew) <= 2
    diagnostics(after)
    awake = [block for block in after.blocks[1:] if not is_asleep(block)]
    assert len(awake) == 4
    assert {*map(id, anew)} <= {*map(id, awake)} <= {*map(id, anew), *map(id, snapshot.blocks[-4:])}
    # What rests was read from lines that the document has no more, and holds on to them itself.
    del snapshot, progress
    assert_same(after, "a.md")


def test_resting_blocks_hold_no_document() -> None:
    snapshot = read(TEXT, "a.md")
    block = snapshot.blocks[-1]
    assert isinstance(block, RestingBlock)
    assert len(block._reading.document) == 0
    assert block._reading is snapshot.blocks[1]._reading  # type: ignore[attr-defined]


def test_blocks_that_were_read_from_all_that_follows_do_not_rest() -> None:
    """Waking one would take as long as the text behind it is, and so would holding on to that text's lines."""
    few, many = (read(PROSE + ('<write_file>{"path": "a"\n' + PROSE * 3) * number, "a.prompt") for number in (8, 300))
    assert any(isinstance(block, RestingBlock) for block in few.blocks)
    half = bisect_left(many.starts, len(many.document) // 2)
    assert not any(isinstance(block, RestingBlock) for block in many.blocks[1:half])
    assert any(isinstance(block, RestingBlock) for block in many.blocks[half:])
