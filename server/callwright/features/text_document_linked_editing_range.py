"""Linked editing: the names of a pair of tags, so that one changes with the other.

Owns: `textDocument/linkedEditingRange`. Must not know: dialects, positions.

Linked are the tags of a call and of its parts, in every notation whose closer says the name again, and the tags that
structure a prompt. Never linked is a marker of the notation itself, such as `<tool_call>`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.analysis.snapshot import Snapshot
    from callwright.features.base import Edge, Request
    from callwright.features.support.outline import CallPart

METHOD = "textDocument/linkedEditingRange"
CAPABILITY = "linkedEditingRangeProvider"
OPTIONS: dict[str, Any] = {}

#: What a name may become without the link being given up.
WORD: Final = r"[^\s<>/=\"'\\\[\](){}|]+"
_TAG: Final = re.compile(r"<(?P<slash>/?+)(?P<name>[A-Za-z_][\w.:-]{0,100}+)(?=[\s>/])[^<>]*+>|<!--|<!\[CDATA\[")
_ENDS: Final = {"<!--": "-->", "<![CDATA[": "]]>"}
#: How far around the cursor a pair in prose is sought, in characters.
_REACH: Final = 64 * 1024


def handle(snapshot: Snapshot, request: Request) -> tuple[Span, Span] | None:
    """Return both names of the pair that the cursor is in the name of; None where there is no such pair."""
    from callwright.features.support.outline import outline_between

    if snapshot.host.holds != "calls":
        return None
    here = request.span
    outline = outline_between(snapshot, here)
    for call in outline.calls:
        if call.frame.covers(here):
            pair = _pair_of_call(call, here)
            if pair is not None:
                return pair if _same(snapshot, pair) else None
    inside = any(call.frame.start < here.start and here.end < call.frame.end for call in outline.calls)
    return None if inside else _pair_of_prose(snapshot, here, [call.frame for call in outline.calls])


def _pair_of_call(call: CallPart, here: Span) -> tuple[Span, Span] | None:
    for names in (call.names, *(part.names for part in call.walk())):
        if len(names) == 2 and any(name.covers(here) for name in names):
            return names[0], names[1]
    return None


def _same(snapshot: Snapshot, pair: tuple[Span, Span]) -> bool:
    """Tell whether the names are written alike: a client changes both to what is typed in one."""
    one, other = (snapshot.document.slice(*span) for span in pair)
    return one == other and re.fullmatch(WORD, one) is not None


def _pair_of_prose(snapshot: Snapshot, here: Span, calls: Sequence[Span]) -> tuple[Span, Span] | None:
    """Return the names of a pair of tags in prose; pairs inside of each other are matched by their names."""
    passage = snapshot.passage_at(here.start)
    if passage is None:
        return None
    text, projection = passage.text, passage.projection
    if snapshot.host.flow:
        # A block ends somewhere, and a section goes on.
        from callwright.text.projection import Identity

        begin = max(0, here.start - _REACH)
        text = snapshot.document.slice(begin, min(len(snapshot.document), here.end + _REACH))
        projection = Identity(begin, len(text))
    at = projection.to_decoded(here.start)
    if at is None:
        return None
    waiting: dict[str, list[Span]] = {}
    match, place = _TAG.search(text, 0 if at < _REACH else at - _REACH), 0
    while match is not None and match.start() < at + _REACH:
        place = match.end()
        name = match["name"]
        if name is None:
            end = text.find(_ENDS[match[0]], place)
            place = end if end >= 0 else len(text)
        elif match["slash"]:
            opened = waiting.get(name)
            pair = (opened.pop(), Span(*match.span("name"))) if opened else None
            if pair is not None and any(span.start <= at <= span.end for span in pair):
                raw = (projection.raw_span(pair[0]), projection.raw_span(pair[1]))
                lost = any(call.overlaps(span) for call in calls for span in raw)
                return raw if not lost and _same(snapshot, raw) else None
        elif not match[0].endswith("/>"):
            waiting.setdefault(name, []).append(Span(*match.span("name")))
        match = _TAG.search(text, place)
    return None


def to_lsp(result: tuple[Span, Span], edge: Edge) -> dict[str, Any]:
    """Return both ranges, and what may be typed into them."""
    return {"ranges": [edge.to_lsp_range(span) for span in result], "wordPattern": WORD}
