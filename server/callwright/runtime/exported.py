"""Export: a transcript of any shape as a session, as if the runtime had kept a log of it.

Owns: `session_of`. Must not know: how a session is dumped, commands, editors.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from callwright.runtime.log import LogEvent
from callwright.runtime.plain import plain
from callwright.runtime.session import Session, SessionError

if TYPE_CHECKING:
    from callwright.conversation.conversation import Conversation, PlacedTurn
    from callwright.document.snapshot import Snapshot


def session_of(snapshot: Snapshot, number: int = 1) -> Session | None:
    """Return the conversation with this number, from 1, as a session; None where no conversation with a reply has it.

    A dumped session is returned unchanged. For other transcripts, the errors and strikes are those of a strict runtime,
    the calls those of the replies that it accepts, with the results in the transcript.
    """
    from callwright.runtime.replaying import replays

    if snapshot.is_session:
        try:
            return Session.from_dict(json.loads(snapshot.document.text()))
        except (ValueError, RecursionError, SessionError):
            return None
    found = replays(snapshot)
    if not 0 < number <= len(found) or not found[number - 1].dialogue.replies:
        return None
    replay = found[number - 1]
    conversation, first = replay.dialogue.conversation, replay.dialogue.replies[0]
    before = [message for placed in conversation.turns[: first.turn - 1] for message in _messages(placed)]
    rest = [message for placed in conversation.turns[first.turn - 1 :] for message in _messages(placed)]
    session = Session.begin(first.parser(), before, strikes=replay.strikes)
    for step in replay.steps():
        turn = step.reply.number
        if step.error is not None:
            event = LogEvent.of_error(step.error, turn=turn, strikes=replay.strikes, feedback=step.feedback)
            session.errors.append({"final": event.node_type == "max_mistakes", **plain(event.data)})
        session.calls += [
            {
                "turn": turn,
                "number": index,
                "tool": call["tool"],
                "arguments": plain(call["arguments"]),
                "call_id": call["id"],
                "dialect": call["dialect"],
                "ok": None,
                **({"span": call["span"]} if call["span"] is not None else {}),
            }
            for index, call in enumerate(step.calls, 1)
        ]
    _take_results(session, conversation)
    session.messages = [*before, *rest]
    session.strikes = replay.strikes.to_dict()
    return session


def _take_results(session: Session, conversation: Conversation) -> None:
    """Add the results in the transcript to the calls that were run."""
    replies = [index for index, placed in enumerate(conversation.turns) if placed.turn.role == "assistant"]
    numbers = {index: number for number, index in enumerate(replies, 1)}
    waiting: dict[tuple[int | None, str | None], list[dict[str, Any]]] = {}
    for call in session.calls:
        waiting.setdefault((call["turn"], call["tool"]), []).append(call)
    for asked in conversation.ledger.asked:
        calls = waiting.get((numbers.get(asked.index), asked.tool))
        if calls:
            call = calls.pop(0)
            if asked.answers:
                answer = asked.answers[0]
                call["ok"] = not answer.failed
                if answer.failed:
                    call["error"] = str(answer.result.value)
                else:
                    call["value"] = plain(answer.result.value)


def _messages(placed: PlacedTurn) -> list[dict[str, Any]]:
    """Return a turn as messages in OpenAI's form, where each result is a message."""
    turn = placed.turn
    text = "\n".join(each.value for each in turn.texts)
    results = [] if turn.role == "assistant" else turn.results
    found: list[dict[str, Any]] = []
    for result in results:
        if result.id is not None or not text:
            name = {"name": result.tool} if result.tool is not None else {}
            found.append({"role": "tool", "tool_call_id": result.id, **name, "content": _text(result.value)})
    message: dict[str, Any] = {"role": turn.role or "user", "content": text or None}
    if turn.calls:
        message["tool_calls"] = [
            {
                "id": native.id,
                "type": "function",
                "function": {
                    "name": native.tool,
                    "arguments": _text(native.arguments.value if native.arguments else {}),
                },
            }
            for native in turn.calls
        ]
    elif not text:
        message["content"] = turn.content
    return found if found and not text else [*found, message]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False)
