"""`folding`: each fold with its first and last line as people count them, its kind and what is shown in its place.

With the word `lines`, for a client that folds whole lines alone; with `most=N`, for one that takes so many.
"""

from callwright.features import text_document_folding_range as feature
from callwright.features.base import Client
from features.edges import CLIENT, answer_of
from support.cases import Case, Fence, Producer


def _folding(case: Case, fence: Fence) -> str:
    client = CLIENT
    if fence.info:
        wanted = {"lineFoldingOnly": "lines" in fence.info, "rangeLimit": int(fence.info.get("most", 5000))}
        client = Client.of({"textDocument": {"foldingRange": wanted}})
    out = []
    for fold in answer_of(feature.FEATURE, case, client) or []:
        words = [f"{fold['startLine'] + 1}-{fold['endLine'] + 1}", fold.get("kind"), fold.get("collapsedText")]
        out.append(" ".join(word for word in words if word))
    return "\n".join(out) or "nothing"


PRODUCERS: dict[str, Producer] = {"folding": _folding}
