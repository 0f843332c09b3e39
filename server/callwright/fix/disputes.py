"""Disputes: the calls of a document that lxml reads otherwise, once something was written into them.

Owns: which calls an edit has touched, and who is asked about them. Must not know: what agreement is, what is done about
a dispute.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from callwright.calls.model import MarkupValue
from callwright.text.span import AfterEdits, Edit, Span

if TYPE_CHECKING:
    from callwright.calls.protocol import Disagreement
    from callwright.document.snapshot import Snapshot


def dispute_after(snapshot: Snapshot, edits: Sequence[Edit]) -> Disagreement | None:
    """Return what lxml has against a call of a document as edits of it leave the call; None where it has nothing."""
    written = sorted(edits, key=lambda edit: edit.span)
    if not any("<" in edit.text or _is_in_markup(snapshot, edit.span) for edit in written):
        return None
    # From the end of the text to its beginning, so that no edit moves the place of another.
    after = snapshot.edit(written[::-1])
    return next((found for _, found in disputes(after, AfterEdits(written).written())), None)


def _is_in_markup(snapshot: Snapshot, span: Span) -> bool:
    """Return whether a span touches a call of which the arguments are elements."""
    place = snapshot.block_at(span.start)
    calls = snapshot.calls_of(*place) if place is not None else ()
    return any(isinstance(each.call.arguments, MarkupValue) and each.span.touches(span) for each in calls)


def disputes(snapshot: Snapshot, places: Sequence[Span]) -> Iterator[tuple[Span, Disagreement]]:
    """Yield where a call is that lxml reads otherwise, of those that touch one of `places`, which are in order."""
    ends = [place.end for place in places]
    for placed in snapshot.placed_calls():
        if not isinstance(placed.call.arguments, MarkupValue):
            continue
        span = placed.span
        near = bisect_left(ends, span.start)
        if near == len(places) or places[near].start > span.end:
            continue
        from callwright.calls.xml_referee import disagreement

        found = disagreement(placed.call, placed.read.passage.text, snapshot.registry)
        if found is not None:
            yield span, found
