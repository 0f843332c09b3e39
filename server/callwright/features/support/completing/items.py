"""Items: a draft or an offer becomes a completion of the document.

Owns: `Completion`, and what of a draft the passage and the client can take. Must not know: what is offered where,
positions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from callwright.features.support.call_drafts import Draft, documented
from callwright.features.support.configuration import CURSOR, Offer
from callwright.features.support.snippets import escape
from callwright.syntax.prose import line_start
from callwright.text.span import Edit, Span

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.features.base import Client
    from callwright.features.support.completing.site import Site

#: How many items are offered at most; more are not read, and what is typed filters them.
LIMIT: Final = 2_000


@dataclass(frozen=True, slots=True)
class Completion:
    """One thing that can be written: what is shown, what is inserted where, and what it is found by.

    `edit` and `further` are in offsets of the document; `edit.text` is a snippet where `snippet` is true. `filter` is
    what a client compares with the text that the edit replaces; `commit` are the characters that accept it and are
    written after it. `about` are a tool and the path of a parameter in it, which are described on request;
    `documentation` is what is known without asking.
    """

    label: str
    kind: str
    edit: Edit
    filter: str
    snippet: bool = False
    detail: str = ""
    documentation: str = ""
    deprecated: bool = False
    further: tuple[Edit, ...] = ()
    commit: str = ""
    about: tuple[str, tuple[str | int, ...]] | None = None
    required: bool = False


def offered(snapshot: Snapshot, client: Client, offers: Iterable[Offer]) -> list[Completion]:
    """Return offers as completions."""
    found: list[Completion] = []
    for offer in offers:
        text = offer.text
        snippet = client.snippets and CURSOR in text
        text = escape(text).replace(CURSOR, "$0") if snippet else text.replace(CURSOR, "")
        # What a client compares with the filter is all that is replaced, quotes included.
        replaced = snapshot.document.slice(offer.span.start, offer.span.end)
        quote = replaced[:1] if replaced[:1] in ("'", '"') else ""
        found.append(
            Completion(
                label=offer.label,
                kind=offer.kind,
                edit=Edit(offer.span, text),
                filter=f"{quote}{offer.label}{quote}",
                snippet=snippet,
                documentation=offer.about,
            )
        )
    return found[:LIMIT]


def finish(site: Site, draft: Draft) -> Completion | None:
    """Return a draft as a completion of the document; None where its passage cannot hold it."""
    projection = site.spot.projection
    place = site.place
    span = draft.span or place.span
    # Lines are written with the margin that they have in the passage; the passage's encoding adds what it needs.
    margin = place.writing.margin if place.writing is not None else _margin_in_passage(site, span.start)
    edit = projection.encode(Edit(span, draft.text.replace("\n", "\n" + margin)))
    further = [projection.encode(one) for one in draft.further]
    if edit is None or None in further:
        return None
    document = site.snapshot.document
    if document.line_at(edit.span.start) != document.line_at(edit.span.end):
        # The protocol takes no completion that replaces more than one line.
        return None
    snippets = site.client.snippets and draft.slots is not None
    text = edit.text
    if draft.slots is not None:
        text = draft.slots.fill(text, snippets=snippets, final=draft.final)
    if snippets and "\n" in text:
        # A client that expands snippets indents their lines as the first; plain text is inserted as it is.
        first, *lines = text.split("\n")
        own = _margin(site, edit.span.start)
        text = "\n".join([first, *(line.removeprefix(own) for line in lines)])
    # What a client compares with the filter begins where the edit begins: with the quote of a JSON string.
    lead = span.start + (site.spot.text[span.start : span.start + 1] in ('"', "'") and span.end > span.start)
    before = site.snapshot.document.slice(edit.span.start, projection.raw_span(Span(lead, lead)).start)
    return Completion(
        label=draft.label,
        kind=draft.kind,
        edit=Edit(edit.span, text),
        filter=before + (draft.filter or draft.label),
        snippet=snippets,
        detail=draft.detail,
        documentation=documented(draft, site.registry, site.relation) if site.eager else "",
        deprecated=draft.deprecated,
        further=tuple(one for one in further if one is not None),
        commit="" if snippets else draft.commit,
        about=draft.about,
        required=draft.required,
    )


def _margin_in_passage(site: Site, offset: int) -> str:
    """Return the white space that the line of a passage's offset begins with."""
    line = site.spot.text[line_start(site.spot.text, offset) : offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _margin(site: Site, offset: int) -> str:
    """Return the white space that the line of a document's offset begins with."""
    document = site.snapshot.document
    start = document.line_start(document.line_at(offset))
    line = document.slice(start, offset)
    return line[: len(line) - len(line.lstrip(" \t"))]
