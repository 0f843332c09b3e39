"""Replays: a conversation as a strict runtime would have processed it, reply by reply.

Owns: `Walk`, `Step`, `walks`, the strikes along a conversation and where a runtime would have stopped. Must not know:
how a reply is checked, how results are shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from callwright.runtime.strikes import Strikes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callwright.document.snapshot import Snapshot
    from callwright.runtime.dialogues import Dialogue, Reply
    from callwright.runtime.errors import ParseError


@dataclass(frozen=True, slots=True)
class Step:
    """The outcome of one reply: `calls`, `rejected` or `talk`; `count` is the number of strikes after it.

    `feedback` is the message to the model or None. `stops` says that a runtime would have stopped here.
    """

    reply: Reply
    outcome: str
    calls: list[dict[str, Any]]
    error: ParseError | None
    feedback: str | None
    count: int
    stops: bool


def replays(snapshot: Snapshot) -> list[StrictReplay]:
    """Return a replay of each conversation in a document, with the maximum of mistakes from it or from the settings."""
    from callwright.runtime.dialogues import as_replies, dialogues

    strict = snapshot.with_project(snapshot.registry, as_replies(snapshot.given))
    most = snapshot.settings.max_mistakes
    return [StrictReplay(dialogue, dialogue.maximum or most) for dialogue in dialogues(strict)]


class StrictReplay:
    """One conversation, replayed through a strict runtime."""

    def __init__(self, dialogue: Dialogue, maximum: int, *, require_call: bool = False) -> None:
        """Allow `maximum` mistakes in a row; with `require_call` a reply without a call is a mistake, too."""
        self.dialogue = dialogue
        self.strikes = Strikes(maximum)
        self._require_call = require_call or dialogue.requires_call

    def steps(self) -> Iterator[Step]:
        """Yield the outcome of each reply, in order."""
        from callwright.runtime.dialogues import judged
        from callwright.runtime.feedback import DEFAULT

        stopped = False
        for reply in self.dialogue.replies:
            outcome = judged(reply, require_call=self._require_call)
            error, reported = outcome.error, None
            if error is not None:
                error = self.strikes.failed(error)
                reported = DEFAULT(error)
            elif outcome.calls:
                self.strikes.succeeded()
            kind = "rejected" if error is not None else "calls" if outcome.calls else "talk"
            stops = self.strikes.exceeded and kind == "rejected" and not stopped
            yield Step(reply, kind, outcome.calls, error, reported, self.strikes.count, stops)
            stopped = stopped or stops
