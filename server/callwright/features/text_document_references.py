"""References: every call of a tool in the workspace, and whatever else names it; the same for a parameter.

Owns: `textDocument/references`. Must not know: how a name is found, files, positions.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from callwright.features.base import Edge, Feature, Request

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.prompt.named import Occurrence


Places: TypeAlias = "list[tuple[Snapshot, Occurrence]]"


def handle(snapshot: Snapshot, request: Request) -> Generator[Places | None, None, Places | None]:
    """Return the places with their documents; None where no tool and no parameter is pointed at."""
    from callwright.prompt.named import Kind
    from callwright.prompt.occurrences import occurrences
    from callwright.prompt.renaming import concerns
    from callwright.prompt.targets import target_at

    found = target_at(snapshot, request.span.start)
    if found is None:
        return None
    target = found[0]
    words = [target.word] if target.path else sorted(target.tool_names)
    documents = request.workspace.search(words) if request.workspace is not None else [snapshot]
    context = getattr(request.params, "context", None)
    declared = context is None or context.include_declaration
    places: Places = []
    for document in documents:
        here: Places = []
        if document is not None and concerns(document, target):
            here = [
                (document, each)
                for each in occurrences(document, target)
                if declared or each.kind is not Kind.DEFINITION
            ]
        places += here
        yield here or None
    return places


def to_lsp(result: Sequence[tuple[Snapshot, Occurrence]], edge: Edge) -> list[dict[str, Any]]:
    """Return the places as locations, one for each occurrence."""
    edges = {document.uri: edge.of(document) for document, _ in result}
    return [{"uri": document.uri, "range": edges[document.uri].to_lsp_range(each.span)} for document, each in result]


FEATURE: Final[Feature[Places]] = Feature(
    method="textDocument/references",
    capability="referencesProvider",
    options={"workDoneProgress": True},
    handle=handle,
    to_lsp=to_lsp,
    nothing=[],
    across=True,
)
