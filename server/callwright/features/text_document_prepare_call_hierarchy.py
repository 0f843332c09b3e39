"""The start of a call hierarchy: the tool that is pointed at, or the turn or section around the cursor.

Owns: `textDocument/prepareCallHierarchy`. Must not know: who calls what, positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Edge, Feature, Request

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.features.support.hierarchy import Item


def handle(snapshot: Snapshot, request: Request) -> list[Item] | None:
    """Return the one item; None where nothing is called and nothing calls."""
    from callwright.features.support.hierarchy import called_item, caller_at, callers, is_of, tool_item
    from callwright.prompt.targets import target_at

    found = target_at(snapshot, request.span.start)
    if found is None:
        around = caller_at(snapshot, request.span.start)
        return [around] if around is not None else None
    target = found[0]
    item = tool_item(target.tool, snapshot, request.workspace) if target.tool is not None else None
    if item is not None:
        return [item]
    calls = [call for _, calls in callers(snapshot) for call in calls if is_of(call, target)]
    return [called_item(calls[0], snapshot)] if calls else None


def to_lsp(result: Sequence[Item], edge: Edge) -> list[dict[str, Any]]:
    """Return the items."""
    from callwright.features.support.hierarchy import to_lsp_item

    return [to_lsp_item(item, edge) for item in result]


FEATURE: Final = Feature(
    method="textDocument/prepareCallHierarchy",
    capability="callHierarchyProvider",
    handle=handle,
    to_lsp=to_lsp,
    across=True,
)
