"""Formatting: the layout of every call in a document, and of nothing else.

Owns: `textDocument/formatting`. Must not know: what layout is, positions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from callwright.features.base import Feature, Request, to_lsp_edits
from callwright.text.span import Edit

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot


def handle(snapshot: Snapshot, request: Request) -> list[Edit] | None:
    """Return the edits; None where the document is too long to be laid out at once."""
    from callwright.features.support.layout import formatted

    return formatted(snapshot, request)


FEATURE: Final = Feature(
    method="textDocument/formatting",
    capability="documentFormattingProvider",
    handle=handle,
    to_lsp=to_lsp_edits,
    # Of other languages an editor has formatters of its own, and would have to ask which one is meant.
    languages=("callwright-prompt",),
)
