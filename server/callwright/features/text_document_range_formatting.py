"""Range formatting: the layout of the calls that a selection touches, and of nothing else.

Owns: `textDocument/rangeFormatting`. Must not know: what layout is, positions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from callwright.features.base import Feature, Request, to_lsp_edits
from callwright.text.span import Edit

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot


def handle(snapshot: Snapshot, request: Request) -> list[Edit] | None:
    """Return the edits; None where the document is too long to be compared with what it becomes."""
    from callwright.features.support.layout import formatted

    return formatted(snapshot, request, [request.span])


FEATURE: Final = Feature(
    method="textDocument/rangeFormatting",
    capability="documentRangeFormattingProvider",
    options={"rangesSupport": True},
    handle=handle,
    to_lsp=to_lsp_edits,
    # Of other languages an editor has formatters of its own, and would have to ask which one is meant.
    languages=("callwright-prompt",),
)
