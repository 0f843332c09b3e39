"""`symbols`: the tree, a symbol a line: its kind, name, detail, and after `@` the text of its selection range.

With the word `flat`, for a client that takes no tree: each with what it is in.
"""

from collections.abc import Iterator
from typing import Any

from callwright.features import text_document_document_symbol as feature
from callwright.features.base import Client
from features.edges import CLIENT, answer_of, covered
from support.cases import Case, Fence, Producer

KINDS = {
    3: "turn", 7: "parameter", 8: "section", 12: "tool", 13: "value", 15: "string", 16: "number", 17: "boolean",
    18: "array", 19: "object", 21: "null",
}  # fmt: skip


def _symbols(case: Case, fence: Fence) -> str:
    flat = "flat" in fence.info
    found = answer_of(feature.FEATURE, case, Client() if flat else CLIENT) or []
    if flat:
        lines = [f"{KINDS[one['kind']]} {one['name']} in {one.get('containerName', '-')}" for one in found]
    else:
        lines = [line for one in found for line in _tree(case, one, "")]
    return "\n".join(lines) or "nothing"


def _tree(case: Case, one: dict[str, Any], lead: str) -> Iterator[str]:
    is_heading = KINDS[one["kind"]] == "string" and {*one.get("detail", "")} == {"#"}
    words = [lead + ("heading" if is_heading else KINDS[one["kind"]]), one["name"]]
    words += [f"({one['detail']})"] if "detail" in one else []
    words += ["deprecated"] if "tags" in one else []
    yield " ".join([*words, f"@{covered(case, one['selectionRange'])}"])
    for child in one.get("children", ()):
        yield from _tree(case, child, lead + "  ")


PRODUCERS: dict[str, Producer] = {"symbols": _symbols}
