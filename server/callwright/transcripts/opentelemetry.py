"""The shape `opentelemetry`: messages as OpenTelemetry's conventions for generative models have them.

Owns: recognising and reading them. Must not know: other shapes, hosts, dialects.
"""

from collections.abc import Iterator
from typing import Any, Final

from callwright.calls.turns import NativeCall, Turn, TurnResult, TurnText
from callwright.syntax.json_views import JsonView
from callwright.transcripts.base import Shape
from callwright.transcripts.support.contents import returned
from callwright.transcripts.support.text_results import add_text_results

#: How many messages, and parts of each, are looked at for one that only these messages have.
_LOOKED_AT: Final = 16
_PARTS: Final = 8
_CALL: Final = "tool_call"
_RESULT: Final = "tool_call_response"
#: The same where the provider carries the call out itself.
_HOSTED_CALL: Final = "server_tool_call"
_HOSTED_RESULT: Final = "server_tool_call_response"


class OpenTelemetry(Shape):
    """A list of messages with `parts`, or one message."""

    name = "opentelemetry"
    title = "OpenTelemetry messages"
    keys = ("parts",)
    provider = "none"
    sources = (
        "https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/",
        "https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-input-messages.json",
        "https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-output-messages.json",
    )
    about = """
        Spans and events keep such messages under `gen_ai.input.messages` and `gen_ai.output.messages`, as a list or as
        a string that holds one. A call is a part `tool_call`, whose `arguments` are an object or a string with JSON in
        it, and may be left out. A result is a part `tool_call_response`, which names its call by `id` and has what came
        back under `response` (some write `result`). A part `text` has what is said under `content`; `reasoning` is not
        read for calls. `finish_reason` says why the model stopped. A trace is sent to no provider, so nothing is
        demanded of it.
    """

    def matches(self, value: Any) -> int:
        """Return how surely these are such messages: by their parts, which say their text under `content`."""
        if isinstance(value, list):
            return max((_form(message) for message in value[:_LOOKED_AT]), default=0)
        return _form(value)

    def is_whole(self, value: Any) -> bool:
        """Return whether this is more than one message of a log."""
        return not isinstance(value, dict)

    def entries(self, root: JsonView) -> JsonView | None:
        """Return the messages."""
        return root if isinstance(root.value, list) else None

    def turns(self, root: JsonView) -> Iterator[Turn]:
        """Yield one turn a message."""
        for message in root.items() if isinstance(root.value, list) else iter((root,)):
            if isinstance(message.value, dict):
                yield _turn(message)


def _form(value: Any) -> int:
    """Return how surely a value is one message."""
    parts = value.get("parts") if isinstance(value, dict) and isinstance(value.get("role"), str) else None
    surest = 0
    for part in parts[:_PARTS] if isinstance(parts, list) else ():
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == _CALL and "name" in part:
            return 92
        if kind == _RESULT and ("response" in part or "result" in part):
            return 92
        if kind in ("text", "reasoning") and isinstance(part.get("content"), str) and "text" not in part:
            surest = 70
    return surest


def _turn(message: JsonView) -> Turn:
    turn = Turn(message, message.text("role"), message.get("role"))
    for part in message.list_at("parts"):
        kind = part.text("type")
        if kind == "text":
            said = part.get("content")
            if said is not None and isinstance(said.value, str):
                turn.texts.append(TurnText(said, said.value))
        elif kind in (_CALL, _HOSTED_CALL):
            hosted = kind == _HOSTED_CALL
            arguments = _given(part, "arguments")
            turn.calls.append(NativeCall(part, part.get("name"), arguments, _id(part), hosted=hosted, optional=True))
        elif kind in (_RESULT, _HOSTED_RESULT):
            place, value = returned(part.get("response", "result"))
            turn.results.append(
                TurnResult(part, _id(part), part.text("id"), content=place, value=value, hosted=kind == _HOSTED_RESULT)
            )
    if turn.role == "user":
        add_text_results(turn)
    finish = message.get("finish_reason")
    if finish is not None and isinstance(finish.value, str):
        turn.finish, turn.finish_place = finish.value, finish
    return turn


def _given(part: JsonView, key: str) -> JsonView | None:
    """Return a member, None where it is missing or null."""
    found = part.get(key)
    return found if found is not None and found.value is not None else None


def _id(part: JsonView) -> JsonView | None:
    return _given(part, "id")


SHAPE = OpenTelemetry()
