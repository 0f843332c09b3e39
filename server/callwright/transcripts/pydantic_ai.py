"""The shape `pydantic-ai`: the message history of Pydantic AI.

Owns: recognising and reading it. Must not know: other shapes, hosts, dialects.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from callwright.calls.turns import NativeCall, Turn
from callwright.syntax.json_views import JsonView
from callwright.transcripts.base import Shape
from callwright.transcripts.support.contents import add_content, finish, result
from callwright.transcripts.support.text_results import add_text_results

#: Who speaks in a part, by its kind.
_ROLES: Final[Mapping[str, str]] = {
    "system-prompt": "system",
    "user-prompt": "user",
    "tool-return": "tool",
    "retry-prompt": "tool",
    "text": "assistant",
    "tool-call": "assistant",
    "builtin-tool-call": "assistant",
    "builtin-tool-return": "tool",
}
_KINDS: Final = ("request", "response")


class PydanticAI(Shape):
    """A list of requests and responses, or one of them."""

    name = "pydantic-ai"
    title = "Pydantic AI messages"
    keys = ("kind", "parts")
    provider = "none"
    whole = ()
    sources = (
        "https://ai.pydantic.dev/message-history/",
        "https://ai.pydantic.dev/api/messages/",
    )
    about = """
        A history consists of requests and responses. Both consist of parts, and `part_kind` states the kind of a part.
        A `tool-call` has `tool_name`, `tool_call_id` and `args`, which are an object or a string of JSON, depending on
        the provider of the model; `null` means no arguments.

        A result is a `tool-return`; a `retry-prompt` that names a tool is a failed result. Consecutive parts of one
        speaker are one turn.
    """

    def form(self, value: Any) -> int:
        """Return how certainly this is a request or a response: by the kinds of its parts, which no other shape has."""
        if not isinstance(value, dict) or value.get("kind") not in _KINDS or not isinstance(value.get("parts"), list):
            return 0
        kinds = [part.get("part_kind") for part in value["parts"][:4] if isinstance(part, dict)]
        return 95 if any(isinstance(kind, str) for kind in kinds) else 0

    def turns(self, root: JsonView) -> Iterator[Turn]:
        """Yield a turn for all parts of one speaker that follow each other."""
        for message in root.each():
            yield from _turns(message)


def _turns(message: JsonView) -> Iterator[Turn]:
    open_turn: Turn | None = None
    for part in message.list_at("parts"):
        kind = part.text("part_kind")
        role = _ROLES.get(kind) if kind is not None else None
        if kind == "retry-prompt" and part.text("tool_name") is None:
            # Not a tool's result: the program rejects the answer.
            role = "user"
        if role is None:
            continue
        if open_turn is not None and open_turn.role != role:
            yield open_turn
            open_turn = None
        if open_turn is None:
            open_turn = Turn(message, role, part.get("part_kind"))
        _read_part(part, role, open_turn)
    if open_turn is None:
        return
    if open_turn.role == "assistant":
        finish(open_turn, message.get("finish_reason"))
    yield open_turn


def _read_part(part: JsonView, role: str, turn: Turn) -> None:
    kind = part.text("part_kind") or ""
    content, hosted = part.get("content"), kind.startswith("builtin")
    if kind.endswith("tool-call"):
        name, arguments, call_id = part.get("tool_name"), part.given("args"), part.get("tool_call_id")
        turn.calls.append(
            NativeCall(part, name, arguments, call_id, hosted=hosted, kept=True, key="args", optional=True)
        )
    elif role == "tool":
        failed = True if kind == "retry-prompt" else None
        turn.results.append(result(part, "tool_call_id", content, tool=("tool_name",), failed=failed, hosted=hosted))
    else:
        alone = Turn(part, role)
        add_content(alone, content)
        if role == "user":
            add_text_results(alone)
        turn.texts += alone.texts
        turn.results += alone.results


SHAPE = PydanticAI()
