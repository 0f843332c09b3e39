"""`hierarchy`: what the cursor is on, who calls it (`from`) and what it calls (`to`), with the lines of the calls."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from callwright.features import call_hierarchy_incoming_calls as incoming
from callwright.features import call_hierarchy_outgoing_calls as outgoing
from callwright.features import text_document_prepare_call_hierarchy as prepare
from callwright.features.base import ProjectTools, Request
from callwright.lsp.wire import DocumentEdge
from callwright.text.positions import PositionEncoding
from features.edges import CLIENT
from features.producers.names import finished, opened
from support.cases import Case, Fence, Producer


def _hierarchy(case: Case, fence: Fence) -> str:
    with opened(case) as at:
        around: Any = SimpleNamespace(
            search=lambda _words: iter(at.documents),
            tool_file=lambda _path: at.tools,
            document=lambda uri: at.here if uri == at.here.uri else None,
            registries=lambda: iter([ProjectTools(None, at.here.registry, {})]),
        )
        asked = at.asked()
        request = Request(asked.span, CLIENT, asked.params, around)
        found = prepare.handle(at.here, request)
        if found is None:
            return "nothing"
        text = at.here.document
        edge = DocumentEdge(text, uri=at.here.uri, version=1, encoding=PositionEncoding.UTF32, client=CLIENT)
        (item,) = prepare.to_lsp(found, edge)
        out = [_shown(item)]
        follow = Request(
            client=CLIENT, params=SimpleNamespace(item=SimpleNamespace(data=item["data"])), workspace=around
        )
        out += [_link("from", each) for each in incoming.to_lsp(finished(incoming.handle(None, follow)), edge)]
        out += [_link("to", each) for each in outgoing.to_lsp(outgoing.handle(None, follow), edge)]
    return "\n".join(out)


def _shown(item: dict[str, Any]) -> str:
    file = item["uri"].rpartition("/")[2]
    detail = f" ({item['detail']})" if item.get("detail") else ""
    return f"{item['name']}{detail}, {file}:{item['selectionRange']['start']['line'] + 1}"


def _link(end: str, link: dict[str, Any]) -> str:
    lines = ", ".join(str(place["start"]["line"] + 1) for place in link["fromRanges"])
    return f"{end} {_shown(link[end])}: {lines}"


PRODUCERS: dict[str, Producer] = {"hierarchy": _hierarchy}
