"""`found QUERY`: the symbols that a workspace of this one document has for a query: name, kind, the text it covers.

`reports`: what is sent for the document where the client has nothing of it, and where it has that.
"""

from types import SimpleNamespace
from typing import Any

from callwright.features import workspace_diagnostic as diagnostic
from callwright.features import workspace_symbol as symbol
from callwright.features.base import Made, ProjectTools, Request
from callwright.lsp.wire import DocumentEdge
from callwright.text.document import TextDocument
from callwright.text.positions import PositionEncoding
from features.edges import CLIENT, covered
from support.cases import Case, Fence, Producer
from support.engine import case_snapshot

NOWHERE = DocumentEdge(TextDocument.from_text(""), uri="", version=None, encoding=PositionEncoding.UTF32, client=CLIENT)


def _asked(feature: Any, case: Case, **params: Any) -> Any:
    snapshot = case_snapshot(case)
    around: Any = SimpleNamespace(
        search=lambda *_: iter([None, snapshot]),
        made=lambda make, _: iter([None, Made(snapshot.uri, None, make(snapshot, NOWHERE.of(snapshot)))]),
        registries=lambda: iter([ProjectTools(None, snapshot.registry, {})]),
    )
    steps = feature.handle(None, Request(client=CLIENT, params=SimpleNamespace(**params), workspace=around))
    parts: list[Any] = []
    while True:
        try:
            part = next(steps)
        except StopIteration as stop:
            return feature.to_lsp(stop.value, NOWHERE) if feature.FEATURE.join is None else feature.FEATURE.join(parts)
        if part is not None:
            parts.append(feature.to_lsp(part, NOWHERE))


def _found(case: Case, fence: Fence) -> str:
    kinds = {12: "tool", 24: "call"}
    found = _asked(symbol, case, query=fence.about)
    lines = [
        f"{kinds[one['kind']]} {one['name']} in {one['containerName']}: {covered(case, one['location']['range'])}"
        for one in found
    ]
    return "\n".join(lines) or "nothing"


def _reports(case: Case, fence: Fence) -> str:
    out = []
    known: list[Any] = []
    for _ in range(2):
        (report,) = _asked(diagnostic, case, previous_result_ids=known)["items"]
        codes = [item["code"] for item in report.get("items", ())]
        out.append(" ".join([report["kind"], *codes]))
        known = [SimpleNamespace(uri=report["uri"], value=report["resultId"])]
    return "\n".join(out)


PRODUCERS: dict[str, Producer] = {"found": _found, "reports": _reports}
