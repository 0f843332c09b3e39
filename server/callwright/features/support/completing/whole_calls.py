"""Whole calls: what can be begun where no call is, and the names of tools alone.

Owns: where on a line a call may begin. Must not know: how a dialect writes a call (it is asked), positions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from callwright.features.support.call_drafts import MAX_OPENER_LENGTH, Draft, opener_drafts
from callwright.syntax.prose import line_end, line_start

if TYPE_CHECKING:
    from callwright.features.support.completing.site import Site


def prose_calls(site: Site) -> Iterator[Draft]:
    """Yield whole calls where a line holds nothing but, perhaps, the beginning of a tool's name."""
    place, text = site.place, site.spot.text
    if not site.is_alone(place.span.start):
        return
    if text[place.span.end : line_end(text, place.span.end)].strip():
        return
    in_json_fence = place.fence in ("json", "jsonc", "json5")
    for tool in site.tools():
        dialect = "fenced-json" if in_json_fence else site.dialect(tool)
        written = site.call(tool, dialect, fenced=not in_json_fence and place.fence is None)
        if written is not None:
            yield site.about(Draft(tool.name, "tool", written[0], written[1]), tool)


def openers(site: Site) -> Iterator[Draft]:
    """Yield whole calls in other dialects than that of the tag which may have been begun."""
    text, cursor = site.spot.text, site.spot.offset
    before = text[line_start(text, cursor) : cursor]
    if before.strip() and len(before) < MAX_OPENER_LENGTH:
        settings = site.snapshot.settings
        stated = None if settings.dialect is None else (settings.dialect, *settings.accept, *settings.taken)
        own = settings.dialect or site.dialect_here
        yield from opener_drafts(before, cursor, own, site.tools(), stated)


def bare_names(site: Site) -> Iterator[Draft]:
    """Yield the tools by name alone, in a field of their own."""
    for tool in site.tools():
        yield site.about(Draft(tool.name, "tool", tool.name), tool)
