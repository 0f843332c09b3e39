"""Resolving an inlay hint: the edits that insert the defaults that it shows.

Owns: `inlayHint/resolve`. Must not know: the text of a hint, positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Edge, Feature, Request
from callwright.text.span import Edit

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Resolved:
    """The hint as it was shown, of the protocol's own type, and its edits."""

    hint: Any
    edits: Sequence[Edit]


def handle(snapshot: Snapshot, request: Request) -> Resolved:
    """Return the edits of the hint that is shown at the place now; none where it is another one by now."""
    from callwright.features.support.hints import hints

    label = getattr(request.params, "label", None)
    found = [hint for hint in hints(snapshot, request.span) if hint.values and hint.label == label]
    return Resolved(request.params, found[0].edits() if found else ())


def to_lsp(result: Resolved, edge: Edge) -> dict[str, Any]:
    """Return the hint with its edits."""
    from callwright.features.support.plain import plain_data

    hint: dict[str, Any] = plain_data(result.hint)
    if result.edits:
        hint["textEdits"] = [edge.to_lsp_edit(edit) for edit in result.edits]
    return hint


FEATURE: Final = Feature(
    method="inlayHint/resolve",
    # Announced with the hints themselves.
    capability="",
    handle=handle,
    to_lsp=to_lsp,
)
