"""The boundary to the protocol for cases: what a feature answers, as a client is sent it.

Owns: `answer_of`, `covered`, `CLIENT`. Must not know: any single feature.
"""

from types import SimpleNamespace
from typing import Any

from callwright.features.base import Client, Request
from callwright.lsp.wire import DocumentEdge
from callwright.text.document import TextDocument
from callwright.text.facts import Holder
from callwright.text.positions import PositionEncoding, to_offset
from callwright.text.span import Span
from support.cases import Case
from support.engine import case_snapshot

#: A client that takes whatever can be sent.
CLIENT = Client.of(
    {
        "textDocument": {
            "foldingRange": {"foldingRange": {"collapsedText": True}},
            "documentSymbol": {"hierarchicalDocumentSymbolSupport": True, "tagSupport": {"valueSet": [1]}},
            "semanticTokens": {"multilineTokenSupport": False, "augmentsSyntaxTokens": True},
            "signatureHelp": {
                "signatureInformation": {
                    "parameterInformation": {"labelOffsetSupport": True},
                    "documentationFormat": ["markdown"],
                    "activeParameterSupport": True,
                }
            },
        }
    }
)


def answer_of(feature: Any, case: Case, client: Client = CLIENT, **params: Any) -> Any:
    """Return what a feature sends for the cursor of a case, or for the whole document where its method has no place."""
    snapshot = case_snapshot(case)
    at = Span(case.cursor, case.cursor)
    request = Request(at, client, SimpleNamespace(**params), None, (case.cursor,), Holder())
    result = feature.handle(snapshot, request)
    edge = DocumentEdge(snapshot.document, uri=snapshot.uri, version=1, encoding=PositionEncoding.UTF32, client=client)
    return None if result is None else feature.to_lsp(result, edge)


def covered(case: Case, place: dict[str, Any]) -> str:
    """Return the text that a range covers, on one line."""
    document = TextDocument.from_text(case.source)

    def offset(position: dict[str, int]) -> int:
        return to_offset(document, position["line"], position["character"], PositionEncoding.UTF32)

    return case.source[offset(place["start"]) : offset(place["end"])].replace("\r", "␍").replace("\n", "␊")
