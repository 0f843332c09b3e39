"""The shape `bedrock`: messages of Amazon Bedrock's Converse interface.

Owns: recognising and reading it. Must not know: other shapes, hosts, dialects.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from callwright.calls.turns import NativeCall, Turn, TurnResult, TurnText
from callwright.syntax.json_views import JsonView
from callwright.transcripts.base import Shape
from callwright.transcripts.support.contents import list_under
from callwright.transcripts.support.text_results import add_text_results

#: How many messages, and blocks of each, are looked at for a block that only this interface has.
_LOOKED_AT: Final = 16
_BLOCKS: Final = 8
#: How sure messages are in which there is nothing but text, in blocks without a type.
_TEXT_ALONE: Final = 40
#: What is read of a request or a response.
_OWN: Final = frozenset({"messages", "content", "system", "output", "toolConfig"})


class Bedrock(Shape):
    """The body of a request with `messages`, a response with `output.message`, or a list of messages."""

    name = "bedrock"
    title = "Bedrock Converse messages"
    keys = ("messages", "output", "role")
    provider = "none"
    sources = (
        "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html",
        "https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use-inference-call.html",
    )
    about = """
        What a block of a message is says its only member: `text`, `toolUse` with the call, whose `input` is an object,
        or `toolResult`, which names its call in `toolUseId` and says in `status` whether the tool failed. The tools of
        a request stand under `toolConfig`, and `stopReason` of a response says why the model stopped.
    """

    def matches(self, value: Any) -> int:
        """Return how surely these are such messages: by blocks for calls and results, or for text without a type."""
        if isinstance(value, list):
            return _surety(value)
        if not isinstance(value, dict):
            return 0
        messages = value.get("messages")
        if isinstance(messages, list):
            return 85 if isinstance(value.get("toolConfig"), dict) else _surety(messages)
        output = value.get("output")
        if isinstance(output, dict) and "stopReason" in value:
            return 85 if _form(output.get("message")) else 0
        return _form(value)

    def is_certain(self, value: Any) -> bool:
        """Return whether calls or results are written as only these messages have them."""
        return self.matches(value) > _TEXT_ALONE

    def is_whole(self, value: Any) -> bool:
        """Return whether this is more than one message of a log."""
        return not isinstance(value, dict) or "messages" in value or "output" in value

    def entries(self, root: JsonView) -> JsonView | None:
        """Return the messages."""
        return root if isinstance(root.value, list) else list_under(root, "messages")

    def others(self, value: dict[str, Any]) -> Iterable[str]:
        """Return what stands beside the conversation of a request or a response."""
        return [key for key in value if key not in _OWN] if self.is_whole(value) else ()

    def turns(self, root: JsonView) -> Iterator[Turn]:
        """Yield the system prompt, then one turn a message."""
        if isinstance(root.value, list):
            listed: JsonView | None = root
        else:
            system = [*_texts(root.get("system"))]
            if system:
                yield Turn(system[0].place, "system", texts=system)
            listed = root.get("messages")
        if listed is not None and isinstance(listed.value, list):
            for message in listed.items():
                if isinstance(message.value, dict):
                    yield _turn(message)
            return
        output = root.get("output")
        message_alone = output.get("message") if output is not None else None
        if message_alone is not None and isinstance(message_alone.value, dict):
            turn = _turn(message_alone)
            turn.continues = True
            reason = root.get("stopReason")
            if reason is not None and isinstance(reason.value, str):
                turn.finish, turn.finish_place = reason.value, reason
            yield turn
        elif _form(root.value):
            yield _turn(root)

    def tools(self, root: JsonView) -> JsonView | None:
        """Return what stands under `toolConfig.tools`."""
        config = root.get("toolConfig")
        return config.get("tools") if config is not None else None


def _surety(messages: list[Any]) -> int:
    return max(map(_form, messages[:_LOOKED_AT]), default=0)


def _form(value: Any) -> int:
    """Return how surely a value is one message."""
    if not isinstance(value, dict) or value.get("role") not in ("user", "assistant"):
        return 0
    content = value.get("content")
    if not isinstance(content, list):
        return 0
    sure = 0
    for block in content[:_BLOCKS]:
        if not isinstance(block, dict) or "type" in block:
            continue
        if isinstance(block.get("toolUse"), dict) or isinstance(block.get("toolResult"), dict):
            return 90
        if block.keys() == {"text"} and isinstance(block["text"], str) and "tool_calls" not in value:
            sure = _TEXT_ALONE
    return sure


def _texts(blocks: JsonView | None) -> Iterator[TurnText]:
    for block in blocks.items() if blocks is not None else ():
        text = block.get("text")
        if text is not None and isinstance(text.value, str):
            yield TurnText(text, text.value)


def _turn(message: JsonView) -> Turn:
    turn = Turn(message, message.text("role"), message.get("role"))
    content = message.get("content")
    turn.texts += _texts(content)
    for block in content.items() if content is not None else ():
        used, returned = block.get("toolUse"), block.get("toolResult")
        if used is not None and isinstance(used.value, dict):
            call_id = used.get("toolUseId")
            turn.calls.append(NativeCall(used, used.get("name"), used.get("input"), call_id, key="input"))
        if returned is not None and isinstance(returned.value, dict):
            turn.results.append(_result(returned))
    if turn.role == "user":
        add_text_results(turn)
    return turn


def _result(returned: JsonView) -> TurnResult:
    """Return a result; of a single block of text or JSON, what it holds."""
    content = returned.get("content")
    if content is not None and isinstance(content.value, list) and len(content.value) == 1:
        only = next(content.items())
        content = only.get("json", "text") or content
    status = returned.text("status")
    return TurnResult(
        returned,
        returned.get("toolUseId"),
        returned.text("toolUseId"),
        content=content,
        value=content.value if content is not None else None,
        failed={"error": True, "success": False}.get(status) if status is not None else None,
    )


SHAPE = Bedrock()
