"""Type definition: the schema of the argument that is pointed at, of a tool's arguments, or of what a tool returns.

Owns: `textDocument/typeDefinition`. Must not know: how a definition is written, positions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from callwright.features.base import Feature, Request, to_lsp_locations
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.prompt.named import Target


def handle(snapshot: Snapshot, request: Request) -> list[tuple[Snapshot, Span]] | None:
    """Return the schemas where the tool is defined; None where nothing is pointed at that a file defines."""
    from callwright.features.support.defined import document_defining
    from callwright.prompt.targets import target_at

    found = target_at(snapshot, request.span.start)
    target = found[0] if found is not None else _of_value(snapshot, request.span)
    if target is None:
        return _of_result(snapshot, request)
    document = document_defining(target.file, snapshot, request.workspace)
    if document is None:
        return None
    places = _places(document, target)
    return [(document, span) for span in places] or None


def _of_result(snapshot: Snapshot, request: Request) -> list[tuple[Snapshot, Span]] | None:
    """Return the tool's declaration of the member of its result at the position; None where it has none."""
    from callwright.features.support.returned import output_places, returned_at
    from callwright.prompt.named import document_of

    returned = returned_at(snapshot, request.span.start)
    if returned is None or returned.tool.origin.file is None or request.workspace is None:
        return None
    document = request.workspace.tool_file(returned.tool.origin.file)
    if document is None or document.host.holds != "tools":
        return None
    return [(document, span) for span in output_places(document_of(document), returned)] or None


def _of_value(snapshot: Snapshot, here: Span) -> Target | None:
    """Return the parameter whose value the cursor is in, None where it is in no argument."""
    from callwright.features.support.outline import outline_between
    from callwright.prompt.named import Target
    from callwright.tools.property_places import names_of

    if snapshot.host.holds != "calls":
        return None
    for call in outline_between(snapshot, here).calls:
        tool = call.tool
        inside = [part for part in call.walk() if part.span.covers(here)]
        if tool is not None and inside:
            return Target(tool.name, names_of(inside[-1].path), tool)
    return None


def _places(document: Snapshot, target: Target) -> list[Span]:
    """Return where the schemas of a target are written: of one that refers to another, that other."""
    from callwright.prompt.definition_names import definitions_in
    from callwright.tools.property_places import outermost

    found: list[Span] = []
    for source in definitions_in(document):
        for definition in source.definitions:
            if definition.schema_path is None or not target.is_tool(definition.tool):
                continue
            outer = outermost(definition.tool.input_schema, target.path)
            found += [source.raw(source.places.value((*definition.schema_path, *place))) for place in outer]
    return list(dict.fromkeys(found))


FEATURE: Final = Feature(
    method="textDocument/typeDefinition",
    capability="typeDefinitionProvider",
    handle=handle,
    to_lsp=to_lsp_locations,
)
