"""Where in a document the examples of what not to do are: an author gets no diagnostics of their calls.

Owns: what a text says from block to block of the examples to come. Must not know: the words that say it, rules.

It is used only for a document with diagnostics of calls, and up to there, so a clean one costs nothing. What a block
says is kept with it, and what a run of blocks says with the run, until what precedes it changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from callwright.document.suppressions import reached
from callwright.prompt.examples import NOTHING_STATED, ExampleContext, bad_examples
from callwright.text.facts import Fact
from callwright.text.records import NamedTuple

if TYPE_CHECKING:
    from callwright.document.block_runs import Run
    from callwright.document.blocks import Block
    from callwright.document.snapshot import Snapshot
    from callwright.text.span import Span


class _SegmentExamples(NamedTuple):
    """What a segment contains where `before` is the context in front of it: its bad examples, and the context after
    it."""

    before: ExampleContext
    bad: Sequence[Span]
    after: ExampleContext


#: The last context of a block, or of a run of them.
_REPORTED: Final[Fact[_SegmentExamples]] = Fact()


def bad_example_places(snapshot: Snapshot, end: int) -> list[Span]:
    """Return the bad examples of a flowing text that begin before `end`, and perhaps some after it, in its offsets."""
    stated = NOTHING_STATED
    bad: list[Span] = []
    for place, run in snapshot.blocks.placed_runs():
        if place >= end:
            break
        reported = _in_run(run, snapshot, place, stated)
        bad += [span.shift(place) for span in reported.bad]
        stated = reported.after
    return bad


def _in_run(run: Run, snapshot: Snapshot, place: int, stated: ExampleContext) -> _SegmentExamples:
    known = _REPORTED.get(run)
    if known is None or known.before != stated:
        before = stated
        bad: list[Span] = []
        for start, block in run.placed():
            reported = _REPORTED.get(block)
            if reported is None or reported.before != stated:
                reported = _REPORTED.keep(block, _in_block(block, snapshot, place + start, stated))
            if reported.bad:
                bad += [span.shift(start) for span in reported.bad]
            stated = reported.after
        known = _REPORTED.keep(run, _SegmentExamples(before, bad, stated))
    return known


def _in_block(block: Block, snapshot: Snapshot, start: int, stated: ExampleContext) -> _SegmentExamples:
    text = snapshot.document.slice(start, start + block.length)
    fences = (len(block.state.fences), block.fenced)
    return _SegmentExamples(stated, *bad_examples(text, lambda: reached(block)[0], stated, fences))
