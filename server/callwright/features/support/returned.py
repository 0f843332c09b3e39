"""Results: which tool a result at a place is of, and which member of it is pointed at.

Owns: `Returned`, `returned_at`, `returned_markdown`, `output_places`, `output_keys`. Must not know: protocols,
positions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.conversation.conversation import Answer
    from callwright.document.snapshot import Snapshot
    from callwright.tools.definitions import Definition
    from callwright.tools.documents import ToolDocument
    from callwright.tools.model import ToolSchema
    from callwright.tools.property_places import Names
    from callwright.tools.references import SchemaPath


@dataclass(frozen=True, slots=True)
class Returned:
    """A place in a result: the tool that returned it, the names that lead to the member there, and where that is.

    Without names it is the result as a whole.
    """

    tool: ToolSchema
    path: Names
    span: Span


def returned_at(snapshot: Snapshot, offset: int) -> Returned | None:
    """Return whose result is pointed at, and which member of it; None where there is no result of a known tool."""
    from callwright.conversation.conversation import conversations
    from callwright.conversation.results import result_place

    found = snapshot.block_at(offset)
    if found is None or not found[0].transcripts:
        return None
    block = found[0]
    for conversation in conversations(snapshot):
        if conversation.block not in (None, block):
            continue
        for answer in conversation.ledger.answers:
            placed = result_place(conversation, answer) if answer.turn.block is block else None
            span = placed[1].raw_span(placed[2]) if placed is not None else None
            if span is not None and span.covers(Span(offset, offset)):
                tool = _tool_of(answer, snapshot)
                return _at(snapshot, offset, tool, span) if tool is not None else None
    return None


def _tool_of(answer: Answer, snapshot: Snapshot) -> ToolSchema | None:
    """Return the tool that a result is of: that of the call that it answers, else the one that it names."""
    if answer.asked is not None:
        return answer.asked.call.binding.tool
    named = snapshot.registry.get(answer.result.tool) if answer.result.tool is not None else ()
    return next(iter(named), None)


def _at(snapshot: Snapshot, offset: int, tool: ToolSchema, whole: Span) -> Returned:
    from callwright.cursor.cursor import Role, place_at
    from callwright.cursor.framed import framed_spot
    from callwright.tools.property_places import names_of

    framed = framed_spot(snapshot, offset)
    if framed is None:
        return Returned(tool, (), whole)
    # A cursor on a name's first quote is on the name.
    spot = framed.spot
    at = min(spot.offset + (spot.text[spot.offset : spot.offset + 1] == '"'), len(spot.text))
    place = place_at(spot.text, at, framed.registry)
    path = (*place.path, place.name) if place.role is Role.KEY and place.name else place.path
    return Returned(tool, names_of(path), spot.projection.raw_span(place.span) if path else whole)


def returned_markdown(returned: Returned) -> str | None:
    """Return the documentation of the member, or of all that the tool returns; None for a member without any."""
    from callwright.features.support.markdown import code, schema_markdown
    from callwright.tools.property_places import schemas_at

    tool, output = returned.tool, returned.tool.output_schema
    if output is None:
        return f"The result of {code(tool.name)}, whose output schema is not known"
    if not returned.path:
        about = schema_markdown("", [(output, output)], of=tool.name).partition("\n\n")[2]
        return "\n\n".join(part for part in (f"The result of {code(tool.name)}", about) if part)
    name = returned.path[-1]
    found = [node for _, node in schemas_at(output, returned.path) if not isinstance(node.get("$ref"), str)]
    if not found:
        return None
    rooted = [(node, output) for node in found[:1]]
    return schema_markdown(name, rooted, of=tool.name, relation="member of the result of")


def output_places(document: ToolDocument, returned: Returned) -> list[Span]:
    """Return where a tool file defines the member: of a schema that refers to another, the place of that other."""
    from callwright.tools.property_places import outermost

    found: list[Span] = []
    for definition, base in _definitions(document, returned):
        outer = outermost(definition.output_schema, returned.path)
        found += [document.places.value((*base, *place)) for place in outer]
    return list(dict.fromkeys(found))


def output_keys(document: ToolDocument, returned: Returned) -> list[Span]:
    """Return where a tool file names the member; nothing for a result as a whole."""
    from callwright.tools.property_places import property_places

    if not returned.path:
        return []
    return [
        document.places.key((*base, *place))
        for definition, base in _definitions(document, returned)
        for place in sorted(property_places(definition.output_schema, returned.path), key=str)
    ]


def _definitions(document: ToolDocument, returned: Returned) -> Iterator[tuple[Definition, SchemaPath]]:
    """Yield the tool's definitions that declare what it returns, each with the place of its output schema."""
    from callwright.prompt.named import Target

    target = Target(returned.tool.name, (), returned.tool)
    for definition in document.definitions:
        if definition.output_path is not None and target.is_tool(definition.tool):
            yield definition, definition.output_path
