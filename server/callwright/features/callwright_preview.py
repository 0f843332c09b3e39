"""The preview: the document as a page with its turns, calls, outcomes and diagnostics.

Owns: `callwright/preview`, a request of our own: `{textDocument: {uri}}` gives `{html}`, one page that an editor shows
as it is, in the language of the client. Its places are buttons that post
`{command: "reveal", range: [line, character, line, character]}`. Must not know: the page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Edge, Feature, Request
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.report.model import FileView


def handle(snapshot: Snapshot, _request: Request) -> FileView:
    """Return what there is to see of the document."""
    from callwright.report.model import view_of

    name = (snapshot.path or snapshot.uri).replace("\\", "/").rpartition("/")[2]
    return view_of(snapshot, name)


def to_lsp(result: FileView, edge: Edge) -> dict[str, Any]:
    """Return the page."""
    from callwright.report.page import page

    def ranges(span: Span) -> tuple[int, int, int, int]:
        shown = edge.to_lsp_range(span)
        start, end = shown["start"], shown["end"]
        return start["line"], start["character"], end["line"], end["character"]

    locale = edge.client.locale
    return {"html": page([result], result.counts, title=result.path, ranges=ranges, uri=edge.uri, locale=locale)}


FEATURE: Final = Feature(
    method="callwright/preview",
    capability="experimental.callwrightPreview",
    handle=handle,
    to_lsp=to_lsp,
)
