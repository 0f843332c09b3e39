"""What a tool's annotations say of its behaviour, in words.

Owns: the words for MCP's hints. Must not know: how definitions are written. Hints are a server's own word for itself:
nobody vouches for them (https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations).
"""

from collections.abc import Mapping
from typing import Any, Final

_WORDS: Final[tuple[tuple[str, bool | str, str], ...]] = (
    ("readOnlyHint", True, "changes nothing"),
    ("destructiveHint", True, "may destroy what is there"),
    ("destructiveHint", False, "only adds to what is there"),
    ("idempotentHint", True, "may be repeated without another effect"),
    ("openWorldHint", True, "deals with the world outside"),
    ("openWorldHint", False, "deals with a closed set of things"),
    ("taskSupport", "optional", "may run as a task"),
    ("taskSupport", "required", "runs as a task only"),
)
#: Of a tool that changes nothing these say nothing.
_OF_CHANGES: Final = ("destructiveHint", "idempotentHint")


def hint_sentence(annotations: Mapping[str, Any]) -> str:
    """Return what a tool's author says of its behaviour as a sentence, empty where that is nothing."""
    harmless = annotations.get("readOnlyHint") is True
    said = [
        words
        for key, value, words in _WORDS
        if isinstance(annotations.get(key), type(value))
        and annotations[key] == value
        and not (harmless and key in _OF_CHANGES)
    ]
    if not said:
        return ""
    last = said.pop()
    return f"It says of itself that it {', '.join(said)} and {last}." if said else f"It says of itself that it {last}."
