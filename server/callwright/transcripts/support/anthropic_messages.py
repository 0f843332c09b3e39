"""Messages as Anthropic's messages interface has them: content in blocks, calls and results among them.

Owns: reading one message and its blocks. Must not know: what lies around a message, hosts, dialects.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from callwright.calls.turns import NativeCall, Turn, TurnResult
from callwright.syntax.json_views import JsonView
from callwright.transcripts.support.contents import add_text, begun_turn, finish, flag, result, returned
from callwright.transcripts.support.text_results import add_text_results

#: Calls that the provider carries out itself, and their results.
_HOSTED_CALLS: Final = frozenset({"server_tool_use", "mcp_tool_use"})
#: The ends of the types of blocks with answers of the provider's own tools.
_HOSTED_RESULT: Final = "_tool_result"


def is_blocks(content: Any) -> bool:
    """Return whether a message's content has a block that only Anthropic's messages have; checks a few of them."""
    return isinstance(content, list) and any(_is_own(block) for block in content[:8])


def is_native(block: Any) -> bool:
    """Return whether a block means a call or a result."""
    kind = block.get("type") if isinstance(block, Mapping) else None
    if not isinstance(kind, str):
        return False
    return kind in ("tool_use", "tool_result") or kind in _HOSTED_CALLS or kind.endswith(_HOSTED_RESULT)


def _is_own(block: Any) -> bool:
    kind = block.get("type") if isinstance(block, Mapping) else None
    if kind == "tool_use":
        return "input" in block or "name" in block
    if kind == "tool_result":
        return "tool_use_id" in block or "content" in block
    if kind == "thinking":
        # Others keep a list there.
        return isinstance(block.get("thinking"), str)
    return kind == "redacted_thinking" or is_native(block)


def message_turn(message: JsonView) -> Turn:
    """Return the turn that a message is; results are in a turn of the role of their message, the user's.

    Where the message is a whole response, `stop_reason` is why the model stopped.
    """
    turn = begun_turn(message)
    content = message.get("content")
    if content is not None:
        read_blocks(content, turn)
    if turn.role == "user":
        add_text_results(turn)
    finish(turn, message.get("stop_reason"))
    return turn


def read_blocks(content: JsonView, turn: Turn) -> None:
    """Add the content to a turn: a string, or blocks. Reasoning is not added."""
    for block in (content,) if isinstance(content.value, str) else content.items():
        kind = block.text("type")
        if kind is None:
            add_text(turn, block)
        elif kind == "text":
            add_text(turn, block.get("text"))
        elif kind == "tool_use" or kind in _HOSTED_CALLS:
            hosted = kind in _HOSTED_CALLS
            turn.calls.append(
                NativeCall(block, block.get("name"), block.get("input"), block.get("id"), hosted=hosted, key="input")
            )
        elif kind == "tool_result" or kind.endswith(_HOSTED_RESULT):
            turn.results.append(_result(block, hosted=kind != "tool_result"))


def _result(block: JsonView, *, hosted: bool) -> TurnResult:
    content = returned(block.get("content"))
    failed = flag(block, "is_error")
    value = content.value if content is not None else None
    if hosted and isinstance(value, dict) and str(value.get("type")).endswith("_error"):
        failed = True
    return result(block, "tool_use_id", content, failed=failed, hosted=hosted)
