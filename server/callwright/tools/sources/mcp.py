"""Tools as the Model Context Protocol lists them, in its revisions from 2024-11-05 to 2025-11-25.

Owns: the `tools/list` result, bare or inside its JSON-RPC response, and one definition in it. Must not know: other
sources, servers, files. The shapes are those of the protocol's own schema
(https://modelcontextprotocol.io/specification/2025-11-25/schema).
"""

from __future__ import annotations

from collections.abc import Mapping

from callwright.tools.sources.base import Definition, Draft, FoundDefinitions, ToolSource, drafted, hints, members


class McpSource(ToolSource):
    """`{"name", "inputSchema", "outputSchema", "title", "annotations"}`, and lists of these under `tools`."""

    name = "mcp"
    order = 20

    def unwrap(self, document: Definition) -> list[FoundDefinitions] | None:
        """Return the tools of a `tools/list` result, or the result of a response with one.

        Other messages of a captured session contain none.
        """
        result = document.get("result")
        if isinstance(result, Mapping) and "tools" in result:
            return [FoundDefinitions(("result",), result)]
        if document.get("jsonrpc") == "2.0" and any(key in document for key in ("method", "result", "error")):
            return []
        if "inputSchema" in document or "input_schema" in document:
            return None
        return members(document, "tools")

    def matches(self, definition: Definition) -> bool:
        """Return whether the definition has its schema under `inputSchema`."""
        return "inputSchema" in definition

    def read(self, definition: Definition) -> Draft:
        """Return the draft of the definition; the title may be in the annotations, as in older servers."""
        annotations = definition.get("annotations")
        title = definition.get("title")
        if title is None and isinstance(annotations, Mapping):
            title = annotations.get("title")
        return drafted(
            definition,
            "inputSchema",
            output="outputSchema",
            examples=("inputSchema", "examples"),
            title=title,
            annotations=hints(definition),
        )


SOURCE = McpSource()
