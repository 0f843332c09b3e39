"""Incoming calls: the turns, sections and documents of the workspace that call a tool.

Owns: `callHierarchy/incomingCalls`. Must not know: what holds a call, files, positions.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Edge, Feature, Request

if TYPE_CHECKING:
    from callwright.features.support.hierarchy import Link


def handle(_snapshot: None, request: Request) -> Generator[list[Link] | None, None, list[Link]]:
    """Return the callers of the tool; a turn or a section has none."""
    from callwright.features.support.hierarchy import Link, callers, found_tool, is_of, places_of

    data = getattr(request.params.item, "data", None)
    name = data.get("tool") if isinstance(data, Mapping) else None
    workspace = request.workspace
    links: list[Link] = []
    if not isinstance(name, str) or not isinstance(data, Mapping) or workspace is None:
        return links
    file = data.get("file")
    asked = workspace.document(str(data.get("uri")))
    target = found_tool(name, file if isinstance(file, str) else None, asked, workspace)
    for document in workspace.search(sorted(target.tool_names)):
        here: list[Link] = []
        for item, calls in callers(document) if document is not None else ():
            of_it = [call for call in calls if is_of(call, target)]
            if of_it:
                here.append(Link(item, item.document, places_of(of_it)))
        links += here
        yield here or None
    return links


def to_lsp(result: Sequence[Link], edge: Edge) -> list[dict[str, Any]]:
    """Return who calls, each with the places of its calls."""
    from callwright.features.support.hierarchy import to_lsp_links

    return list(to_lsp_links(result, edge, "from"))


FEATURE: Final[Feature[list[Link]]] = Feature(
    method="callHierarchy/incomingCalls",
    # Announced with the start of the hierarchy.
    capability="",
    handle=handle,
    to_lsp=to_lsp,
    of_workspace=True,
    nothing=[],
    across=True,
)
