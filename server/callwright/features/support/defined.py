"""The tools that a document defines itself, a tool file or a prompt that declares them, with the places of their parts.

Owns: `DefinedTool`, `DefinedParameter`, `defined_tools`; `document_defining`, the document that has a definition;
`kept_beside`, where an answer is kept that depends on declarations. Must not know: any single feature, protocols, how a
definition is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from callwright.text.facts import Fact, Holder, Owner
from callwright.text.records import NamedTuple
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.document.blocks import Block
    from callwright.document.snapshot import Snapshot
    from callwright.features.base import Workspace
    from callwright.prompt.definition_names import Definitions
    from callwright.tools.definitions import Definition
    from callwright.tools.model import ToolSchema
    from callwright.tools.parameters import Parameter

#: A longer text is not searched for declarations that are not in force: that costs all of it after every edit.
_MAX_LENGTH: Final = 1 << 16
#: The parts of a parameter's schema that an entry in prose contains.
_STATED: Final = ("description", "type", "enum", "default", "items", "properties")
#: What answers about a block depend on beside it, and where they are kept.
_BESIDE: Final[Fact[tuple[Any, Sequence[Block], Holder]]] = Fact()


class DefinedParameter(NamedTuple):
    """One parameter where it is defined: what covers it, and its name, with quotes where it has any."""

    parameter: Parameter
    span: Span
    named: Span


class DefinedTool(NamedTuple):
    """One tool where it is defined: what covers it, its name, with quotes where it has any, and its parameters.

    `schema` covers the definition of the parameters, None where they are not defined in one place.
    """

    tool: ToolSchema
    span: Span
    named: Span
    parameters: Sequence[DefinedParameter]
    schema: Span | None

    def shift(self, by: int) -> DefinedTool:
        """Return the tool moved by `by` characters."""
        parameters = tuple(
            DefinedParameter(each.parameter, each.span.shift(by), each.named.shift(by)) for each in self.parameters
        )
        schema = self.schema.shift(by) if self.schema is not None else None
        return DefinedTool(self.tool, self.span.shift(by), self.named.shift(by), parameters, schema)


def has_definitions(snapshot: Snapshot) -> bool:
    """Return whether the definitions of a document are worth being looked for after every edit."""
    return snapshot.host.holds == "tools" or snapshot.is_own or len(snapshot.document) <= _MAX_LENGTH


def defined_tools(snapshot: Snapshot) -> list[DefinedTool]:
    """Return the tools that a document defines, in the order of the text."""
    from callwright.prompt.definition_names import definitions_in

    if not snapshot.blocks or not has_definitions(snapshot):
        return []
    found = [_tool(source, each) for source in definitions_in(snapshot) for each in source.definitions]
    return sorted(found, key=lambda one: (one.span.start, -one.span.end))


def _tool(source: Definitions, definition: Definition) -> DefinedTool:
    tool, places = definition.tool, source.places
    whole, named = source.around(definition), source.named(definition)
    at = Span(named.start, named.start) if whole.covers(named) else Span(whole.start, whole.start)
    parameters: list[DefinedParameter] = []
    for name, parameter in tool.parameters.items():
        path = (*(definition.schema_path or definition.path), "properties", name)
        key, value = places.key(path), places.value(path)
        parts = [key, value]
        if key.covers(value):
            # An entry of prose: its parts follow the name.
            parts += [places.value((*path, word)) for word in _STATED if word in parameter.schema]
        around = source.raw(Span(min(part.start for part in parts), max(part.end for part in parts)))
        own = whole.covers(around)
        parameters.append(DefinedParameter(parameter, around if own else at, source.raw(key) if own else at))
    schema = source.raw(places.value(definition.schema_path)) if definition.schema_path is not None else None
    return DefinedTool(tool, whole, named if whole.covers(named) else at, tuple(parameters), schema)


def document_defining(file: str | None, here: Snapshot | None, workspace: Workspace | None) -> Snapshot | None:
    """Return the document that defines the tools of a file: `here` where it is that file; None where there is none."""
    if file is None or (here is not None and file in (here.path, here.uri)):
        return here if file is not None else None
    return workspace.tool_file(file) if workspace is not None else None


def kept_beside(block: Block, declared: Any, following: Sequence[Block] = ()) -> Owner:
    """Return where an answer about a block is kept as long as the block stays, `declared` stays equal, and so do the
    blocks `following` it that the answer is about, too."""
    if not declared and not following:
        return block
    known = _BESIDE.get(block)
    if known is None or known[0] != declared or [*map(id, known[1])] != [*map(id, following)]:
        known = _BESIDE.keep(block, (declared, following, Holder()))
    return known[2]
