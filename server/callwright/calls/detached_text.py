"""The text that calls refer to: that of their block, even if more was scanned to read them.

Owns: `detach`. Must not know: blocks, how calls are read.

Values are computed from the text on first use, so they keep it. An unclosed call is read from all the text after it. If
each such call kept that text, memory would grow with the square of its length.
"""

from __future__ import annotations

from callwright.calls.model import JsonValue, ToolCall


def detach(call: ToolCall, own: str, whole: str) -> None:
    """Make a call that was read from `whole` refer to `own`, a prefix of it which contains the whole call."""
    value = call.arguments
    if isinstance(value, JsonValue):
        value.read.detach(own, whole)
        node = value.known_node
        if node is not None:
            node.detach(own, whole)
    elif value is not None:
        value.element.detach(own, whole)
