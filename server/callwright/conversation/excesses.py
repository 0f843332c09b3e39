"""Excesses: which replies of a session exceeded its bounds.

Owns: `Excess`, `excesses`. Must not know: rules, who rejects a reply.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from callwright.calls.model import NATIVE, JsonValue
from callwright.text.facts import derived
from callwright.text.records import dataclass
from callwright.text.span import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callwright.conversation.conversation import Conversation, PlacedTurn
    from callwright.document.blocks import PlacedCall
    from callwright.document.bounds import Bounds


@dataclass(frozen=True, slots=True)
class Excess:
    """How a reply exceeds the bounds: where, the message, and whether the reply is written in tags."""

    span: Span
    message: str
    tagged: bool


@derived
def excesses(conversation: Conversation) -> dict[int, Excess]:
    """Return for each turn, by its index, how it exceeds the bounds of its session.

    Spans are those of the conversation. Where there are no bounds, nothing exceeds them.
    """
    return dict(_excesses(conversation))


def _excesses(conversation: Conversation) -> Iterator[tuple[int, Excess]]:
    bounds = conversation.snapshot.settings.bounds
    if bounds is None:
        return
    dialect = conversation.snapshot.settings.dialect
    for index, placed in enumerate(conversation.turns):
        if placed.turn.role == "assistant" and placed.turn.texts:
            excess = _of_text(placed, bounds, dialect) or _of_calls(placed, bounds)
            if excess is not None:
                yield index, excess


def _of_text(placed: PlacedTurn, bounds: Bounds, dialect: str | None) -> Excess | None:
    from callwright.dialects.catalogue import find_dialect

    stated = bounds.too_long("\n".join(text.value for text in placed.turn.texts))
    if stated is None:
        return None
    whole = placed.span(placed.turn.texts[0].place)
    format_ = None if dialect is None else find_dialect(dialect)
    return Excess(Span(whole.start, min(whole.start + 1, whole.end)), stated, format_ is not None and format_.is_xml)


def _of_calls(placed: PlacedTurn, bounds: Bounds) -> Excess | None:
    texts = {text.value for text in placed.turn.texts}
    # Calls in a string that is quoted in a reply are not made.
    own = [each for each in placed.calls if each.call.dialect != NATIVE and each.read.passage.text in texts]
    for number, each in enumerate(sorted(own, key=lambda one: one.call.span), 1):
        stated = bounds.exceeded(number, each.call, each.read.passage.text)
        if stated is not None:
            return Excess(_place(each), stated, not isinstance(each.call.arguments, JsonValue))
    return None


def _place(placed: PlacedCall) -> Span:
    """Return where the tool of a call is named, in offsets of the conversation, or where the call begins."""
    call = placed.call
    named = call.tool_span
    return placed.raw_span(named if named.start < named.end else Span(call.span.start, call.span.start + 1))
