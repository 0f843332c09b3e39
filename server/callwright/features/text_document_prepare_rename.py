"""Preparing a rename: whether what is pointed at can be renamed, and the name that an editor offers for change.

Owns: `textDocument/prepareRename`. Must not know: what a rename does, positions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Edge, Feature, Request
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Prepared:
    """The name that is pointed at, and where it is."""

    span: Span
    name: str


def handle(snapshot: Snapshot, request: Request) -> Prepared | None:
    """Return the name; None where no tool and no parameter is pointed at. Raises RefusedError where it must stay."""
    from callwright.features.support.renaming import target_of

    found = target_of(snapshot, request.span.start)
    if found is None:
        return None
    target, occurrence = found
    at = next((span for span in occurrence.spans if span.start <= request.span.start <= span.end), occurrence.span)
    return Prepared(at, target.word)


def to_lsp(result: Prepared, edge: Edge) -> dict[str, Any]:
    """Return the range of the name, and the name without any escape."""
    return {"range": edge.to_lsp_range(result.span), "placeholder": result.name}


FEATURE: Final = Feature(
    method="textDocument/prepareRename",
    # Announced with renaming itself.
    capability="",
    handle=handle,
    to_lsp=to_lsp,
    across=True,
)
