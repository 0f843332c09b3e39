"""The shape `openai-chat`: messages with a role, as OpenAI's chat completions and most fine-tuning files have them.

Owns: recognising requests, responses and lists of messages, and reading them. Must not know: other shapes, hosts,
dialects.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from callwright.calls.turns import Turn
from callwright.syntax.json_views import JsonView
from callwright.transcripts.base import Shape
from callwright.transcripts.support.contents import finish, list_under
from callwright.transcripts.support.openai_messages import calls_tools, is_continuation, is_message, message_turn
from callwright.transcripts.support.plain_turns import PlainCall, PlainResult, PlainTurns


class OpenAIChat(Shape):
    """A request with `messages`, a response with `choices` or one `message`, a list of messages, or a single message,
    as in logs."""

    name = "openai-chat"
    title = "OpenAI chat messages"
    keys = ("messages", "role", "choices", "done", "finish_reason")
    provider = "openai"
    whole = ("messages", "choices")
    scanned_at = 16
    listed = ("messages",)
    read = frozenset({"messages", "choices", "message", "tools", "functions"})
    tools_at = ("tools", "functions")
    plain = PlainTurns(
        messages="messages",
        speaker="role",
        text="content",
        speakers={"system": "system", "user": "user", "assistant": "assistant", "tool": "tool"},
        call=PlainCall("id", "name", "arguments", kind="function", inside="function", is_text=True),
        result=PlainResult("tool_call_id", "content"),
        calls="tool_calls",
        paired=True,
        beside={"parallel_tool_calls": frozenset({bool})},
    )
    sources = (
        "https://platform.openai.com/docs/api-reference/chat/create",
        "https://platform.openai.com/docs/api-reference/chat/object",
        "https://platform.openai.com/docs/guides/supervised-fine-tuning",
        "https://platform.openai.com/docs/api-reference/batch/request-input",
        "https://github.com/openai/openai-python/tree/main/src/openai/types/chat",
        "https://huggingface.co/docs/transformers/chat_extras",
        "https://github.com/ollama/ollama/blob/main/docs/api.md",
        "https://docs.cohere.com/reference/chat",
    )
    about = """
    Callwright reads request bodies (`messages`, with `tools` or the older `functions`), responses (`choices`), lists of
    messages, lines of a fine-tuning file, both sides of a batch file, and logs with one message per line, where all
    lines are one conversation. Ollama's and Cohere's responses have one `message` instead of choices.

    A call is an entry of `tool_calls` or the older `function_call`. Its `arguments` are a string with JSON in it; an
    object, as in some data sets, is read as well. A call of a custom tool has its text under `input`, which is not read
    as JSON.

    A result is a message with the role `tool`, which names its call in `tool_call_id`, or with the role `function`,
    which names the tool. `finish_reason` states why the model stopped. Each choice is a separate conversation.

    Streamed chunks are skipped, because they contain only pieces of calls. If messages contain the pieces, the call is
    read from the first one, without its arguments.
    """

    def matches(self, value: Any) -> int:
        """Return how certainly these are chat messages; other shapes with the same keys are more certain of theirs."""
        if isinstance(value, Mapping):
            messages = value.get("messages")
            if isinstance(messages, list):
                return self._certainty(messages, 30)
            choices = value.get("choices")
            if isinstance(choices, list):
                return 60 if any(_is_choice(choice) for choice in choices[:4]) else 0
            if _is_reply(value):
                return 60
            return (40 if calls_tools(value) else 20) if is_message(value) else 0
        return self._certainty(value, 25) if isinstance(value, list) else 0

    def _certainty(self, messages: list[Any], base: int) -> int:
        if not any(map(is_message, messages[:8])):
            return 0
        return base + 20 if any(map(calls_tools, messages[: self.scanned_at])) else base

    def is_certain(self, value: Any) -> bool:
        """Return whether calls or results are written as only these messages have them."""
        if isinstance(value, Mapping):
            messages = value.get("messages")
            if not isinstance(messages, list):
                return "choices" in value or calls_tools(value.get("message", value))
        else:
            messages = value
        return any(calls_tools(message) for message in messages[: self.scanned_at])

    def is_whole(self, value: Any) -> bool:
        """Return whether a value is a request, a response or a list, not one message of a log."""
        return super().is_whole(value) or _is_reply(value)

    def turns(self, root: JsonView) -> Iterator[Turn]:
        """Yield one turn a message."""
        messages, choices = self.entries(root), list_under(root, "choices")
        if messages is not None:
            yield from (message_turn(message) for message in messages.objects() if not is_continuation(message.value))
        elif choices is not None:
            yield from _choices(choices)
        elif _is_reply(root.value):
            yield from _reply(root)
        else:
            yield message_turn(root)


def _is_choice(value: Any) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("message"), Mapping) and is_message(value["message"])


def _is_reply(value: Any) -> bool:
    """Return whether a value is a response with one message, as Ollama and Cohere send it."""
    if not _is_choice(value):
        return False
    if isinstance(value.get("done"), bool):
        return "created_at" in value
    return isinstance(value.get("finish_reason"), str) and isinstance(value.get("usage"), Mapping)


def _reply(root: JsonView) -> Iterator[Turn]:
    """Yield the turn of a response with one message."""
    message = root.get("message")
    assert message is not None, "it has one"
    turn = message_turn(message)
    turn.continues = True
    finish(turn, root.get("finish_reason", "done_reason"))
    yield turn


def _choices(choices: JsonView) -> Iterator[Turn]:
    """Yield the turn of each choice. The first continues the request's conversation, the others are beside it."""
    for number, choice in enumerate(choices.items()):
        message = choice.get("message")
        if message is None or not isinstance(message.value, dict):
            continue
        turn = message_turn(message)
        turn.continues = True
        turn.conversation = ("choice", number) if number else None
        finish(turn, choice.get("finish_reason"))
        yield turn


SHAPE = OpenAIChat()
