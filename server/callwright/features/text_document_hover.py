"""Hover: what is known of the tool, the argument or the value that is pointed at.

Owns: `textDocument/hover`. Must not know: how a description is worded, positions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Edge, Feature, Request, by_kind
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.cursor.cursor import CursorPlace
    from callwright.document.snapshot import Snapshot
    from callwright.tools.registry import ToolRegistry


@dataclass(frozen=True, slots=True)
class Hover:
    """A description in Markdown, and the name in the document that it is about."""

    markdown: str
    span: Span


def _of_configuration(snapshot: Snapshot, request: Request) -> Hover | None:
    """Return what the key or the value at the place asked about means."""
    from callwright.features.support.configuration import description

    described = description(snapshot, request.span.start)
    return Hover(described.markdown, described.span) if described is not None else None


def _of_text(snapshot: Snapshot, request: Request) -> Hover | None:
    """Return what is known of the name at the place asked about."""
    offset = request.span.start
    return (
        _of_declaration(snapshot, offset)
        or _of_listed(snapshot, offset)
        or _of_name(snapshot, request)
        or _of_result(snapshot, offset)
    )


def _of_declaration(snapshot: Snapshot, offset: int) -> Hover | None:
    """Return the document's own documentation of the tool or the parameter that it declares at a place."""
    from callwright.features.support.markdown import schema_markdown, tool_markdown
    from callwright.prompt.targets import declared_at
    from callwright.tools.parameters import required_of
    from callwright.tools.property_places import schemas_at

    found = declared_at(snapshot, offset)
    target, tool = (found[0], found[0].tool) if found is not None else (None, None)
    if found is None or target is None or tool is None:
        return None
    if not target.path:
        return Hover(tool_markdown([tool]), found[1].span)
    root = tool.input_schema
    around = [node for _, node in schemas_at(root, target.path[:-1])]
    required = any(target.word in required_of(node, root) for node in around)
    members = [node.get("properties") for node in around]
    schemas = [(each[target.word], root) for each in members if isinstance(each, Mapping) and target.word in each]
    text = schema_markdown(target.word, schemas, of=tool.name, required=required, relation="parameter of")
    return Hover(text, found[1].span)


def _of_listed(snapshot: Snapshot, offset: int) -> Hover | None:
    """Return what is known of the tool that front matter lists at a place."""
    from callwright.features.support.markdown import tool_markdown
    from callwright.prompt.targets import listed_at

    found = listed_at(snapshot, offset)
    return Hover(tool_markdown(snapshot.registry.get(found[0].name)), found[1].span) if found is not None else None


def _of_name(snapshot: Snapshot, request: Request) -> Hover | None:
    """Return what is known of the name or the value at a place of a call, or of the name of a result's member."""
    from callwright.cursor.cursor import Role, place_at, place_at_spot, spot_at
    from callwright.cursor.framed import framed_spot

    framed = framed_spot(snapshot, request.span.start)
    spot = framed.spot if framed is not None else spot_at(snapshot, request.span.start)
    if spot is None:
        return None if framed is not None else _of_value(snapshot, request.span.start)
    registry = framed.registry if framed is not None else snapshot.registry
    # A cursor on a name's first quote or on its `<` counts as on the name.
    opening = ('"',) if framed is not None else ('"', "<")
    offset = spot.offset + (spot.text[spot.offset : spot.offset + 1] in opening)
    if spot.text[offset : offset + 1] == "/" and spot.text[offset - 1 : offset] == "<":
        offset += 1
    moved = spot._replace(offset=min(offset, len(spot.text)))
    place = place_at(moved.text, moved.offset, registry) if framed is not None else place_at_spot(snapshot, moved)
    if place.writing is not None and place.writing.lead and place.role is not Role.VALUE:
        # What is not written yet has no hover.
        return _of_value(snapshot, request.span.start)
    text = _describe(place, registry, framed.relation if framed is not None else "argument of")
    if text is None or not place.name:
        return _of_value(snapshot, request.span.start)
    return Hover(text, spot.projection.raw_span(place.span))


def _of_result(snapshot: Snapshot, offset: int) -> Hover | None:
    """Return the tool's documentation of what it returned."""
    from callwright.features.support.returned import returned_at, returned_markdown

    returned = returned_at(snapshot, offset)
    text = returned_markdown(returned) if returned is not None else None
    return Hover(text, returned.span) if returned is not None and text is not None else None


def _of_value(snapshot: Snapshot, offset: int) -> Hover | None:
    """Return what is known of the value at a place: its type, and its decoded text."""
    from callwright.features.support.values import value_at, value_markdown

    found = value_at(snapshot, offset)
    text = value_markdown(found) if found is not None else None
    return Hover(text, found.span) if found is not None and text is not None else None


def _describe(place: CursorPlace, registry: ToolRegistry, relation: str) -> str | None:
    """Return what is known of the name at a place; `relation` is what an argument is to its tool."""
    from callwright.cursor.cursor import Role, Schemas
    from callwright.features.support.markdown import schema_markdown, tool_markdown
    from callwright.tools.parameters import required_of

    role = place.closes if place.role is Role.CLOSING_TAG else place.role
    if role in (Role.CALL_TAG, Role.TOOL_NAME):
        tools = registry.get(place.name)
        return tool_markdown(tools) if tools else None
    if role not in (Role.CHILD_TAG, Role.KEY) or place.tool is None:
        return None
    schemas = Schemas(registry)
    at = schemas.step(place.tool, place.path, place.name)
    found = schemas.at(place.tool, at)
    if not found:
        return None
    required = any(
        place.name in required_of(schema, tool.input_schema) for schema, tool in schemas.at(place.tool, place.path)
    )
    alias = next((schema["x-alias-of"] for schema, _ in found if isinstance(schema.get("x-alias-of"), str)), None)
    rooted = [(schema, tool.input_schema) for schema, tool in found]
    return schema_markdown(place.name, rooted, of=place.tool, required=required, alias_of=alias, relation=relation)


def to_lsp(result: Hover, edge: Edge) -> dict[str, Any]:
    """Return the hover in the form that the client shows."""
    from callwright.features.support.markdown import markup_content

    contents = markup_content(result.markdown, edge.client.hover_formats)
    return {"contents": contents, "range": edge.to_lsp_range(result.span)}


handle = by_kind(calls=_of_text, tools=_of_text, configuration=_of_configuration)

FEATURE: Final = Feature(
    method="textDocument/hover",
    capability="hoverProvider",
    handle=handle,
    to_lsp=to_lsp,
    at_once=True,
)
