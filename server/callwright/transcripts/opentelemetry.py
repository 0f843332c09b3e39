"""The shape `opentelemetry`: messages as OpenTelemetry's conventions for generative models have them.

Owns: recognising and reading them. Must not know: other shapes, hosts, dialects.
"""

from collections.abc import Iterator
from typing import Any, Final

from callwright.calls.turns import NativeCall, Turn
from callwright.syntax.json_views import JsonView
from callwright.transcripts.base import Shape
from callwright.transcripts.support.contents import add_text, begun_turn, finish, result, returned
from callwright.transcripts.support.text_results import add_text_results

#: How many parts of a message are checked for one that only these messages have.
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
    whole = ()
    scanned_at = 16
    listed = ()
    sources = (
        "https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/",
        "https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-input-messages.json",
        "https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-output-messages.json",
    )
    about = """
        Spans and events store such messages under `gen_ai.input.messages` and `gen_ai.output.messages`, as a list or as
        a string that contains one.

        A call is a part `tool_call`, whose optional `arguments` are an object or a string with JSON in it. A result is
        a part `tool_call_response`, which names its call in `id` and has the value under `response` (in some logs
        `result`). A part `text` has its text under `content`. Calls in `reasoning` are ignored. `finish_reason` states
        why the model stopped.

        A trace is not sent to a provider, so no demands apply.
    """

    def form(self, value: Any) -> int:
        """Return how certainly a value is one message: by its parts, which have their text under `content`."""
        parts = value.get("parts") if isinstance(value, dict) and isinstance(value.get("role"), str) else None
        most_certain = 0
        for part in parts[:_PARTS] if isinstance(parts, list) else ():
            kind = part.get("type") if isinstance(part, dict) else None
            if kind == _CALL and "name" in part:
                return 92
            if kind == _RESULT and ("response" in part or "result" in part):
                return 92
            if kind in ("text", "reasoning") and isinstance(part.get("content"), str) and "text" not in part:
                most_certain = 70
        return most_certain

    def turns(self, root: JsonView) -> Iterator[Turn]:
        """Yield one turn a message."""
        yield from map(_turn, root.each())


def _turn(message: JsonView) -> Turn:
    turn = begun_turn(message)
    for part in message.list_at("parts"):
        kind = part.text("type")
        if kind == "text":
            add_text(turn, part.get("content"))
        elif kind in (_CALL, _HOSTED_CALL):
            hosted, arguments = kind == _HOSTED_CALL, part.given("arguments")
            call_id = part.given("id")
            turn.calls.append(NativeCall(part, part.get("name"), arguments, call_id, hosted=hosted, optional=True))
        elif kind in (_RESULT, _HOSTED_RESULT):
            content = returned(part.get("response", "result"))
            turn.results.append(result(part, "id", content, hosted=kind == _HOSTED_RESULT))
            turn.results[-1].call_id = part.given("id")
    if turn.role == "user":
        add_text_results(turn)
    finish(turn, message.get("finish_reason"))
    return turn


SHAPE = OpenTelemetry()
