"""The legend of semantic tokens, and what the server announces of them.

Owns: their types and modifiers. Must not know: where tokens are. It is cheap to import, since a client waits.
"""

from __future__ import annotations

from typing import Any, Final

#: Names that the protocol knows, so that every colour theme has a colour for them.
TYPES: Final = ("function", "parameter", "property", "string", "number", "keyword", "enumMember", "macro", "namespace")
#: `unknown` is our own: a tool or a parameter that the registry does not have.
MODIFIERS: Final = ("deprecated", "unknown", "declaration")
LEGEND: Final = {"tokenTypes": list(TYPES), "tokenModifiers": list(MODIFIERS)}
CAPABILITY: Final = "semanticTokensProvider"
OPTIONS: Final[dict[str, Any]] = {"legend": LEGEND, "range": True, "full": {"delta": True}}
REFRESH: Final = "workspace/semanticTokens/refresh"
