"""JSON Lines, told by what a text begins with: one whole value on a line, and another one below it.

Owns: `begins_as_rows`. Must not know: files, what the values are.
"""

import json
import re
from typing import Final

#: The first line that is not empty, where it begins and ends as a JSON value and the next one begins as one.
_FIRST_VALUE: Final = re.compile(r"\ufeff?\s*+((?=[\[{])[^\r\n]*(?<=[\]}]))[ \t]*+[\r\n]\s*+[\[{]")


def begins_as_rows(text: str) -> bool:
    """Return whether a text is JSON Lines by its first lines; no JSON document goes on behind its one value."""
    first = _FIRST_VALUE.match(text)
    if first is None:
        return False
    try:
        json.loads(first[1])
    except (ValueError, RecursionError):
        return False
    return True
