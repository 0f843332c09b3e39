"""Semantic tokens of the visible range.

Owns: `textDocument/semanticTokens/range`. Must not know: what a token is, how one is sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Edge, Feature, Request
from callwright.features.support.token_legend import CAPABILITY, OPTIONS, REFRESH

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.features.support.tokens import Token


def handle(snapshot: Snapshot, request: Request) -> list[Token]:
    """Return the tokens of the lines around the range."""
    from callwright.features.support.tokens import tokens_between

    return tokens_between(snapshot, request.span)


def to_lsp(result: Sequence[Token], edge: Edge) -> dict[str, Any]:
    """Return the tokens as numbers."""
    from callwright.features.support.tokens import encoded

    return {"data": encoded(result, edge)}


FEATURE: Final = Feature(
    method="textDocument/semanticTokens/range",
    capability=CAPABILITY,
    options=OPTIONS,
    handle=handle,
    to_lsp=to_lsp,
    refresh=REFRESH,
)
