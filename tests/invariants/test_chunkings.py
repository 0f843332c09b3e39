"""Invariant 6 at large: 100,000 random divisions of the corpora's texts give what the whole texts give.

In CI the divisions are the same every time, elsewhere they are fresh; a sample has fewer. A failure says which they
were.
`make fuzz` continues from there, with texts that are mutated, too.
"""

from __future__ import annotations

import os

import pytest

from callwright.dialects.catalogue import dialect_names
from callwright.document.settings import Settings
from invariants.chunkings import differs, divided, read_whole, reproducer, texts
from invariants.corpus import call_markers_of, registry, seeded
from invariants.streams import whole
from support import sampling

IN_CI = bool(os.environ.get("CI"))
SHARDS = 20
DIVISIONS = 100_000 if sampling.whole() else 2_000
#: How often one text is divided before it is another's turn.
EACH = 25 if sampling.whole() else 10


@pytest.mark.parametrize("shard", range(SHARDS))
def test_random_divisions_give_what_the_whole_gives(shard: int) -> None:
    seed = f"divisions {shard}" if IN_CI else f"divisions {shard} {os.urandom(8).hex()}"
    random = seeded(seed)
    # Each shard has texts of its own, so that together they take every text.
    own = list(texts()[shard::SHARDS])
    random.shuffle(own)
    done = 0
    while done < DIVISIONS // SHARDS:
        one = read_whole(own[done // EACH % len(own)], random)
        for number in range(EACH):
            pieces, strict = divided(one.text, random), number % 2 == 1
            assert "".join(pieces) == one.text
            difference = differs(one, pieces, strict=strict)
            assert difference is None, f"seed {seed!r}:\n{reproducer(one, pieces, difference, strict=strict)}"
            done += 1
    assert done * SHARDS == DIVISIONS


@pytest.mark.parametrize("name", dialect_names())
def test_the_texts_hold_calls_of_every_dialect(name: str) -> None:
    asked = Settings(dialect=name)
    openers = call_markers_of(name)
    found = (
        call for text in texts() if any(each in text for each in openers) for call in whole(text, registry(), asked)[0]
    )
    assert any(call.dialect == name for call in found)


def test_a_division_that_matters_is_shown_with_a_program() -> None:
    one = read_whole("Say <read_file><path>a</path></read_file> so.", seeded("program"))
    assert differs(one, ["Say <read_file><path>b</path>", "</read_file> so."], strict=False) is not None
    shown = reproducer(one, ["Say ", "so."], "calls", strict=True)
    compile(shown, "reproducer", "exec")
    assert "pieces = ['Say ', 'so.']" in shown
