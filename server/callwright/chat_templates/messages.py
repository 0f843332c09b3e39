"""The messages of a transcript in the shape that chat templates are given.

Owns: `Chat`, `chats_of`. Must not know: Jinja, how templates are rendered, any shape of transcripts.

Source of the shape: transformers, "Tool use", https://huggingface.co/docs/transformers/chat_extras
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callwright.calls.model import NATIVE
from callwright.conversation.conversation import conversations
from callwright.text.records import NamedTuple

if TYPE_CHECKING:
    from callwright.calls.turns import TurnResult
    from callwright.conversation.conversation import PlacedTurn
    from callwright.document.blocks import PlacedCall
    from callwright.document.snapshot import Snapshot
    from callwright.tools.registry import ToolRegistry


class Chat(NamedTuple):
    """The messages of one conversation, and the tools that its transcript brings; None where it brings none."""

    messages: list[dict[str, Any]]
    tools: ToolRegistry | None


def chats_of(snapshot: Snapshot) -> list[Chat]:
    """Return the conversations of a document, with the arguments of calls as objects.

    Calls in a provider's own fields become `tool_calls`; a call that is written in a text stays in it. A result is a
    message of its own with the role `tool`.
    """
    found = []
    for conversation in conversations(snapshot):
        messages = [message for placed in conversation.turns for message in _messages(placed)]
        inline = (read.registry for placed in conversation.turns for read in placed.block.passages)
        found.append(Chat(messages, next((each for each in inline if each is not None), None)))
    return found


def _messages(placed: PlacedTurn) -> list[dict[str, Any]]:
    turn = placed.turn
    text = "".join(each.value for each in turn.texts) or turn.content
    calls = [_call(each) for each in placed.calls if each.call.dialect == NATIVE]
    results = [_result(each) for each in turn.results]
    if results and not calls and turn.role in ("tool", "user") and not text.strip():
        return results
    message: dict[str, Any] = {"role": turn.role or "user", "content": text}
    if calls:
        message["tool_calls"] = calls
    return [*results, message] if turn.role != "tool" or not results else results


def _call(placed: PlacedCall) -> dict[str, Any]:
    made = {
        "type": "function",
        "function": {"name": placed.written_tool or "", "arguments": placed.written_arguments},
    }
    return {"id": placed.call.call_id, **made} if placed.call.call_id is not None else made


def _result(result: TurnResult) -> dict[str, Any]:
    value = result.value
    message: dict[str, Any] = {"role": "tool", "content": value}
    if result.tool is not None:
        message["name"] = result.tool
    if result.id is not None:
        message["tool_call_id"] = result.id
    return message
