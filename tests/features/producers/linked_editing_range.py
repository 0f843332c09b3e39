"""`linked`: the source with the linked names in guillemets, or `nothing`."""

from callwright.features import text_document_linked_editing_range as feature
from callwright.features.base import Request
from callwright.text.span import Edit, Span, apply_edits
from support.cases import Case, Fence, Producer
from support.engine import case_snapshot


def _linked(case: Case, fence: Fence) -> str:
    pair = feature.handle(case_snapshot(case), Request(Span(case.cursor, case.cursor)))
    if pair is None:
        return "nothing"
    return apply_edits(case.source, [Edit(span, f"«{span.of(case.source)}»") for span in pair]).rstrip("\n")


PRODUCERS: dict[str, Producer] = {"linked": _linked}
