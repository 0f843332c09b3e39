"""Semantic tokens of what is looked at.

Owns: `textDocument/semanticTokens/range`. Must not know: what a token is, how one goes over the wire.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callwright.features.support.token_legend import CAPABILITY, OPTIONS, REFRESH

if TYPE_CHECKING:
    from callwright.analysis.snapshot import Snapshot
    from callwright.features.base import Edge, Request
    from callwright.features.support.tokens import Tokens

__all__ = ["CAPABILITY", "METHOD", "OPTIONS", "REFRESH", "handle", "to_lsp"]

METHOD = "textDocument/semanticTokens/range"


def handle(snapshot: Snapshot, request: Request) -> Tokens:
    """Return the tokens of the lines around the range."""
    from callwright.features.support.tokens import Tokens, tokens_between

    return Tokens(tokens_between(snapshot, request.span))


def to_lsp(result: Tokens, edge: Edge) -> dict[str, Any]:
    """Return the tokens as numbers."""
    from callwright.features.support.tokens import answer

    return answer(result, edge)
