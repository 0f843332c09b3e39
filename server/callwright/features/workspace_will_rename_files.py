"""Before files are renamed or moved: the edits that let configurations and tool files name them as before.

Owns: `workspace/willRenameFiles`. Must not know: where a path may be, files, positions.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Edge, Feature, Request
from callwright.text.span import Edit

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot


def handle(_snapshot: None, request: Request) -> Generator[None, None, list[tuple[Snapshot, list[Edit]]] | None]:
    """Return the edits of every document that names one of the files; None where none does."""
    from callwright.features.support.moving import Moves, follow

    workspace = request.workspace
    if workspace is None:
        return None
    pairs = [(workspace.path_of(each.old_uri), workspace.path_of(each.new_uri)) for each in request.params.files]
    moves = Moves([(old, new) for old, new in pairs if old is not None and new is not None and old != new])
    found: list[tuple[Snapshot, list[Edit]]] = []
    if not moves.pairs:
        return None
    for document in workspace.project_files():
        edits = follow(document, moves) if document is not None else []
        if document is not None and edits:
            found.append((document, edits))
        yield
    return found or None


def to_lsp(result: Sequence[tuple[Snapshot, Sequence[Edit]]], edge: Edge) -> dict[str, Any]:
    """Return one edit of the workspace."""
    shown = [edge.of(document).to_lsp_workspace_edit(edits) for document, edits in result]
    if edge.client.document_changes:
        return {"documentChanges": [change for one in shown for change in one["documentChanges"]]}
    return {"changes": {uri: edits for one in shown for uri, edits in one["changes"].items()}}


FEATURE: Final = Feature(
    method="workspace/willRenameFiles",
    capability="workspace.fileOperations.willRename",
    # A pattern of a configuration may name any file, and any folder may hold one.
    options={"filters": [{"scheme": "file", "pattern": {"glob": "**/*"}}]},
    handle=handle,
    to_lsp=to_lsp,
    of_workspace=True,
)
