"""Where the surroundings of a JSON value end: at a closing tag, a closing fence.

Owns: how such an end is recognised after a value, and the limit of reported problems. Must not know: how values are
read, calls, dialects.
"""

import re
from typing import Final

#: After this many problems in one text only their number is kept.
MAX_PROBLEMS: Final = 100


def stop_between(text: str, stop: re.Pattern[str], after: int, at: int, limit: int) -> re.Match[str] | None:
    """Return the match of `stop` that begins in `text[after:at]` or at `at`; only space may be in between.

    A closing fence may begin with the spaces of its indentation, hence the search from the line's start.
    """
    found = stop.match(text, at, limit)
    if found is None and at > after:
        line = max(text.rfind("\n", after, at), text.rfind("\r", after, at)) + 1
        found = stop.match(text, max(line, after), limit)
        if found is None:
            found = stop.match(text, max(line - 1, after), limit) or stop.match(text, after, limit)
    return found
