"""Text in which nothing begins is skipped as a whole; what is read after it is what steps through it would find.

The reader skips text, code spans and tags of HTML in one search. Each text of the corpora, whole, mutated and in
blocks, is read so, and by asking for the next place after each code span and tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from callwright.dialects.catalogue import dialect_openers
from callwright.document.reader import START, ReaderState, ReadResult, Scanner, opener_words, read_context, read_segment
from callwright.document.settings import Settings
from callwright.syntax.prose import FenceState
from callwright.text.holes import HOLE
from callwright.tools.registry import ToolRegistry
from invariants.corpus import BATCHES, corpus, mutants, registry, seeded

PAGES = sorted((Path(__file__).parents[2] / "server/docs").glob("*.md"))
#: Tools that are called as elements of HTML are.
HTML_TOOLS = ToolRegistry.of(
    [{"name": name, "inputSchema": {"type": "object"}} for name in ("search", "b", "read_file")]
)
#: Of values that have no other name.
_ADDRESS = re.compile(r" at 0x[0-9a-f]++")
FENCED = ReaderState((FenceState("~", 5, "text"),))
PIECES = (
    *(
        "`a < b`",
        "``a ` b``",
        "`",
        "``",
        "```",
        "~~~",
        "\n",
        "\n\n",
        " ",
        "<b>",
        "</b>",
        '"<b>',
        "<b",
        "<b-x>",
        "[",
        "x[",
    ),
    *("a</search>", "<i>`</i>`", "to=functions.x", "to=", "Action:", "TOOL_CALL", ">>>", "functools[", "{", "<search>"),
    *("]<]", "Use ", "word: ", "A", "_", "<", "<1", "<read_file>", "</read_file>", "<!-- <b> -->", HOLE, "\\`", "\r"),
    *("<thinking>", "é", "<br/>", "<br />", "<p class='x'>", "tool_calls:", "[read_file(", "< b>", "</ b>", "\r\n"),
    '{"name": "a"}',
)


def stepping(patch: pytest.MonkeyPatch) -> None:
    """Stop at each place where something may begin."""
    patch.setattr(Scanner, "_next", Scanner.candidate)


def stated(segment: ReadResult) -> tuple[Any, ...]:
    """Return what was read; of a window that was too short that is nothing."""
    return (segment.end, segment.state, segment.calls, segment.problems, segment.quoted, segment.fenced)


def read(text: str, tools: ToolRegistry, state: ReaderState, **more: Any) -> tuple[Any, ...]:
    context = read_context(tools, Settings())
    found = map(repr, stated(read_segment(text, context, state=state, **more)))
    return tuple(_ADDRESS.sub("", each) for each in found)


def ways(text: str, tools: ToolRegistry) -> Iterator[tuple[Any, ...]]:
    for state in (START, FENCED):
        yield read(text, tools, state)
        yield read(text, tools, state, markdown=False)
        yield read(text, tools, state, stop_after=40, at_end=False)


def differing(texts: Iterator[str], tools: ToolRegistry) -> list[str]:
    found: list[str] = []
    for text in texts:
        passed = list(ways(text, tools))
        with pytest.MonkeyPatch.context() as patch:
            stepping(patch)
            if list(ways(text, tools)) != passed:
                found.append(text)
    return found


def test_texts_of_the_corpora() -> None:
    assert differing(iter(corpus()[::4]), registry()) == []


def test_the_projects_own_pages() -> None:
    assert PAGES
    assert differing((page.read_text(encoding="utf-8") for page in PAGES[::3]), registry()) == []


@pytest.mark.parametrize("batch", range(0, BATCHES, 5))
def test_mutated_texts(batch: int) -> None:
    assert differing((mutant.text for mutant in mutants(batch, 40, "runs")), registry()) == []


@pytest.mark.parametrize("tools", [ToolRegistry.of([]), HTML_TOOLS], ids=["no tools", "tools named as elements"])
def test_texts_of_markers(tools: ToolRegistry) -> None:
    random = seeded("runs")
    texts = ("".join(random.choices(PIECES, k=random.randint(1, 30))) for _ in range(800))
    assert differing(texts, tools) == []


def test_many_places_are_passed_over() -> None:
    text = "Press <kbd>Ctrl</kbd>, and use `a < b` in a `loop`. " * 50
    walk = Scanner(text, read_context(registry(), Settings()), START, markdown=True, at_end=True)
    assert walk.candidate(0, len(text)) == text.index("<")
    assert walk._next(0, len(text)) is None


def test_openers_that_markers_find_are_sought_by_no_word_and_a_text_may_end_in_any_of_them() -> None:
    words = {word for words in opener_words().values() for word, _ in words}
    assert not {word for word in words if len(word) == 1 or word.startswith(("<", "`", "~", "[", "{"))}
    assert {"to=functions.", "functools[", "TOOL_CALL", ">>>"} <= words
    context = read_context(registry(), Settings())
    for opener, _ in dialect_openers():
        for end in range(1, len(opener) + 1):
            text = f"a {opener[:end]}"
            assert read_segment(text, context).end == len(text)
