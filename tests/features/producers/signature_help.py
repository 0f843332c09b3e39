"""`signature`: the signatures, the active parameter between guillemets, and its documentation."""

from callwright.features import text_document_signature_help as feature
from features.edges import answer_of
from support.cases import Case, Fence, Producer


def _signature(case: Case, fence: Fence) -> str:
    found = answer_of(feature, case)
    if found is None:
        return "nothing"
    out = []
    for signature in found["signatures"]:
        label, active = signature["label"], signature["activeParameter"]
        stated = ""
        if active < len(signature["parameters"]):
            parameter = signature["parameters"][active]
            start, end = parameter["label"]
            label = f"{label[:start]}«{label[start:end]}»{label[end:]}"
            stated = parameter["documentation"]["value"]
        out += [label, *signature.get("documentation", {}).get("value", "").splitlines()[:1], *stated.splitlines()]
    return "\n".join(out)


PRODUCERS: dict[str, Producer] = {"signature": _signature}
