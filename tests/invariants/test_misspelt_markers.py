"""Misspelt markers in what an author writes: safe fixes give back the call that was there, or there is none.

Each marker of a call in each dialect is misspelt in turn, the opening and the closing one, of the call, its frame and
its parameters. `test_repairs_are_true.py` does it to replies, with many more kinds of fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from callwright.calls.protocol import Refusal, Rendering, RenderStyle
from callwright.dialects.catalogue import dialect_names, find_dialect
from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.fix.fixer import fix_all
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.recovery.written import MARKER
from callwright.rules.base import Severity
from support.engine import registry_named

TOOL = "read_file"
CALLS = ({"path": "src/main.py", "limit": 5}, {"path": "a.md"})
#: Where a prompt shows a call.
PLACES = ("{}\n", "Read the file first:\n\n{}\n\nThen answer.\n", "Read it:\n\n```\n{}\n```\n")
_WORD = re.compile(r"[A-Za-z_]{4,}")


def misspellings(word: str) -> Iterator[str]:
    """Yield a word with a letter lost at either end or in it, doubled, swapped with the next, or added."""
    middle = len(word) // 2
    yield from (word[1:], word[:-1], word[:middle] + word[middle + 1 :])
    yield word[:middle] + word[middle - 1] + word[middle:]
    yield word[: middle - 1] + word[middle] + word[middle - 1] + word[middle + 1 :]
    yield word + "s"


def written(dialect: str) -> Iterator[str]:
    """Yield one call, and several together where the dialect has a place for them."""
    format_ = find_dialect(dialect)
    assert format_ is not None
    for given in (CALLS[:1], CALLS):
        text = format_.render_all([Rendering(TOOL, each) for each in given], RenderStyle())
        if not isinstance(text, Refusal):
            yield text


def damaged(text: str) -> Iterator[str]:
    """Yield a text with one of its markers misspelt."""
    for marker in MARKER.finditer(text):
        word = _WORD.search(marker[0])
        if word is None or word[0] == TOOL:
            continue
        start, end = marker.start() + word.start(), marker.start() + word.end()
        for wrong in misspellings(word[0]):
            if wrong != word[0]:
                yield text[:start] + wrong + text[end:]


def opened(text: str) -> Snapshot:
    return open_snapshot(text, path="prompt.md", registry=registry_named("examples"), settings=Settings())


def calls(snapshot: Snapshot) -> list[tuple[str | None, object]]:
    return [(each.call.tool, each.binding.arguments) for each in snapshot.placed_calls()]


def failure(sound: Snapshot, text: str) -> str | None:
    """Return what is wrong with the safe fixes of a damaged text."""
    fixed, _ = fix_all(opened(text))
    if fixed == text:
        return None
    after = opened(fixed)
    left = [each.message for each in diagnostics(after) if each.severity is not Severity.HINT]
    return f"{left}:\n{text}\nis now\n{fixed}" if left or calls(after) != calls(sound) else None


@pytest.mark.parametrize("dialect", dialect_names())
def test_safe_fixes_of_misspelt_markers_give_back_the_call(dialect: str) -> None:
    wrong: list[str] = []
    for text in written(dialect):
        for place in PLACES:
            sound = opened(place.format(text))
            if calls(sound):
                wrong += filter(None, (failure(sound, place.format(each)) for each in damaged(text)))
    assert wrong == [], f"{len(wrong)} wrong, the first:\n" + "\n".join(wrong[:3])
