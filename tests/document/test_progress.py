"""A reading that stops anywhere and continues after edits ends where any other does, and is never long without a
stop."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import product
from operator import itemgetter
from typing import Any

import pytest

from callwright.document import block_reading
from callwright.document import progress as progresses
from callwright.document.progress import Look, Progress
from callwright.document.settings import Settings
from callwright.document.snapshot import Origin, Snapshot
from callwright.lint.linter import diagnostics, look
from callwright.lint.opening import triage
from callwright.text.budget import AbandonedError, set_yield_hook
from callwright.text.document import TextDocument
from callwright.text.span import Edit, Span
from invariants.corpus import seeded
from invariants.test_incremental_equals_full import PARAGRAPH, assert_same
from invariants.texts import REGISTRY, opened, transcript
from support.sampling import crossed, sampled

CALL = "<read_file>\n<path>src/a.py</path>\n</read_file>\n\n"
LINE = (
    '{"messages": [{"role": "user", "content": "Look."}, {"role": "assistant", "content": "' + "Done. " * 9 + '"}]}\n'
)
TEMPLATE = "{% if a %}\n" + CALL + "{% endif %}\n\nWords with {{ value }} in them.\n\n"
KINDS = {
    "a.prompt": PARAGRAPH * 12,
    "a.md": "---\ntitle: a\n---\n\n" + PARAGRAPH * 10,
    "a.jinja": TEMPLATE * 12,
    "a.jsonl": LINE * 30,
    "a.json": transcript(CALL * 4),
}
NEW = ["", "x", "\n", "````\n", "<", "`", "{% raw %}", CALL, '"', "---\n"]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let blocks be short, so that a short text has many."""
    for module in (block_reading, progresses):
        monkeypatch.setattr(module, "BLOCK", 100)
    monkeypatch.setattr(block_reading, "WINDOW", 400)
    yield
    set_yield_hook(None)


def unread(text: str, path: str, shown: Look | None = None) -> Progress:
    document = TextDocument.from_text(text)
    snapshot = Snapshot.open(
        document, Origin(path, path, triage=triage), registry=REGISTRY, settings=Settings(), budget=None
    )
    return Progress(snapshot, look=shown)


def run_for(progress: Progress, checks: int) -> bool:
    """Let a reading continue for so many checks; return whether it came to its end before."""
    left = checks

    def hook() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise AbandonedError

    set_yield_hook(hook)
    try:
        progress.run()
    except AbandonedError:
        return False
    finally:
        set_yield_hook(None)
    return True


@pytest.mark.parametrize("shown", [None, look], ids=["kept", "resting"])
@pytest.mark.parametrize(("round_", "path"), crossed(range(12), KINDS))
def test_stops_and_edits_change_nothing_of_what_is_read(path: str, round_: int, shown: Look | None) -> None:
    chance = seeded(f"{path} {round_}")
    progress = unread(KINDS[path], path, shown)
    stopped = 0
    for _ in range(8):
        stopped += not run_for(progress, chance.choice([0, 1, 3, chance.randrange(120)]))
        size = len(progress.snapshot.document)
        start = chance.choice([0, size, chance.randrange(size + 1), chance.randrange(size + 1)])
        edit = Edit(Span(start, min(size, start + chance.choice([0, 0, 1, 30, 400]))), chance.choice(NEW))
        progress = progress.edit([edit])
    assert stopped
    assert_same(progress.run(), path)


def test_what_was_read_before_an_edit_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    progress = unread(PARAGRAPH * 40, "a.prompt")
    progress.run()
    read: list[int] = []
    one_block = block_reading.BlockReading.block

    def counting(reading: Any, at: int, *more: Any) -> Any:
        read.append(at)
        return one_block(reading, at, *more)

    monkeypatch.setattr(block_reading.BlockReading, "block", counting)
    # A fence opened at the top makes another text of all that follows, for as long as it is.
    fenced = progress.edit([Edit(Span(0, 0), "````\n")])
    assert not run_for(fenced, 100)
    begun = len(read)
    assert 0 < begun < len(progress.snapshot.blocks)
    after = fenced.edit([Edit(Span(0, 5), "")])
    begun = len(read)
    snapshot = after.run()
    assert len(read) - begun <= 3
    assert_same(snapshot, "a.prompt")


@pytest.mark.parametrize("path", ["a.prompt", "a.md", "a.jsonl", "a.jinja"])
def test_every_place_of_an_unread_document_is_known_for_the_asking(path: str) -> None:
    text = KINDS[path]
    whole = opened(text, path)
    for offset in range(0, len(text), 37):
        known = unread(text, path).around(offset)
        assert known is not None
        assert sum(block.length for block in known.blocks) == len(text)
        wanted = [placed.call.tool for placed in whole.placed_calls() if placed.span.start <= offset < placed.span.end]
        found = [placed.call.tool for placed in known.placed_calls() if placed.span.start <= offset < placed.span.end]
        assert found == wanted


@pytest.mark.parametrize("blank", ["\n\n", "\r\n\r\n", "\r\r", "\n \t\n"])
def test_reading_around_an_offset_begins_after_a_blank_line(blank: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progresses, "_NEARBY", 400)
    monkeypatch.setattr(progresses, "_BEFORE", 100)
    text = CALL.replace("\n\n", blank) * 20
    for offset in range(600, 700):
        known = unread(text, "a.prompt").around(offset)
        assert known is not None
        assert text[: known.blocks.start(1)].endswith(blank)


