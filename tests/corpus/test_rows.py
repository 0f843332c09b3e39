"""Rows have the diagnostics that the linter reports, whichever path they take, and one after the other."""

from dataclasses import replace
from random import Random

import pytest

from callwright.corpus.rows import Rows
from callwright.document.settings import Settings
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.rules.base import Diagnostic
from callwright.tools.registry import EMPTY, ToolRegistry
from fastpath.plain_transcripts import (
    DECLARING,
    REGISTRY,
    blocks,
    changed,
    chat,
    dumped,
    elements,
    scratched,
    texts,
    trajectory,
)
from invariants.corpus import corpus, seeded

#: Where the messages are in a row, and the text of each of them.
KEPT = {"messages": "content", "conversations": "value", "steps": "message"}
MAKERS = (chat, blocks, texts, elements, trajectory)


def reported(found: list[Diagnostic]) -> list[tuple[object, ...]]:
    return [
        (
            (one.code, one.severity, one.message, one.span, one.related),
            [(fix.title, fix.applicability, fix.edits) for fix in one.fixes],
        )
        for one in found
    ]


def row(random: Random) -> str:
    """Return a row that is plain, or was changed, or is none."""
    value = random.choice(MAKERS)(random)
    if random.random() < 0.2:
        messages, text = next((key, KEPT[key]) for key in KEPT if key in value)
        value[messages][-1][text] = random.choice(corpus())
    for _ in range(random.choice((0, 0, 1, 2))):
        value = changed(value, random)
    line = dumped(value, random)
    for _ in range(random.choice((0, 0, 0, 1))):
        line = scratched(line, random)
    return line + random.choice(("", "\n"))


@pytest.mark.parametrize("registry", [REGISTRY, EMPTY, DECLARING], ids=["tools", "none", "declaring"])
@pytest.mark.parametrize("strict", [False, True])
def test_rows_are_reported_like_files_of_one_line(registry: ToolRegistry, strict: bool) -> None:
    random = seeded(f"rows{len(registry)}{strict}")
    settings = replace(Settings(), strict=strict)
    rows = Rows(registry, settings)
    faulty = 0
    for _ in range(150):
        line = row(random)
        try:
            data = line.encode()
        except UnicodeEncodeError:
            continue
        found = reported(rows.diagnostics(data))
        faulty += bool(found)
        assert found == reported(
            diagnostics(open_snapshot(line, path="a.jsonl", registry=registry, settings=settings))
        ), line
    assert faulty > 20


def test_a_row_that_is_no_text_is_refused_where_it_is_read_closely() -> None:
    with pytest.raises(UnicodeDecodeError):
        Rows(EMPTY, Settings()).diagnostics(b'{"messages": "\xff"}')
