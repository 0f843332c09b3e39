"""`pulled`: each diagnostic as `CODE severity "text" tags`, below it its related places, in the text and in the tool
file.

`typing TEXT`: the codes that are there while TEXT is typed at the cursor, after each change of them.
"""

from dataclasses import replace

from callwright.features import text_document_diagnostic as feature
from callwright.features.base import Client, Request
from callwright.lsp.wire import DocumentEdge
from callwright.text.positions import PositionEncoding
from callwright.text.span import Edit, Span
from features.edges import covered
from features.producers.names import opened
from support.cases import Case, Fence, Producer
from support.engine import case_snapshot

CLIENT = Client.of({"textDocument": {"diagnostic": {"relatedInformation": True, "tagSupport": {"valueSet": [1, 2]}}}})
SEVERITIES = ("error", "warning", "info", "hint")
TAGS = {1: "unnecessary", 2: "deprecated"}


def _pulled(case: Case, fence: Fence) -> str:
    with opened(case) as at:
        snapshot = at.here
        edge = DocumentEdge(
            snapshot.document, uri=snapshot.uri, version=1, encoding=PositionEncoding.UTF32, client=CLIENT
        )
        request = replace(at.asked(), client=CLIENT)
        sent = feature.to_lsp(feature.handle(snapshot, request), edge)
        tools = at.tools.document.text().split("\n") if at.tools is not None else []
    out: list[str] = []
    for one in sent:
        words = [one["code"], SEVERITIES[one["severity"] - 1], f'"{covered(case, one["range"])}"']
        out.append(" ".join([*words, *(TAGS[tag] for tag in one.get("tags", ()))]))
        for related in one.get("relatedInformation", ()):
            place = related["location"]["range"]
            line = place["start"]["line"]
            if related["location"]["uri"] == snapshot.uri:
                out.append(f'  line {line + 1} "{covered(case, place)}": {related["message"]}')
            else:
                out.append(f"  tools line {line + 1} `{tools[line].strip()}`: {related['message']}")
    return "\n".join(out) or "nothing"


def _typing(case: Case, fence: Fence) -> str:
    snapshot, at = case_snapshot(case), case.cursor
    out: list[str] = []
    shown: list[str] = []
    for number in range(len(fence.about) + 1):
        if number:
            snapshot = snapshot.edit([Edit(Span(at, at), fence.about[number - 1])])
            at += 1
        codes = [found.code for found in feature.handle(snapshot, Request()).found]
        if codes != shown or not number:
            shown = codes
            out.append(" ".join([f"`{fence.about[:number]}`:", *(codes or ["nothing"])]))
    return "\n".join(out)


PRODUCERS: dict[str, Producer] = {"pulled": _pulled, "typing": _typing}
