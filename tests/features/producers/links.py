"""`links FILE…`: each link's text and what it leads to, in a folder that holds these files.

`schema`: the lines of the tool file that the type of what is pointed at begins and ends with; `defined` those of the
name that it leads to. Without tools of the case's own they are lines of the source. The source with the word
`tool-file` is read as one.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

from callwright.config import CONFIGURATION_NAMES
from callwright.document.snapshot import Snapshot
from callwright.features import text_document_definition as definition
from callwright.features import text_document_document_link as links
from callwright.features import text_document_type_definition as types
from callwright.features.base import Request
from callwright.hosts.catalogue import find_host
from callwright.lint.opening import open_snapshot
from callwright.lsp.wire import DocumentEdge
from callwright.text.positions import PositionEncoding
from callwright.text.span import Span, line_and_column
from features.edges import CLIENT
from features.producers.names import tool_file
from support.cases import Case, Fence, Producer
from support.engine import registry_of, settings_of


def _opened(case: Case, folder: Path, **more: Any) -> Snapshot:
    path = folder / case.info.get("path", "case.md")
    name = "configuration" if path.name in CONFIGURATION_NAMES else "tool-file" if "tool-file" in case.info else ""
    host = find_host(name) if name else None
    registry = more.get("registry") or registry_of(case)
    return open_snapshot(case.source, path=str(path), registry=registry, settings=settings_of(case.info), host=host)


def _links(case: Case, fence: Fence) -> str:
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        for file in fence.about.split():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text("[]", encoding="utf-8")
        snapshot = _opened(case, folder)
        found = links.handle(snapshot, Request())
        edge = DocumentEdge(snapshot.document, uri="here", version=1, encoding=PositionEncoding.UTF32, client=CLIENT)
        sent = links.to_lsp(found, edge)
        lines = [
            f"{link.span.of(case.source)} → {one['target'].removeprefix(folder.as_uri() + '/')}"
            for link, one in zip(found, sent, strict=True)
        ]
    return "\n".join(lines) or "nothing"


def _schema(case: Case, fence: Fence) -> str:
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        tools = tool_file(case, folder) if "tools" in case.given else None
        around: Any = SimpleNamespace(
            tool_file=lambda path: tools if tools is not None and path == tools.path else None
        )
        snapshot = _opened(case, folder, registry=tools.registry if tools is not None else registry_of(case))
        asked: Any = types if fence.name == "schema" else definition
        found = asked.handle(snapshot, Request(Span(case.cursor, case.cursor), workspace=around))
    out = []
    for document, span in found or ():
        assert document is (tools or snapshot)
        text = document.document.text()
        lines = text.splitlines()
        first, last = line_and_column(text, span.start)[0], line_and_column(text, span.end)[0]
        out.append(f"{first}-{last}: {lines[first - 1].strip()}")
    return "\n".join(out) or "nothing"


PRODUCERS: dict[str, Producer] = {"links": _links, "schema": _schema, "defined": _schema}
