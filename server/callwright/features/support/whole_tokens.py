"""Semantic tokens of a whole document: what asking for all of them and for a difference have in common.

Owns: `all_tokens`, `all_to_json`. Must not know: where tokens are. It is cheap to import, since a client waits.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

from callwright.features.base import Edge, Request

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.features.support.tokens import Tokens


def all_tokens(snapshot: Snapshot, request: Request) -> Tokens | Generator[None, None, Tokens] | None:
    """Return the tokens of a document, and which of them the client states that it has; None where it is too long."""
    from callwright.features.support.tokens import tokens_of

    return tokens_of(snapshot, request.memory, getattr(request.params, "previous_result_id", None))


def all_to_json(result: Tokens, edge: Edge) -> str:
    """Return the tokens in the form in which they are sent."""
    from callwright.features.support.tokens import answer

    return answer(result, edge)
