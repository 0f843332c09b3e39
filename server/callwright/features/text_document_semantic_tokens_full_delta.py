"""Semantic tokens of a whole document, as the difference to those that the client has.

Owns: `textDocument/semanticTokens/full/delta`. Must not know: what a token is, how one goes over the wire.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Edge, Feature, Request
from callwright.features.support.token_legend import CAPABILITY, OPTIONS, REFRESH

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.features.support.tokens import Tokens


def handle(snapshot: Snapshot, request: Request) -> Tokens | Generator[None, None, Tokens] | None:
    """Return the tokens, and what the client has of them; None where it is too long."""
    from callwright.features.support.tokens import tokens_of

    return tokens_of(snapshot, request.memory, getattr(request.params, "previous_result_id", None))


def to_lsp(result: Tokens, edge: Edge) -> dict[str, Any]:
    """Return the tokens as numbers."""
    import json

    shown: dict[str, Any] = json.loads(to_json(result, edge))
    return shown


def to_json(result: Tokens, edge: Edge) -> str:
    """Return the tokens in the form in which they are sent."""
    from callwright.features.support.tokens import answer

    return answer(result, edge)


FEATURE: Final = Feature(
    method="textDocument/semanticTokens/full/delta",
    capability=CAPABILITY,
    options=OPTIONS,
    handle=handle,
    to_lsp=to_lsp,
    to_json=to_json,
    refresh=REFRESH,
)
