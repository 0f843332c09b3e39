"""Definition: where the tool or the parameter that is pointed at is defined.

Owns: `textDocument/definition`. Must not know: how a definition is found in a tool file, positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from callwright.analysis.snapshot import Snapshot
    from callwright.features.base import Edge, Request
    from callwright.text.span import Span

METHOD = "textDocument/definition"
CAPABILITY = "definitionProvider"
OPTIONS: dict[str, Any] = {}


def handle(snapshot: Snapshot, request: Request) -> list[tuple[Snapshot, Span]] | None:
    """Return the names in the tool file that defines them; None where nothing is pointed at that a file defines."""
    from callwright.analysis.occurrences import Kind, Target, occurrences, target_at

    found = target_at(snapshot, request.span.start)
    target = found[0] if found is not None else None
    if target is None or target.tool is None or target.file is None:
        return None
    if snapshot.host.holds == "tools" and snapshot.path == target.file:
        document: Snapshot | None = snapshot
    else:
        document = request.workspace.tool_file(target.file) if request.workspace is not None else None
    if document is None:
        return None
    here = occurrences(document, target)
    if not here and target.path:
        # A parameter that the tool does not have leads to the tool.
        here = occurrences(document, Target(target.name, (), target.tool))
    places = [each for each in here if each.kind is Kind.DEFINITION and each.frame.start <= each.span.start]
    own = target.tool.origin.span
    within = [each.span for each in places if own is None or own.overlaps(each.frame)] or [each.span for each in places]
    return [(document, span) for span in within[: 1 if not target.path else None]]


def to_lsp(result: Sequence[tuple[Snapshot, Span]], edge: Edge) -> list[dict[str, Any]]:
    """Return the places as locations."""
    return [{"uri": document.uri, "range": edge.of(document).to_lsp_range(span)} for document, span in result]
