"""The shape `bedrock`: messages of Amazon Bedrock's Converse interface.

Owns: recognising and reading it. Must not know: other shapes, hosts, dialects.
"""

from collections.abc import Iterator
from typing import Any, Final

from callwright.calls.turns import NativeCall, Turn, TurnResult
from callwright.syntax.json_views import JsonView
from callwright.transcripts.base import Shape
from callwright.transcripts.support.contents import add_text, begun_turn, finish, result
from callwright.transcripts.support.text_results import add_text_results

#: How many blocks of a message are checked for one that only this interface has.
_BLOCKS: Final = 8
#: The certainty for messages with nothing but text, in blocks without a type.
_TEXT_ALONE: Final = 40


class Bedrock(Shape):
    """The body of a request with `messages`, a response with `output.message`, or a list of messages."""

    name = "bedrock"
    title = "Bedrock Converse messages"
    keys = ("messages", "output", "role")
    provider = "bedrock"
    whole = ("messages", "output")
    scanned_at = 16
    listed = ("messages",)
    read = frozenset({"messages", "content", "system", "output", "toolConfig"})
    tools_at = ("toolConfig.tools",)
    sources = (
        "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html",
        "https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use-inference-call.html",
    )
    about = """
        Each block of a message has one member, which states its kind. `text` is text. `toolUse` is a call, whose
        `input` is an object. `toolResult` is a result: it names its call in `toolUseId`, and `status` states whether
        the tool failed.

        The tools of a request are under `toolConfig`. `stopReason` of a response states why the model stopped.
    """

    def matches(self, value: Any) -> int:
        """Return how certainly these are such messages: by blocks for calls and results, or for text without a type."""
        if not isinstance(value, dict):
            return super().matches(value)
        messages = value.get("messages")
        if isinstance(messages, list):
            return 85 if isinstance(value.get("toolConfig"), dict) else self.certainty(messages)
        output = value.get("output")
        if isinstance(output, dict) and "stopReason" in value:
            return 85 if self.form(output.get("message")) else 0
        return self.form(value)

    def form(self, value: Any) -> int:
        """Return how certainly a value is one message."""
        if not isinstance(value, dict) or value.get("role") not in ("user", "assistant"):
            return 0
        content = value.get("content")
        if not isinstance(content, list):
            return 0
        certain = 0
        for block in content[:_BLOCKS]:
            if not isinstance(block, dict) or "type" in block:
                continue
            if isinstance(block.get("toolUse"), dict) or isinstance(block.get("toolResult"), dict):
                return 90
            if block.keys() == {"text"} and isinstance(block["text"], str) and "tool_calls" not in value:
                certain = _TEXT_ALONE
        return certain

    def is_certain(self, value: Any) -> bool:
        """Return whether calls or results are written as only these messages have them."""
        return self.matches(value) > _TEXT_ALONE

    def turns(self, root: JsonView) -> Iterator[Turn]:
        """Yield the system prompt, then one turn a message."""
        system = Turn(root, "system")
        _add_texts(system, root.get("system"))
        if system.texts:
            system.place = system.texts[0].place
            yield system
        listed, output = self.entries(root), root.at("output", "message")
        if listed is not None:
            yield from map(_turn, listed.objects())
        elif output is not None and isinstance(output.value, dict):
            turn = _turn(output)
            turn.continues = True
            finish(turn, root.get("stopReason"))
            yield turn
        elif self.form(root.value):
            yield _turn(root)


def _add_texts(turn: Turn, blocks: JsonView | None) -> None:
    for block in blocks.items() if blocks is not None else ():
        add_text(turn, block.get("text"))


def _turn(message: JsonView) -> Turn:
    turn = begun_turn(message)
    _add_texts(turn, message.get("content"))
    for block in message.list_at("content"):
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
    """Return a result; for a single block of text or JSON, its content."""
    content = returned.get("content")
    if content is not None and isinstance(content.value, list) and len(content.value) == 1:
        only = next(content.items())
        content = only.get("json", "text") or content
    status = returned.text("status")
    failed = {"error": True, "success": False}.get(status) if status is not None else None
    return result(returned, "toolUseId", content, failed=failed)


SHAPE = Bedrock()
