"""Attempts: which calls of a conversation failed, in the order in which they were made.

Owns: `Attempt`, `attempts`. Must not know: rules, how failures are reported.

An attempt failed where a diagnostic of severity error is in the call, where the call was cut off, or where its result
states a failure. An assistant's turn with such diagnostics and without any call is one failed attempt. An attempt that
failed twice for one reason counts once. In a session of the runtime, whose strict parser accepts or rejects whole
replies, each reply with a call or an error is one attempt.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator
from typing import TYPE_CHECKING

from callwright.conversation.excesses import excesses
from callwright.text.budget import yield_point
from callwright.text.facts import derived
from callwright.text.records import dataclass
from callwright.text.span import Span
from callwright.transcripts.support.session_head import NAME as SESSION

if TYPE_CHECKING:
    from callwright.conversation.conversation import Asked, Conversation, PlacedTurn


@dataclass(slots=True, eq=False)
class Attempt:
    """One attempt: its call, None where the text is not a call; and whether it failed, and why."""

    asked: Asked | None
    failed: bool
    by_result: bool = False
    place: Span | None = None

    @property
    def span(self) -> Span:
        """Where the attempt is: where its tool is named, or where the error is."""
        if self.asked is not None:
            return self.asked.span
        return self.place if self.place is not None else Span(0, 0)

    @property
    def key(self) -> tuple[str, str] | None:
        """A key that is equal for equal calls: the tool and its arguments; None where there is no call."""
        if self.asked is None or self.asked.tool is None:
            return None
        arguments = self.asked.call.binding.value
        try:
            return self.asked.tool, json.dumps(arguments, sort_keys=True, default=str)
        except (ValueError, RecursionError, TypeError):
            return None


@derived
def attempts(conversation: Conversation) -> list[Attempt]:
    """Return the attempts of a conversation in their order."""
    return list(_attempts(conversation))


def _attempts(conversation: Conversation) -> Iterator[Attempt]:
    asked = iter(conversation.ledger.asked)
    waiting = next(asked, None)
    for index, placed in enumerate(conversation.turns):
        yield_point()
        own: list[Asked] = []
        while waiting is not None and waiting.index == index:
            own.append(waiting)
            waiting = next(asked, None)
        faults = _errors(placed)
        starts = [fault.start for fault in faults]
        if conversation.shape == SESSION:
            excess = excesses(conversation).get(index)
            if excess is not None:
                faults = [excess.span]
            if own or faults:
                faulty_call = next((each for each in own if _is_inside(each.call.span, starts)), None)
                last = own[-1] if own else None
                yield Attempt(faulty_call if faults else last, bool(faults), place=faults[0] if faults else None)
            continue
        if faults and not own and placed.turn.role == "assistant" and not placed.calls:
            yield Attempt(None, failed=True, place=faults[0])
        for each in own:
            faulty = bool(faults) and _is_inside(each.call.span, starts)
            by_result = not faulty and not each.cut_off and any(answer.failed for answer in each.answers)
            yield Attempt(each, faulty or by_result or each.cut_off, by_result)


def _is_inside(span: Span, starts: list[int]) -> bool:
    """Return whether one of the sorted `starts` is in a span."""
    at = bisect_left(starts, span.start)
    return at < len(starts) and starts[at] < span.end


def _errors(placed: PlacedTurn) -> list[Span]:
    """Return where the errors of a turn are, in offsets of the conversation."""
    return sorted(fault.span.shift(placed.start) for fault in placed.faults if fault.severity == "error")
