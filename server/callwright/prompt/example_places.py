"""Where in a document the examples of what not to do are: nothing is said of their calls to an author.

Owns: what a text says from block to block of the examples to come. Must not know: the words that say it, rules.

It is asked only about a document in which something is said of a call, and up to there, so a faultless one costs
nothing. What a block says is kept with it, and what a run of blocks says with the run, until what precedes it changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from callwright.document.block_runs import Run
from callwright.document.blocks import Block
from callwright.document.snapshot import Snapshot
from callwright.document.suppressions import reached
from callwright.prompt.examples import NOTHING_SAID, Said, bad_examples
from callwright.text.facts import Fact
from callwright.text.span import Span


class _Told(NamedTuple):
    """What a stretch says where `before` was said in front of it: its bad examples, and what is said after it."""

    before: Said
    bad: Sequence[Span]
    after: Said


#: What was said last in a block, or a run of them.
_TOLD: Final[Fact[_Told]] = Fact()


def bad_example_places(snapshot: Snapshot, end: int) -> list[Span]:
    """Return the bad examples of a flowing text that begin before `end`, and perhaps some after it, in its offsets."""
    said = NOTHING_SAID
    bad: list[Span] = []
    for place, run in snapshot.blocks.placed_runs():
        if place >= end:
            break
        told = _in_run(run, snapshot, place, said)
        bad += [span.shift(place) for span in told.bad]
        said = told.after
    return bad


def _in_run(run: Run, snapshot: Snapshot, place: int, said: Said) -> _Told:
    known = _TOLD.get(run)
    if known is None or known.before != said:
        before = said
        bad: list[Span] = []
        for start, block in run.placed():
            told = _TOLD.get(block)
            if told is None or told.before != said:
                told = _TOLD.keep(block, _in_block(block, snapshot, place + start, said))
            if told.bad:
                bad += [span.shift(start) for span in told.bad]
            said = told.after
        known = _TOLD.keep(run, _Told(before, bad, said))
    return known


def _in_block(block: Block, snapshot: Snapshot, start: int, said: Said) -> _Told:
    text = snapshot.document.slice(start, start + block.length)
    fences = (len(block.state.fences), block.fenced)
    return _Told(said, *bad_examples(text, lambda: reached(block)[0], said, fences))
