"""Document highlights: every place in the document that names the tool or the parameter that is pointed at.

Owns: `textDocument/documentHighlight`. Must not know: how a name is found, positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Edge, Feature, Request
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot


#: In a longer document only what is pointed at is shown: this is asked at every movement of the cursor.
_MAX_LENGTH: Final = 1 << 19
#: The protocol's numbers.
_TEXT, _READ, _WRITE = 1, 2, 3
_KINDS: Final = {"definition": _WRITE, "mention": _TEXT}


@dataclass(frozen=True, slots=True)
class Highlight:
    """A writing of the name, and what it is in the protocol's terms: a text, a use, a definition."""

    span: Span
    kind: int


def handle(snapshot: Snapshot, request: Request) -> list[Highlight] | None:
    """Return the places; None where no tool and no parameter is pointed at."""
    from callwright.prompt.occurrences import occurrences
    from callwright.prompt.targets import target_at

    found = target_at(snapshot, request.span.start)
    if found is None:
        return None
    places = [found[1]] if len(snapshot.document) > _MAX_LENGTH else occurrences(snapshot, found[0])
    return [Highlight(span, _KINDS.get(each.kind.value, _READ)) for each in places for span in each.spans]


def to_lsp(result: Sequence[Highlight], edge: Edge) -> list[dict[str, Any]]:
    """Return the highlights."""
    return [{"range": edge.to_lsp_range(one.span), "kind": one.kind} for one in result]


FEATURE: Final = Feature(
    method="textDocument/documentHighlight",
    capability="documentHighlightProvider",
    handle=handle,
    to_lsp=to_lsp,
)
