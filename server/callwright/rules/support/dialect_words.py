"""The words of the dialects themselves: those in a call that are neither names nor values.

Owns: `dialect_words`, derived from how each dialect writes a call. Must not know: any single dialect.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from callwright.calls.protocol import RenderStyle
from callwright.dialects.catalogue import all_dialects
from callwright.text.word_loss import words_of

#: No dialect uses these words itself.
_TOOL: Final = "qqtool"
_ARGUMENTS: Final = {"qqtext": "qqvalue", "qqlist": ["qqitem"], "qqmap": {"qqkey": 5}, "qqsign": "<qq & qq>"}
_GIVEN: Final = "qq"
#: Literals that dialects spell differently, and the names of XML's entities.
_LITERALS: Final = ("true", "false", "null", "True", "False", "None", "CDATA", "lt", "gt", "amp", "quot", "apos", "5")


@cache
def dialect_words() -> frozenset[str]:
    """Return the words that belong to dialects, for all dialects."""
    words = set(_LITERALS)
    for dialect in all_dialects():
        for written in (dialect.render(_TOOL, _ARGUMENTS, None, RenderStyle()), *dialect.openers):
            if isinstance(written, str):
                words |= {word for word in words_of(written) if _GIVEN not in word}
    return frozenset(words)
