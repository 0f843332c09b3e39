"""JSON Lines: which texts are JSON Lines, and which of their lines are not JSON.

Owns: `begins_as_rows`, `begins_with_row`, `is_row`. Must not know: files, what the values are.
"""

import json
import re
from collections.abc import Iterable
from itertools import islice
from typing import Final

from callwright.text.patterns import compile_later

_LEAD: Final = compile_later(r"\ufeff?\s*+(?=[\[{])")
#: What is around a value on its line: whitespace in JSON, and a byte order mark.
_BLANK: Final = "\ufeff \t\r\n"
#: An object, or a list of some, from its first key to its end.
_WHOLE: Final = compile_later(r"(?:\[\s*+)?\{\s*+\".*[}\]]", re.DOTALL)
_NEXT_VALUE: Final = compile_later(r"\s*+[\[{]")


def begins_as_rows(text: str) -> bool:
    """Return whether a text is JSON Lines by its first lines; no JSON document continues after its one value."""
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


def is_row(line: str) -> bool:
    """Return whether a line is one JSON value or blank; one that is too deep to be read may be a value."""
    own = line.strip(_BLANK)
    try:
        json.loads(own or "null")
    except RecursionError:
        return True
    except ValueError:
        return False
    return True


def begins_with_row(lines: Iterable[str]) -> bool:
    """Return whether one of the first two lines with text is a JSON value, or has the form of a complete one.

    A heading may come before the rows. Where a value is laid out over several lines, neither is one. A syntax error
    inside a row does not matter: fixing it must not change the diagnostics of the other rows.
    """
    first = (line.strip(_BLANK) for line in lines if line.strip(_BLANK))
    return any(_WHOLE.fullmatch(line) is not None or is_row(line) for line in islice(first, 2))
