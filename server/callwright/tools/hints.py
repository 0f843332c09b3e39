"""A tool's annotations of its behaviour, in words.

Owns: the words for MCP's hints, which tools change nothing. Must not know: how definitions are written. Hints are a
server's own claims, which are not verified
(https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from callwright.tools.model import ToolSchema

_WORDS: Final[tuple[tuple[str, bool | str, str], ...]] = (
    ("readOnlyHint", True, "changes nothing"),
    ("destructiveHint", True, "may be destructive"),
    ("destructiveHint", False, "only makes additive changes"),
    ("idempotentHint", True, "is idempotent"),
    ("openWorldHint", True, "interacts with external systems"),
    ("openWorldHint", False, "interacts only with a closed domain"),
    ("taskSupport", "optional", "may run as a task"),
    ("taskSupport", "required", "runs only as a task"),
)
#: Hints without a meaning for a tool that changes nothing.
_OF_CHANGES: Final = ("destructiveHint", "idempotentHint")


#: The first words in names of tools that only read.
_LOOKING: Final = re.compile(
    r"(?:\w+[.:/])?(?:read|get|list|search|find|show|view|fetch|query|look|grep|glob|ls|cat|describe|count|status|info)"
    r"(?![a-z])|\w*_(?:status|info|list|search|get|read|show)\Z",
    re.IGNORECASE,
)


def only_reads(tool: ToolSchema) -> bool:
    """Return whether a tool changes nothing: by its annotations or, without them, by its name."""
    stated = tool.annotations.get("readOnlyHint")
    return (
        stated
        if isinstance(stated, bool)
        else _LOOKING.match(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", tool.name)) is not None
    )


def hint_sentence(annotations: Mapping[str, Any]) -> str:
    """Return a tool's annotations of its behaviour as a sentence, empty where there are none."""
    harmless = annotations.get("readOnlyHint") is True
    stated = [
        words
        for key, value, words in _WORDS
        if isinstance(annotations.get(key), type(value))
        and annotations[key] == value
        and not (harmless and key in _OF_CHANGES)
    ]
    if not stated:
        return ""
    last = stated.pop()
    return (
        f"Its annotations say that it {', '.join(stated)} and {last}."
        if stated
        else f"Its annotations say that it {last}."
    )
