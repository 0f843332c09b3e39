"""`hints`: the source with each hint in guillemets where it is shown."""

from callwright.features import text_document_inlay_hint as feature
from callwright.features.base import Request
from callwright.text.span import Edit, Span, apply_edits
from support.cases import Case, Fence, Producer
from support.engine import case_snapshot


def _hints(case: Case, fence: Fence) -> str:
    found = feature.handle(case_snapshot(case), Request(Span(0, len(case.source))))
    return apply_edits(case.source, [Edit(Span(one.at, one.at), f"«{one.label}»") for one in found]).rstrip("\n")


PRODUCERS: dict[str, Producer] = {"hints": _hints}
