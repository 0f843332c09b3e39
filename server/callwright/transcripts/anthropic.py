"""The shape `anthropic`: requests and responses of Anthropic's messages interface.

Owns: recognising them, and reading them. Must not know: other shapes, hosts, dialects.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from callwright.calls.turns import Turn
from callwright.syntax.json_views import JsonView
from callwright.transcripts.base import Shape
from callwright.transcripts.support.anthropic_messages import is_blocks, message_turn, read_blocks
from callwright.transcripts.support.plain_turns import PlainCall, PlainResult, PlainTurns

#: What a request has that requests to other providers with `messages` do not have.
_OWN_MEMBERS: Final = ("anthropic_version", "anthropic_beta", "stop_sequences", "mcp_servers")


class Anthropic(Shape):
    """A request with `messages` and `system`, a response, a list of messages, or a single message, as in logs."""

    name = "anthropic"
    title = "Anthropic messages"
    keys = ("messages", "role")
    provider = "anthropic"
    whole = ("messages", "stop_reason")
    scanned_at = 64
    listed = ("messages",)
    read = frozenset({"messages", "content", "system", "tools"})
    tools_at = ("tools",)
    plain = PlainTurns(
        messages="messages",
        speaker="role",
        text="content",
        speakers={"user": "user", "assistant": "assistant"},
        call=PlainCall("id", "name", "input", kind="tool_use"),
        result=PlainResult("tool_use_id", "content", kind="tool_result", failed="is_error"),
        blocks=True,
        paired=True,
        system="system",
    )
    sources = (
        "https://docs.anthropic.com/en/api/messages",
        "https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use",
        "https://docs.anthropic.com/en/api/creating-message-batches",
        "https://docs.anthropic.com/en/docs/agents-and-tools/mcp-connector",
        "https://github.com/anthropics/anthropic-sdk-python/tree/main/src/anthropic/types",
    )
    about = """
    Callwright reads request bodies (`messages`, `system`, `tools`), responses (`"type": "message"`), lists of messages,
    both sides of a batch (`params`, `result.message`), and logs with one message per line. Messages that contain only
    text do not show their provider. They are read as chat messages, unless other members of the request decide.

    A call is a block `tool_use`, whose `input` is an object. A result is a block `tool_result` in a user message. It
    names its call in `tool_use_id`; its content is a string or blocks, and `is_error` marks a failure.

    The provider itself runs `server_tool_use` and `mcp_tool_use`, so their names need not be in `tools`. Calls in
    reasoning (`thinking`) are ignored. `stop_reason` states why the model stopped.

    Streamed events are skipped, because they contain only pieces of calls.
    """

    def matches(self, value: Any) -> int:
        """Return how certainly these are Anthropic's: blocks that only they have, or a request's own members."""
        if isinstance(value, list):
            return 75 if _has_blocks(value) else 0
        if not isinstance(value, Mapping):
            return 0
        messages = value.get("messages")
        if isinstance(messages, list):
            if _has_blocks(messages):
                return 80
            if not any(map(_is_message, messages[:8])) or any(map(_is_foreign, messages[: self.scanned_at])):
                return 0
            if _has_own_members(value):
                return 60
            # Requests to others may have these members, too; a message with the role `system` shows that this is one.
            return 60 if _may_be_own(value) and not any(map(_is_system, messages[: self.scanned_at])) else 0
        if not _is_message(value):
            return 0
        if value.get("type") == "message" and value["role"] == "assistant" and value["content"]:
            return 85 if "stop_reason" in value or "model" in value or is_blocks(value["content"]) else 0
        return 70 if is_blocks(value["content"]) else 0

    def turns(self, root: JsonView) -> Iterator[Turn]:
        """Yield one turn a message, and one for the system prompt before them."""
        value = root.value
        if isinstance(value, list) or "messages" in value:
            system = root.get("system")
            if system is not None and system.value:
                turn = Turn(system, "system")
                read_blocks(system, turn)
                yield turn
            yield from map(message_turn, root.objects() if isinstance(value, list) else root.objects("messages"))
        else:
            turn = message_turn(root)
            turn.continues = "stop_reason" in value
            yield turn


def _is_message(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and value.get("role") in ("user", "assistant", "system")
        and isinstance(value.get("content"), str | list)
    )


def _is_foreign(value: Any) -> bool:
    """Return whether a message has a role or members that no message of Anthropic's has, even by mistake."""
    return isinstance(value, Mapping) and (
        value.get("role") in ("tool", "function")
        or any(key in value for key in ("tool_calls", "function_call", "tool_call_id"))
    )


def _is_system(value: Any) -> bool:
    return isinstance(value, Mapping) and value.get("role") in ("system", "developer")


def _has_blocks(messages: list[Any]) -> bool:
    return any(
        isinstance(message, Mapping) and is_blocks(message.get("content")) and _is_message(message)
        for message in messages[: Anthropic.scanned_at]
    )


def _has_own_members(value: Mapping[str, Any]) -> bool:
    """Return whether a request has members that only those to Anthropic have."""
    tools = value.get("tools")
    return any(key in value for key in _OWN_MEMBERS) or (
        isinstance(tools, list) and any(isinstance(tool, Mapping) and "input_schema" in tool for tool in tools[:4])
    )


def _may_be_own(value: Mapping[str, Any]) -> bool:
    """Return whether a request has members that those to Anthropic have, and few others."""
    model = value.get("model")
    return isinstance(value.get("system"), str | list) or (
        isinstance(model, str) and "claude" in model and "max_tokens" in value
    )


SHAPE = Anthropic()
