"""The words of the notations themselves: those that a call holds although nobody wrote them as a name or a value.

Owns: `dialect_words`, derived from how each dialect writes a call. Must not know: any single dialect.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from callwright.calls.protocol import RenderStyle
from callwright.dialects.catalogue import all_dialects
from callwright.text.word_loss import words_of

#: No dialect has these words of its own.
_TOOL: Final = "qqtool"
_ARGUMENTS: Final = {"qqtext": "qqvalue", "qqlist": ["qqitem"], "qqmap": {"qqkey": 5}, "qqsign": "<qq & qq>"}
_GIVEN: Final = "qq"
#: Literals that one notation writes in another way, and what XML writes for a sign.
_LITERALS: Final = ("true", "false", "null", "True", "False", "None", "CDATA", "lt", "gt", "amp", "quot", "apos", "5")


@cache
def dialect_words() -> frozenset[str]:
    """Return the words that belong to a notation, of every dialect."""
    words = set(_LITERALS)
    for dialect in all_dialects():
        for written in (dialect.render(_TOOL, _ARGUMENTS, None, RenderStyle()), *dialect.openers):
            if isinstance(written, str):
                words |= {word for word in words_of(written) if _GIVEN not in word}
    return frozenset(words)
