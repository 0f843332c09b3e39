"""The site of a completion: the place, the tools that are meant there, and their documentation.

Owns: `Site`. Must not know: what is written at which place, positions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.model import Path
from callwright.calls.protocol import Refusal, RenderStyle
from callwright.cursor.cursor import CursorPlace, Schemas, Spot, dialect_near
from callwright.dialects.catalogue import find_dialect
from callwright.features.support.call_drafts import Draft, call_slots
from callwright.features.support.known_values import KnownValue, known_values, names_path, paths_under
from callwright.features.support.markdown import type_words
from callwright.features.support.snippets import Slots, arguments_of
from callwright.syntax.prose import line_start
from callwright.tools.model import ToolSchema
from callwright.tools.parameters import required_of

if TYPE_CHECKING:
    from callwright.cursor.framed import FramedSpot
    from callwright.document.snapshot import Snapshot
    from callwright.features.base import Client

#: The dialect of a call where no other is stated.
_DEFAULT_DIALECT: Final = "xml-children"


class Site:
    """One place at which something can be written."""

    def __init__(
        self, snapshot: Snapshot, spot: Spot, place: CursorPlace, client: Client, framed: FramedSpot | None = None
    ) -> None:
        self.snapshot = snapshot
        self.registry = framed.registry if framed is not None else snapshot.offered
        self.relation = framed.relation if framed is not None else "argument of"
        self.framed = framed is not None
        # A client that resolves items gets the documentation then; an item of a frame cannot be resolved.
        lazy = client.words("textDocument.completion.completionItem.resolveSupport.properties")
        self.eager = self.framed or "documentation" not in lazy
        self.spot = spot
        self.place = place
        self.client = client
        self.schemas: Schemas = Schemas(self.registry)

    def tools(self) -> list[ToolSchema]:
        """Return the tool that each name means, those that are not deprecated first."""
        found = [self.registry.get(name)[0] for name in self.registry.names]
        return sorted(found, key=lambda tool: tool.deprecated is not None)

    def about(self, draft: Draft, tool: ToolSchema) -> Draft:
        """Return a draft with the documentation of a tool."""
        return replace(
            draft,
            detail=tool.title or tool.origin.tool_set,
            about=(tool.name, ()),
            deprecated=tool.deprecated is not None,
        )

    def dialect(self, tool: ToolSchema) -> str:
        """Return the dialect that a new call should be written in."""
        for name in (self.snapshot.settings.dialect, self.dialect_here, tool.dialect):
            if name is not None and find_dialect(name) is not None:
                return name
        return _DEFAULT_DIALECT

    @cached_property
    def dialect_here(self) -> str | None:
        """The dialect of the last call before the cursor, as far as the reader's blocks around it show."""
        return dialect_near(self.snapshot, self.spot.projection.to_raw(self.place.span.start))

    def call(self, tool: ToolSchema, dialect_name: str, *, fenced: bool = True) -> tuple[str, Slots] | None:
        """Return a new call of a tool as text with slots, None where its dialect cannot write it."""
        dialect = find_dialect(dialect_name)
        if dialect is None:
            return None
        slots = Slots()
        own = call_slots(dialect_name, tool, slots)
        if own is not None:
            return own, slots
        slots = Slots()
        style = RenderStyle(fenced=fenced)
        text = dialect.render(tool.name, arguments_of(tool, slots, markup=not dialect.typed), tool, style)
        if isinstance(text, Refusal):
            return None
        return text, slots

    def members(self, tool: str, path: Path) -> list[tuple[str, list[tuple[Mapping[str, Any], ToolSchema]], bool]]:
        """Return the properties of the object at `path` with their schemas: required first, deprecated last."""
        found: dict[str, bool] = {}
        for schema, owner in self.schemas.at(tool, path):
            needed = required_of(schema, owner.input_schema)
            properties = schema.get("properties")
            for name, value in properties.items() if isinstance(properties, Mapping) else ():
                if value is not False:
                    found[name] = found.get(name, False) or name in needed
        members = [(name, self.schemas.at(tool, (*path, name)), required) for name, required in found.items()]

        def order(member: tuple[str, list[tuple[Mapping[str, Any], ToolSchema]], bool]) -> tuple[bool, bool]:
            schemas = member[1]
            old = any(one.get("deprecated") is True or "x-alias-of" in one for one, _ in schemas)
            return old, not member[2]

        return sorted(members, key=order)

    def argument(
        self, draft: Draft, schemas: Sequence[tuple[Mapping[str, Any], ToolSchema]], *, required: bool
    ) -> Draft:
        """Return a draft with the documentation of an argument."""
        place = self.place
        if not schemas:
            return draft
        words = type_words(schemas[0][0], schemas[0][1].input_schema)
        return replace(
            draft,
            detail=f"{words}, required" if required else words,
            about=(place.tool or "", self.schemas.step(place.tool or "", place.path, draft.label)),
            required=required,
            deprecated=any(schema.get("deprecated") is True for schema, _ in schemas),
        )

    def listed(self, tool: str, path: Path) -> list[KnownValue]:
        """Return the values that the schemas at `path` foresee, and for a path the files that there are."""
        schemas = self.schemas.at(tool, path)
        found = known_values(schemas)
        name = next((step for step in reversed(path) if isinstance(step, str)), "")
        if names_path(name, schemas):
            typed = self.place.typed.lstrip("\"' \t")
            for text, is_folder in paths_under(self.snapshot, typed):
                found.append(KnownValue(text, "folder" if is_folder else "file"))
        return found

    def is_alone(self, at: int) -> bool:
        """Return whether nothing but space is before `at` on its line."""
        return not self.spot.text[line_start(self.spot.text, at) : at].strip()
