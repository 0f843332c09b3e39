"""Tools in the format of Amazon Bedrock's Converse API.

Owns: `{"toolSpec": {"name", "description", "inputSchema": {"json": {…}}}}`, and `toolConfig` around a list of them.
Must not know: other sources, files.
"""

from __future__ import annotations

from collections.abc import Mapping

from callwright.tools.sources.base import Definition, Draft, FoundDefinitions, ToolSource, drafted


class ConverseSource(ToolSource):
    """A definition whose only member is `toolSpec`."""

    name = "converse"
    order = 12

    def unwrap(self, document: Definition) -> list[FoundDefinitions] | None:
        """Return the tools of a request, or of its configuration of tools."""
        config = document.get("toolConfig")
        return (
            [FoundDefinitions(("toolConfig",), config)] if isinstance(config, Mapping) and "tools" in config else None
        )

    def matches(self, definition: Definition) -> bool:
        """Return whether the definition is under `toolSpec`."""
        return isinstance(definition.get("toolSpec"), Mapping)

    def read(self, definition: Definition) -> Draft:
        """Return the draft of the definition."""
        spec: Definition = definition["toolSpec"]
        schema = spec.get("inputSchema")
        return drafted(
            spec,
            None,
            inside=("toolSpec",),
            input_schema=schema.get("json") if isinstance(schema, Mapping) else schema,
            schema_path=("toolSpec", "inputSchema", "json"),
        )


SOURCE = ConverseSource()
