"""Outgoing calls: the tools that a turn, a section or a document calls.

Owns: `callHierarchy/outgoingCalls`. Must not know: what holds a call, files, positions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Edge, Feature, Request, Workspace

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.features.support.hierarchy import Link
    from callwright.features.support.outline import CallPart


def handle(_snapshot: None, request: Request) -> list[Link]:
    """Return the tools, in the order in which they are called first; a tool calls none."""
    from callwright.features.support.hierarchy import callers

    data = getattr(request.params.item, "data", None)
    workspace = request.workspace
    if not isinstance(data, Mapping) or workspace is None or type(data.get("place")) is not int:
        return []
    document = workspace.document(str(data.get("uri")))
    if document is None:
        return []
    found = [each for each in callers(document) if each[0].key["place"] == data["place"]]
    return _by_tool(found[0][1], document, workspace) if found else []


def _by_tool(calls: Sequence[CallPart], document: Snapshot, workspace: Workspace) -> list[Link]:
    from callwright.features.support.hierarchy import Link, called_item, places_of, tool_item

    groups: dict[str, list[CallPart]] = {}
    for call in calls:
        groups.setdefault(call.tool.name if call.tool is not None else call.title, []).append(call)
    links: list[Link] = []
    for group in groups.values():
        tool = group[0].tool
        item = tool_item(tool, document, workspace) if tool is not None else None
        links.append(Link(item or called_item(group[0], document), document, places_of(group)))
    return links


def to_lsp(result: Sequence[Link], edge: Edge) -> list[dict[str, Any]]:
    """Return the tools, each with the places where it is called."""
    from callwright.features.support.hierarchy import to_lsp_links

    return list(to_lsp_links(result, edge, "to"))


FEATURE: Final = Feature(
    method="callHierarchy/outgoingCalls",
    # Announced with the start of the hierarchy.
    capability="",
    handle=handle,
    to_lsp=to_lsp,
    of_workspace=True,
    across=True,
)