def test_one_record_is_known_as_a_whole_or_not_at_all() -> None:
    text = transcript(CALL * 40)
    progress = unread(text + " " * (1 << 16), "a.json")
    assert progress.around(len(text) // 2) is None
    progress.run()
    known = progress.around(len(text) // 2)
    assert known is not None
    assert len(list(known.placed_calls())) == 40


#: The most Python functions that may be called between two checks: at ten million a second, far less than 50 ms.
MAX_CALLS = 60_000
LONG: dict[str, tuple[str, Callable[[], str]]] = {
    "calls": ("a.prompt", lambda: PARAGRAPH * 2_000),
    "faults": ("a.prompt", lambda: CALL.replace("path", "paht") * 3_000),
    "calls without an empty line": ("a.prompt", lambda: CALL.replace("\n\n", "\n") * 3_000),
    "one line": ("a.prompt", lambda: CALL.replace("\n", "") * 1_000),
    "words on one line": ("a.prompt", lambda: "word a<b {x} [y] `c` " * 10_000),
    "one call": ("a.prompt", lambda: "<read_file><path>" + "a long & <value>\n" * 10_000 + "</path></read_file>\n"),
    "one fence": (
        "a.md",
        lambda: '```json\n{"tool": "read_file", "arguments": {"a": [' + '{"b": 1},\n' * 20_000 + "1]}}\n```\n",
    ),
    "one broken fence": (
        "a.md",
        lambda: '```json\n{"tool": "read_file", "arguments": {"a": [' + '{"b": 1}\n' * 5_000 + "]}}\n```\n",
    ),
    "lines of JSON": ("a.jsonl", lambda: LINE * 2_000),
    "one transcript": ("a.json", lambda: transcript(CALL * 2_000)),
    "templates": ("a.jinja", lambda: TEMPLATE * 1_000),
    "definitions": ("a.md", lambda: "".join(f"- `read_file`: reads file {n}\n- path: where\n\n" for n in range(1_000))),
}


@pytest.mark.parametrize(("kind", "shown"), sampled(product(LONG, [None, look]), keep=4, by=itemgetter(1)))
def test_reading_and_checking_go_on_for_a_bounded_time_between_two_checks(
    kind: str, shown: Look | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    path, make = LONG[kind]
    # What is imported and made on first use is not part of it.
    diagnostics(unread(make()[: 1 << 14], path).run())
    progress = unread(make(), path, shown)
    most = since = checks = 0

    def count(_frame: Any, event: str, _arg: Any) -> None:
        nonlocal since
        since += event in ("call", "c_call")

    def hook() -> None:
        nonlocal most, since, checks
        most, since, checks = max(most, since), 0, checks + 1

    set_yield_hook(hook)
    sys.setprofile(count)
    try:
        diagnostics(progress.run())
    finally:
        sys.setprofile(None)
        set_yield_hook(None)
    hook()
    assert checks > 4
    assert most <= MAX_CALLS


def blocks_read(monkeypatch: pytest.MonkeyPatch, progress: Progress) -> int:
    """Run a reading to its end, and return how many blocks it read again."""
    count = 0
    block = block_reading.BlockReading.block

    def counting(*given: Any) -> Any:
        nonlocal count
        count += 1
        return block(*given)

    with monkeypatch.context() as patch:
        patch.setattr(block_reading.BlockReading, "block", counting)
        progress.run()
    return count


@pytest.mark.parametrize("shown", [None, look])
@pytest.mark.parametrize(("ending", "opener"), [("prompt", "~~~~\n"), ("jinja", "{% raw %}\n")])
def test_what_a_fence_took_is_there_again_once_it_is_taken_away(
    ending: str, opener: str, shown: Look | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, text = f"a.{ending}", PARAGRAPH * 40
    first = unread(text, path, shown)
    whole = blocks_read(monkeypatch, first)
    assert first.kept() is None
    fenced = Progress.of(first.snapshot, look=shown, kept=first.kept()).edit([Edit(Span(0, 0), opener)])
    # What a template leaves as it is, is one block.
    assert blocks_read(monkeypatch, fenced) > (whole // 2 if ending == "prompt" else 0)
    assert whole > 16
    kept = fenced.kept()
    assert kept is not None
    # Someone types on in it for a while.
    typed = Progress.of(fenced.snapshot, look=shown, kept=kept).edit([Edit(Span(len(opener), len(opener)), "words\n")])
    assert blocks_read(monkeypatch, typed) <= 3
    assert typed.kept() is not None
    closed = Progress.of(typed.snapshot, look=shown, kept=typed.kept()).edit([Edit(Span(0, len(opener) + 6), "")])
    assert blocks_read(monkeypatch, closed) <= 3
    assert_same(closed.snapshot, path)


def test_what_a_fence_took_is_not_kept_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    first = unread(PARAGRAPH * 40, "a.prompt")
    first.run()
    latest = Progress.of(first.snapshot).edit([Edit(Span(0, 0), "~~~~\n")])
    latest.run()
    kept = 0
    while (rest := latest.kept()) is not None:
        kept += 1
        assert sum(tail.blocks.length for tail in rest.waiting) <= 2 * len(latest.snapshot.document)
        latest = Progress.of(latest.snapshot, kept=rest).edit([Edit(Span(5, 5), "x")])
        latest.run()
    assert kept == progresses._EDITS


def test_front_matter_is_text_where_something_is_put_in_front_of_it() -> None:
    text = "---\na: <read_file><path>a</path></read_file>\n---\n\n" + PARAGRAPH * 10
    before = unread(text, "a.md").run()
    above = [Edit(Span(0, 0), "x\n\n")]
    for after in (before.edit(above), Progress.of(before).edit(above).run()):
        assert_same(after, "a.md")
        assert next(after.placed_calls()).span.start == len("x\n\n---\na: ")
