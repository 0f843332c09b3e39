"""Written calls: what is missing in a call of any dialect, as that dialect writes it.

Owns: asking the dialect's writer, and the documentation of its drafts. Must not know: any single dialect, positions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from callwright.features.support.call_drafts import MAX_OPENER_LENGTH, Draft, Writer
from callwright.features.support.markdown import type_words

if TYPE_CHECKING:
    from callwright.features.support.completing.site import Site


def writer_at(site: Site) -> Writer:
    """Return what writes in the dialect of the call around the place."""
    return Writer(
        site.place,
        site.registry,
        tools=site.tools,
        members=site.members,
        listed=site.listed,
        cursor=site.spot.offset,
    )


def written_names(site: Site) -> Iterator[Draft]:
    """Yield the tools by name, as the dialect of the call writes them."""
    for draft, tool in writer_at(site).names():
        yield site.about(draft, tool)


def written_arguments(site: Site) -> Iterator[Draft]:
    """Yield the arguments that are not there yet."""
    for draft, schemas, required in writer_at(site).arguments():
        yield site.argument(draft, schemas, required=required)


def written_values(site: Site) -> Iterator[Draft]:
    """Yield the values of an argument, or all arguments where none is begun."""
    if not site.place.path:
        yield from writer_at(site).all_arguments()
        return
    yield from writer_at(site).values()


def links(site: Site) -> Iterator[Draft]:
    """Yield what leads from a call that has ended to the next one."""
    front = site.spot.text[max(0, site.spot.offset - MAX_OPENER_LENGTH) : site.spot.offset]
    for draft, schemas, _ in writer_at(site).links(front):
        yield replace(draft, detail=type_words(schemas[0][0], schemas[0][1].input_schema) if schemas else "")
