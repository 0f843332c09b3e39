"""Diagnostics: the diagnostics of a document.

Owns: `textDocument/diagnostic`; what is pushed to a client that does not ask is the same. Must not know: when either
happens, earlier diagnostics.

A client that shows related places gets, besides those in the text, the place of an argument's schema.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Edge, Feature, Request

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.features.support.schema_places import SchemaPlace
    from callwright.rules.base import Diagnostic


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """The diagnostics, and by their numbers the places that they are checked against."""

    found: Sequence[Diagnostic]
    schemas: Mapping[int, SchemaPlace] = field(default_factory=dict)


def handle(snapshot: Snapshot, request: Request) -> Diagnostics:
    """Return what is found in the document, in the order of the text."""
    from callwright.lint.linter import diagnostics

    found = diagnostics(snapshot)
    if not found or request.workspace is None or not request.client.related_information:
        return Diagnostics(found)
    from callwright.features.support.schema_places import schema_places

    return Diagnostics(found, schema_places(snapshot, found, request.workspace.tool_file))


def to_lsp(result: Diagnostics, edge: Edge) -> list[dict[str, Any]]:
    """Return the diagnostics as plain data."""
    shown = [edge.to_lsp_diagnostic(found) for found in result.found]
    edges: dict[str, Edge] = {}
    for number, place in result.schemas.items():
        there = edges.setdefault(place.document.uri, edge.of(place.document))
        location = {"uri": there.uri, "range": there.to_lsp_range(place.span)}
        shown[number].setdefault("relatedInformation", []).append({"location": location, "message": place.message})
    return shown


FEATURE: Final = Feature(
    method="textDocument/diagnostic",
    capability="diagnosticProvider",
    # A configuration changes what is found, but then the client is asked to check again; documents do not depend on
    # others.
    options={"identifier": "callwright", "interFileDependencies": False, "workspaceDiagnostics": False},
    handle=handle,
    to_lsp=to_lsp,
)
