"""Excerpts: the place of a fault in a model's own text, on one line, with carets beneath.

Owns: `Excerpt`, `excerpt`. Must not know: the fault itself, the message around an excerpt.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from callwright.text.holes import HOLE
from callwright.text.shown import cells, visible
from callwright.text.span import Span

_CUT: Final = "…"
_TAB: Final = "␉"
_NEWLINE: Final = "␤"
_TICKS = re.compile("`++")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of one line of a text: `code` is the part in back-ticks, `before` and `under` count terminal cells.

    The carets begin `before` cells after the first back-tick, and there are `under` of them.
    """

    code: str
    before: int
    under: int

    def carets(self, margin: int) -> str:
        """Return the line with the carets, for an excerpt that begins `margin` cells from the left."""
        return " " * (margin + self.before) + "^" * self.under


def excerpt(text: str, span: Span, room: int, within: Span | None = None) -> Excerpt:
    """Return the line that `span` begins in, cut to `room` cells around that place.

    Text outside of `within` is not shown. Control characters become their pictures: `␉` is a tab. Reads no more of the
    text than a few times `room`.
    """
    low, high = (0, len(text)) if within is None else within
    start = min(max(span.start, low), high)
    # Twice the room on either side, so that it is known whether text is cut off.
    first, last = max(low, start - 2 * room), min(high, start + 2 * room)
    first = max(text.rfind("\n", first, start), text.rfind("\r", first, start), first - 1) + 1
    ends = [at for at in (text.find("\n", start, last), text.find("\r", start, last)) if at >= 0]
    last = min(ends, default=last)
    raw = text[first:last]
    lead = len(raw) - len(raw.lstrip(" \t"))
    if first + lead <= start and lead < len(raw):
        first, raw = first + lead, raw[lead:]
    characters = [*visible(raw.replace("\t", _TAB).replace(HOLE, "\ufffd"))]
    widths = cells("".join(characters))
    at = start - first
    stop = min(max(span.end - first, at), len(raw))
    if ends and span.end > last:
        # The end of the line belongs to the fault.
        characters.append(_NEWLINE)
        widths.append(1)
        stop = len(characters)
    begin, end = _window(widths, at, stop, room)
    cut_left = begin > 0 or (first > low and first == start - 2 * room)
    cut_right = end < len(widths) or (not ends and last < high)
    shown = (_CUT if cut_left else "") + "".join(characters[begin:end]) + (_CUT if cut_right else "")
    ticks = "`" * (max((len(run) for run in _TICKS.findall(shown)), default=0) + 1)
    edge = " " if not shown or not shown.strip() or "`" in (shown[0], shown[-1]) else ""
    before = len(ticks) + len(edge) + int(cut_left) + sum(widths[begin:at])
    code = f"{ticks}{edge}{shown or ' '}{edge}{ticks}"
    return Excerpt(code, before, max(sum(widths[at : min(stop, end)]), 1))


def _window(widths: list[int], at: int, stop: int, room: int) -> tuple[int, int]:
    """Return which characters are shown: a third of the room is for the text after the place, if there is enough."""
    begin = end = at
    taken = 0
    while end < len(widths) and (end < stop or taken < room // 3) and taken + widths[end] <= room // 2:
        taken += widths[end]
        end += 1
    while begin > 0 and taken + widths[begin - 1] <= room:
        begin -= 1
        taken += widths[begin]
    while end < len(widths) and taken + widths[end] <= room:
        taken += widths[end]
        end += 1
    return begin, end
