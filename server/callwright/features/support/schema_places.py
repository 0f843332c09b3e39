"""The place in a tool file that a diagnostic is checked against: the parameter, the member of a result, or the tool.

Owns: `SchemaPlace`, `schema_places`, `references_of`. Must not know: how a diagnostic is shown, positions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from callwright.text.records import NamedTuple
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.document.blocks import PlacedCall
    from callwright.document.snapshot import Snapshot
    from callwright.rules.base import Diagnostic
    from callwright.tools.documents import ToolDocument
    from callwright.tools.model import ToolSchema
    from callwright.tools.property_places import Names
    from callwright.tools.references import SchemaPath

#: The places of so many diagnostics are looked up: this happens after every edit.
_MAX_COUNT: Final = 20
#: So many values of a call are searched.
_VALUES: Final = 500
_RESULT: Final = "result-mismatch"
#: How many schemas of one tool are searched for references.
_SCHEMAS: Final = 5_000


class SchemaPlace(NamedTuple):
    """A place in a tool file, and the text about it."""

    document: Snapshot
    span: Span
    message: str


class Reference(NamedTuple):
    """What a schema of a tool file refers to, where that is written, and the whole schema around it with its path."""

    written: str
    place: SchemaPath
    base: SchemaPath
    schema: Mapping[str, Any]


def references_of(document: ToolDocument) -> Iterator[Reference]:
    """Yield the references in the schemas of a tool file."""
    from callwright.tools.references import children

    for definition in document.definitions:
        for base, schema in definition.schemas:
            pending: list[tuple[SchemaPath, Any]] = [((), schema)]
            for _ in range(_SCHEMAS):
                if not pending:
                    break
                at, node = pending.pop()
                if isinstance(node, Mapping):
                    if isinstance(node.get("$ref"), str):
                        yield Reference(node["$ref"], (*base, *at, "$ref"), base, schema)
                    pending.extend(((*at, *step), child) for step, child in children(node))


def schema_places(
    snapshot: Snapshot, found: Sequence[Diagnostic], tool_file: Callable[[str], Snapshot | None]
) -> dict[int, SchemaPlace]:
    """Return, by the number of the diagnostic, the place that it is checked against; for the first diagnostics only."""
    from callwright.rules.base import ErrorType

    files: dict[str, Snapshot | None] = {}
    places: dict[int, SchemaPlace] = {}
    for number, one in enumerate(found):
        if len(places) >= _MAX_COUNT:
            break
        if one.name == _RESULT:
            named = _of_result(snapshot, one)
        elif one.error_type is ErrorType.SCHEMA_VALIDATION or "deprecated" in one.tags:
            named = _of_call(snapshot, one)
        else:
            continue
        file = named[0].origin.file if named is not None else None
        if named is None or file is None:
            continue
        if file not in files:
            files[file] = snapshot if file in (snapshot.path, snapshot.uri) else tool_file(file)
        document = files[file]
        place = _place(document, *named) if document is not None else None
        if place is not None:
            places[number] = place
    return places


def _of_call(snapshot: Snapshot, one: Diagnostic) -> tuple[ToolSchema, Names, bool] | None:
    """Return the tool of the call that a diagnostic is in, and the names that lead to the argument."""
    from callwright.features.support.values import calls_at

    for placed in calls_at(snapshot, one.span.start):
        span = placed.raw_span(placed.call.span)
        tool = placed.binding.tool
        if span.covers(one.span) and tool is not None:
            return tool, _names_at(placed, one.span), False
    return None


def _names_at(placed: PlacedCall, span: Span) -> Names:
    from callwright.features.support.values import paths
    from callwright.tools.property_places import names_of

    start, end = placed.passage.projection.to_decoded(span.start), placed.passage.projection.to_decoded(span.end)
    if start is None or end is None:
        return ()
    here, binding = Span(start, max(start, end)), placed.binding
    found: Names = ()
    for number, path in enumerate(paths(binding.value)):
        if number >= _VALUES:
            break
        for depth in range(1, len(path) + 1):
            key = binding.key_span_of(path[:depth])
            if binding.span_of(path[:depth]).covers(here) or (key is not None and key.covers(here)):
                names = names_of(path[:depth])
                found = names if len(names) >= len(found) else found
    return found


def _of_result(snapshot: Snapshot, one: Diagnostic) -> tuple[ToolSchema, Names, bool] | None:
    from callwright.features.support.returned import returned_at

    returned = returned_at(snapshot, one.span.start)
    return (returned.tool, returned.path, True) if returned is not None else None


def _place(document: Snapshot, tool: ToolSchema, names: Names, is_result: bool) -> SchemaPlace | None:
    """Return where a document names the parameter, or the member of a result; else where it defines the tool."""
    from callwright.prompt.definition_names import definitions_in
    from callwright.prompt.named import Target
    from callwright.tools.property_places import property_places

    target = Target(tool.name, (), tool)
    found = [(source, each) for source in definitions_in(document) for each in source.definitions]
    named: Span | None = None
    for source, definition in found:
        base = definition.output_path if is_result else definition.schema_path
        schema = definition.output_schema if is_result else definition.tool.input_schema
        if base is None or not target.is_tool(definition.tool):
            continue
        named = named or source.named(definition)
        for depth in range(len(names), 0, -1):
            keys = sorted(property_places(schema, names[:depth]), key=lambda place: (len(place), str(place)))
            if keys:
                span = source.raw(source.places.key((*base, *keys[0])))
                return SchemaPlace(document, span, f"`{names[depth - 1]}` is defined here.")
        if is_result:
            span = source.raw(source.places.value(base))
            return SchemaPlace(document, span, f"What `{tool.name}` returns is defined here.")
    span = tool.origin.span or named or Span(0, 0)
    if span.end > len(document.document):
        return None
    return SchemaPlace(document, span, f"`{tool.name}` is defined here.")
