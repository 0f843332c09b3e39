"""The command `callwright.feedback`: the feedback that a model would get on its turn, or on a call.

Owns: the lookup of the place, and its message. Must not know: the words of feedback, protocols.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import RefusedError, Request
from callwright.features.support.commanding import Command, Done, place_of

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot


def run(arguments: Sequence[Any], request: Request) -> Done:
    """Return the message for the turn or the call at a position: `[uri, position]`."""
    snapshot, offset = place_of(arguments, request)
    if snapshot.host.holds != "calls":
        raise RefusedError("This file was not written by a model.")
    is_transcript = any(block.transcripts for block in snapshot.blocks)
    reported = _of_turn(snapshot, offset) if is_transcript else _of_call(snapshot, offset)
    if reported is None:
        raise RefusedError("There is no feedback: no call in this reply is invalid.")
    return Done(reported)


def _of_turn(snapshot: Snapshot, offset: int) -> str | None:
    from callwright.runtime.replaying import replays

    for walk in replays(snapshot):
        if not any(reply.span.start <= offset <= reply.span.end for reply in walk.dialogue.replies):
            continue
        for step in walk.steps():
            if step.reply.span.start <= offset <= step.reply.span.end:
                return step.feedback
    return None


def _of_call(snapshot: Snapshot, offset: int) -> str | None:
    from callwright.runtime.dialogues import as_replies, judged, whole_reply
    from callwright.runtime.feedback import DEFAULT

    for placed in snapshot.placed_calls():
        if placed.raw_span(placed.call.place).start <= offset <= placed.raw_span(placed.call.place).end:
            registry = snapshot.registry if placed.read.registry is None else placed.read.registry
            reply = whole_reply(placed.call.place.of(placed.passage.text), registry, as_replies(snapshot.given))
            error = judged(reply).error
            return None if error is None else DEFAULT(error)
    return None


COMMAND: Final = Command(run)
