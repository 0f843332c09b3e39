"""`formatted`: the document after it was laid out; with `range`, after the call at the cursor was; `tabs` indents so.

With `lines=1,9` the calls that begin or end on these lines were.

What was laid out is laid out again without a change.
"""

from types import SimpleNamespace

from callwright.features import text_document_formatting as whole
from callwright.features import text_document_range_formatting as part
from callwright.features import text_document_ranges_formatting as parts
from callwright.features.base import Request
from callwright.lint.opening import open_snapshot
from callwright.text.span import Span, apply_edits
from support.cases import Case, Fence, Producer
from support.engine import case_snapshot


def _formatted(case: Case, fence: Fence) -> str:
    snapshot = case_snapshot(case)
    feature = part if "range" in fence.info else parts if "lines" in fence.info else whole
    options = SimpleNamespace(tab_size=int(fence.info.get("size", 2)), insert_spaces="tabs" not in fence.info)
    lines = [int(line) - 1 for line in fence.info.get("lines", "").split(",") if line]
    spans = tuple(Span(start := snapshot.document.line_start(line), start) for line in lines)
    request = Request(Span(case.cursor, case.cursor), params=SimpleNamespace(options=options), spans=spans)
    edits = feature.handle(snapshot, request)
    assert edits is not None
    text = apply_edits(case.source, edits)
    again = open_snapshot(text, path=snapshot.path or "", registry=snapshot.registry, settings=snapshot.settings)
    if feature is whole:
        assert whole.handle(again, request) == []
    return text.replace("\r\n", "␍\n").rstrip("\n") if edits else "nothing"


PRODUCERS: dict[str, Producer] = {"formatted": _formatted}
