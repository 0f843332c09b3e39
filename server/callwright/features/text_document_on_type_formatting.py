"""On-type formatting: the closing tag after `>`, the rest of it after `</`, a quote that was left open.

Owns: `textDocument/onTypeFormatting`. Must not know: positions.

Tags of calls are closed, of their arguments and of the dialects' own frames; any other tag is left to the author, but
`</` closes whatever is open and lacks its closer.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from callwright.features.base import Feature, Request, by_kind, empty_answer, to_lsp_edits
from callwright.text.span import Edit, Span, insert

if TYPE_CHECKING:
    from callwright.cursor.cursor import Spot
    from callwright.document.snapshot import Snapshot


_NAME: Final = r"[A-Za-z_][\w.:-]{0,100}+"
_TAG: Final = re.compile(rf"""<(?P<name>{_NAME})(?P<rest>=[^<>\s"']++|[ \t][^<>\r\n]*+)?>\Z""")
#: The parts of a frame whose name is in an attribute.
_PARTS: Final = frozenset({"parameter"})
#: How long a tag may be, and how far after the cursor its closer is sought.
_MAX_LENGTH: Final = 240
_REACH: Final = 32 * 1024


def _of_text(snapshot: Snapshot, request: Request) -> tuple[Edit, ...]:
    """Return what is to be added at the cursor; nothing where all is closed or nothing of ours is."""
    from callwright.cursor.cursor import spot_at

    spot = spot_at(snapshot, request.span.start)
    if spot is None:
        return ()
    typed = str(getattr(request.params, "ch", "")) or spot.text[spot.offset - 1 : spot.offset]
    edits = _closer(snapshot, spot) if typed == ">" else _rest(snapshot, spot) if typed == "/" else []
    found: list[Edit] = []
    for edit in edits:
        encoded = spot.projection.encode(edit)
        if encoded is None:
            return ()
        found.append(encoded)
    return tuple(found)


def _closer(snapshot: Snapshot, spot: Spot) -> list[Edit]:
    """Return what closes the opening tag that ends at the cursor."""
    text, at = spot.text, spot.offset
    start = text.rfind("<", max(0, at - _MAX_LENGTH), at)
    tag = _TAG.match(text[start:at]) if start >= 0 else None
    if tag is None or tag[0].endswith("/>"):
        return []
    name = tag["name"]
    if not _is_ours(snapshot, spot, start + 1 + len(name), name) or _is_closed(text, at, name):
        return []
    edits = [insert(at - 1, '"')] if tag[0].count('"') % 2 else []
    return [*edits, insert(at, f"</{name}>")]


def _is_ours(snapshot: Snapshot, spot: Spot, at: int, name: str) -> bool:
    """Return whether a tag is that of a call, of something in it, or of a frame."""
    from callwright.cursor.cursor import Role, place_at
    from callwright.dialects.catalogue import dialect_openers

    # The place before the tag was finished: after its end, half of a call may look like anything.
    place = place_at(spot.text[:at], at, snapshot.offered, fence=spot.fence)
    if place.role is Role.CHILD_TAG or (place.role is Role.CALL_TAG and snapshot.offered.get(name)):
        return True
    framed = name in _PARTS or any(re.match(rf"<{re.escape(name)}\b", opener) for opener, _ in dialect_openers())
    return framed and place.role in (Role.CALL_TAG, Role.FRAME_TAG, Role.BODY)


def _is_closed(text: str, at: int, name: str) -> bool:
    """Return whether the element that is open at `at` is closed in what follows."""
    depth = 1
    for tag in re.finditer(rf"<(/?){re.escape(name)}(?=[\s>/=])[^<>]*+>", text[at : at + _REACH]):
        if not tag[0].endswith("/>"):
            depth += -1 if tag[1] else 1
        if not depth:
            return True
    return False


def _rest(snapshot: Snapshot, spot: Spot) -> list[Edit]:
    """Return the rest of a closing tag of which `</` is typed: it closes what is open there."""
    from callwright.cursor.cursor import Role, place_at
    from callwright.cursor.section_tree import closers_at

    text, at = spot.text, spot.offset
    if text[at - 2 : at] != "</":
        return []
    place = place_at(text, at, snapshot.offered, fence=spot.fence)
    if place.role is not Role.CLOSING_TAG:
        return []
    name = next(iter(place.open_names or closers_at(snapshot, spot, at - 2)), None)
    if name is None:
        return []
    follows = text[at : at + len(name) + 1]
    if follows[:1].isalnum() or follows.startswith("_"):
        return []
    # The slash is written again, so that the cursor is after all of it.
    return [Edit(Span(at - 1, at), f"/{name}" if follows.startswith(">") else f"/{name}>")]


handle = by_kind(calls=_of_text, tools=empty_answer, configuration=empty_answer)

FEATURE: Final = Feature(
    method="textDocument/onTypeFormatting",
    capability="documentOnTypeFormattingProvider",
    options={"firstTriggerCharacter": ">", "moreTriggerCharacter": ["/"]},
    handle=handle,
    to_lsp=to_lsp_edits,
)
