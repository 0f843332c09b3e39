"""Outcomes: the result of each turn of an assistant in a transcript, and how many failed in a row up to it.

Owns: `TurnOutcome`, `outcomes`. Must not know: how an outcome is shown, protocols.

A turn counts as failed where the rule about too many mistakes counts it, so that both report the same.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from callwright.document.blocks import FAULTS
from callwright.text.facts import FactFor
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.conversation.conversation import Conversation
    from callwright.document.snapshot import Snapshot


@dataclass(slots=True)
class TurnOutcome:
    """One turn of an assistant: its place, the place of its role, and its calls.

    `failed` counts attempts that failed, `by_result` those of them that failed only by what the tool returned. `row` is
    how many have failed in a row by the end of the turn, `most` the number at which a strict runtime gives up.
    """

    span: Span
    role: Span
    calls: int
    most: int
    failed: int = 0
    by_result: int = 0
    row: int = 0


#: The outcomes of a conversation in a block, by the `id` of its first turn, with where it began when they were made.
_OUTCOMES: Final[FactFor[int, tuple[int, list[TurnOutcome]]]] = FactFor()


def turn_outcomes(snapshot: Snapshot) -> list[TurnOutcome]:
    """Return the outcomes on the assistant's turns that call a tool or try to, in the order of the conversations."""
    from callwright.conversation.conversation import conversations
    from callwright.lint.linter import diagnostics

    if snapshot.host.flow or not any(block.transcripts for block in snapshot.blocks):
        return []
    if not all(map(FAULTS.known, snapshot.blocks)):
        # Whether a call has an error is known once the rules have checked it.
        diagnostics(snapshot)
    return [outcome for conversation in conversations(snapshot) for outcome in _kept(conversation, snapshot)]


def _kept(conversation: Conversation, snapshot: Snapshot) -> list[TurnOutcome]:
    """Return the outcomes of a conversation; those of one that lies in one block are kept with the block."""
    if conversation.block is None:
        return list(_of(conversation, snapshot))
    block, start, key = conversation.block, conversation.start, id(conversation.turns[0].turn)
    known = _OUTCOMES.get(block, key)
    if known is None:
        known = _OUTCOMES.keep(block, key, (start, list(_of(conversation, snapshot))))
    elif known[0] != start:
        by = start - known[0]
        moved = [replace(each, span=each.span.shift(by), role=each.role.shift(by)) for each in known[1]]
        known = _OUTCOMES.keep(block, key, (start, moved))
    return known[1]


def _of(conversation: Conversation, snapshot: Snapshot) -> Iterator[TurnOutcome]:
    from callwright.conversation.attempts import attempts

    found: dict[int, TurnOutcome] = {}
    starts: list[int] | None = None
    row = 0

    def outcome(index: int) -> TurnOutcome:
        known = found.get(index)
        if known is None:
            placed = conversation.turns[index]
            span = placed.span(placed.turn.place).shift(conversation.start)
            place = placed.turn.role_place
            role = placed.span(place).shift(conversation.start) if place is not None else Span(span.start, span.start)
            calls = sum(not each.call.sketch for each in placed.calls)
            known = found[index] = TurnOutcome(span, role, calls, snapshot.settings.max_mistakes)
        return known

    for attempt in attempts(conversation):
        if attempt.asked is not None:
            index = attempt.asked.index
        else:
            if starts is None:
                starts = [placed.span(placed.turn.place).start for placed in conversation.turns]
            index = max(bisect_right(starts, attempt.span.start) - 1, 0)
        own = outcome(index)
        row = row + 1 if attempt.failed else 0
        own.row = row
        own.failed += attempt.failed
        own.by_result += attempt.failed and attempt.by_result
    yield from (found[index] for index in sorted(found))
