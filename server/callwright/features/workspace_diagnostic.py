"""Workspace diagnostics: the diagnostics of every covered file of the open folders, open or not.

Owns: `workspace/diagnostic`. Must not know: files, positions.

Editors poll, which costs as much as reading every file's date. So it is announced only to a client that wants it: one
whose `initializationOptions` have `workspaceDiagnostics`. The diagnostics of configurations and tool files are pushed,
and not reported here.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Edge, Feature, Request

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.rules.base import Diagnostic


@dataclass(frozen=True, slots=True)
class Report:
    """The diagnostics of each document, and what the client has of each already, by its address."""

    found: Sequence[tuple[Snapshot, list[Diagnostic]]]
    known: Mapping[str, str]


def handle(_snapshot: None, request: Request) -> Generator[Report | None, None, Report]:
    """Return the diagnostics of every document, and pause after each."""
    from callwright.lint.linter import diagnostics

    previous = getattr(request.params, "previous_result_ids", None) or ()
    known = {str(each.uri): str(each.value) for each in previous}
    found: list[tuple[Snapshot, list[Diagnostic]]] = []
    for document in request.workspace.search([""]) if request.workspace is not None else ():
        if document is not None and document.host.holds == "calls":
            found.append((document, diagnostics(document)))
            yield Report(found[-1:], known)
        else:
            yield None
    return Report(found, known)


def to_lsp(result: Report, edge: Edge) -> dict[str, Any]:
    """Return a report for each document, of kind `unchanged` where nothing has changed."""
    import hashlib
    import json

    items: list[dict[str, Any]] = []
    for document, found in result.found:
        own = edge.of(document)
        shown = [own.to_lsp_diagnostic(diagnostic) for diagnostic in found]
        identity = hashlib.blake2b(json.dumps(shown).encode("ascii"), digest_size=12).hexdigest()
        report: dict[str, Any] = {"uri": own.uri, "version": own.version, "resultId": identity}
        if result.known.get(own.uri) == identity:
            items.append({**report, "kind": "unchanged"})
        else:
            items.append({**report, "kind": "full", "items": shown})
    return {"items": items}


FEATURE: Final = Feature(
    method="workspace/diagnostic",
    handle=handle,
    to_lsp=to_lsp,
    of_workspace=True,
    nothing=Report((), {}),
)
