"""Linked editing: the names of a pair of tags, so that one changes with the other.

Owns: `textDocument/linkedEditingRange`. Must not know: dialects, positions.

Linked are the tags of a call and of its parts, in every dialect whose closer repeats the name, and in prose the tags
that frame sections, elements of HTML, and pairs within a line. Never linked is a marker of the dialect itself, such as
`<tool_call>`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Edge, Feature, Request, by_kind, no_answer
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.features.support.outline import CallPart


#: What a name may become without the link being given up.
WORD: Final = r"[^\s<>/=\"'\\\[\](){}|]+"


def _of_text(snapshot: Snapshot, request: Request) -> tuple[Span, Span] | None:
    """Return both names of the pair that the cursor is in the name of; None where there is no such pair."""
    from callwright.cursor.section_tree import names_at
    from callwright.features.support.outline import outline_between

    here = request.span
    outline = outline_between(snapshot, here)
    for call in outline.calls:
        if call.frame.covers(here):
            pair = _pair_of_call(call, here)
            if pair is not None:
                return pair if _same(snapshot, pair) else None
    if any(call.frame.start < here.start and here.end < call.frame.end for call in outline.calls):
        return None
    pair = names_at(snapshot, here.start)
    if pair is None or any(call.frame.overlaps(name) for call in outline.calls for name in pair):
        return None
    return pair if _same(snapshot, pair) else None


def _pair_of_call(call: CallPart, here: Span) -> tuple[Span, Span] | None:
    for names in (call.names, *(part.names for part in call.walk())):
        if len(names) == 2 and any(name.covers(here) for name in names):
            return names[0], names[1]
    return None


def _same(snapshot: Snapshot, pair: tuple[Span, Span]) -> bool:
    """Return whether the names are written alike: a client changes both to what is typed in one."""
    one, other = (snapshot.document.slice(*span) for span in pair)
    return one == other and re.fullmatch(WORD, one) is not None


def to_lsp(result: tuple[Span, Span], edge: Edge) -> dict[str, Any]:
    """Return both ranges, and what may be typed into them."""
    return {"ranges": [edge.to_lsp_range(span) for span in result], "wordPattern": WORD}


handle = by_kind(calls=_of_text, tools=no_answer, configuration=no_answer)

FEATURE: Final = Feature(
    method="textDocument/linkedEditingRange",
    capability="linkedEditingRangeProvider",
    handle=handle,
    to_lsp=to_lsp,
)
