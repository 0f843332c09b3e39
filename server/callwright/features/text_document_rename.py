"""Rename: another name for a tool or a parameter, in tool files, prompts and transcripts, in one edit with a preview.

Owns: `textDocument/rename`, which changes a person has to confirm, and the message beside them. Must not know: how a
name is found or written, files, positions.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Edge, Feature, RefusedError, Request

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.prompt.renaming import Left, Renaming


#: What an editor shows of each kind of change, by its certainty.
_ANNOTATIONS: Final[dict[str, tuple[str, str]]] = {
    "prose": ("Prose", "Text that seems to mention it but is not a call."),
    "transcript": ("Transcripts", "Earlier messages and calls; renaming them rewrites history."),
    "other set": ("Other tool sets", "A tool of the same name from another file."),
}


@dataclass(frozen=True, slots=True)
class Renamed:
    """The changes of every document, and the message beside them."""

    renamings: Sequence[Renaming]
    notes: list[str] = field(default_factory=list)


def handle(snapshot: Snapshot, request: Request) -> Generator[None, None, Renamed | None]:
    """Return the changes; None where nothing is pointed at. Raises RefusedError where the new name cannot be given."""
    from callwright.features.support.renaming import shipped_folder, target_of
    from callwright.prompt import renaming
    from callwright.prompt.named import Uncertainty

    found = target_of(snapshot, request.span.start)
    if found is None:
        return None
    target, new = found[0], str(request.params.new_name)
    reason = renaming.refusal(target, new, snapshot.registry, snapshot.settings.provider, shipped=shipped_folder())
    if reason is not None:
        raise RefusedError(reason)
    documents = request.workspace.search([target.word]) if request.workspace is not None else [snapshot]
    try:
        everywhere = yield from renaming.rename_everywhere(documents, target, new)
    except renaming.RefusedError as error:
        raise RefusedError(str(error)) from None
    left = [(each.snapshot, one) for each in everywhere for one in each.left]
    certain = [(document, one) for document, one in left if one.occurrence.uncertainty is Uncertainty.NONE]
    if certain:
        raise RefusedError(f"Nothing was renamed: {_reported(*certain[0])}.{_and_more(len(certain) - 1)}")
    notes = [f"{len(left)} places are unchanged; the first: {_reported(*left[0])}."] if left else []
    return Renamed(everywhere, notes)


def _reported(document: Snapshot, left: Left) -> str:
    line = document.document.line_at(left.occurrence.span.start) + 1
    return f"`{os.path.basename(document.path or document.uri)}`, line {line}: {left.reason}"  # noqa: PTH119


def _and_more(count: int) -> str:
    return f" {count} other places have the same problem." if count > 0 else ""


def to_lsp(result: Renamed, edge: Edge) -> dict[str, Any]:
    """Return one edit of the workspace, in which a client that can asks about every change that is not certain.

    Any other client gets the certain edits, and its user a message about what was left out.
    """
    asking = edge.client.document_changes and edge.client.change_annotations
    documents: list[tuple[Edge, list[dict[str, Any]]]] = []
    used: set[str] = set()
    left_out = 0
    for renaming in result.renamings:
        here = edge.of(renaming.snapshot)
        edits: list[dict[str, Any]] = []
        for change in renaming.changes:
            uncertainty = change.occurrence.uncertainty.value
            if uncertainty and not asking:
                left_out += 1
                continue
            shown = [here.to_lsp_edit(one) for one in change.edits]
            if uncertainty:
                used.add(uncertainty)
                shown = [{**one, "annotationId": uncertainty} for one in shown]
            edits += shown
        if edits:
            documents.append((here, edits))
    if left_out:
        places = "place is unchanged, because it is" if left_out == 1 else "places are unchanged, because they are"
        result.notes.append(
            f"{left_out} {places} in prose, in a transcript or in another tool set, "
            "and this editor cannot confirm single changes. `callwright rename --all` renames them, too."
        )
    if not edge.client.document_changes:
        return {"changes": {here.uri: edits for here, edits in documents}}
    edit: dict[str, Any] = {
        "documentChanges": [
            {"textDocument": {"uri": here.uri, "version": here.version}, "edits": edits} for here, edits in documents
        ]
    }
    if used:
        edit["changeAnnotations"] = {
            uncertainty: {"label": label, "description": description, "needsConfirmation": True}
            for uncertainty, (label, description) in _ANNOTATIONS.items()
            if uncertainty in used
        }
    return edit


FEATURE: Final = Feature(
    method="textDocument/rename",
    capability="renameProvider",
    options={"prepareProvider": True, "workDoneProgress": True},
    handle=handle,
    to_lsp=to_lsp,
    notes=lambda renamed: renamed.notes,
    across=True,
)
