"""`hints`: the source with each hint in guillemets where it is shown; `without NAME…` has some turned off by settings.

`written N`: the document after the edits of the N-th hint that has some; they are the same when it is resolved later.
"""

from types import SimpleNamespace
from typing import Any

from callwright.features import inlay_hint_resolve as resolve
from callwright.features import text_document_inlay_hint as feature
from callwright.features.base import Client, Request
from callwright.lsp.wire import DocumentEdge
from callwright.text.positions import PositionEncoding
from callwright.text.span import Edit, Span, apply_edits
from features.edges import CLIENT
from support.cases import Case, Fence, Producer
from support.engine import case_snapshot

LATER = Client.of({"textDocument": {"inlayHint": {"resolveSupport": {"properties": ["textEdits"]}}}})


def _hints(case: Case, fence: Fence) -> str:
    off = frozenset(f"inlayHints.{name}" for name in fence.about.removeprefix("without ").split())
    found = feature.handle(case_snapshot(case), Request(Span(0, len(case.source)), turned_off=off))
    return apply_edits(case.source, [Edit(Span(one.at, one.at), f"«{one.label}»") for one in found]).rstrip("\n")


def _written(case: Case, fence: Fence) -> str:
    snapshot = case_snapshot(case)
    found = feature.handle(snapshot, Request(Span(0, len(case.source))))

    def sent(client: Client) -> list[dict[str, Any]]:
        edge = DocumentEdge(snapshot.document, uri="x", version=1, encoding=PositionEncoding.UTF32, client=client)
        return feature.to_lsp(found, edge)

    at = [index for index, one in enumerate(sent(CLIENT)) if "textEdits" in one][int(fence.about) - 1]
    shown = sent(LATER)[at]
    assert shown["data"] == {"uri": "x"}
    assert "textEdits" not in shown
    params = SimpleNamespace(label=shown["label"])
    resolved = resolve.handle(snapshot, Request(Span(found[at].at, found[at].at), LATER, params))
    assert resolved.edits
    assert tuple(resolved.edits) == found[at].edits()
    return apply_edits(case.source, list(resolved.edits)).replace("\r\n", "␍\n").rstrip("␍\n")


PRODUCERS: dict[str, Producer] = {"hints": _hints, "written": _written}
