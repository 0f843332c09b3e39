"""Disputes: calls of a document that lxml reads differently after an edit.

Owns: which calls an edit has touched, and passing them to the referee. Must not know: what agreement is, the handling
of a dispute.
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
    """Return how lxml reads a call differently after edits of the document; None where it agrees."""
    written = sorted(edits, key=lambda edit: edit.span)
    if not any("<" in edit.text or _is_in_markup(snapshot, edit.span) for edit in written):
        return None
    # From the end of the text to its beginning, so that no edit moves another.
    after = snapshot.edit(written[::-1])
    return next((found for _, found in disputes(after, AfterEdits(written).written())), None)


def _is_in_markup(snapshot: Snapshot, span: Span) -> bool:
    """Return whether a span touches a call whose arguments are elements."""
    place = snapshot.block_at(span.start)
    calls = snapshot.calls_of(*place) if place is not None else ()
    return any(isinstance(each.call.arguments, MarkupValue) and each.span.touches(span) for each in calls)


def disputes(snapshot: Snapshot, places: Sequence[Span]) -> Iterator[tuple[Span, Disagreement]]:
    """Yield the spans of calls that touch one of `places` and that lxml reads differently; `places` are in order."""
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
