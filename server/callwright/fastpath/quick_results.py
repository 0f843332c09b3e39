"""The quick verdict on what tools returned: values and texts that surely tell of no failure.

Owns: `look_at_result`, `may_tell_failure`, and what most calm texts begin with. Must not know: which call a result
answers, shapes of transcripts, lines.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from callwright.calls.result_text import FAILURES
from callwright.conversation.results import tells_failure
from callwright.fastpath.quick_lines import UnsureError

#: What a text that tells of no failure begins with, as a rule.
CALM: Final = frozenset("".join(map(chr, range(33, 127))).translate({ord(mark): None for mark in "{[<eEtTfF"}))
#: One of these stands in every text that tells of a failure, in any case.
_TELLING: Final = ("error", "exception", "traceback", "fatal", "fail", "success", '"ok"')


def may_tell_failure(text: str) -> bool:
    """Return whether a text has any of the words that stand in every text that tells of a failure."""
    # Faster by far than one pattern for all of them.
    lowered = text.lower()
    return any(word in lowered for word in _TELLING)


def _value_of(content: str, loads: Callable[[str], Any]) -> Any:
    """Return the value that a text is where it is JSON, else the text; any value will do where it tells of no
    failure."""
    try:
        # What a fast reader takes, every reader takes for the same; it is sooner read than searched.
        return loads(content)
    except (UnsureError, ValueError):
        if not may_tell_failure(content):
            return None
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return content


def look_at_result(content: Any, loads: Callable[[str], Any]) -> None:
    """Look at what a tool returned; raises `UnsureError` where it may tell of a failure.

    `loads` reads JSON, and raises ValueError or `UnsureError` where it does not.
    """
    if type(content) is list:
        (only,) = content
        if len(only) != 2 or only["type"] != "text":
            raise UnsureError
        content = only["text"]
    if type(content) is not str:
        raise UnsureError
    head = content[:64].lstrip()
    if head.startswith(("{", "[")):
        if tells_failure(_value_of(content, loads)):
            raise UnsureError
    elif head.lower().startswith(FAILURES) or (not head and len(content) > len(head)):
        raise UnsureError
