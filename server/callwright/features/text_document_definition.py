"""Definition: where the tool, the parameter or the member of a result that is pointed at is defined.

Owns: `textDocument/definition`. Must not know: how a definition is found in a tool file, positions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from callwright.features.base import Feature, Request, to_lsp_locations
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.features.support.returned import Returned
    from callwright.prompt.named import Target


def handle(snapshot: Snapshot, request: Request) -> list[tuple[Snapshot, Span]] | None:
    """Return the names in the tool file that defines them; None where nothing is pointed at that a file defines.

    A member of a result leads to its declaration by the tool, any other place in a result to the tool.
    """
    from callwright.features.support.defined import document_defining
    from callwright.prompt.named import Kind, Target, document_of
    from callwright.prompt.occurrences import occurrences
    from callwright.prompt.targets import target_at

    found = target_at(snapshot, request.span.start)
    target, returned = (found[0], None) if found is not None else _of_result(snapshot, request.span.start)
    if target is None or target.tool is None:
        return None
    document = document_defining(target.file, snapshot, request.workspace)
    if document is None:
        return None
    if returned is not None and document.host.holds == "tools":
        from callwright.features.support.returned import output_keys

        keys = output_keys(document_of(document), returned)
        if keys:
            return [(document, span) for span in keys]
    for wanted in dict.fromkeys((target.path, ())):
        # A parameter that the tool does not have leads to the tool.
        here = occurrences(document, Target(target.name, wanted, target.tool))
        places = [each for each in here if each.kind is Kind.DEFINITION and each.frame.start <= each.span.start]
        if places:
            break
    own = target.tool.origin.span
    within = [each.span for each in places if own is None or own.overlaps(each.frame)] or [each.span for each in places]
    return [(document, span) for span in within[: 1 if not target.path else None]]


def _of_result(snapshot: Snapshot, offset: int) -> tuple[Target | None, Returned | None]:
    """Return the tool whose result is pointed at, and the member of it."""
    from callwright.features.support.returned import returned_at
    from callwright.prompt.named import Target

    returned = returned_at(snapshot, offset)
    return (Target(returned.tool.name, (), returned.tool) if returned is not None else None), returned


FEATURE: Final = Feature(
    method="textDocument/definition",
    capability="definitionProvider",
    handle=handle,
    to_lsp=to_lsp_locations,
)
