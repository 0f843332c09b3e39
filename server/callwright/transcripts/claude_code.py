"""The shape `claude-code`: the session logs of Claude Code and its streamed output, one entry a line.

Owns: recognising and reading it. Must not know: other shapes, hosts, dialects.
"""

from collections.abc import Iterator
from typing import Any, Final

from callwright.calls.turns import Turn
from callwright.syntax.json_views import JsonView
from callwright.transcripts.base import Shape
from callwright.transcripts.support.anthropic_messages import message_turn

_SESSION: Final = ("sessionId", "session_id")
#: Entries without a speaker, by what else identifies them as entries of such a log.
_UNSPOKEN: Final = frozenset(
    {
        "summary",
        "system",
        "result",
        "progress",
        "attachment",
        "queue-operation",
        "file-history-snapshot",
        "stream_event",
    }
)
_MARKERS: Final = (*_SESSION, "leafUuid", "messageId", "parentUuid")


class ClaudeCode(Shape):
    """One entry of a log; entries of several sessions and of side chains may alternate."""

    name = "claude-code"
    title = "Claude Code session log"
    keys = ("sessionId", "session_id", "parentUuid", "leafUuid", "messageId")
    provider = "none"
    whole = False
    sources = (
        "https://code.claude.com/docs/en/headless",
        "https://github.com/alicoding/claude-parser/blob/main/docs/JSONL-STRUCTURE.md",
        "https://github.com/Huntehhh/claude-code-chat/blob/main/docs/claude-cli-jsonl-format.md",
    )
    about = """
        Each line is an entry. The `message` of an entry of type `user` or `assistant` has the form of Anthropic's
        messages. An answer is split into several lines with the same message id, one for each block.

        Sessions, side chains and agents are separate conversations. Summaries, progress and other entries without a
        message are skipped, and so is `toolUseResult`, which repeats the result for display.
    """

    def form(self, value: Any) -> int:
        """Return how certainly this is an entry: it has the id of a session and its own type."""
        if not isinstance(value, dict) or not any(key in value for key in _MARKERS):
            return 0
        if _is_turn(value):
            return 95
        kind = value.get("type")
        return 60 if isinstance(kind, str) and kind in _UNSPOKEN else 0

    def turns(self, root: JsonView) -> Iterator[Turn]:
        """Yield the turn of an entry with a speaker."""
        for entry in root.each():
            if _is_turn(entry.value):
                message = entry.get("message")
                assert message is not None, "an entry that is spoken has a message"
                turn = message_turn(message)
                side = bool(entry.value.get("isSidechain")) or isinstance(entry.value.get("parent_tool_use_id"), str)
                agent = entry.text("agentId") or entry.text("parent_tool_use_id")
                turn.conversation = (entry.text(*_SESSION), side, agent)
                yield turn


def _is_turn(value: dict[str, Any]) -> bool:
    if value.get("type") not in ("user", "assistant"):
        return False
    message = value.get("message")
    return isinstance(message, dict) and isinstance(message.get("role"), str) and "content" in message


SHAPE = ClaudeCode()
