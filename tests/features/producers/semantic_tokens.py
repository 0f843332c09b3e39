"""`tokens`: each token's text with its type and modifiers, one a line.

`change OLD → NEW` is what a client is sent that has the tokens of the source, after the change.
"""

from types import SimpleNamespace

from callwright.features.base import Request
from callwright.features.support.token_legend import MODIFIERS, TYPES
from callwright.features.support.tokens import Tokens
from callwright.features.text_document_semantic_tokens_full import FEATURE as FULL
from callwright.features.text_document_semantic_tokens_full_delta import FEATURE as DELTA
from callwright.lsp.wire import DocumentEdge
from callwright.text.facts import Holder
from callwright.text.positions import PositionEncoding
from callwright.text.span import Edit, Span
from features.edges import CLIENT, answer_of
from support.cases import Case, Fence, Producer
from support.engine import case_snapshot


def _tokens(case: Case, fence: Fence) -> str:
    numbers = answer_of(FULL, case)["data"]
    lines = case.source.replace("\r\n", "\n").split("\n")
    out = []
    line = column = 0
    for at in range(0, len(numbers), 5):
        down, right, length, kind, bits = numbers[at : at + 5]
        line, column = line + down, right if down else column + right
        modifiers = [name for bit, name in enumerate(MODIFIERS) if bits >> bit & 1]
        out.append(" ".join([f"|{lines[line][column : column + length]}|", TYPES[kind], *modifiers]))
    return "\n".join(out) or "nothing"


def _change(case: Case, fence: Fence) -> str:
    old, new = fence.about.split(" → ")
    snapshot = case_snapshot(case)
    memory = Holder()
    edge = DocumentEdge(snapshot.document, uri="", version=1, encoding=PositionEncoding.UTF32, client=CLIENT)
    tokens = FULL.handle(snapshot, Request(memory=memory))
    assert isinstance(tokens, Tokens)
    first = FULL.to_lsp(tokens, edge)
    start = case.source.index(old)
    after = snapshot.edit([Edit(Span(start, start + len(old)), new)])
    params = SimpleNamespace(previous_result_id=first["resultId"])
    edge = DocumentEdge(after.document, uri="", version=2, encoding=PositionEncoding.UTF32, client=CLIENT)
    found = DELTA.handle(after, Request(memory=memory, params=params))
    assert isinstance(found, Tokens)
    sent = DELTA.to_lsp(found, edge)
    data = list(first["data"])
    for edit in sent["edits"]:
        data[edit["start"] : edit["start"] + edit["deleteCount"]] = edit["data"]
    whole = FULL.handle(after, Request(memory=Holder()))
    assert isinstance(whole, Tokens)
    assert data == FULL.to_lsp(whole, edge)["data"]
    return "\n".join(f"at {one['start']}: -{one['deleteCount']} +{one['data']}" for one in sent["edits"]) or "no edit"


PRODUCERS: dict[str, Producer] = {"tokens": _tokens, "change": _change}
