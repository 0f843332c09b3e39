"""What a document declares, for questions about names in it.

Owns: `declared_in`, `sources_in`: the declarations of a document whether they are in force or not. Must not know:
styles, features.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from callwright.declarations.documents import placed
from callwright.declarations.own_tools import OwnTools
from callwright.text.facts import derived
from callwright.text.projection import Composed, Identity, Projection

if TYPE_CHECKING:
    from callwright.declarations.reading import Declaration
    from callwright.document.snapshot import Snapshot
    from callwright.tools.definitions import Definition


@derived
def declared_in(snapshot: Snapshot) -> OwnTools:
    """Return what a document declares; where the project has tools, it is read when it is asked for."""
    is_tool_file = snapshot.host.flow and any(tool.origin.file == snapshot.path for tool in snapshot.registry)
    if snapshot.may_declare or not is_tool_file or not snapshot.blocks:
        return snapshot.own_tools
    return OwnTools.of(snapshot.document.text(), snapshot.path or snapshot.uri)


def sources_in(snapshot: Snapshot) -> Iterator[tuple[Declaration, list[Definition], Projection]]:
    """Yield each declaration with its definitions, whose tools are those of the registry, and what leads from its text
    to the document.

    Paths of the definitions lead from the top of the declaration's own value.
    """
    own = declared_in(snapshot)
    declarations = own.declarations.found
    tools = iter(placed(declarations, own.file))
    for each in declarations:
        found = [replace(definition, tool=next(tools).tool) for definition in each.read.definitions]
        text = each.read.document.text
        within = Identity(each.span.start, len(text))
        yield each, found, within if each.projection is None else Composed(each.projection, within)
