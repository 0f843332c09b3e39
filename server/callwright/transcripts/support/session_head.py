"""How a session of the runtime begins: the head, which describes how its replies were read.

Owns: the member that makes a file a session, its form, reading it from a file's beginning. Must not know: shapes,
settings. Every document is asked whether it is a session, so nothing slow is imported here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

#: The name of the shape.
NAME: Final = "callwright-session"
#: The member that makes a file a session. It is first, so that a file's beginning decides how the rest is read.
KEY: Final = "callwright_session"
#: The form of sessions that is written, and the highest that is known.
VERSION: Final = 1
_BEGINNING: Final = re.compile(rf'\ufeff?\s{{0,80}}+\{{\s{{0,80}}+"{KEY}"\s{{0,80}}+:\s{{0,80}}+(?=\{{)')


def place_of(head: str) -> int | None:
    """Return where the object begins that describes how a session's replies were read, None where `head` has none."""
    begun = _BEGINNING.match(head)
    return None if begun is None else begun.end()


def form_fault(version: Any) -> str | None:
    """Return what is wrong with the format version of a session, None where it is known."""
    if type(version) is not int or version < 1:
        return f"`{KEY}.version` must be a whole number of 1 or more"
    if version > VERSION:
        return (
            f"this session has the form {version}, and this version of Callwright knows forms up to {VERSION}: "
            "use a newer one"
        )
    return None


def declared(head: str) -> Mapping[str, Any] | None:
    """Return how a file that begins with `head` declares that its replies were read, None where it is not a session."""
    begun = place_of(head)
    if begun is None:
        return None
    import json

    try:
        value, _ = json.JSONDecoder().raw_decode(head, begun)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
