"""The shape `codex`: the session logs ("rollouts") of Codex CLI, one entry a line.

Owns: recognising and reading it. Must not know: other shapes, hosts, dialects.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from callwright.calls.turns import NativeCall, Turn
from callwright.syntax.json_views import JsonView
from callwright.transcripts.base import Shape
from callwright.transcripts.support.contents import add_content, begun_turn, flag, result, returned

_ENTRIES: Final = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_ROLES: Final[Mapping[str, str]] = {"developer": "system"}


class Codex(Shape):
    """One entry of a log, with its content under `payload`."""

    name = "codex"
    title = "Codex CLI session log"
    keys = ("payload",)
    provider = "none"
    whole = False
    sources = (
        "https://github.com/openai/codex/blob/main/codex-rs/protocol/src/protocol.rs",
        "https://github.com/openai/codex/blob/main/codex-rs/protocol/src/models.rs",
    )
    about = """
        The `payload` of a `response_item` is an item of OpenAI's Responses API: a message, a `function_call` whose
        `arguments` are a string of JSON, a `custom_tool_call` whose `input` is text, or the output of either, which
        names its call in `call_id`.

        Other entries repeat these for display or describe the session, and are skipped. `session_meta` begins a new
        session.
    """

    def form(self, value: Any) -> int:
        """Return how certainly this is an entry."""
        if not isinstance(value, dict) or not isinstance(value.get("payload"), dict):
            return 0
        kind = value.get("type")
        return 90 if isinstance(kind, str) and kind in _ENTRIES else 0

    def turns(self, root: JsonView) -> Iterator[Turn]:
        """Yield the turn of an entry that is an item."""
        for entry in root.each():
            payload = entry.get("payload")
            if payload is not None and entry.text("type") == "response_item":
                turn = _turn(payload)
                if turn is not None:
                    yield turn


def _turn(item: JsonView) -> Turn | None:
    kind = item.text("type")
    if kind == "message":
        turn = begun_turn(item, _ROLES)
        add_content(turn, item.get("content"), "text")
        return turn
    if kind in ("function_call", "custom_tool_call"):
        custom = kind == "custom_tool_call"
        arguments = item.get("input" if custom else "arguments")
        call = NativeCall(item, item.get("name"), arguments, item.get("call_id"), unparsed=custom)
        return Turn(item, "assistant", calls=[call])
    if kind in ("function_call_output", "custom_tool_call_output"):
        output = item.get("output")
        succeeded = flag(output, "success") if output is not None else None
        if output is not None and isinstance(output.value, dict) and "content" in output.value:
            output = output.get("content")
        failed = None if succeeded is None else not succeeded
        return Turn(item, "tool", results=[result(item, "call_id", returned(output), failed=failed)])
    return None


SHAPE = Codex()
