"""Streams: a text in pieces is read as the whole text is, by the streaming parser and by the strict stream."""

from __future__ import annotations

from fuzz.inputs import Input
from invariants.chunkings import differs, divided, read_whole, reproducer

#: How many divisions are tried, and how long the text may be.
DIVISIONS = 4
MAX_LENGTH = 800


def target(data: bytes) -> None:
    """Divide the text a few times, and hold what each division gives against the whole."""
    given = Input(data, MAX_LENGTH)
    random = given.random("divisions")
    one = read_whole(given.text, random)
    for number in range(DIVISIONS):
        pieces, strict = divided(one.text, random), number % 2 == 1
        difference = differs(one, pieces, strict=strict)
        assert difference is None, reproducer(one, pieces, difference or "", strict=strict)
