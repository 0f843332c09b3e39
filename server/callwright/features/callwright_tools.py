"""The tools: what the projects of a workspace know, by the file or the set that each tool comes from.

Owns: `callwright/tools`, a request of our own without parameters. It gives `{projects: [{file, sources: [{name, uri,
errors, warnings, tools: [{name, detail, description, deprecated, uri, range, parameters: [{name, detail, description,
required, deprecated}]}]}]}]}`; `uri` and `range` are null for what is in no file. Must not know: how tools are
read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Edge, Feature, ProjectTools, Request

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.tools.model import ToolSchema


@dataclass(frozen=True, slots=True)
class ListedSource:
    """A file, or a set that travels with Callwright, with its tools in order; `document` is the file as it is now."""

    name: str
    document: Snapshot | None
    diagnostics: Mapping[str, int]
    tools: list[ToolSchema]


def handle(_snapshot: None, request: Request) -> list[tuple[str | None, list[ListedSource]]]:
    """Return the projects, each with its configuration file and its sources."""
    workspace = request.workspace
    if workspace is None:
        return []
    files: dict[str, Snapshot | None] = {}

    def document(path: str) -> Snapshot | None:
        if path not in files:
            files[path] = workspace.tool_file(path)
        return files[path]

    return [(project.file, list(_sources(project, document))) for project in workspace.registries()]


def _sources(project: ProjectTools, document: Any) -> Iterator[ListedSource]:
    by_source: dict[tuple[str, str | None], list[ToolSchema]] = {}
    for tool in project.registry:
        by_source.setdefault((tool.origin.tool_set, tool.origin.file), []).append(tool)
    # A file that could not be read as tools has diagnostics all the same.
    for path in project.diagnostics:
        if path != project.file and not any(path == file for _, file in by_source):
            by_source[path.replace("\\", "/").rpartition("/")[2], path] = []
    for (name, file), tools in by_source.items():
        found = document(file) if file is not None else None
        yield ListedSource(name or file or "", found, project.diagnostics.get(file or "", {}), tools)


def to_lsp(result: list[tuple[str | None, list[ListedSource]]], edge: Edge) -> dict[str, Any]:
    """Return the tree."""
    return {"projects": [{"file": file, "sources": [_source(one, edge) for one in found]} for file, found in result]}


def _source(source: ListedSource, edge: Edge) -> dict[str, Any]:
    own = edge.of(source.document) if source.document is not None else None
    return {
        "name": source.name,
        "uri": own.uri if own is not None else None,
        "errors": source.diagnostics.get("error", 0),
        "warnings": source.diagnostics.get("warning", 0),
        "tools": [_tool(tool, source.document, own) for tool in source.tools],
    }


def _tool(tool: ToolSchema, document: Snapshot | None, edge: Edge | None) -> dict[str, Any]:
    from callwright.features.support.markdown import type_words

    span = tool.origin.span
    known = edge is not None and document is not None and span is not None and span.end <= len(document.document)
    return {
        "name": tool.name,
        "detail": tool.title or "",
        "description": tool.description,
        "deprecated": tool.deprecated is not None,
        "uri": edge.uri if edge is not None else None,
        "range": edge.to_lsp_range(span) if known and edge is not None and span is not None else None,
        "parameters": [
            {
                "name": parameter.name,
                "detail": type_words(parameter.schema, tool.input_schema),
                "description": parameter.description,
                "required": parameter.required,
                "deprecated": parameter.deprecated,
            }
            for parameter in tool.parameters.values()
        ],
    }


FEATURE: Final = Feature(
    method="callwright/tools",
    capability="experimental.callwrightTools",
    handle=handle,
    to_lsp=to_lsp,
    of_workspace=True,
)
