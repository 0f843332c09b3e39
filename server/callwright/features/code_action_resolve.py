"""Resolving a code action: the edits of one that was offered without them.

Owns: `codeAction/resolve`. Must not know: how actions are
offered, positions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Edge, Feature, Request
from callwright.features.support.whole_document import CONVERT_ALL, FIX_ALL, edits_of
from callwright.text.span import Edit

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Resolved:
    """The action as it was offered, in plain data, and its edits; `document` is the one that they change, None for the
    one that the action was offered in. `disabled` is why there are none."""

    title: str
    kind: str
    edits: tuple[Edit, ...]
    document: Snapshot | None = None
    disabled: str = ""


def handle(snapshot: Snapshot, request: Request) -> Resolved:
    """Return the action's edits for the document as it is now.

    What is done to all of it was safe then and is safe whenever it is applied. What is done at one place is done to the
    very version that it was offered for, and to no other.
    """
    kind = str(getattr(request.params.kind, "value", request.params.kind))
    data = getattr(request.params, "data", None)
    key = data.get("key") if isinstance(data, Mapping) else None
    if not isinstance(key, Mapping):
        whole = CONVERT_ALL if kind == CONVERT_ALL else FIX_ALL
        return Resolved(request.params.title, whole, edits_of(whole, snapshot))
    from callwright.features.support.offers import taken

    version = data.get("version") if isinstance(data, Mapping) else None
    found = taken(key, snapshot, request.workspace) if version in (None, snapshot.version) else None
    if found is None:
        return Resolved(request.params.title, kind, ())
    document = None if found.snapshot is snapshot else found.snapshot
    return Resolved(request.params.title, kind, found.edits, document, found.refused)


def to_lsp(result: Resolved, edge: Edge) -> dict[str, Any]:
    """Return the action with its edits."""
    there = edge if result.document is None else edge.of(result.document)
    shown: dict[str, Any] = {
        "title": result.title,
        "kind": result.kind,
        "edit": there.to_lsp_workspace_edit(result.edits),
    }
    if result.disabled and edge.client.disabled_actions:
        from callwright.features.support.offers import not_done

        shown["disabled"] = not_done(result.disabled)
    return shown


FEATURE: Final = Feature(
    method="codeAction/resolve",
    # Announced with the actions themselves.
    capability="",
    handle=handle,
    to_lsp=to_lsp,
)
