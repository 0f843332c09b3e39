"""Inlay hints: the type that untyped text has, the defaults of what a call leaves out, the strikes of a transcript.

Owns: `textDocument/inlayHint`. Must not know: the text of a hint, positions.

Only the requested range is read; strikes are counted in documents up to the outline's length. A double click on
defaults inserts them; the edits for that are made when a hint is resolved, if the client supports that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Edge, Feature, Request

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.features.support.hints import Hint


def handle(snapshot: Snapshot, request: Request) -> list[Hint]:
    """Return the hints in the range asked about, in the order of the text."""
    from callwright.features.support.hints import hints

    return hints(snapshot, request.span, request.turned_off)


def to_lsp(result: Sequence[Hint], edge: Edge) -> list[dict[str, Any]]:
    """Return the hints, with their edits for a client that does not ask for these when they are needed."""
    from callwright.features.support.hints import TYPES
    from callwright.text.span import Span

    later = "textEdits" in edge.client.words("textDocument.inlayHint.resolveSupport.properties")
    shown: list[dict[str, Any]] = []
    for hint in result:
        place = edge.to_lsp_range(Span(hint.at, hint.at))["start"]
        one: dict[str, Any] = {"position": place, "label": hint.label, "paddingLeft": hint.setting != TYPES}
        if hint.kind is not None:
            one["kind"] = hint.kind
        if hint.tooltip:
            one["tooltip"] = hint.tooltip
        if hint.values and later:
            one["data"] = {"uri": edge.uri}
        elif hint.values and (edits := hint.edits()):
            one["textEdits"] = [edge.to_lsp_edit(edit) for edit in edits]
        shown.append(one)
    return shown


FEATURE: Final = Feature(
    method="textDocument/inlayHint",
    capability="inlayHintProvider",
    options={"resolveProvider": True},
    handle=handle,
    to_lsp=to_lsp,
    refresh="workspace/inlayHint/refresh",
)
