"""`typed`: the document after what is before the cursor was typed; or `nothing` where nothing is added."""

from types import SimpleNamespace

from callwright.features import text_document_on_type_formatting as feature
from callwright.features.base import Request
from callwright.text.span import Span, apply_edits
from support.cases import Case, Fence, Producer
from support.engine import case_snapshot


def _typed(case: Case, fence: Fence) -> str:
    at = case.cursor
    params = SimpleNamespace(ch=case.source[at - 1])
    edits = feature.handle(case_snapshot(case), Request(Span(at, at), params=params))
    return apply_edits(case.source, edits).rstrip("\n") if edits else "nothing"


PRODUCERS: dict[str, Producer] = {"typed": _typed}
