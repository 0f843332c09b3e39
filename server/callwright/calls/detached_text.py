"""The text that calls refer to: that of their block, however much was looked at to read them.

Owns: `detach`. Must not know: blocks, how calls are read.

Values are made of the text when somebody asks, so they keep it. What is never closed is read from all that follows, and
were that kept with each, the memory of many such calls would grow with the square of the text.
"""

from __future__ import annotations

from callwright.calls.model import JsonValue, ToolCall


def detach(call: ToolCall, own: str, whole: str) -> None:
    """Let a call that was read from `whole` refer to `own`, with which it begins, and which holds all of the call."""
    value = call.arguments
    if isinstance(value, JsonValue):
        value.read.detach(own, whole)
        node = value.known_node
        if node is not None:
            node.detach(own, whole)
    elif value is not None:
        value.element.detach(own, whole)
