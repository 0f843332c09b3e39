"""Semantic tokens of a whole document.

Owns: `textDocument/semanticTokens/full`. Must not know: what a token is, how one goes over the wire.
"""

from __future__ import annotations

from typing import Final

from callwright.features.base import Feature, of_json
from callwright.features.support.token_legend import CAPABILITY, OPTIONS, REFRESH
from callwright.features.support.whole_tokens import all_to_json, all_tokens

FEATURE: Final = Feature(
    method="textDocument/semanticTokens/full",
    capability=CAPABILITY,
    options=OPTIONS,
    handle=all_tokens,
    to_lsp=of_json(all_to_json),
    to_json=all_to_json,
    refresh=REFRESH,
)
