"""Diagnostics: what is found in a document.

Owns: `textDocument/diagnostic`; what is pushed to a client that does not ask is the same. Must not know: when either
happens, what was found before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callwright.analysis.snapshot import Snapshot
    from callwright.features.base import Edge, Request
    from callwright.rules.base import Diagnostic

METHOD = "textDocument/diagnostic"
CAPABILITY = "diagnosticProvider"
# A configuration changes what is found, but then the client is asked to look again; documents do not depend on others.
OPTIONS = {"identifier": "callwright", "interFileDependencies": False, "workspaceDiagnostics": False}


def handle(snapshot: Snapshot, _request: Request) -> list[Diagnostic]:
    """Return what is found in the document, in the order of the text."""
    from callwright.linter import diagnostics

    return diagnostics(snapshot)


def to_lsp(result: Sequence[Diagnostic], edge: Edge) -> list[dict[str, Any]]:
    """Return the diagnostics as plain data."""
    return [edge.to_lsp_diagnostic(found) for found in result]
