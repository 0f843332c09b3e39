"""`selections`: what is selected step by step, one step a line; a line end is shown as ␊, a long text in short."""

from callwright.features import text_document_selection_range as feature
from features.edges import answer_of, covered
from support.cases import Case, Fence, Producer

MAX_LENGTH = 76


def _selections(case: Case, fence: Fence) -> str:
    (selection,) = answer_of(feature, case)
    out = []
    while selection is not None:
        text = covered(case, selection["range"])
        out.append(text if len(text) <= MAX_LENGTH else f"{text[: MAX_LENGTH // 2]} … {text[-MAX_LENGTH // 2 :]}")
        selection = selection.get("parent")
    return "\n".join(f"|{line}|" for line in out)


PRODUCERS: dict[str, Producer] = {"selections": _selections}
