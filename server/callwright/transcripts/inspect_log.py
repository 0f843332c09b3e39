"""The shape `inspect-log`: evaluation logs of Inspect, whole, or one sample of one.

Owns: recognising and reading it. Must not know: other shapes, hosts, dialects.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from callwright.calls.turns import Turn
from callwright.syntax.json_views import JsonView
from callwright.transcripts.base import Shape
from callwright.transcripts.support.contents import finish
from callwright.transcripts.support.openai_messages import message_turn

#: How many events of a sample are searched for the tools that its model was given.
_EVENTS: Final = 2_000


class InspectLog(Shape):
    """An object with `eval` and `samples`, or one of its samples."""

    name = "inspect-log"
    title = "Inspect evaluation log"
    keys = ("samples", "epoch")
    provider = "none"
    sources = (
        "https://inspect.aisi.org.uk/eval-logs.html",
        "https://inspect.aisi.org.uk/reference/inspect_ai.log.html",
        "https://inspect.aisi.org.uk/reference/inspect_ai.model.html",
    )
    about = """
        Each sample is a conversation. A call is an entry of `tool_calls` with `id`, `function` and `arguments`, which
        are an object. A tool message names its call in `tool_call_id`, and `error` states that the tool failed.

        The tools listed in the model events are those of the sample. `stop_reason` of its output states why the last
        message ends.

        Files that end in `.eval` are archives: `inspect log dump` writes them as JSON.
    """

    def matches(self, value: Any) -> int:
        """Return how certainly this is a log, or a sample of one."""
        if not isinstance(value, dict):
            return 0
        if isinstance(value.get("samples"), list) and isinstance(value.get("eval"), dict):
            return 95
        return 90 if _is_sample(value) else 0

    def conversations(self, root: JsonView) -> Iterator[JsonView]:
        """Yield each sample."""
        samples = root.get("samples")
        yield from samples.items() if samples is not None else (root,)

    def turns(self, root: JsonView) -> Iterator[Turn]:
        """Yield one turn a message."""
        for message in root.objects("messages"):
            turn = message_turn(message)
            error = message.get("error")
            for result in turn.results if turn.role == "tool" else ():
                result.tool, result.tool_place = message.text("function"), message.get("function")
                result.failed = isinstance(error.value, dict) if error is not None else None
            if turn.role == "assistant":
                _finish(root, turn)
            yield turn

    def tools(self, root: JsonView) -> JsonView | None:
        """Return the tools that the model was given in any of its events."""
        known: dict[str, Any] = {}
        events = root.value.get("events") if isinstance(root.value, dict) else None
        for event in events[:_EVENTS] if isinstance(events, list) else ():
            if isinstance(event, dict) and event.get("event") == "model" and isinstance(event.get("tools"), list):
                for tool in event["tools"]:
                    if isinstance(tool, dict) and isinstance(tool.get("name"), str):
                        known.setdefault(tool["name"], tool)
        # They are in several places: their place is the sample around all of them.
        return JsonView(root.read, list(known.values()), root.parent, root.step) if known else None


def _is_sample(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("messages"), list) and "epoch" in value and "id" in value and "input" in value


def _finish(sample: JsonView, turn: Turn) -> None:
    """Set why the model stopped, where this is the turn that the sample's output is."""
    output = sample.get("output")
    choice = next(output.list_at("choices"), None) if output is not None else None
    stated = choice.at("message", "id") if choice is not None else None
    own = turn.place.given("id") if isinstance(turn.place, JsonView) else None
    if choice is not None and own is not None and stated is not None and own.value == stated.value:
        finish(turn, choice.get("stop_reason"))


SHAPE = InspectLog()
