"""What the storm does to a document: keystrokes, characters that editors count differently, pastes and cuts, all of it.

Owns: the choice of changes for a text. Must not know: servers, what is asserted.
"""

from __future__ import annotations

import re
from random import Random
from typing import Final

from invariants.corpus import corpus, markers
from invariants.host_documents import PIECES, random_edit
from lsp.typist import Change
from soak.documents import LARGEST, SMALLEST, flow, plain

#: Characters at which line numbers and columns go wrong where someone counts otherwise.
ODD: Final = [
    *("😀", "👩‍👩‍👧", "é", "e\u0301", "\U0010ffff", "\r", "\r\n", "\n", "\n\r", "\r\r\n", "\x0b", "\x0c", "\x85"),
    *("\u2028", "\u2029", "\ufeff", "\u200b", "\u200d", "\u202e", "\x00", "\t", "\x1c", "\x1e", "中文", "ß"),
]
KEYS: Final = [*"abcxyz_ 0<>/{}[]()\"'`\\:,.-=#|&;\n\n"]
_LINE_END: Final = re.compile(r"\r\n|\r|\n")


def changes(text: str, cursor: int, random: Random) -> list[Change]:
    """Return what happens next to a text whose cursor is at an offset: one change, now and then several."""
    if len(text) > LARGEST:
        start = random.randint(0, len(text) - LARGEST // 2)
        return [(start, start + LARGEST // 2, "")]
    if len(text) < SMALLEST and random.random() < 0.5:
        return [(len(text), len(text), "\n\n" + plain(flow(random, 4 * SMALLEST)))]
    found = [_one(text, cursor, random)]
    while random.random() < 0.12:
        start, end, new = found[-1]
        text = text[:start] + new + text[end:]
        found.append(_one(text, random.randint(0, len(text)), random))
    return found


def _one(text: str, cursor: int, random: Random) -> Change:
    kind = random.random()
    at = cursor if kind < 0.55 else random.randint(0, len(text))
    if kind < 0.35:
        return (at, at, random.choice(KEYS))
    if kind < 0.45:
        return (max(0, at - 1), at, "")
    if kind < 0.55:
        return (at, at, random.choice(random.choice(markers())))
    if kind < 0.67:
        return (at, at, random.choice(ODD))
    if kind < 0.7:
        # An end of line of one kind becomes one of another.
        ends = [found.span() for found in _LINE_END.finditer(text, at)][:1] or [(at, at)]
        return (*ends[0], random.choice(("\n", "\r", "\r\n", "")))
    if kind < 0.9:
        span, new = random_edit(text, random)
        return (span.start, min(span.end, span.start + 2_000), plain(new))
    if kind < 0.95:
        return (at, at, plain(random.choice((*PIECES, random.choice(corpus())))))
    return (at, min(len(text), at + random.choice((5, 80, 500))), "")
