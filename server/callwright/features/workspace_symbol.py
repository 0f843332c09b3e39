"""Workspace symbols: the tools of the projects, and the calls in their files.

Owns: `workspace/symbol`. Must not know: files, how a name is found, positions.

Without a query only tools are listed, which needs no search of files.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Edge, Feature, Request, Workspace
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot


#: How many symbols are listed, and how many of them may be calls of one file.
_MAX_COUNT: Final = 512
_OF_ONE: Final = 64
#: The protocol's numbers.
_FUNCTION, _EVENT = 12, 24


@dataclass(frozen=True, slots=True)
class Named:
    """A tool or a call: its name, where it is, and what it is."""

    name: str
    document: Snapshot
    span: Span
    kind: int
    container: str


def handle(_snapshot: None, request: Request) -> Generator[list[Named] | None, None, list[Named]]:
    """Return the matches of the query: all its characters are in the name in this order."""
    query = str(getattr(request.params, "query", "") or "")
    found: list[Named] = []
    workspace = request.workspace
    if workspace is None:
        return found
    found += [tool for tool in _tools(workspace) if fits(query, tool.name)][:_MAX_COUNT]
    yield found[:]
    if not query:
        return found
    for document in workspace.search({query, query.lower()}):
        if document is not None:
            here = _calls(document, query)[: _MAX_COUNT - len(found)]
            found += here
            yield here or None
        else:
            yield None
        if len(found) >= _MAX_COUNT:
            break
    return found


def fits(query: str, name: str) -> bool:
    """Return whether the characters of a query are in a name in their order, in whatever case."""
    rest = iter(name.lower())
    return all(character in rest for character in query.lower())


def _tools(workspace: Workspace) -> Iterator[Named]:
    seen: set[tuple[str, str]] = set()
    for project in workspace.registries():
        for tool in project.registry:
            origin = tool.origin
            if origin.file is None or (origin.file, origin.pointer) in seen:
                continue
            seen.add((origin.file, origin.pointer))
            document = workspace.tool_file(origin.file)
            if document is None or origin.span is None or origin.span.end > len(document.document):
                continue
            yield Named(tool.name, document, origin.span, _FUNCTION, origin.tool_set)


def _calls(document: Snapshot, query: str) -> list[Named]:
    from callwright.features.support.outline import MAX_LENGTH, outline_between

    if document.host.holds != "calls" or len(document.document) > MAX_LENGTH:
        return []
    file = (document.path or document.uri).replace("\\", "/").rpartition("/")[2]
    return [
        Named(call.title, document, call.span, _EVENT, file)
        for call in outline_between(document).calls
        if fits(query, call.title)
    ][:_OF_ONE]


def to_lsp(result: Sequence[Named], edge: Edge) -> list[dict[str, Any]]:
    """Return the symbols with their places."""
    edges = {id(one.document): edge.of(one.document) for one in result}
    shown: list[dict[str, Any]] = []
    for one in result:
        location = {"uri": one.document.uri, "range": edges[id(one.document)].to_lsp_range(one.span)}
        symbol: dict[str, Any] = {"name": one.name or '""', "kind": one.kind, "location": location}
        if one.container:
            symbol["containerName"] = one.container
        shown.append(symbol)
    return shown


FEATURE: Final[Feature[list[Named]]] = Feature(
    method="workspace/symbol",
    capability="workspaceSymbolProvider",
    options={"workDoneProgress": True, "resolveProvider": False},
    handle=handle,
    to_lsp=to_lsp,
    of_workspace=True,
    nothing=[],
)
