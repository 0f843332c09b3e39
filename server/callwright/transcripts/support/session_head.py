"""How a session of the runtime begins: what it says of the way in which its replies were read.

Owns: the member that makes a file a session, reading it from a file's beginning. Must not know: shapes, settings. Every
document is asked whether it is a session, so nothing is imported here that costs anything.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

#: The name of the shape.
NAME: Final = "callwright-session"
#: The member that makes a file a session. It stands first, so that the beginning of a file says how to read the rest.
KEY: Final = "callwright_session"
_BEGINNING: Final = re.compile(rf'\ufeff?\s{{0,80}}+\{{\s{{0,80}}+"{KEY}"\s{{0,80}}+:\s{{0,80}}+(?=\{{)')


def declared(head: str) -> Mapping[str, Any] | None:
    """Return what a file that begins with `head` says of how its replies were read, None where it is no session."""
    begun = _BEGINNING.match(head)
    if begun is None:
        return None
    import json

    try:
        value, _ = json.JSONDecoder().raw_decode(head, begun.end())
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
