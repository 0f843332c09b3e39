"""Messages: where a chat transcript in JSON holds text.

Owns: finding the strings in which somebody speaks. Must not know: calls, dialects, files.

The shapes are OpenAI's chat format (`{"messages": [{"role": …, "content": …}]}`, `content` a string or a list of parts
with `text`), a bare list of such messages, and one message alone, as JSONL logs have them.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from callwright.syntax.json import JsonNode, JsonRead

#: What a tool returned is data, whatever it looks like.
_RESULT_ROLES: Final = frozenset({"tool", "function", "tool_result"})


class MessageText(NamedTuple):
    """One string of a message: who speaks, and its JSON node."""

    role: str | None
    node: JsonNode


def is_transcript(value: Any) -> bool:
    """Tell whether a JSON value has the shape of a chat transcript."""
    if isinstance(value, Mapping):
        messages = value.get("messages")
        if isinstance(messages, list):
            return any(_is_message(message) for message in messages)
        return _is_message(value)
    return isinstance(value, list) and any(_is_message(message) for message in value)


def message_texts(read: JsonRead) -> Iterator[MessageText]:
    """Yield the strings of the messages in a transcript, in order; those of tool results are left out."""
    root = read.root
    if root.kind == "array":
        messages = root.items
    elif root.kind == "object":
        listed = _member(root, "messages")
        messages = listed.items if listed is not None and listed.kind == "array" else [root]
    else:
        return
    for message in messages:
        if message.kind != "object":
            continue
        role_node = _member(message, "role")
        role = role_node.value if role_node is not None and isinstance(role_node.value, str) else None
        content = _member(message, "content")
        if content is None or role in _RESULT_ROLES:
            continue
        if content.kind == "string":
            yield MessageText(role, content)
        elif content.kind == "array":
            for part in content.items:
                text = _member(part, "text") if part.kind == "object" else None
                if text is not None and text.kind == "string":
                    yield MessageText(role, text)


def _is_message(value: Any) -> bool:
    return isinstance(value, Mapping) and "content" in value and isinstance(value.get("role"), str)


def _member(node: JsonNode, key: str) -> JsonNode | None:
    found = None
    for member in node.members:
        if member.key == key:
            found = member.value
    return found
