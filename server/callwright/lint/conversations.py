"""The pass over conversations: rules about turns, calls and results together.

Owns: `conversation_diagnostics`, `check_conversation`. Must not know: checks inside a turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from callwright.hosts.base import FlowHost
from callwright.lint.placing import placed, shifted_by, source_at
from callwright.lint.reporting import apply_severity
from callwright.rules.base import Diagnostic, Scope
from callwright.rules.catalogue import rules_of
from callwright.text.budget import yield_point
from callwright.text.facts import Fact, derived

if TYPE_CHECKING:
    from callwright.conversation.conversation import Conversation
    from callwright.document.block_runs import Run
    from callwright.document.snapshot import Snapshot
    from callwright.text.span import Span


#: The conversations that begin in a block, by the `id` of their first turn, with their diagnostics.
CHECKED: Final[Fact[dict[int, tuple[Conversation, list[Diagnostic]]]]] = Fact()


def conversation_diagnostics(snapshot: Snapshot, newline: str) -> list[Diagnostic]:
    """Return the diagnostics about whole conversations, in offsets of the document.

    A conversation is checked again only if its turns change or, where it is in several blocks, move.
    """
    if isinstance(snapshot.host, FlowHost) or not snapshot.has_transcripts:
        return []
    reported = [(place, _reported_in(run, snapshot, place)) for place, run in snapshot.blocks.placed_runs()]
    if all(own is not None for _, own in reported):
        return [
            placed(each, place + start, newline)
            for place, own in reported
            for start, found in own or ()
            for each in found
        ]
    from callwright.conversation.conversation import conversations

    return [
        placed(each, conversation.start, newline)
        for conversation in conversations(snapshot)
        for each in _reported_of(conversation, snapshot)
    ]


@derived
def _reported_in(run: Run, snapshot: Snapshot, place: int) -> Sequence[tuple[int, Sequence[Diagnostic]]] | None:
    """Return the diagnostics of each conversation of a run at `place`, each with the offset of its block; None where a
    conversation may continue in other blocks.
    """
    from callwright.conversation.conversation import whole_conversations

    if not all(part.whole for block in run.blocks for part in block.transcripts):
        return None
    return [
        (start, found)
        for start, block in run.placed()
        if block.transcripts
        for conversation in whole_conversations(block, place + start, snapshot)
        if (found := _reported_of(conversation, snapshot))
    ]


def _reported_of(conversation: Conversation, snapshot: Snapshot) -> Sequence[Diagnostic]:
    """Return the diagnostics of a conversation; cached with its block, or with the first of several."""
    yield_point()
    block = conversation.block or conversation.turns[0].block
    own = CHECKED.get(block)
    if own is None:
        own = CHECKED.keep(block, {})
        block.on_release += (partial(CHECKED.drop, block),)
    first = id(conversation.turns[0].turn)
    seen = own.get(first)
    if seen is None or not seen[0].same_as(conversation):
        source = source_at(snapshot, partial(shifted_by, conversation.start))
        own[first] = seen = (conversation, list(check_conversation(conversation, snapshot, source)))
    return seen[1]


def check_conversation(
    conversation: Conversation, snapshot: Snapshot, source: Callable[[Span], str]
) -> Iterator[Diagnostic]:
    """Yield the diagnostics of the rules for a conversation; `source` returns the characters of a span of it."""
    for rule in rules_of(Scope.CONVERSATION):
        for diagnostic in rule.check(conversation):
            yield_point()
            yield from apply_severity(diagnostic, rule, snapshot.settings, source)
