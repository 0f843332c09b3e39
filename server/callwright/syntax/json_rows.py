"""JSON Lines, told by what a text begins with: one whole value on a line, and another one below it.

Owns: `begins_as_rows`. Must not know: files, what the values are.
"""

import json
import re
from typing import Final

_LEAD: Final = re.compile(r"\ufeff?\s*+(?=[\[{])")
_NEXT_VALUE: Final = re.compile(r"\s*+[\[{]")


def begins_as_rows(text: str) -> bool:
    """Return whether a text is JSON Lines by its first lines; no JSON document goes on after its one value."""
    lead = _LEAD.match(text)
    if lead is None:
        return False
    ends = [at for at in (text.find("\n", lead.end()), text.find("\r", lead.end())) if at >= 0]
    first = text[lead.end() : min(ends)].rstrip(" \t") if ends else ""
    if not first.endswith(("]", "}")) or _NEXT_VALUE.match(text, min(ends)) is None:
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return False
    return True
