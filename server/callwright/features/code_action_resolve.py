"""Resolving a code action: the edits of one that was offered without them.

Owns: `codeAction/resolve`. Must not know: which actions there are, beyond the one that is offered so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from callwright.analysis.snapshot import Snapshot
    from callwright.features.base import Edge, Request
    from callwright.text.span import Edit

METHOD = "codeAction/resolve"
#: Announced with the actions themselves.
CAPABILITY = ""
OPTIONS: dict[str, Any] = {}

FIX_ALL: Final = "source.fixAll.callwright"


@dataclass(frozen=True, slots=True)
class Resolved:
    """The action as it was offered, in plain data, and its edits."""

    title: str
    edits: tuple[Edit, ...]


def handle(snapshot: Snapshot, request: Request) -> Resolved:
    """Return the action's edits for the document as it is now: safe fixes are safe whenever they are applied."""
    from callwright.features.support.differences import edits_between
    from callwright.fixer import fix_all

    after, _fixed = fix_all(snapshot)
    return Resolved(request.params.title, edits_between(snapshot.document.text(), after))


def to_lsp(result: Resolved, edge: Edge) -> dict[str, Any]:
    """Return the action with its edits."""
    return {
        "title": result.title,
        "kind": FIX_ALL,
        "edit": edge.to_lsp_workspace_edit(result.edits),
    }
