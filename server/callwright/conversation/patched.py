"""The conversation of a patched block: the turns of its base, and in their places those of entries read again.

Owns: `patched_conversation`. Must not know: rules, how blocks are patched.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from callwright.conversation.conversation import Conversation, PlacedTurn, conversations
from callwright.document.blocks import Block, PlacedCall
from callwright.document.patched import APART, Patch, Patched, numbers_in
from callwright.document.snapshot import Snapshot
from callwright.text.facts import Fact

#: The conversations of a base.
_OF_BASE: Final[Fact[list[Conversation]]] = Fact()


def patched_conversation(content: Patched, snapshot: Snapshot) -> Conversation | None:
    """Return the conversation of patched content, None where it is a list of transcripts.

    Its places are those of the base, and for patches those after `APART`: `moved_span` converts them to the block's.
    """
    plan = content.plan
    if plan.whole is None:
        return None
    known = _of_base(plan.base, snapshot)
    turns: list[PlacedTurn] = []
    at = 0
    for number, patch in enumerate(content.patches, 1):
        first, after = numbers_in(plan.turns, patch.index)
        turns += known.turns[at:first]
        turns += _placed_turns(patch, number * APART - patch.lead, snapshot)
        at = after
    turns += known.turns[at:]
    return Conversation(turns, known.shape, known.provider, snapshot, None, 0)


def _of_base(base: Block, snapshot: Snapshot) -> Conversation:
    known = _OF_BASE.get(base)
    if not known or known[0].snapshot.settings is not snapshot.settings:
        if not known:
            base.on_release += (partial(_forget, base),)
        known = _OF_BASE.keep(base, conversations(snapshot.with_blocks([base])))
    return known[0]


def _forget(base: Block) -> None:
    for conversation in _OF_BASE.drop(base) or ():
        conversation.facts.clear()


def _placed_turns(patch: Patch, start: int, snapshot: Snapshot) -> Iterator[PlacedTurn]:
    """Yield the turns of a patch, placed as if its block began at `start`."""
    block = patch.block
    for part in block.transcripts:
        for turn in part.turns:
            calls = [
                PlacedCall(found, read, start, snapshot)
                for read in block.passages
                if read.passage.turn is turn
                for found in read.calls
            ]
            yield PlacedTurn(turn, part, start, block, sorted(calls, key=lambda placed: placed.span))
