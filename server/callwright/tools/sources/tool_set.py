"""Callwright's own tool sets: one file for the tools of one system, with what its dialect needs.

Owns: the shape that `schemas/tool-set.schema.json` describes. Must not know: other sources, files.
"""

from __future__ import annotations

from collections.abc import Mapping

from callwright.tools.sources.base import Definition, Draft, FoundDefinitions, ToolSet, ToolSource, drafted, hints


class ToolSetSource(ToolSource):
    """A named set: `{"name", "dialect", "markup", "tools": [MCP-like definitions with examples and aliases]}`."""

    name = "tool-set"
    order = 10

    def unwrap(self, document: Definition) -> list[FoundDefinitions] | None:
        """Return the tools of a set; a set has a name beside its list of tools."""
        tools, name = document.get("tools"), document.get("name")
        if not isinstance(tools, list) or not isinstance(name, str):
            return None
        dialect, markup = document.get("dialect"), document.get("markup")
        title, description = document.get("title"), document.get("description")
        definitions = document.get("$defs")
        tool_set = ToolSet(
            name=name,
            title=title if isinstance(title, str) else "",
            description=description if isinstance(description, str) else "",
            dialect=dialect if isinstance(dialect, str) else None,
            markup=markup if markup in ("xml", "raw") else None,
            definitions=definitions if isinstance(definitions, Mapping) else {},
        )
        return [FoundDefinitions(("tools", index), tool, tool_set) for index, tool in enumerate(tools)]

    def matches(self, definition: Definition) -> bool:
        """Return whether the definition has a key that only Callwright's own format has."""
        return "inputSchema" in definition and any(key in definition for key in ("aliases", "examples", "markup"))

    def read(self, definition: Definition) -> Draft:
        """Return the draft of the definition."""
        return drafted(
            definition,
            "inputSchema",
            output="outputSchema",
            examples=("examples",),
            title=definition.get("title"),
            aliases=definition.get("aliases", ()),
            markup=definition.get("markup"),
            dialect=definition.get("dialect"),
            annotations=hints(definition),
        )


SOURCE = ToolSetSource()
