"""Selection ranges: from what the cursor is in to what that is in: value, argument, arguments, call, section, turn,
document. Of a section that is what is between its tags, and then all of it.

Owns: `textDocument/selectionRange`. Must not know: dialects, positions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Edge, Feature, Request
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.features.support.outline import CallPart, OutlinePart


#: What a value may be between, which belongs to its dialect.
_AROUND: Final = (("<![CDATA[", "]]>"), ('"', '"'), ("'", "'"), ('\\"', '\\"'))
#: The quotes or markers around a longer value are not searched.
_MAX_LENGTH: Final = 1 << 18
#: So much white space around what a section holds is left out.
_NEAR: Final = 256


def handle(snapshot: Snapshot, request: Request) -> list[list[Span]]:
    """Return for each place what lies around it, the narrowest first; the document is always the last."""
    return [_around(snapshot, offset) for offset in request.offsets]


def _around(snapshot: Snapshot, offset: int) -> list[Span]:
    from callwright.cursor.section_tree import sections_around
    from callwright.features.support.outline import outline_between

    found = [Span(0, len(snapshot.document))]
    here = Span(offset, offset)
    outline = outline_between(snapshot, here) if snapshot.host.holds == "calls" else None
    if outline is not None:
        found += [turn.span for turn in outline.turns]
        passage = snapshot.passage_at(offset)
        if passage is not None:
            found.append(passage.projection.raw_span(Span(0, len(passage.text))))
        sections = sections_around(snapshot, offset)
        for section in sections.around(offset) if sections is not None else ():
            found += (section.span, _stripped(snapshot, section.inner))
        for call in outline.calls:
            if call.frame.covers(here):
                found += _of_call(call, here)
    elif snapshot.host.holds == "tools":
        found += _of_definitions(snapshot)
    holding = sorted(
        {span for span in found if span.covers(here)}, key=lambda span: (span.end - span.start, span.start)
    )
    chain: list[Span] = []
    for span in holding:
        if not chain or (span.covers(chain[-1]) and span != chain[-1]):
            chain.append(span)
    inner = [span for span in _within(snapshot, chain[0]) if span.covers(here) and chain[0].covers(span)]
    return [*(span for span in inner if span != chain[0]), *chain]


def _stripped(snapshot: Snapshot, span: Span) -> Span:
    """Return a span without the lines' ends and other white space at its ends, as far as that is near."""
    document, (start, end) = snapshot.document, span
    before = document.slice(start, min(start + _NEAR, end))
    start += len(before) - len(before.lstrip())
    after = document.slice(max(end - _NEAR, start), end)
    return Span(start, end - len(after) + len(after.rstrip()))


def _of_call(call: CallPart, here: Span) -> Iterator[Span]:
    yield call.frame
    yield call.span
    yield call.body
    yield from (name for name in call.names if name.covers(here))
    parts: list[OutlinePart] = call.parts
    while parts:
        part = next((part for part in parts if part.span.covers(here)), None)
        if part is None:
            break
        yield part.span
        yield part.value
        yield from part.names
        parts = part.children


def _of_definitions(snapshot: Snapshot) -> Iterator[Span]:
    from callwright.prompt.named import document_of

    document = document_of(snapshot)
    for definition in document.definitions:
        yield document.places.value(definition.path)
        if definition.schema_path is not None:
            yield document.places.value(definition.schema_path)


def _within(snapshot: Snapshot, span: Span) -> list[Span]:
    """Return what is between the quotes or the markers of the narrowest thing, the narrowest first."""
    if not 1 < span.end - span.start <= _MAX_LENGTH:
        return []
    text = snapshot.document.slice(span.start, span.end)
    stripped = Span(span.start + len(text) - len(text.lstrip()), span.start + len(text.rstrip()))
    if stripped.end <= stripped.start:
        return []
    own = text.strip()
    for opener, closer in _AROUND:
        if own.startswith(opener) and own.endswith(closer) and len(own) >= len(opener) + len(closer):
            return [Span(stripped.start + len(opener), stripped.end - len(closer)), stripped]
    return [stripped]


def to_lsp(result: Sequence[Sequence[Span]], edge: Edge) -> list[dict[str, Any]]:
    """Return each chain as the narrowest range with the others as its parents."""
    found: list[dict[str, Any]] = []
    for chain in result:
        shown: dict[str, Any] | None = None
        for span in reversed(chain):
            place = edge.to_lsp_range(span)
            shown = {"range": place} if shown is None else {"range": place, "parent": shown}
        if shown is not None:
            found.append(shown)
    return found


FEATURE: Final = Feature(
    method="textDocument/selectionRange",
    capability="selectionRangeProvider",
    handle=handle,
    to_lsp=to_lsp,
)
